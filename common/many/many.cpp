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

/// The shapes to verify. The sides of some are not divisible by the number of GPUs, by the side of
/// a tile or by the vector width. The last shapes have fewer rows than there are GPUs.
const std::vector<Shape> kVerifiedShapes = {{256, 256}, {512, 128}, {128, 512}, {300, 420},
                                            {77, 45},   {1, 257},   {257, 1},   {3, 5}};

/// The settings to try with NCCL: the defaults, fewer blocks for the packing kernels, a head start
/// for NCCL, and both of these together.
const std::vector<Tuning> kMeasuredTunings = {
    {}, {.unused_shared_kib = 64}, {.pause_us = 30}, {.unused_shared_kib = 64, .pause_us = 30}};

// ---- the devices ----

/// Returns those devices of the list that belong to ranks of this process.
std::set<int> find_local_devices(const std::vector<int>& devices) {
    std::set<int> local_devices(devices.begin(), devices.end());
    local_devices.erase(kRankOfOtherProcess);
    return local_devices;
}

/// Returns the total number of GPUs of all processes. Each rank of another process is counted as
/// one GPU.
int count_gpus(const std::vector<int>& devices) {
    const auto remote_rank_count = std::count(devices.begin(), devices.end(), kRankOfOtherProcess);
    return static_cast<int>(find_local_devices(devices).size()) +
           static_cast<int>(remote_rank_count);
}

/// Lets kernels on each GPU access the memory of all GPUs.
void open_peers(const std::set<int>& gpus) {
    for (const int gpu : gpus) {
        CUDA_CHECK(cudaSetDevice(gpu));
        for (const int peer : gpus) {
            if (peer == gpu) continue;
            int can_access = 0;
            CUDA_CHECK(cudaDeviceCanAccessPeer(&can_access, gpu, peer));
            if (!can_access) {
                throw UsageError(
                    format("GPU %d cannot access the memory of GPU %d (nvidia-smi topo "
                           "-p2p w says why); use fewer GPUs",
                           gpu, peer));
            }
            const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
            if (error != cudaErrorPeerAccessAlreadyEnabled) CUDA_CHECK(error);
            static_cast<void>(cudaGetLastError());
        }
    }
}

void synchronize_ranks(const Ranks& ranks) {
    ranks.for_each_rank([](int) { CUDA_CHECK(cudaDeviceSynchronize()); });
}

// ---- the program ----

class BenchmarkProgram {
public:
    BenchmarkProgram(const Request& request, const Device& device,
                     const std::vector<MethodKind>& methods, Team& team)
        : request_(request),
          device_(device),
          team_(team),
          devices_(team.devices(request.gpus)),
          gpu_count_(count_gpus(devices_)) {
        const bool is_method_chosen = methods.size() == 1 || !request.method.empty();
        for (const MethodKind* method : select_by_name(methods, "--way", "way", request.method)) {
            const std::string reason = reason_not_to_run(*method);
            if (is_method_chosen)
                team.fail_together(reason.empty() ? "" : method->name + ": " + reason);
            if (reason.empty()) {
                methods_.push_back(*method);
            } else {
                skipped_methods_ += method->name + " is left out: " + reason + "\n";
            }
        }
        open_peers(find_local_devices(devices_));
    }

    int run() {
        print(header_text() + wrap(skipped_methods_));
        if (request_.verify) verify();
        if (request_.bench && !device_.simulated) measure();
        if (is_first() && !request_.json.empty()) write_file(request_.json, json().dump(2) + "\n");
        return wrong_count_ == 0 ? exit_right : exit_wrong;
    }

private:
    bool is_first() const { return team_.rank() == 0; }
    void print(const std::string& text) const {
        if (is_first()) std::fputs(text.c_str(), stdout), std::fflush(stdout);
    }

    std::string reason_not_to_run(const MethodKind& method) const {
        if (!method.needs_nccl) return "";
        if (gpu_count_ < request_.gpus) return "NCCL needs a GPU for each rank";
        // NVIDIA's NCCL calls the CUDA driver, which the simulator does not provide. COALESCE_NCCL
        // may name a library that works without the driver.
        if (device_.simulated && !std::getenv("COALESCE_NCCL")) return "NCCL needs real GPUs";
        return Nccl::reason_not_to_run();
    }

    std::string header_text() const {
        std::string text =
            "Device: " + (gpu_count_ > 1 ? std::to_string(gpu_count_) + " x " : "") + device_.name;
        if (gpu_count_ < request_.gpus) text += ", blocks for " + std::to_string(request_.gpus);
        text += device_.simulated ? ", simulated, without times\n" : ", measured\n";
        if (team_.count() == 1) return text;
        return text + "Processes: " + std::to_string(team_.count()) + " on " +
               format_count(team_.host_count(), "host") + "\n";
    }

