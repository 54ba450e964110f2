#include "many/many.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "harness/chosen.h"
#include "harness/device.h"
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

double matrix_bytes(Shape shape) {
    return sizeof(float) * 1.0 * shape.rows * shape.cols;
}

/// The shapes to verify. Some are not divisible by the number of GPUs, the tile side or the vector
/// width, and the last ones have fewer rows than GPUs.
const std::vector<Shape> kVerifiedShapes = {{256, 256}, {512, 128}, {128, 512}, {300, 420},
                                            {77, 45},   {1, 257},   {257, 1},   {3, 5}};

/// The settings to try with NCCL: the defaults, fewer blocks for our kernels, a head start for
/// NCCL, and both fewer blocks and a head start.
const std::vector<Tuning> kTriedTunings = {
    {}, {.unused = 64}, {.pause = 30}, {.unused = 64, .pause = 30}};

// ---- the devices ----

/// Returns the devices of this process.
std::set<int> local_devices(const std::vector<int>& devices) {
    std::set<int> here(devices.begin(), devices.end());
    here.erase(kOtherProcess);
    return here;
}

/// Returns the total number of GPUs in all processes. A rank of another process counts as one GPU.
int count_gpus(const std::vector<int>& devices) {
    const auto elsewhere = std::count(devices.begin(), devices.end(), kOtherProcess);
    return static_cast<int>(local_devices(devices).size()) + static_cast<int>(elsewhere);
}

