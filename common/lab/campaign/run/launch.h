// Launches a generated kernel through the CUDA runtime, with the libcudart that the loader finds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

/// Number of warp instructions after which a kernel is assumed to loop forever. No generated kernel
/// needs more.
inline constexpr u64 kMaxInstructions = 5'000'000;

inline void check_cuda(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

/// A buffer in device memory.
class Buffer {
public:
    Buffer(std::size_t bytes, int fill) : bytes_(bytes) {
        check_cuda(cudaMalloc(&data_, bytes));
        check_cuda(cudaMemset(data_, fill, bytes));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    void* data() { return data_; }
    void* argument() { return &data_; }
    std::vector<unsigned char> read() const {
        std::vector<unsigned char> host(bytes_);
        check_cuda(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost));
        return host;
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

/// A PTX module loaded by the runtime.
class LoadedModule {
public:
    /// Loads `text`. The driver's compiler optimizes at `level` from 0 to 4, or at its default
    /// level if `level` is negative.
    explicit LoadedModule(const std::string& text, int level = -1) {
        cudaJitOption option = cudaJitOptimizationLevel;
        void* value = reinterpret_cast<void*>(static_cast<std::intptr_t>(level));
        check_cuda(cudaLibraryLoadData(&library_, text.c_str(), &option, &value, level >= 0 ? 1 : 0,
                                       nullptr, nullptr, 0));
    }
    ~LoadedModule() { cudaLibraryUnload(library_); }
    LoadedModule(const LoadedModule&) = delete;
    const void* kernel(const std::string& name) const {
        cudaKernel_t kernel;
        check_cuda(cudaLibraryGetKernel(&kernel, library_, name.c_str()));
        return reinterpret_cast<const void*>(kernel);
    }

private:
    cudaLibrary_t library_ = nullptr;
};

/// Launches the kernel once, with the input for `seed`. Returns the contents of its three output
/// buffers in this order: results, sums, scratch memory.
inline std::vector<std::vector<unsigned char>> launch_once(const void* kernel, const Launch& launch,
                                                           unsigned seed) {
    std::vector<u32> input(kInWords);
    for (u32 k = 0; k < kInWords; ++k) input[k] = input_word(seed, k);
    Buffer in(sizeof(u32) * kInWords, 0), sums(sizeof(u32) * kSumWords, 0);
    Buffer out(sizeof(u32) * kOutWords * launch.all_threads(), kOutFill);
    Buffer scratch(kScratchBytes * launch.all_threads(), 0);
    check_cuda(cudaMemcpy(in.data(), input.data(), sizeof(u32) * kInWords, cudaMemcpyHostToDevice));
    void* arguments[] = {in.argument(), out.argument(), sums.argument(), scratch.argument(), &seed};
    check_cuda(cudaLaunchKernel(kernel, dim3(launch.blocks),
                                dim3(launch.threads_x, launch.threads_y, launch.threads_z),
                                arguments, launch.dynamic_shared, nullptr));
    check_cuda(cudaDeviceSynchronize());
    return {out.read(), sums.read(), scratch.read()};
}

}  // namespace coalesce::campaign
