#include "examiner/loaded_kernel.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "examiner/ptx_text.h"
#include "harness/counters.h"
#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The number of bytes of shared memory that a block can use without opting in to more than the
/// default.
constexpr std::size_t kDefaultSharedBytes = std::size_t{48} << 10;

std::string product(const std::array<long long, 3>& extent) {
    const std::string text = format_product(extent[0], extent[1]);
    return extent[2] == 1 ? text : text + " x " + std::to_string(extent[2]);
}

std::string format_cuda_error(cudaError_t error) {
    return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

int device_attribute_or(cudaDeviceAttr attribute, int default_value) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : default_value;
}

Failure explain_too_much_shared(const std::string& file, const std::string& size_text,
                                long long max_bytes) {
    return {
        .kind = FailureKind::too_much_shared_memory,
        .headline = size_text + ", but a block can have at most " + std::to_string(max_bytes) + ".",
        .place = {file, 0, 0},
        .advice = "Make the tile smaller: 32 x 33 floats are 4224 bytes."};
}

/// Reports whether an earlier launch caused the error. After such an error, every call in this
/// process returns the same error.
bool is_sticky_error(cudaError_t error) {
    constexpr cudaError_t sticky_errors[] = {
        cudaErrorIllegalAddress,      cudaErrorLaunchFailure,      cudaErrorLaunchTimeout,
        cudaErrorIllegalInstruction,  cudaErrorMisalignedAddress,  cudaErrorAssert,
        cudaErrorInvalidAddressSpace, cudaErrorHardwareStackError, cudaErrorInvalidPc};
    return std::find(std::begin(sticky_errors), std::end(sticky_errors), error) !=
           std::end(sticky_errors);
}

Failure explain_load_failure(cudaError_t error, const std::string& log, const std::string& file) {
    Failure failure{
        .kind = FailureKind::does_not_load,
        .headline = "the device rejected the compiled kernel (" + format_cuda_error(error) + ").",
        .place = {file, 0, 0},
        .details = log.empty() ? "" : wrap("The device reports: " + log),
        .advice = "Undo the last change. Does the kernel use a feature that this device lacks?"};
    if (error == cudaErrorUnsupportedPtxVersion || error == cudaErrorNoKernelImageForDevice) {
        failure.kind = FailureKind::environment_problem;
        failure.advice =
            "The driver is older than the CUDA toolkit: update the driver, or use --device sim.";
    }
    if (is_sticky_error(error)) {
        failure.kind = FailureKind::environment_problem;
        failure.headline = "an earlier launch failed (" + format_cuda_error(error) +
                           "), so this process can no longer use the device.";
        failure.advice = "Run the kernel in a new process.";
    }
    if (log.find("too much shared data") == log.npos) return failure;
    failure.kind = FailureKind::too_much_shared_memory;
    failure.headline = "the __shared__ arrays are larger than a block's shared memory (48 KiB).";
    failure.advice = "Make the tile smaller: 32 x 33 floats are 4224 bytes.";
    return failure;
}

/// Returns the total size of the __shared__ arrays in the PTX. If the device has too little shared
/// memory for them, it would report only that it cannot load the PTX.
std::size_t count_shared_bytes(const std::string& ptx) {
    constexpr std::string_view word = ".shared .align ";
    std::size_t sum = 0;
    for (std::size_t i = ptx.find(word); i != ptx.npos; i = ptx.find(word, i + word.size())) {
        const std::string line = ptx.substr(i, ptx.find('\n', i) - i);
        const std::size_t bracket = line.find('[');
        if (bracket != line.npos) sum += std::strtoull(line.c_str() + bracket + 1, nullptr, 10);
    }
    return sum;
}

/// Reports whether the PTX declares a variable in global memory. In an instruction such as
/// `ld.global`, `.global` is preceded by a letter or a digit. In a declaration, it is not.
bool declares_global_variables(const std::string& ptx) {
    constexpr std::string_view word = ".global";
    for (std::size_t i = ptx.find(word); i != ptx.npos; i = ptx.find(word, i + word.size())) {
        if (i == 0 || !std::isalnum(static_cast<unsigned char>(ptx[i - 1]))) return true;
    }
    return false;
}

bool has_nonpositive_extent(const std::array<long long, 3>& extent) {
    return std::any_of(extent.begin(), extent.end(), [](long long n) { return n <= 0; });
}

}  // namespace

std::string LaunchShape::text() const {
    std::string text = "a grid of " + product(grid) + " blocks of " + product(block) + " threads";
    if (shared_bytes > 0)
        text += ", each with " + std::to_string(shared_bytes) + " bytes of shared memory";
    return text;
}