/// Lets kernels on each GPU access the memory of all GPUs.
void open_peers(const std::set<int>& gpus) {
    for (const int gpu : gpus) {
        CUDA_CHECK(cudaSetDevice(gpu));
        for (const int peer : gpus) {
            if (peer == gpu) continue;
            int can = 0;
            CUDA_CHECK(cudaDeviceCanAccessPeer(&can, gpu, peer));
            if (!can) {
                throw UsageError(
                    format("GPU %d cannot reach the memory of GPU %d (nvidia-smi topo "
                           "-p2p w says why); use fewer GPUs",
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
    Program(const Request& request, const Device& device, const std::vector<KindOfWay>& ways,
            Team& team)
        : request_(request),
          device_(device),
          team_(team),
          devices_(team.devices(request.gpus)),
          gpus_(count_gpus(devices_)) {
        const bool is_chosen = ways.size() == 1 || !request.way.empty();
        for (const KindOfWay* way : select_by_name(ways, "--way", "way", request.way)) {
            const std::string reason = reason_not_to_run(*way);
            if (is_chosen) team.fail_together(reason.empty() ? "" : way->name + ": " + reason);
            if (reason.empty()) {
                ways_.push_back(*way);
            } else {
                skipped_ways_ += way->name + " is left out: " + reason + "\n";
            }
        }
        open_peers(local_devices(devices_));
    }

    int run() {
        print(header_text() + wrap(skipped_ways_));
        if (request_.verify) verify();
        if (request_.bench && !device_.simulated) measure();
        if (is_first() && !request_.json.empty()) write_file(request_.json, json().dump(2) + "\n");
        return wrong_ == 0 ? exit_right : exit_wrong;
    }

private:
    bool is_first() const { return team_.rank() == 0; }
    void print(const std::string& text) const {
        if (is_first()) std::fputs(text.c_str(), stdout), std::fflush(stdout);
    }

    std::string reason_not_to_run(const KindOfWay& way) const {
        if (!way.needs_nccl) return "";
        if (gpus_ < request_.gpus) return "NCCL needs a GPU for each rank";
        // NVIDIA's NCCL calls the driver, which is not simulated. COALESCE_NCCL may name a library
        // that works without it.
        if (device_.simulated && !std::getenv("COALESCE_NCCL")) return "NCCL needs real GPUs";
        return Nccl::reason_not_to_run();
    }

    std::string header_text() const {
        std::string text =
            "Device: " + (gpus_ > 1 ? std::to_string(gpus_) + " x " : "") + device_.name;
        if (gpus_ < request_.gpus) text += ", blocks for " + std::to_string(request_.gpus);
        text += device_.simulated ? ", simulated, without times\n" : ", measured\n";
        if (team_.count() == 1) return text;
        return text + "Processes: " + std::to_string(team_.count()) + " on " +
               format_count(team_.hosts(), "host") + "\n";
    }

    void verify() {
        int results = 0;
        for (const Shape shape : request_.shape ? std::vector{*request_.shape} : kVerifiedShapes) {
            const OwnRanks own(shape, devices_, team_);
            fill(own.ranks());
            for (const KindOfWay& way : ways_) {
                for (const Tuning tuning : list_tunings(way, {1, 3}, {{}})) {
                    const auto made = way.make(own.ranks(), tuning);
                    count_wrong_results(own.ranks(), shape, name_of(way, tuning), *made);
                    ++results;
                }
            }
        }
        print(format("%s verified, bit by bit: %llu wrong\n",
                     format_count(results, "result").c_str(), wrong_));
    }

    /// Returns every combination of a number of chunks and an entry of `room`. Values that the
    /// command line sets replace these lists.
    std::vector<Tuning> list_tunings(const KindOfWay& way, std::vector<int> chunks,
                                     std::vector<Tuning> room) const {
        if (!way.is_chunked) return {Tuning{}};
        if (request_.chunks > 0) chunks = {request_.chunks};
        // Copy engines need no multiprocessors, so there is no need to leave room for them.
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

    /// Runs the way once, checks every element of the result, and returns the number of wrong
    /// elements.
    unsigned long long count_wrong_results(const Ranks& ranks, Shape shape, const std::string& name,
                                           Way& way) {
        poison(ranks);
        way.start();
        CUDA_CHECK(cudaGetLastError());
        wait_for(ranks);
        if (request_.spoil) spoil(ranks);
        WrongCells wrong = count_wrong(ranks);
        wrong.cells = team_.sum_of(wrong.cells);
        wrong.first = team_.global_min(wrong.first);
        wrong_ += wrong.cells;
        if (wrong.cells > 0) {
            const auto rows = static_cast<unsigned long long>(shape.rows);
            print(format("%s is wrong at %s: %s, the first is out(%llu, %llu)\n", name.c_str(),
                         shape.name().c_str(), format_count(wrong.cells, "cell").c_str(),
                         wrong.first / rows, wrong.first % rows));
        }
        return wrong.cells;
    }

    /// Changes one bit of the first element of the last process's result, to test that the check
    /// finds errors.
    void spoil(const Ranks& ranks) const {
        const int rank = team_.count() - 1;
        if (rank != team_.rank() || ranks.cols.size(rank) == 0) return;
        float* first = ranks.out[rank];
        unsigned bits = 0;
        CUDA_CHECK(cudaMemcpy(&bits, first, sizeof bits, cudaMemcpyDeviceToHost));
        bits ^= 1;
        CUDA_CHECK(cudaMemcpy(first, &bits, sizeof bits, cudaMemcpyHostToDevice));
    }

    // ---- measuring ----

    Shape measured_shape() const {
        if (request_.shape) return *request_.shape;
        CUDA_CHECK(cudaSetDevice(*local_devices(devices_).begin()));
        const auto free = static_cast<double>(team_.global_min(free_device_bytes(false)));
        // A way needs at most five blocks of memory: in, out, two slots, and the received or
        // untransposed pieces, which fill a block if there is only one chunk.
        for (int side = 65536;; side /= 2) {
            const double block = matrix_bytes({side, side}) / gpus_;
            if (5 * block < free || side <= 1024) return {side, side};
        }
    }

    /// Returns a lower bound for the time: each GPU must send its whole block, except for the part
    /// that stays on that GPU.
    double lower_bound_ms(Shape shape) const {
        const double block = matrix_bytes(shape) / request_.gpus;
        return block * (request_.gpus - 1) / request_.gpus / request_.link / 1e6;
    }

    void measure() {
        const Shape shape = measured_shape();
        const OwnRanks own(shape, devices_, team_);
        fill(own.ranks());
        print(format("\n%s floats, %.1f GiB; at %.0f GB/s per GPU, at least %.3f ms\n\n",
                     shape.name().c_str(), matrix_bytes(shape) / (1 << 30), request_.link,
                     lower_bound_ms(shape)));
        print(format("%-18s %9s %9s %9s %9s\n", "Way", "ms", "GB/s sent", "of link", "wrong"));
        for (const KindOfWay& way : ways_) {
            for (const Tuning tuning : list_tunings(way, {1, 2, 4, 6, 8, 16, 32}, kTriedTunings)) {
                const auto made = way.make(own.ranks(), tuning);
                measure_one(own.ranks(), shape, name_of(way, tuning), *made);
            }
        }
    }

    void measure_one(const Ranks& ranks, Shape shape, const std::string& name, Way& made) {
        const unsigned long long wrong = count_wrong_results(ranks, shape, name, made);
        std::vector<double> times;
        for (int i = 0; i < request_.repetitions; ++i) times.push_back(time_once(ranks, made));
        const Timing timing = summarize_timings(times);
        const double share = lower_bound_ms(shape) / timing.ms;
        print(format("%-18s %9.3f %9.1f %7.1f %% %9llu\n", name.c_str(), timing.ms,
                     share * request_.link, 100 * share, wrong));
        results_.push_back({{"step", request_.program},
                            {"variant", name},
                            {"gpus", request_.gpus},
                            {"rows", shape.rows},
                            {"cols", shape.cols},
                            {"verified", wrong == 0},
                            {"ms", timing.ms},
                            {"sent_gbps", share * request_.link},
                            {"of_link", share}});
    }

    /// Returns the time in milliseconds from the moment when all GPUs are idle until the last GPU
    /// is idle again.
    double time_once(const Ranks& ranks, Way& way) const {
        wait_for(ranks);
        team_.wait_for_all();
        const auto start = std::chrono::steady_clock::now();
        way.start();
        wait_for(ranks);
        const auto time = std::chrono::steady_clock::now() - start;
        return team_.global_max(std::chrono::duration<double, std::milli>(time).count());
    }

    Json json() const {
        Json device = {{"name", device_.name},
                       {"kind", device_.simulated ? "sim" : "gpu"},
                       {"gpus", gpus_},
                       {"link_gbps", request_.link}};
        if (team_.count() > 1) {
            device["processes"] = team_.count();
            device["hosts"] = team_.hosts();
        }
        return {{"device", device}, {"wrong", wrong_}, {"results", results_}};
    }

    const Request& request_;
    const Device& device_;
    Team& team_;
    std::vector<int> devices_;
    int gpus_;
    std::vector<KindOfWay> ways_;
    std::string skipped_ways_;
    unsigned long long wrong_ = 0;
    Json results_ = Json::array();
};

int run_alone(int argc, char** argv, const std::vector<KindOfWay>& ways) {
    const Request request = parse(argc, argv, LaunchMode::alone);
    if (request.help || request.list) {
        const std::string text = request.help ? help_text(request.program, ways) : list_text(ways);
        std::printf("%s", text.c_str());
        return exit_right;
    }
    const Device device = choose_device(request.device, argv);
    Team team;
    return run_together(request, device, ways, team);
}

}  // namespace

int run_together(const Request& request, const Device& device, const std::vector<KindOfWay>& ways,
                 Team& team) {
    return Program(request, device, ways, team).run();
}

bool is_asked_for(int argc, char** argv) {
    return std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* argument) {
        return std::strncmp(argument, "--gpus", 6) == 0;
    });
}

int run(int argc, char** argv, const std::vector<KindOfWay>& ways) {
    try {
        return run_alone(argc, argv, ways);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", program_name(argv).c_str(), error.what());
        return exit_usage;
    }
}

}  // namespace coalesce::many
