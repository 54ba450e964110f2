// Records a step instead of running it. This file is linked with the step's own main.cu in place of
// the harness's run_step. For each variant, it writes the launch for a matrix of any shape, the
// memory accesses of one warp, and the order in which blocks process tiles. If a launch cannot be
// described, it writes the reason.
//
// recorder_03_tiled FILE [--order]      writes FILE as JSON; --order adds the order of the blocks
//
// The pictures and the explorer are generated from these files, so they always show the kernels in
// the source tree.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/kernel_name.h"
#include "book/recorder/launch_rule.h"
#include "examiner/course/exercise.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/harness.h"
#include "harness/simulator_function.h"

namespace {

using namespace coalesce;
using recorder::LaunchShape;
using recorder::NoLaunchRule;
using ordered_json = nlohmann::ordered_json;

// ---- a kernel's name and parameters ----

/// A function's name and parameters: "transpose_tiled<32>" and {"float*", "float const*", "int",
/// "int"}.
struct Signature {
    std::string function;
    std::vector<std::string> parameters;
};

/// Returns the position after the closing bracket of the list that starts at `list_begin`.
std::size_t find_end_of_brackets(const std::string& text, std::size_t list_begin) {
    int depth = 0;
    do {
        if (std::strchr("(<", text[list_begin])) ++depth;
        if (std::strchr(")>", text[list_begin])) --depth;
        ++list_begin;
    } while (depth > 0 && list_begin < text.size());
    return list_begin;
}

Signature parse_signature(const std::string& mangled_name) {
    std::string text = demangled(mangled_name);
    if (text == mangled_name)
        throw std::runtime_error(mangled_name + " is not the name of a C++ function");
    // Only the names of template instances begin with a return type.
    if (text.starts_with("void ")) text.erase(0, 5);
    std::size_t open_bracket = text.find_first_of("(<");
    if (text.at(open_bracket) == '<') open_bracket = find_end_of_brackets(text, open_bracket);
    Signature signature{text.substr(0, open_bracket), {}};
    for (std::size_t position = open_bracket + 1, begin = position; position < text.size();) {
        if (std::strchr("(<", text[position])) {
            position = find_end_of_brackets(text, position);
        } else if (std::strchr(",)", text[position])) {
            signature.parameters.push_back(text.substr(begin, position - begin));
            begin = position + 2, ++position;
        } else {
            ++position;
        }
    }
    return signature;
}

recorder::Argument describe_argument(const std::string& type, const void* value) {
    if (type.ends_with("*")) {
        return {true, static_cast<std::int64_t>(*static_cast<const std::uintptr_t*>(value))};
    }
    if (type == "int") return {false, *static_cast<const int*>(value)};
    if (type == "unsigned int") return {false, *static_cast<const unsigned*>(value)};
    const bool is_64_bit = type == "long" || type == "long long" || type == "unsigned long" ||
                           type == "unsigned long long";
    if (is_64_bit) return {false, *static_cast<const std::int64_t*>(value)};
    throw NoLaunchRule("the host computes one of its arguments (" + type + ")");
}

// ---- intercepted launches ----

/// The launches since the last `clear`. If `is_recording_only` is set, launches are recorded
/// instead of executed.
struct InterceptedLaunches {
    std::vector<LaunchShape> launches;
    /// The reason why the last launch cannot be described, or "".
    std::string problem;
    bool is_recording_only = false;

    void clear() {
        launches.clear();
        problem.clear();
    }
    void record_launch(const char* mangled_name, LaunchShape shape, void** arguments) {
        const Signature signature = parse_signature(mangled_name);
        shape.kernel = mangled_name;
        shape.function = signature.function;
        try {
            for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
                shape.arguments.push_back(describe_argument(signature.parameters[i], arguments[i]));
            }
        } catch (const NoLaunchRule& reason) {
            problem = reason.what();
        }
        launches.push_back(std::move(shape));
    }
} intercepted_launches;

}  // namespace