LoadedKernel::LoadedKernel(const Compiled& compiled)
    : name_(compiled.kernel),
      entry_(compiled.entry),
      ptx_(compiled.ptx),
      file_name_(compiled.file),
      size_count_(compiled.sizes.size()) {
    const std::string code = ptx_code(ptx_);
    has_variables_ = declares_global_variables(code);
    can_print_ = calls_function(code, "vprintf");
    has_dynamic_array_ = code.find(".extern .shared") != code.npos;
    static_shared_bytes_ = count_shared_bytes(code);
    if (static_shared_bytes_ > kDefaultSharedBytes) {
        problem_of_load_ = explain_too_much_shared(
            file_name_,
            "the __shared__ arrays take " + std::to_string(static_shared_bytes_) + " bytes",
            kDefaultSharedBytes);
        return;
    }
    std::string log;
    cudaError_t error = load(log);
    cudaFuncAttributes attributes{};
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel_);
    if (error == cudaSuccess) error = cudaMalloc(&configure_result_, 7 * sizeof(long long));
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        problem_of_load_ = explain_load_failure(error, log, file_name_);
        return;
    }
    static_shared_bytes_ = attributes.sharedSizeBytes;
    max_threads_ = std::min(attributes.maxThreadsPerBlock,
                            device_attribute_or(cudaDevAttrMaxThreadsPerBlock, 1024));
    max_shared_bytes_ =
        device_attribute_or(cudaDevAttrMaxSharedMemoryPerBlockOptin, kDefaultSharedBytes);
}

LoadedKernel::~LoadedKernel() {
    if (is_abandoned_) return;
    // If a kernel has corrupted the context, both calls fail, and nothing needs to be freed.
    if (configure_result_) static_cast<void>(cudaFree(configure_result_));
    if (library_) static_cast<void>(cudaLibraryUnload(library_));
    static_cast<void>(cudaGetLastError());
}

std::string LoadedKernel::configure_call(Shape shape) const {
    std::string arguments;
    for (std::size_t i = 0; i < size_count_; ++i) {
        arguments += (i == 0 ? "" : ", ") + std::to_string(size_at(shape, i));
    }
    return "configure(" + arguments + ")";
}

cudaError_t LoadedKernel::load(std::string& log) {
    std::array<char, 2048> text{};
    cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    void* values[] = {text.data(), reinterpret_cast<void*>(text.size())};
    cudaError_t error =
        cudaLibraryLoadData(&library_, ptx_.c_str(), options, values, 2, nullptr, nullptr, 0);
    if (error == cudaSuccess) error = cudaLibraryGetKernel(&kernel_, library_, entry_.c_str());
    if (error == cudaSuccess) error = cudaLibraryGetKernel(&configure_, library_, kConfigureEntry);
    log = text.data();
    may_have_changed_ = false;
    return error;
}

cudaError_t LoadedKernel::reload() {
    std::string log;
    const cudaError_t error = cudaLibraryUnload(library_);
    library_ = nullptr;
    return error == cudaSuccess ? load(log) : error;
}

/// Resets the variables of the file to their initial values, so that neither `configure` nor an
/// earlier launch can use them to pass data to the next launch.
cudaError_t LoadedKernel::reset_variables() {
    const cudaError_t error = has_variables_ && may_have_changed_ ? reload() : cudaSuccess;
    may_have_changed_ = true;
    return error;
}

std::optional<LaunchShape> LoadedKernel::configure(Shape shape, Failure& failure) {
    auto answer_at = to_address(configure_result_);
    // A kernel reads only as many arguments as it has parameters.
    void* arguments[] = {&answer_at, &shape.rows, &shape.cols, &shape.depth};
    cudaLaunchConfig_t one_thread{};
    one_thread.gridDim = one_thread.blockDim = dim3(1, 1, 1);
    cudaError_t error = reset_variables();
    if (error == cudaSuccess) error = cudaLaunchKernelExC(&one_thread, configure_, arguments);
    std::array<long long, 7> answer{};
    if (error == cudaSuccess) {
        error = cudaMemcpy(answer.data(), configure_result_, sizeof answer, cudaMemcpyDeviceToHost);
    }
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        failure = {
            .kind = FailureKind::kernel_failed,
            .headline = configure_call(shape) + " failed (" + format_cuda_error(error) + ").",
            .place = {file_name_, 0, 0},
            .shape = shape,
            .advice = "In configure, compute the launch only from the arguments."};
        return std::nullopt;
    }
    const LaunchShape launch{
        {answer[0], answer[1], answer[2]}, {answer[3], answer[4], answer[5]}, answer[6]};
    failure = check(launch, shape);
    if (failure.kind != FailureKind::none) return std::nullopt;
    return launch;
}

