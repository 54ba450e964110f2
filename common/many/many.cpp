#include "many/many.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "harness/chosen.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/options.h"
#include "harness/result.h"
#include "harness/text.h"
#include "harness/timing.h"
#include "many/elements.h"
#include "many/nccl.h"
#include "many/request.h"

namespace coalesce::many {
namespace {

using Json = nlohmann::ordered_json;

// ---- who has what ----

/// Where a line of memory begins.
constexpr int LINE_FLOATS = 32;

std::size_t floats(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

cudaStream_t new_stream(bool is_urgent = false) {
    int least = 0, greatest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream = nullptr;
    CUDA_CHECK(
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, is_urgent ? greatest : least));
    return stream;
}

/// Ranks with memory and streams of their own.
class OwnRanks {
public:
    OwnRanks(Shape shape, const std::vector<int>& devices) {
        const int count = static_cast<int>(devices.size());
        ranks_.rows = spread_over(count, shape.rows);
        ranks_.cols = spread_over(count, shape.cols);
        ranks_.devices = devices;
        ranks_.each([&](int rank) {
            add(ranks_.in, floats(ranks_.rows.size(rank), shape.cols));
            add(ranks_.out, floats(ranks_.cols.size(rank), shape.rows));
            ranks_.packing.push_back(new_stream());
            ranks_.sending.emplace_back();
            // What others wait for comes first.
            for (int peer = 0; peer < count; ++peer)
                ranks_.sending.back().push_back(new_stream(true));
            ranks_.unpacking.push_back(new_stream());
        });
    }
    ~OwnRanks() {
        ranks_.sending.push_back(ranks_.packing);
        ranks_.sending.push_back(ranks_.unpacking);
        for (const auto& streams : ranks_.sending) {
            for (cudaStream_t stream : streams) static_cast<void>(cudaStreamDestroy(stream));
        }
    }
    OwnRanks(const OwnRanks&) = delete;
    OwnRanks& operator=(const OwnRanks&) = delete;

    const Ranks& ranks() const { return ranks_; }

private:
    void add(std::vector<float*>& blocks, std::size_t size) {
        buffers_.emplace_back(std::max<std::size_t>(1, size) * sizeof(float));
        blocks.push_back(static_cast<float*>(buffers_.back().data()));
    }

    std::vector<DeviceBuffer> buffers_;
    Ranks ranks_;
};

/// Not divided by the number of GPUs, by tiles or by vectors; less than one row per GPU.
const std::vector<Shape> VERIFIED = {{256, 256}, {512, 128}, {128, 512}, {300, 420},
                                     {77, 45},   {1, 257},   {257, 1},   {3, 5}};

/// What NCCL is tried with: nothing, fewer blocks beside it, a head start, both.
const std::vector<Tuning> ROOM = {{}, {.unused = 64}, {.pause = 30}, {.unused = 64, .pause = 30}};

// ---- the devices ----

/// The GPU of each rank.
std::vector<int> devices_for(int ranks) {
    int there = 0;
    CUDA_CHECK(cudaGetDeviceCount(&there));
    std::vector<int> devices;
    for (int rank = 0; rank < ranks; ++rank) devices.push_back(rank % there);
    return devices;
}

int distinct(const std::vector<int>& devices) {
    return *std::max_element(devices.begin(), devices.end()) + 1;
}

/// From now on kernels of each GPU may use the memory of all.
void open_peers(int gpus) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
        CUDA_CHECK(cudaSetDevice(gpu));
        for (int peer = 0; peer < gpus; ++peer) {
            if (peer == gpu) continue;
            int can = 0;
            CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu, peer));
            if (!can) {
                throw UsageError(
                    format("GPU %d cannot reach the memory of GPU %d (nvidia-smi topo "
                           "-p2p w says why): try fewer GPUs",
                           gpu, peer));
            }
            const cudaError_t opened = cudaDeviceEnablePeerAccess(peer, 0);
            if (opened != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(opened);
            static_cast<void>(cudaGetLastError());
        }
    }
}

