// A library that is preloaded into a learner's program. It intercepts the program's calls to the
// CUDA runtime library, records them (witness.h), and forwards them to the runtime library.
//
// The library also fills newly allocated GPU memory with a pattern, so that elements that no kernel
// has written can be recognized.
#include "examiner/program/witness.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

namespace witness = coalesce::witness;

/// Looks up the function `name` in the runtime library. The witness is not linked to the runtime
/// library, because it is also loaded into processes that do not use CUDA.
template <class Function>
Function* find_real_function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string file(const char* name) {
    const char* folder = std::getenv(witness::kFolderVariable);
    return folder == nullptr ? "/dev/null" : std::string(folder) + "/" + name;
}

void write(const char* name, const char* mode, const void* bytes, size_t count) {
    std::FILE* stream = std::fopen(file(name).c_str(), mode);
    if (stream == nullptr) return;
    std::fwrite(bytes, 1, count, stream);
    std::fclose(stream);
}

void append_call(const std::string& call) {
    write(witness::kCallsFile, "a", (call + "\n").data(), call.size() + 1);
}

std::string error_name(cudaError_t error) {
    return find_real_function<decltype(cudaGetErrorName)>("cudaGetErrorName")(error);
}

bool is_on_gpu(const void* pointer) {
    cudaPointerAttributes attributes{};
    const auto is_requested =
        find_real_function<decltype(cudaPointerGetAttributes)>("cudaPointerGetAttributes");
    return is_requested(&attributes, pointer) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

cudaError_t record_copy(cudaError_t error, void* target, const void* source, size_t bytes,
                        cudaMemcpyKind kind) {
    if (kind == cudaMemcpyDefault) {
        kind = is_on_gpu(target) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    }
    const std::string call_text = " " + std::to_string(bytes) + " " + error_name(error);
    if (kind == cudaMemcpyHostToDevice) {
        append_call("to-gpu" + call_text);
        if (error == cudaSuccess) write(witness::kInputFile, "w", source, bytes);
    } else if (kind == cudaMemcpyDeviceToHost) {
        append_call("to-host" + call_text);
        if (error == cudaSuccess) write(witness::kOutputFile, "w", target, bytes);
    } else {
        append_call("elsewhere" + call_text);
    }
    return error;
}

/// Returns the block size for a launch. If launches must fail, returns a size that is too large, so
/// that the runtime library itself rejects the launch.
dim3 block_to_launch(dim3 block) {
    constexpr unsigned refused_block_size = 1 << 20;
    return std::getenv(witness::kRefuseVariable) == nullptr ? block : dim3(refused_block_size);
}

cudaError_t record_launch(cudaError_t error, dim3 grid, dim3 block) {
    std::string line = "launch";
    for (const unsigned extent : {grid.x, grid.y, grid.z, block.x, block.y, block.z}) {
        line += " " + std::to_string(extent);
    }
    append_call(line + " " + error_name(error));
    return error;
}

}  // namespace

extern "C" cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    const cudaError_t error =
        find_real_function<cudaError_t(void**, size_t)>("cudaMalloc")(pointer, bytes);
    if (error == cudaSuccess && bytes > 0) {
        find_real_function<decltype(cudaMemset)>("cudaMemset")(*pointer, witness::kPoison, bytes);
    }
    return error;
}

extern "C" cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes,
                                  cudaMemcpyKind kind) {
    const auto copy = find_real_function<decltype(cudaMemcpy)>("cudaMemcpy");
    return record_copy(copy(target, source, bytes, kind), target, source, bytes, kind);
}

extern "C" cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
    const auto copy = find_real_function<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
    return record_copy(copy(target, source, bytes, kind, stream), target, source, bytes, kind);
}

extern "C" cudaError_t cudaGetLastError() {
    append_call("asked");
    return find_real_function<decltype(cudaGetLastError)>("cudaGetLastError")();
}

extern "C" cudaError_t cudaPeekAtLastError() {
    append_call("asked");
    return find_real_function<decltype(cudaPeekAtLastError)>("cudaPeekAtLastError")();
}

// For <<<...>>>, code compiled by clang calls cudaLaunchKernel. Code compiled by nvcc calls
// __cudaLaunchKernel, and passes a handle instead of the kernel's address.
extern "C" cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
    using Launch = cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t);
    const auto launch = find_real_function<Launch>("cudaLaunchKernel");
    return record_launch(
        launch(kernel, grid, block_to_launch(block), arguments, shared_bytes, stream), grid, block);
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes,
                                          cudaStream_t stream) {
    using Launch = cudaError_t(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
    const auto launch = find_real_function<Launch>("__cudaLaunchKernel");
    return record_launch(
        launch(kernel, grid, block_to_launch(block), arguments, shared_bytes, stream), grid, block);
}
