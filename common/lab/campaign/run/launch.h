// Launches a generated kernel through the CUDA runtime, with the libcudart that the loader finds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

/// The number of warp instructions after which a kernel is assumed to loop forever. Every generated
/// kernel ends sooner.
inline constexpr u64 kDefaultMaxWarpInstructions = 5'000'000;

inline void throw_if_cuda_error(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

/// A buffer in device memory.
class CampaignBuffer {
public:
    CampaignBuffer(std::size_t bytes, int fill_byte) : bytes_(bytes) {
        throw_if_cuda_error(cudaMalloc(&data_, bytes));
        throw_if_cuda_error(cudaMemset(data_, fill_byte, bytes));
    }
    ~CampaignBuffer() { cudaFree(data_); }
    CampaignBuffer(const CampaignBuffer&) = delete;
    void* data() { return data_; }
    void* kernel_argument() { return &data_; }
    std::vector<unsigned char> read() const {
        std::vector<unsigned char> host_bytes(bytes_);
        throw_if_cuda_error(cudaMemcpy(host_bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost));
        return host_bytes;
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

/// A PTX module loaded by the runtime.
class LoadedModule {
public:
    /// Loads `text`. The driver's compiler optimizes it at level `level`, from 0 to 4. If `level`
    /// is negative, the compiler uses its default level.
    explicit LoadedModule(const std::string& text, int level = -1) {
        cudaJitOption option = cudaJitOptimizationLevel;
        void* value = reinterpret_cast<void*>(static_cast<std::intptr_t>(level));
        throw_if_cuda_error(cudaLibraryLoadData(&library_, text.c_str(), &option, &value,
                                                level >= 0 ? 1 : 0, nullptr, nullptr, 0));
    }
    ~LoadedModule() { cudaLibraryUnload(library_); }
    LoadedModule(const LoadedModule&) = delete;
    const void* kernel(const std::string& name) const {
        cudaKernel_t kernel;
        throw_if_cuda_error(cudaLibraryGetKernel(&kernel, library_, name.c_str()));
        return reinterpret_cast<const void*>(kernel);
    }

private:
    cudaLibrary_t library_ = nullptr;
};

/// Launches the kernel once, with the input for `seed`. Returns the contents of its three output
/// buffers in this order: results, sums, scratch memory.
inline std::vector<std::vector<unsigned char>> launch_once(const void* kernel, const Launch& launch,
                                                           unsigned seed) {
    std::vector<u32> input_words(kInputWords);
    for (u32 k = 0; k < kInputWords; ++k) input_words[k] = random_input_word(seed, k);
    CampaignBuffer in(sizeof(u32) * kInputWords, 0), sums(sizeof(u32) * kSumsArrayWords, 0);
    CampaignBuffer out(sizeof(u32) * kOutputWordsPerThread * launch.total_threads(),
                       kOutputFillByte);
    CampaignBuffer scratch(kScratchBytesPerThread * launch.total_threads(), 0);
    throw_if_cuda_error(cudaMemcpy(in.data(), input_words.data(), sizeof(u32) * kInputWords,
                                   cudaMemcpyHostToDevice));
    void* arguments[] = {in.kernel_argument(), out.kernel_argument(), sums.kernel_argument(),
                         scratch.kernel_argument(), &seed};
    throw_if_cuda_error(cudaLaunchKernel(kernel, dim3(launch.blocks),
                                         dim3(launch.threads_x, launch.threads_y, launch.threads_z),
                                         arguments, launch.dynamic_shared_bytes, nullptr));
    throw_if_cuda_error(cudaDeviceSynchronize());
    return {out.read(), sums.read(), scratch.read()};
}

}  // namespace coalesce::campaign