void wait_for(const Ranks& ranks) {
    ranks.each([](int) { CUDA_CHECK(cudaDeviceSynchronize()); });
}

// ---- the program ----

class Program {
public:
    Program(const Request& request, const Device& device, const std::vector<KindOfWay>& ways)
        : request_(request), device_(device), devices_(devices_for(request.gpus)) {
        for (const KindOfWay* way : chosen(ways, "--way", "way", request.way)) {
            const std::string reason = why_not(*way);
            if (reason.empty()) {
                ways_.push_back(*way);
            } else if (request.way.empty()) {
                left_out_ += way->name + " is left out: " + reason + "\n";
            } else {
                throw UsageError(way->name + ": " + reason);
            }
        }
        open_peers(distinct(devices_));
    }

    int run() {
        std::printf("%s\n%s", first_line().c_str(), wrap(left_out_).c_str());
        if (request_.verify) verify();
        if (request_.bench && !device_.simulated) measure();
        if (!request_.json.empty()) write_file(request_.json, json().dump(2) + "\n");
        return wrong_ == 0 ? exit_right : exit_wrong;
    }

private:
    std::string why_not(const KindOfWay& way) const {
        if (!way.needs_nccl) return "";
        if (distinct(devices_) < request_.gpus) return "NCCL needs a GPU for each rank";
        // NVIDIA's reaches for the driver; another one may be given by name.
        if (device_.simulated && !std::getenv("COALESCE_NCCL")) return "NCCL needs real GPUs";
        return Nccl::why_not();
    }

    std::string first_line() const {
        const int gpus = distinct(devices_);
        std::string text =
            "Device: " + (gpus > 1 ? std::to_string(gpus) + " x " : "") + device_.name;
        if (gpus < request_.gpus) text += ", blocks for " + std::to_string(request_.gpus);
        return text + (device_.simulated ? ", simulated: no times" : ", measured");
    }

    void verify() {
        int results = 0;
        for (const Shape shape : request_.shape ? std::vector{*request_.shape} : VERIFIED) {
            const OwnRanks own(shape, devices_);
            fill(own.ranks());
            for (const KindOfWay& way : ways_) {
                for (const Tuning tuning : tunings_of(way, {1, 3}, {{}})) {
                    const auto made = way.make(own.ranks(), tuning);
                    results_right(own.ranks(), shape, name_of(way, tuning), *made);
                    ++results;
                }
            }
        }
        std::printf("%s verified, bit by bit: %llu wrong\n", count_of(results, "result").c_str(),
                    wrong_);
    }

    /// Each number of chunks with each of `room`, unless the command line says which.
    std::vector<Tuning> tunings_of(const KindOfWay& way, std::vector<int> chunks,
                                   std::vector<Tuning> room) const {
        if (!way.is_chunked) return {Tuning{}};
        if (request_.chunks > 0) chunks = {request_.chunks};
        // Copy engines need none on the multiprocessors.
        if (!way.needs_nccl) room = {{}};
        if (request_.unused > 0 || request_.pause > 0) {
            room = {{.unused = request_.unused, .pause = request_.pause}};
        }
        std::vector<Tuning> tunings;
        for (const int count : chunks) {
            for (const Tuning one : room) {
                tunings.push_back({.chunks = count, .unused = one.unused, .pause = one.pause});
            }
        }
        return tunings;
    }

    static std::string name_of(const KindOfWay& way, Tuning tuning) {
        if (!way.is_chunked) return way.name;
        std::string name = way.name + "/" + std::to_string(tuning.chunks);
        if (tuning.unused > 0) name += "-" + std::to_string(tuning.unused) + "K";
        if (tuning.pause > 0) name += "-" + std::to_string(tuning.pause) + "us";
        return name;
    }