    void verify() {
        int result_count = 0;
        for (const Shape shape : request_.shape ? std::vector{*request_.shape} : kVerifiedShapes) {
            const AllocatedRanks allocated_ranks(shape, devices_, team_);
            fill_in(allocated_ranks.ranks());
            for (const MethodKind& method : methods_) {
                for (const Tuning tuning : list_tunings(method, {1, 3}, {{}})) {
                    const auto instance = method.make(allocated_ranks.ranks(), tuning);
                    count_wrong_results(allocated_ranks.ranks(), shape,
                                        format_method_name(method, tuning), *instance);
                    ++result_count;
                }
            }
        }
        print(format("%s verified, bit for bit: %llu wrong\n",
                     format_count(result_count, "result").c_str(), wrong_count_));
    }

    /// Returns every combination of a number of chunks and an entry of `resource_tunings`. If the
    /// command line sets a value, it is used instead of the list.
    std::vector<Tuning> list_tunings(const MethodKind& method, std::vector<int> chunks,
                                     std::vector<Tuning> resource_tunings) const {
        if (!method.is_chunked) return {Tuning{}};
        if (request_.chunks > 0) chunks = {request_.chunks};
        // Copy engines do not use multiprocessors, so the kernels need not leave any free.
        if (!method.needs_nccl) resource_tunings = {{}};
        if (request_.unused_shared_kib > 0 || request_.pause_us > 0) {
            resource_tunings = {
                {.unused_shared_kib = request_.unused_shared_kib, .pause_us = request_.pause_us}};
        }
        std::vector<Tuning> tunings;
        for (const int chunk_count : chunks) {
            for (const Tuning tuning : resource_tunings) {
                tunings.push_back({.chunks = chunk_count,
                                   .unused_shared_kib = tuning.unused_shared_kib,
                                   .pause_us = tuning.pause_us});
            }
        }
        return tunings;
    }

    static std::string format_method_name(const MethodKind& method, Tuning tuning) {
        if (!method.is_chunked) return method.name;
        std::string name = method.name + "/" + std::to_string(tuning.chunks);
        if (tuning.unused_shared_kib > 0)
            name += "-" + std::to_string(tuning.unused_shared_kib) + "K";
        if (tuning.pause_us > 0) name += "-" + std::to_string(tuning.pause_us) + "us";
        return name;
    }

    /// Runs the method once, checks every element of the result, and returns the number of wrong
    /// elements.
    unsigned long long count_wrong_results(const Ranks& ranks, Shape shape, const std::string& name,
                                           Method& method) {
        poison_out(ranks);
        method.start();
        CUDA_CHECK(cudaGetLastError());
        synchronize_ranks(ranks);
        if (request_.spoil) corrupt_first_element(ranks);
        WrongCells wrong_cells = count_wrong_cells(ranks);
        wrong_cells.cell_count = team_.global_sum(wrong_cells.cell_count);
        wrong_cells.first = team_.global_min(wrong_cells.first);
        wrong_count_ += wrong_cells.cell_count;
        if (wrong_cells.cell_count > 0) {
            const auto rows = static_cast<unsigned long long>(shape.rows);
            print(format("%s is wrong at %s in %s, first in out(%llu, %llu)\n", name.c_str(),
                         shape.name().c_str(), format_count(wrong_cells.cell_count, "cell").c_str(),
                         wrong_cells.first / rows, wrong_cells.first % rows));
        }
        return wrong_cells.cell_count;
    }

    /// Flips a bit in the first element of the last process's result, to test that the check
    /// detects errors.
    void corrupt_first_element(const Ranks& ranks) const {
        const int rank = team_.count() - 1;
        if (rank != team_.rank() || ranks.cols.size(rank) == 0) return;
        float* first_element = ranks.out[rank];
        unsigned bits = 0;
        CUDA_CHECK(cudaMemcpy(&bits, first_element, sizeof bits, cudaMemcpyDeviceToHost));
        bits ^= 1;
        CUDA_CHECK(cudaMemcpy(first_element, &bits, sizeof bits, cudaMemcpyHostToDevice));
    }

    // ---- measuring ----

    Shape measured_shape() const {
        if (request_.shape) return *request_.shape;
        CUDA_CHECK(cudaSetDevice(*find_local_devices(devices_).begin()));
        const auto free_bytes = static_cast<double>(team_.global_min(free_device_bytes(false)));
        // A method needs at most five buffers of a block's size: in, out, two slots, and one for
        // received or untransposed pieces. The last one needs that size if there is only one chunk.
        for (int side = 65536;; side /= 2) {
            const double block_bytes = matrix_bytes({side, side}) / gpu_count_;
            if (5 * block_bytes < free_bytes || side <= 1024) return {side, side};
        }
    }