/// The function that `<<<>>>` calls. The linker prefers this definition to that in the CUDA
/// library.
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes,
                                          cudaStream_t stream) {
    using Launch = cudaError_t(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
    static auto* const launch = reinterpret_cast<Launch*>(dlsym(RTLD_NEXT, "__cudaLaunchKernel"));
    const char* name = nullptr;
    CUDA_CHECK(cudaFuncGetName(&name, kernel));
    intercepted_launches.record_launch(name,
                                       {.grid = {grid.x, grid.y, grid.z},
                                        .block = {block.x, block.y, block.z},
                                        .shared_bytes = shared_bytes},
                                       arguments);
    return intercepted_launches.is_recording_only
               ? cudaSuccess
               : launch(kernel, grid, block, arguments, shared_bytes, stream);
}

namespace {

/// An input matrix and an output matrix.
class TaskMatrices {
public:
    /// The input buffer also has room for the second matrix that some computations read.
    TaskMatrices(int rows, int cols)
        : rows_(rows), cols_(cols), in_(2 * matrix_bytes()), out_(matrix_bytes()) {
        CUDA_CHECK(cudaMemset(in_.data(), 0, 2 * matrix_bytes()));
    }
    void launch(const Variant& variant) {
        launch(variant, rows_, cols_);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    /// Launches the variant for matrices of rows x cols elements, which may be fewer than were
    /// allocated.
    void launch(const Variant& variant, int rows, int cols) {
        intercepted_launches.clear();
        variant.launch(out(), variant.produces.in_place ? nullptr : in(), rows, cols);
    }
    float* out() const { return static_cast<float*>(out_.data()); }
    const float* in() const { return static_cast<const float*>(in_.data()); }
    /// Returns the memory that was accessed ("in", "out" or "shared"), and the address at which it
    /// starts.
    std::pair<const char*, std::uint64_t> find_memory(const CoalesceAccess& access) const {
        if (access.shared) return {"shared", 0};
        const unsigned first_lane = static_cast<unsigned>(__builtin_ctz(access.active));
        for (const auto& [name, buffer] : {std::pair{"in", &in_}, std::pair{"out", &out_}}) {
            const auto begin = reinterpret_cast<std::uint64_t>(buffer->data());
            if (access.addresses[first_lane] - begin < matrix_bytes()) return {name, begin};
        }
        throw std::runtime_error("an access to neither matrix");
    }

private:
    std::size_t matrix_bytes() const {
        return sizeof(float) * static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
    }

    int rows_, cols_;
    DeviceBuffer in_, out_;
};

// ---- one warp ----

ordered_json access_json(const CoalesceAccess& access, const TaskMatrices& task) {
    const auto [memory, begin] = task.find_memory(access);
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

ordered_json trace_warp(const Variant& variant, TaskMatrices& task, unsigned block, unsigned warp,
                        std::size_t max_accesses) {
    SIMULATOR_FUNCTION(coalesceTraceWarp)(block, warp, max_accesses);
    task.launch(variant);
    ordered_json warp_accesses = ordered_json::array();
    const std::size_t access_count = SIMULATOR_FUNCTION(coalesceGetAccessCount)();
    for (std::size_t i = 0; i < access_count; ++i) {
        CoalesceAccess access{};
        SIMULATOR_FUNCTION(coalesceGetAccess)(i, &access);
        warp_accesses.push_back(access_json(access, task));
    }
    SIMULATOR_FUNCTION(coalesceTraceWarp)(0, 0, 0);
    return warp_accesses;
}

constexpr int kRecordedMatrixSide = 256;
/// Warp 5 is the example in the lessons. If a block has fewer warps, its last warp is recorded.
constexpr unsigned kRecordedWarp = 5;

ordered_json warp_json(const Variant& variant, TaskMatrices& task) {
    task.launch(variant);
    const LaunchShape& shape = intercepted_launches.launches.front();
    const unsigned warp_count = (shape.block[0] * shape.block[1] * shape.block[2] + 31) / 32;
    const unsigned warp = std::min(kRecordedWarp, warp_count - 1);
    constexpr std::size_t max_accesses = 64;
    return {{"rows", kRecordedMatrixSide},
            {"cols", kRecordedMatrixSide},
            {"block", 0},
            {"warp", warp},
            {"accesses", trace_warp(variant, task, 0, warp, max_accesses)}};
}

/// Returns, for each block, the row and column of the first element that the block loads. The
/// matrix has 16 x 16 tiles of 32 x 32 elements.
ordered_json block_order_json(const Variant& variant) {
    constexpr int side = 512;
    constexpr unsigned tiles_per_side = 16;
    TaskMatrices task(side, side);
    task.launch(variant);
    const auto& grid = intercepted_launches.launches.front().grid;
    ordered_json block_order = ordered_json::array();
    if (grid[0] != tiles_per_side || grid[1] != tiles_per_side) return block_order;
    for (unsigned block = 0; block < tiles_per_side * tiles_per_side; ++block) {
        const ordered_json first_access = trace_warp(variant, task, block, 0, 1);
        const auto element_index =
            first_access.at(0).at("addresses").at(0).get<std::uint64_t>() / sizeof(float);
        block_order.push_back({element_index / side, element_index % side});
    }
    return block_order;
}

// ---- launches for all shapes ----

/// Returns side lengths of matrices. Many of them are consecutive multiples of `multiple`, so that
/// the samples show at which lengths the grid grows by one block.
std::vector<int> list_matrix_sides(int multiple, int max_side) {
    std::vector<int> sides;
    for (int multiplier = 1; multiplier <= 70; ++multiplier) sides.push_back(multiplier * multiple);
    for (int side : {100, 128, 256, 260, 1000, 1024, 2048, 4096, 8192}) {
        sides.push_back((side + multiple - 1) / multiple * multiple);
    }
    std::erase_if(sides, [&](int side) { return side > max_side; });
    return sides;
}

/// Returns the launches for many shapes, without running them.
std::vector<recorder::ObservedLaunch> sample_launches(const Variant& variant) {
    // The largest shapes must have more tiles than a grid of persistent blocks has blocks.
    constexpr int max_side = 8192;
    TaskMatrices task(max_side, max_side);
    std::vector<recorder::ObservedLaunch> samples;
    intercepted_launches.is_recording_only = true;
    const auto record_sample = [&](int rows, int cols) {
        task.launch(variant, rows, cols);
        const auto address = [](const float* matrix) {
            return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(matrix));
        };
        samples.push_back({rows, cols, intercepted_launches.launches.at(0), address(task.out()),
                           variant.produces.in_place ? 0 : address(task.in())});
    };
    for (const int rows : list_matrix_sides(variant.rows_multiple, max_side)) {
        for (const int cols : list_matrix_sides(variant.cols_multiple, max_side)) {
            if (!variant.square_only || rows == cols) record_sample(rows, cols);
        }
    }
    intercepted_launches.is_recording_only = false;
    return samples;
}

// ---- a variant ----

/// Returns the name of an exercise's task, such as "transpose", or "" if the variant's output is
/// not that of any task. "computed" stands for every task that is defined element by element.
std::string task_name(const Produces& produces) {
    if (produces.kind == Produces::computed) return produces.computation.row ? "computed" : "";
    for (const auto& [name, task] : kTasks) {
        const bool is_same_task = task.kind == produces.kind &&
                                  task.in_place == produces.in_place &&
                                  task.permutation.extents == produces.permutation.extents &&
                                  task.permutation.order == produces.permutation.order;
        if (is_same_task) return name;
    }
    return "";
}

/// Returns the variant's launch as JSON. Throws NoLaunchRule if the variant launches no kernel, or
/// launches a kernel in a way that differs from the launches of an exercise.
ordered_json launch_json(const Variant& variant, TaskMatrices& task) {
    if (variant.permute)
        throw NoLaunchRule("it takes an array with any number of axes, not a matrix");
    if (variant.in != Memory::device || variant.out != Memory::device || variant.needs_gpu) {
        throw NoLaunchRule("it is host code, not a kernel");
    }
    if (variant.element_size != sizeof(float)) {
        throw NoLaunchRule("its elements are not floats");
    }
    task.launch(variant);
    if (intercepted_launches.launches.empty())
        throw NoLaunchRule("it is a copy by the CUDA runtime, not a kernel");
    if (intercepted_launches.launches.size() > 1)
        throw NoLaunchRule("it launches several kernels, one after the other");
    if (!intercepted_launches.problem.empty()) throw NoLaunchRule(intercepted_launches.problem);
    return recorder::find_launch_rule(sample_launches(variant));
}

/// Reports whether the launch needs only the two matrices and their shape, and reads one matrix and
/// writes the other.
bool is_plain_launch(const Variant& variant, const ordered_json& launch) {
    static const ordered_json plain_arguments = {"out", "in", "rows", "cols"};
    return variant.is_plain() && launch.at("other").at("arguments") == plain_arguments;
}

ordered_json variant_json(const Variant& variant, bool records_block_order) {
    ordered_json recorded_variant = {{"name", variant.name},
                                     {"about", variant.about},
                                     {"rows_multiple", variant.rows_multiple},
                                     {"cols_multiple", variant.cols_multiple},
                                     {"produces", task_name(variant.produces)}};
    try {
        TaskMatrices task(kRecordedMatrixSide, kRecordedMatrixSide);
        recorded_variant["launch"] = launch_json(variant, task);
        recorded_variant["is_plain"] = is_plain_launch(variant, recorded_variant["launch"]);
        if (!recorded_variant["is_plain"]) return recorded_variant;
        recorded_variant["warp"] = warp_json(variant, task);
        recorded_variant["order"] =
            records_block_order ? block_order_json(variant) : ordered_json::array();
    } catch (const NoLaunchRule& reason) {
        recorded_variant["why_not"] = reason.what();
    }
    return recorded_variant;
}

}  // namespace

int coalesce::run_step(int argc, char** argv, const std::vector<Variant>& variants) {
    try {
        const bool records_block_order = argc == 3 && std::string(argv[2]) == "--order";
        if (argc != 2 && !records_block_order)
            throw UsageError("give the output file, and optionally --order");
        choose_device(DeviceChoice::simulator, argv);
        ordered_json variant_list = ordered_json::array();
        for (const Variant& variant : variants)
            variant_list.push_back(variant_json(variant, records_block_order));
        std::ofstream file(argv[1]);
        file << ordered_json{{"variants", variant_list}}.dump() << "\n";
        if (!file.flush()) throw std::runtime_error(std::string(argv[1]) + " cannot be written");
        return exit_right;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "recorder: %s\n", error.what());
        return exit_usage;
    }
}