    /// Runs it once, twice where it may leave something behind, and looks at every element.
    unsigned long long results_right(const Ranks& ranks, Shape shape, const std::string& name,
                                     Way& way) {
        poison(ranks);
        way.start();
        CUDA_CHECK(cudaGetLastError());
        wait_for(ranks);
        if (request_.spoil) spoil(ranks);
        const Wrong wrong = count_wrong(ranks);
        wrong_ += wrong.cells;
        if (wrong.cells > 0) {
            std::printf("%s is wrong at %s: %s, the first is out(%llu, %llu)\n", name.c_str(),
                        shape.name().c_str(), count_of(wrong.cells, "cell").c_str(),
                        wrong.first_row, wrong.first_col);
        }
        return wrong.cells;
    }

    /// One bit of the first element of rank 0's block.
    static void spoil(const Ranks& ranks) {
        unsigned bits = 0;
        CUDA_CHECK(cudaMemcpy(&bits, ranks.out[0], sizeof bits, cudaMemcpyDeviceToHost));
        bits ^= 1;
        CUDA_CHECK(cudaMemcpy(ranks.out[0], &bits, sizeof bits, cudaMemcpyHostToDevice));
    }

    // ---- measuring ----

    Shape measured_shape() const {
        if (request_.shape) return *request_.shape;
        // In and out, and as much again for what is packed and received.
        for (int side = 65536;; side /= 2) {
            const std::size_t block =
                sizeof(float) * floats(side, side) / static_cast<std::size_t>(distinct(devices_));
            if (4 * block < free_device_bytes(false) || side <= 1024) return {side, side};
        }
    }

    /// What a GPU has to send at least: all of its block that does not stay there.
    double least_ms(Shape shape) const {
        const double block = sizeof(float) * 1.0 * shape.rows * shape.cols / request_.gpus;
        return block * (request_.gpus - 1) / request_.gpus / request_.link / 1e6;
    }

    void measure() {
        const Shape shape = measured_shape();
        const OwnRanks own(shape, devices_);
        fill(own.ranks());
        std::printf("\n%s floats, %.1f GiB; at %.0f GB/s a GPU no less than %.3f ms\n\n",
                    shape.name().c_str(), sizeof(float) * 1.0 * shape.rows * shape.cols / (1 << 30),
                    request_.link, least_ms(shape));
        std::printf("%-18s %9s %9s %9s %9s\n", "Way", "ms", "GB/s sent", "of link", "wrong");
        for (const KindOfWay& way : ways_) {
            for (const Tuning tuning : tunings_of(way, {1, 4, 6, 8, 16, 32}, ROOM)) {
                const auto made = way.make(own.ranks(), tuning);
                measure_one(own.ranks(), shape, name_of(way, tuning), *made);
            }
        }
    }

    void measure_one(const Ranks& ranks, Shape shape, const std::string& name, Way& made) {
        const unsigned long long wrong = results_right(ranks, shape, name, made);
        std::vector<double> times;
        for (int i = 0; i < request_.repetitions; ++i) times.push_back(time_once(ranks, made));
        const Timing timing = summarise(times);
        const double share = least_ms(shape) / timing.ms;
        std::printf("%-18s %9.3f %9.1f %7.1f %% %9llu\n", name.c_str(), timing.ms,
                    share * request_.link, 100 * share, wrong);
        std::fflush(stdout);
        results_.push_back({{"step", "16_many_gpus"},
                            {"variant", name},
                            {"gpus", request_.gpus},
                            {"rows", shape.rows},
                            {"cols", shape.cols},
                            {"verified", wrong == 0},
                            {"ms", timing.ms},
                            {"sent_gbps", share * request_.link},
                            {"of_link", share}});
    }

    /// From the moment when all GPUs are idle to the moment when all are again.
    static double time_once(const Ranks& ranks, Way& way) {
        wait_for(ranks);
        const auto start = std::chrono::steady_clock::now();
        way.start();
        wait_for(ranks);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    }

