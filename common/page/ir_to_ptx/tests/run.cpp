#include "run.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "page/ir_to_ptx/translate.h"
#include "simulator/base/coalesce_simulator.h"

namespace coalesce::translator::tests {

namespace {

void need(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

void need_no_report() {
    CoalesceReport report;
    if (coalesceGetReports() == 0 || coalesceGetReport(0, &report) != 0) return;
    throw std::runtime_error(std::string(report.check) + ": " + report.message);
}

// The kernel that ran last. It stays loaded, because most kernels run several times.
struct {
    std::string ir;
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
} last;

void unload_last() {
    if (last.library != nullptr) need(cudaLibraryUnload(last.library));
    last = {};
}

cudaKernel_t loaded(const std::string& ir) {
    // If a module has variables, load it again, so that they have their initial values.
    const bool has_variables = ir.find(" global ") != ir.npos;
    if (last.kernel != nullptr && last.ir == ir && !has_variables) return last.kernel;
    unload_last();
    const std::string ptx = translate_ir_to_ptx(ir);
    need(cudaLibraryLoadData(&last.library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    need(cudaLibraryGetKernel(&last.kernel, last.library, "k"));
    last.ir = ir;
    return last.kernel;
}

std::vector<u64> launched(const std::string& ir, const std::vector<u64>& input, Launch launch) {
    coalesceSetQuiet(1);
    coalesceClearReports();
    const cudaKernel_t kernel = loaded(ir);
    std::vector<u64> words(launch.words, 0);
    const std::size_t out_bytes = words.size() * sizeof(u64),
                      in_bytes = (input.size() + 1) * sizeof(u64);
    void *out = nullptr, *in = nullptr;
    need(cudaMalloc(&out, out_bytes));
    need(cudaMalloc(&in, in_bytes));
    need(cudaMemset(out, 0, out_bytes));
    need(cudaMemset(in, 0, in_bytes));
    need(cudaMemcpy(in, input.data(), input.size() * sizeof(u64), cudaMemcpyHostToDevice));
    void* arguments[] = {&out, &in};
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(launch.threads),
                          arguments, launch.dynamic_shared, nullptr));
    const cudaError_t ended = cudaDeviceSynchronize();
    need_no_report();
    need(ended);
    need(cudaMemcpy(words.data(), out, out_bytes, cudaMemcpyDeviceToHost));
    need(cudaFree(out));
    need(cudaFree(in));
    return words;
}

}  // namespace

std::vector<u64> run(const std::string& ir, const std::vector<u64>& input, Launch launch) {
    try {
        return launched(ir, input, launch);
    } catch (const std::exception&) {
        // The error may have unloaded the kernel, so the next call of run() must reload it.
        last = {};
        coalesceClearError();
        cudaGetLastError();
        throw;
    }
}

std::string kernel(const std::string& body, const std::string& rest) {
    return "target triple = \"nvptx64-nvidia-cuda\"\n" + rest +
           "\ndefine ptx_kernel void @k(ptr %out, ptr %in) {\n" + body + "\n}\n";
}

std::size_t count(const std::string& ptx, const std::string& opcode) {
    std::size_t found = 0;
    for (std::size_t at = ptx.find("\t" + opcode); at != std::string::npos;
         at = ptx.find("\t" + opcode, at + 1)) {
        ++found;
    }
    return found;
}

}  // namespace coalesce::translator::tests
