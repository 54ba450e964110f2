// A step that is recorded instead of run: linked with the step's own main.cu in place of the harness's
// run_step, it writes down for each variant what one warp asks of memory, in which order blocks take
// their tiles, and with which launch a matrix of any shape is transposed.
//
//     recorder_03_tiled FILE [--order]      writes FILE as JSON; with the order of blocks too
//
// Pictures and the explorer are made of these files, so that they show the kernels in the tree and
// nothing else.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/harness.h"
#include "harness/simulator_function.h"
#include "recorder/launch_rule.h"

namespace {

using namespace coalesce;
using recorder::LaunchShape;
using ordered_json = nlohmann::ordered_json;

// ---- launches, caught on their way ----

/// The launches since the last `clear`. With `is_held_back` set they are seen but not run.
struct Caught {
    std::vector<LaunchShape> launches;
    bool is_held_back = false;
} caught;

}  // namespace

/// What `<<<>>>` calls. The program's own definition is found before the library's.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared, cudaStream_t stream) {
    using Launch = cudaError_t(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
    static auto* const launch = reinterpret_cast<Launch*>(dlsym(RTLD_NEXT, "__cudaLaunchKernel"));
    const char* name = nullptr;
    CUDA_CHECK(cudaFuncGetName(&name, kernel));
    caught.launches.push_back(
        {name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared});
    return caught.is_held_back ? cudaSuccess
                               : launch(kernel, grid, block, arguments, shared, stream);
}

namespace {

/// One matrix in, one out.
class Task {
public:
    Task(int rows, int cols) : rows_(rows), cols_(cols), in_(bytes()), out_(bytes()) {
        CUDA_CHECK(cudaMemset(in_.data(), 0, bytes()));
    }
    void launch(const Variant& variant) {
        caught.launches.clear();
        variant.launch(static_cast<float*>(out_.data()), static_cast<const float*>(in_.data()),
                       rows_, cols_);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    /// "in", "out", "shared", and what is to be taken off an address for its offset there.
    std::pair<const char*, std::uint64_t> memory_of(const CoalesceAccess& access) const {
        if (access.shared) return {"shared", 0};
        const unsigned first = static_cast<unsigned>(__builtin_ctz(access.active));
        for (const auto& [name, buffer] : {std::pair{"in", &in_}, std::pair{"out", &out_}}) {
            const auto begin = reinterpret_cast<std::uint64_t>(buffer->data());
            if (access.addresses[first] - begin < bytes()) return {name, begin};
        }
        throw std::runtime_error("an access to neither matrix");
    }

private:
    std::size_t bytes() const {
        return sizeof(float) * static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
    }

    int rows_, cols_;
    DeviceBuffer in_, out_;
};

// ---- one warp ----

ordered_json access_json(const CoalesceAccess& access, const Task& task) {
    const auto [memory, begin] = task.memory_of(access);
    ordered_json addresses = ordered_json::array();
    for (unsigned lane = 0; lane < 32; ++lane) {
        const bool is_active = access.active >> lane & 1;
        addresses.push_back(is_active ? ordered_json(access.addresses[lane] - begin)
                                      : ordered_json(nullptr));
    }
    return {{"line", access.line},        {"memory", memory},
            {"store", access.store != 0}, {"bytes", access.bytes_per_lane},
            {"cost", access.cost},        {"ideal", access.ideal},
            {"addresses", addresses}};
}

ordered_json traced(const Variant& variant, Task& task, unsigned block, unsigned warp,
                    std::size_t limit) {
    SIMULATOR_FUNCTION(coalesceTraceWarp)(block, warp, limit);
    task.launch(variant);
    ordered_json list = ordered_json::array();
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetAccessCount)();
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceAccess access{};
        SIMULATOR_FUNCTION(coalesceGetAccess)(i, &access);
        list.push_back(access_json(access, task));
    }
    SIMULATOR_FUNCTION(coalesceTraceWarp)(0, 0, 0);
    return list;
}