    Json json() const {
        return {{"device",
                 {{"name", device_.name},
                  {"kind", device_.simulated ? "sim" : "gpu"},
                  {"gpus", distinct(devices_)},
                  {"link_gbps", request_.link}}},
                {"wrong", wrong_},
                {"results", results_}};
    }

    const Request& request_;
    const Device& device_;
    std::vector<int> devices_;
    std::vector<KindOfWay> ways_;
    std::string left_out_;
    unsigned long long wrong_ = 0;
    Json results_ = Json::array();
};

int run_or_throw(const std::string& program, int argc, char** argv,
                 const std::vector<KindOfWay>& ways) {
    const Request request = parse(argc, argv);
    if (request.help || request.list) {
        const std::string text = request.help ? help_text(program, ways) : list_text(ways);
        std::printf("%s", text.c_str());
        return exit_right;
    }
    const Device device = choose_device(request.device, argv);
    return Program(request, device, ways).run();
}

}  // namespace

void Ranks::each(const std::function<void(int rank)>& work) const {
    for (int rank = 0; rank < count(); ++rank) {
        CUDA_CHECK(cudaSetDevice(devices[static_cast<std::size_t>(rank)]));
        work(rank);
    }
}

Events::Events(const Ranks& ranks, int each) : each_(each) {
    ranks.each([&](int) {
        for (int i = 0; i < each; ++i) {
            events_.push_back(nullptr);
            CUDA_CHECK(cudaEventCreateWithFlags(&events_.back(), cudaEventDisableTiming));
        }
    });
}

Events::~Events() {
    for (cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
}

void Events::record(int rank, cudaStream_t stream, int which) {
    CUDA_CHECK(cudaEventRecord(events_[static_cast<std::size_t>(rank * each_ + which)], stream));
}

void Events::wait(int rank, cudaStream_t stream) {
    for (int i = 0; i < each_; ++i) {
        CUDA_CHECK(
            cudaStreamWaitEvent(stream, events_[static_cast<std::size_t>(rank * each_ + i)]));
    }
}

void Events::wait_for_all(cudaStream_t stream) {
    for (cudaEvent_t event : events_) CUDA_CHECK(cudaStreamWaitEvent(stream, event));
}

Slot::Slot(const Ranks& ranks, std::size_t size, bool receives)
    : is_packed(ranks), is_sent(ranks, ranks.count()), is_unpacked(ranks) {
    auto add = [&](std::vector<float*>& room) {
        buffers.emplace_back(std::max<std::size_t>(1, size) * sizeof(float));
        room.push_back(static_cast<float*>(buffers.back().data()));
    };
    ranks.each([&](int) {
        add(packed);
        if (receives) add(received);
    });
}

Spread spread_over(int ranks, int count) {
    return {.count = count, .ranks = ranks, .multiple = LINE_FLOATS};
}

Ranks on_one_gpu(float* out, const float* in, int rows, int cols, int ranks) {
    Ranks all;
    all.rows = spread_over(ranks, rows);
    all.cols = spread_over(ranks, cols);
    for (int rank = 0; rank < ranks; ++rank) {
        all.devices.push_back(0);
        // Nobody writes to `in`; ranks of their own fill theirs.
        all.in.push_back(const_cast<float*>(in) + floats(all.rows.begin(rank), cols));
        all.out.push_back(out + floats(all.cols.begin(rank), rows));
    }
    all.packing = all.unpacking = std::vector<cudaStream_t>(all.in.size(), nullptr);
    all.sending.assign(all.in.size(), all.packing);
    return all;
}

bool is_asked_for(int argc, char** argv) {
    return std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* argument) {
        return std::strncmp(argument, "--gpus", 6) == 0;
    });
}

int run(int argc, char** argv, const std::vector<KindOfWay>& ways) {
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    try {
        return run_or_throw(program, argc, argv, ways);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
        return exit_usage;
    }
}

}  // namespace coalesce::many