Failure LoadedKernel::check(const LaunchShape& launch, Shape shape) const {
    const std::string launch_text = configure_call(shape) + " gives ";
    const auto make_failure = [&](FailureKind kind, const std::string& headline_text,
                                  const std::string& advice) -> Failure {
        return {.kind = kind,
                .headline = launch_text + headline_text,
                .place = {file_name_, 0, 0},
                .shape = shape,
                .advice = advice};
    };
    const std::string grid = "a grid of " + product(launch.grid) + " blocks";
    const std::string block = "blocks of " + product(launch.block) + " threads";
    if (has_nonpositive_extent(launch.grid)) {
        const bool is_unwritten = launch.grid[0] == 0 && launch.grid[1] == 0;
        return make_failure(FailureKind::bad_launch, grid + ", so it launches no block.",
                            is_unwritten
                                ? "Write configure: how many blocks does a matrix of rows x "
                                  "cols need, across and down?"
                                : "Which of the numbers is 0 here? If it is a quotient, round "
                                  "it up with ceil_div.");
    }
    if (has_nonpositive_extent(launch.block)) {
        return make_failure(FailureKind::bad_launch, block + ", so it launches no thread.",
                            "Give each direction at least one thread: .block = {32, 8}");
    }
    if (launch.grid[0] > INT_MAX || launch.grid[1] > 65535 || launch.grid[2] > 65535) {
        return make_failure(
            FailureKind::bad_launch, grid + "; the largest grid is 2147483647 x 65535 x 65535.",
            "Divide rows and cols by the sides of the tile that one block processes: "
            "ceil_div(cols, ...).");
    }
    const bool has_too_large_dimension =
        launch.block[2] > 64 || launch.block[0] > 1024 || launch.block[1] > 1024;
    if (has_too_large_dimension || launch.threads() > max_threads_) {
        return make_failure(FailureKind::block_too_large,
                            block + "; " + std::to_string(max_threads_) + " is the maximum.",
                            launch.block[0] == launch.block[1]
                                ? "Make .block smaller: the largest square block has 32 x 32 "
                                  "threads. If a constant gives its sides, the tile needs the same "
                                  "constant: reduce the constant itself."
                                : "Make .block smaller, or reduce the constants that it uses.");
    }
    const long long max_bytes = max_shared_bytes_ - static_cast<long long>(static_shared_bytes_);
    if (launch.shared_bytes < 0 || launch.shared_bytes > max_bytes) {
        Failure failure = explain_too_much_shared(
            file_name_,
            launch_text + std::to_string(launch.shared_bytes) + " bytes of shared memory",
            max_bytes);
        failure.shape = shape;
        return failure;
    }
    return {};
}

cudaError_t LoadedKernel::launch(const LaunchShape& launch, float* out, const float* in,
                                 Shape shape) {
    return this->launch(launch,
                        {to_address(out), to_address(in), static_cast<std::uint64_t>(shape.rows),
                         static_cast<std::uint64_t>(shape.cols)});
}

cudaError_t LoadedKernel::launch(const LaunchShape& launch, std::vector<std::uint64_t> arguments) {
    if (const cudaError_t error = reset_variables(); error != cudaSuccess) return error;
    const auto bytes = static_cast<std::size_t>(launch.shared_bytes);
    if (bytes + static_shared_bytes_ > kDefaultSharedBytes) {
        const cudaError_t error = cudaFuncSetAttribute(
            kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
        if (error != cudaSuccess) return error;
    }
    const auto to_dim3 = [](const std::array<long long, 3>& extent) {
        return dim3(static_cast<unsigned>(extent[0]), static_cast<unsigned>(extent[1]),
                    static_cast<unsigned>(extent[2]));
    };
    cudaLaunchConfig_t config{};
    config.gridDim = to_dim3(launch.grid);
    config.blockDim = to_dim3(launch.block);
    config.dynamicSmemBytes = bytes;
    std::vector<void*> argument_pointers;
    for (std::uint64_t& argument : arguments) argument_pointers.push_back(&argument);
    return cudaLaunchKernelExC(&config, kernel_, argument_pointers.data());
}

std::string native_architecture() {
    const int major = device_attribute_or(cudaDevAttrComputeCapabilityMajor, 9);
    const int minor = device_attribute_or(cudaDevAttrComputeCapabilityMinor, 0);
    return "compute_" + std::to_string(10 * major + minor);
}

}  // namespace coalesce