constexpr int kSide = 256;
/// Warp 5 is the lessons' example; small blocks have fewer.
constexpr unsigned kWarp = 5;

ordered_json warp_json(const Variant& variant, Task& task) {
    task.launch(variant);
    const LaunchShape& shape = caught.launches.front();
    const unsigned warps = (shape.block[0] * shape.block[1] * shape.block[2] + 31) / 32;
    const unsigned warp = std::min(kWarp, warps - 1);
    constexpr std::size_t most_accesses = 64;
    return {{"rows", kSide},
            {"cols", kSide},
            {"block", 0},
            {"warp", warp},
            {"accesses", traced(variant, task, 0, warp, most_accesses)}};
}

/// Where each block's first load begins, in a matrix of 16 x 16 tiles of 32 x 32.
ordered_json order_json(const Variant& variant) {
    constexpr int side = 512;
    constexpr unsigned tiles = 16;
    Task task(side, side);
    task.launch(variant);
    const auto& grid = caught.launches.front().grid;
    ordered_json order = ordered_json::array();
    if (grid[0] != tiles || grid[1] != tiles) return order;
    for (unsigned block = 0; block < tiles * tiles; ++block) {
        const ordered_json first = traced(variant, task, block, 0, 1);
        const auto element = first.at(0).at("addresses").at(0).get<std::uint64_t>() / sizeof(float);
        order.push_back({element / side, element % side});
    }
    return order;
}

// ---- launches of any shape ----

/// What the launch of each of many shapes looks like, without running them.
std::vector<recorder::Sample> samples_of(const Variant& variant) {
    std::vector<recorder::Sample> samples;
    caught.is_held_back = true;
    for (int rows : {4, 32, 60, 100, 128, 256, 260, 1000, 1024, 2048}) {
        for (int cols : {4, 32, 60, 100, 128, 256, 260, 1000, 1024, 2048}) {
            caught.launches.clear();
            variant.launch(nullptr, nullptr, rows, cols);
            samples.push_back({rows, cols, caught.launches.at(0)});
        }
    }
    caught.is_held_back = false;
    return samples;
}

bool is_of_kernel(const Variant& variant) {
    return variant.in == Memory::device && variant.out == Memory::device && !variant.needs_gpu;
}

std::optional<ordered_json> variant_json(const Variant& variant, bool with_order) {
    if (!is_of_kernel(variant)) return std::nullopt;
    Task task(kSide, kSide);
    task.launch(variant);
    if (caught.launches.empty()) return std::nullopt;  // a copy by the runtime
    const char* produces = variant.produces.kind == Produces::transpose ? "transpose"
                           : variant.produces.kind == Produces::copy    ? "copy"
                                                                        : "";
    return ordered_json{{"name", variant.name},
                        {"about", variant.about},
                        {"rows_multiple", variant.rows_multiple},
                        {"cols_multiple", variant.cols_multiple},
                        {"produces", produces},
                        {"launch", recorder::launch_rule(samples_of(variant), variant.name)},
                        {"warp", warp_json(variant, task)},
                        {"order", with_order ? order_json(variant) : ordered_json::array()}};
}

}  // namespace

int coalesce::run_step(int argc, char** argv, const std::vector<Variant>& variants) {
    try {
        const bool with_order = argc == 3 && std::string(argv[2]) == "--order";
        if (argc != 2 && !with_order)
            throw UsageError("give the file to write, and perhaps --order");
        choose_device(DeviceChoice::simulator, argv);
        ordered_json list = ordered_json::array();
        for (const Variant& variant : variants) {
            if (auto recorded = variant_json(variant, with_order)) list.push_back(*recorded);
        }
        std::ofstream file(argv[1]);
        file << ordered_json{{"variants", list}}.dump() << "\n";
        if (!file.flush()) throw std::runtime_error(std::string(argv[1]) + " can not be written");
        return exit_right;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "recorder: %s\n", error.what());
        return exit_usage;
    }
}
