#include "lab/random_times/on_device.h"

#include "examiner/compilers.h"
#include "examiner/loaded_kernel.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/simulator_function.h"
#include "harness/text.h"
#include "lab/campaign/streams/expected.h"

namespace coalesce::timing {
namespace {

constexpr int kMaxCompilerSeconds = 60;

std::string compile_to_ptx(const Kernel& kernel) {
    const auto compiler = find_compiler(Compiler::any);
    if (!compiler) {
        throw UsageError(
            "kernels cannot be compiled, because neither the CUDA toolkit nor clang was found");
    }
    const RawOutput raw =
        run_compiler(*compiler, kernel.text, native_architecture(), kMaxCompilerSeconds);
    if (raw.is_good) return raw.ptx;
    throw std::runtime_error(kernel.name + " does not compile:\n" + raw.output);
}

/// Waits for the launch. Returns the reports of the simulator's checks, or the error of the launch.
/// On a real GPU an error destroys the process's context, so an exception is thrown.
std::string wait_and_describe_problem(const Device& device) {
    if (!device.simulated) {
        CUDA_CHECK(cudaDeviceSynchronize());
        return "";
    }
    std::string text;
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
        text = cudaGetErrorName(error);
    }
    if (SIMULATOR_FUNCTION(coalesceGetReports)() > 0) {
        CoalesceReport report{};
        SIMULATOR_FUNCTION(coalesceGetReport)(0, &report);
        text = format("%s: %s, line %u", report.check, report.message, report.line);
    }
    SIMULATOR_FUNCTION(coalesceClearReports)();
    SIMULATOR_FUNCTION(coalesceClearError)();
    return text;
}

}  // namespace

LoadedRandomKernel::LoadedRandomKernel(const Kernel& kernel) {
    const std::string ptx = compile_to_ptx(kernel);
    CUDA_CHECK(
        cudaLibraryLoadData(&library_, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&kernel_, library_, kernel.name.c_str()));
    if (kernel.measured_launch.shared_bytes > 0) {
        CUDA_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        kernel.measured_launch.shared_bytes));
    }
}

LoadedRandomKernel::~LoadedRandomKernel() {
    // If a kernel has destroyed the context, this call fails and there is nothing left to free.
    if (library_) static_cast<void>(cudaLibraryUnload(library_));
}

void LoadedRandomKernel::launch(const MatrixLaunch& run, void* out, const void* in) const {
    const auto to_dim3 = [](const std::array<int, 3>& sizes) {
        return dim3(static_cast<unsigned>(sizes[0]), static_cast<unsigned>(sizes[1]),
                    static_cast<unsigned>(sizes[2]));
    };
    cudaLaunchConfig_t launch_config{};
    launch_config.gridDim = to_dim3(run.grid);
    launch_config.blockDim = to_dim3(run.block);
    launch_config.dynamicSmemBytes = static_cast<std::size_t>(run.shared_bytes);
    int rows = run.rows, cols = run.cols, in_pitch = run.in_pitch, out_pitch = run.out_pitch,
        zero = 0;
    void* arguments[] = {&out, &in, &rows, &cols, &in_pitch, &out_pitch, &zero};
    CUDA_CHECK(cudaLaunchKernelExC(&launch_config, kernel_, arguments));
}

std::string check_small_run(const Kernel& kernel, const LoadedRandomKernel& loaded_kernel,
                            const Device& device) {
    const MatrixLaunch& run = kernel.checked_launch;
    const ByteVector input = make_input(kernel.computation, run.in_bytes);
    ByteVector output(run.out_bytes);
    const DeviceBuffer in(input.size()), out(output.size());
    CUDA_CHECK(cudaMemcpy(in.data(), input.data(), input.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(out.data(), kUnwrittenByte, output.size()));
    loaded_kernel.launch(run, out.data(), in.data());
    const std::string report = wait_and_describe_problem(device);
    if (!report.empty()) return report;
    CUDA_CHECK(cudaMemcpy(output.data(), out.data(), output.size(), cudaMemcpyDeviceToHost));
    return describe_wrong_element(kernel.computation, run, input, output);
}

}  // namespace coalesce::timing
