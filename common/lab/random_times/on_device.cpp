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

constexpr int kMaxCompileSeconds = 60;

std::string compile_to_ptx(const Kernel& kernel) {
    const auto compiler = find_compiler(Compiler::any);
    if (!compiler) {
        throw UsageError(
            "kernels cannot be compiled, because neither the CUDA toolkit nor clang was found");
    }
    const RawOutput raw =
        run_compiler(*compiler, kernel.text, native_architecture(), kMaxCompileSeconds);
    if (raw.is_good) return raw.ptx;
    throw std::runtime_error(kernel.name + " does not compile:\n" + raw.output);
}

/// Waits for the launch. Returns the reports of the simulator's checks, or the error of the launch.
/// On a real GPU an error destroys the process's context, so an exception is thrown.
std::string wait_for_problem(const Device& device) {
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
    if (kernel.full.shared_bytes > 0) {
        CUDA_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        kernel.full.shared_bytes));
    }
}

LoadedRandomKernel::~LoadedRandomKernel() {
    // If a kernel has destroyed the context, this call fails and there is nothing left to free.
    if (library_) static_cast<void>(cudaLibraryUnload(library_));
}

void LoadedRandomKernel::launch(const MatrixLaunch& run, void* out, const void* in) const {
    const auto extent = [](const std::array<int, 3>& of) {
        return dim3(static_cast<unsigned>(of[0]), static_cast<unsigned>(of[1]),
                    static_cast<unsigned>(of[2]));
    };
    cudaLaunchConfig_t config{};
    config.gridDim = extent(run.grid);
    config.blockDim = extent(run.block);
    config.dynamicSmemBytes = static_cast<std::size_t>(run.shared_bytes);
    int rows = run.rows, cols = run.cols, in_pitch = run.in_pitch, out_pitch = run.out_pitch,
        zero = 0;
    void* arguments[] = {&out, &in, &rows, &cols, &in_pitch, &out_pitch, &zero};
    CUDA_CHECK(cudaLaunchKernelExC(&config, kernel_, arguments));
}

std::string check_small_run(const Kernel& kernel, const LoadedRandomKernel& loaded,
                            const Device& device) {
    const MatrixLaunch& run = kernel.small;
    const Bytes before = make_input(kernel.work, run.in_bytes);
    Bytes after(run.out_bytes);
    const DeviceBuffer in(before.size()), out(after.size());
    CUDA_CHECK(cudaMemcpy(in.data(), before.data(), before.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(out.data(), kUntouched, after.size()));
    loaded.launch(run, out.data(), in.data());
    const std::string report = wait_for_problem(device);
    if (!report.empty()) return report;
    CUDA_CHECK(cudaMemcpy(after.data(), out.data(), after.size(), cudaMemcpyDeviceToHost));
    return describe_wrong_element(kernel.work, run, before, after);
}

}  // namespace coalesce::timing