    /// Returns a lower bound for the time in milliseconds. Each GPU must send its block, except for
    /// the part that stays on the GPU.
    double lower_bound_ms(Shape shape) const {
        const double block_bytes = matrix_bytes(shape) / request_.gpus;
        return block_bytes * (request_.gpus - 1) / request_.gpus / request_.link_gbps / 1e6;
    }

    void measure() {
        const Shape shape = measured_shape();
        const AllocatedRanks allocated_ranks(shape, devices_, team_);
        fill_in(allocated_ranks.ranks());
        print(format("\n%s floats, %.1f GiB; takes at least %.3f ms at %.0f GB/s per GPU\n\n",
                     shape.name().c_str(), matrix_bytes(shape) / (1 << 30), lower_bound_ms(shape),
                     request_.link_gbps));
        print(format("%-18s %9s %9s %9s %9s\n", "Way", "ms", "GB/s sent", "of link", "wrong"));
        for (const MethodKind& method : methods_) {
            for (const Tuning tuning :
                 list_tunings(method, {1, 2, 4, 6, 8, 16, 32}, kMeasuredTunings)) {
                const auto instance = method.make(allocated_ranks.ranks(), tuning);
                measure_method(allocated_ranks.ranks(), shape, format_method_name(method, tuning),
                               *instance);
            }
        }
    }

    void measure_method(const Ranks& ranks, Shape shape, const std::string& name, Method& method) {
        const unsigned long long wrong_count = count_wrong_results(ranks, shape, name, method);
        std::vector<double> times;
        for (int i = 0; i < request_.repetitions; ++i) times.push_back(time_once_ms(ranks, method));
        const Timing timing = summarize_timings(times);
        const double bandwidth_fraction = lower_bound_ms(shape) / timing.ms;
        print(format("%-18s %9.3f %9.1f %7.1f %% %9llu\n", name.c_str(), timing.ms,
                     bandwidth_fraction * request_.link_gbps, 100 * bandwidth_fraction,
                     wrong_count));
        results_json_.push_back({{"step", request_.program},
                                 {"variant", name},
                                 {"gpus", request_.gpus},
                                 {"rows", shape.rows},
                                 {"cols", shape.cols},
                                 {"verified", wrong_count == 0},
                                 {"ms", timing.ms},
                                 {"sent_gbps", bandwidth_fraction * request_.link_gbps},
                                 {"of_link", bandwidth_fraction}});
    }

    /// Returns the time in milliseconds from the moment when all GPUs are idle until the last GPU
    /// is idle again.
    double time_once_ms(const Ranks& ranks, Method& method) const {
        synchronize_ranks(ranks);
        team_.wait_for_all();
        const auto start_time = std::chrono::steady_clock::now();
        method.start();
        synchronize_ranks(ranks);
        const auto elapsed = std::chrono::steady_clock::now() - start_time;
        return team_.global_max(std::chrono::duration<double, std::milli>(elapsed).count());
    }

    Json json() const {
        Json device = {{"name", device_.name},
                       {"kind", device_.simulated ? "sim" : "gpu"},
                       {"gpus", gpu_count_},
                       {"link_gbps", request_.link_gbps}};
        if (team_.count() > 1) {
            device["processes"] = team_.count();
            device["hosts"] = team_.host_count();
        }
        return {{"device", device}, {"wrong", wrong_count_}, {"results", results_json_}};
    }

    const Request& request_;
    const Device& device_;
    Team& team_;
    std::vector<int> devices_;
    int gpu_count_;
    std::vector<MethodKind> methods_;
    std::string skipped_methods_;
    unsigned long long wrong_count_ = 0;
    Json results_json_ = Json::array();
};

int run_alone(int argc, char** argv, const std::vector<MethodKind>& methods) {
    const Request request = parse(argc, argv, LaunchMode::alone);
    if (request.help || request.list) {
        const std::string text =
            request.help ? help_text(request.program, methods) : list_text(methods);
        std::printf("%s", text.c_str());
        return exit_right;
    }
    const Device device = choose_device(request.device, argv);
    Team team;
    return run_in_team(request, device, methods, team);
}

}  // namespace

int run_in_team(const Request& request, const Device& device,
                const std::vector<MethodKind>& methods, Team& team) {
    return BenchmarkProgram(request, device, methods, team).run();
}

bool has_gpus_option(int argc, char** argv) {
    return std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* argument) {
        return std::strncmp(argument, "--gpus", 6) == 0;
    });
}

int run(int argc, char** argv, const std::vector<MethodKind>& methods) {
    try {
        return run_alone(argc, argv, methods);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", program_name(argv).c_str(), error.what());
        return exit_usage;
    }
}

}  // namespace coalesce::many
