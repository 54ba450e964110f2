// Typed versions of the runtime's functions: cudaMalloc(&floats, n), cudaFuncSetAttribute(kernel,
// ...).
#pragma once

#include "coalesce_cuda/texels.h"
#include "cuda_runtime_api.h"

// clang-format off
template <class T> cudaError_t cudaMalloc(T** p, size_t bytes) { return cudaMalloc(reinterpret_cast<void**>(p), bytes); }
template <class T> cudaError_t cudaMallocHost(T** p, size_t bytes, unsigned flags = 0) { return cudaHostAlloc(reinterpret_cast<void**>(p), bytes, flags); }
template <class T> cudaError_t cudaHostAlloc(T** p, size_t bytes, unsigned flags) { return cudaHostAlloc(reinterpret_cast<void**>(p), bytes, flags); }
template <class T> cudaError_t cudaHostGetDevicePointer(T** d, void* p, unsigned flags) { return cudaHostGetDevicePointer(reinterpret_cast<void**>(d), p, flags); }
template <class T> cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned flags = cudaMemAttachGlobal) { return cudaMallocManaged(reinterpret_cast<void**>(p), bytes, flags); }
template <class T> cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t stream) { return cudaMallocAsync(reinterpret_cast<void**>(p), bytes, stream); }
template <class T> cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), bytes, pool, stream); }
template <class T> cudaError_t cudaMallocFromPoolAsync(T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), bytes, pool, stream); }
template <class T> cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) { return cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height); }
inline cudaChannelFormatDesc cudaCreateChannelDesc(int bits, cudaChannelFormatKind kind) { return {bits, 0, 0, 0, kind}; }
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc() {
    using Texel = coalesce_cuda::Texel<T>;
    const auto bits = [](int channel) { return channel < Texel::channels ? Texel::bits : 0; };
    return {bits(0), bits(1), bits(2), bits(3), static_cast<cudaChannelFormatKind>(Texel::kind)};
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }

template <class T> cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, bytes, offset, kind); }
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) { return cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), from, bytes, offset, kind, stream); }
template <class T> cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), bytes, offset, kind); }
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) { return cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(&symbol), bytes, offset, kind, stream); }
template <class T> cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) { return cudaGetSymbolAddress(address, static_cast<const void*>(&symbol)); }
template <class T> cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) { return cudaGetSymbolSize(bytes, static_cast<const void*>(&symbol)); }

template <class F> cudaError_t cudaFuncSetAttribute(F* kernel, cudaFuncAttribute attribute, int value) { return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value); }
template <class F> cudaError_t cudaFuncSetCacheConfig(F* kernel, cudaFuncCache config) { return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config); }
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* kernel) { return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel)); }
template <class F> cudaError_t cudaFuncGetName(const char** name, F* kernel) { return cudaFuncGetName(name, reinterpret_cast<const void*>(kernel)); }
template <class F> cudaError_t cudaGetKernel(cudaKernel_t* handle, F* kernel) { return cudaGetKernel(handle, reinterpret_cast<const void*>(kernel)); }
template <class F> cudaError_t cudaLaunchKernel(F* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = nullptr) { return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream); }
template <class F> cudaError_t cudaLaunchCooperativeKernel(F* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = nullptr) { return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream); }
template <class... Wanted, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Wanted...), Given&&... given) {
    return [&](Wanted... values) {
        void* arguments[] = {const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
        return cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), arguments);
    }(static_cast<Given&&>(given)...);
}
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F kernel, int threads, size_t shared) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(kernel), threads, shared); }
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F kernel, int threads, size_t shared, unsigned flags) { return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void*>(kernel), threads, shared, flags); }
template <class F> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, F* kernel, int blocks, int threads) { return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void*>(kernel), blocks, threads); }
template <class F> cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, F* kernel, const cudaLaunchConfig_t* config) { return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(kernel), config); }
template <class F> cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, F* kernel, const cudaLaunchConfig_t* config) { return cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void*>(kernel), config); }
// Computes the block size that gives a multiprocessor the most resident threads. Also computes how
// many blocks of this size fill the device.
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F kernel, size_t shared = 0, int limit = 0) {
    int most = 0, multiprocessors = 0, best = -1;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    for (int threads = most; error == cudaSuccess && threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(kernel), threads, shared);
        if (blocks * threads > best) best = blocks * threads, *block = threads, *grid = blocks * multiprocessors;
    }
    return error;
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) { return cudaGraphInstantiate(executable, graph, 0); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* node, cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
template <class T> cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, static_cast<const void*>(&symbol), from, bytes, offset, kind); }
template <class T> cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, static_cast<const void*>(&symbol), bytes, offset, kind); }
template <class T> cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphMemcpyNodeSetParamsToSymbol(node, static_cast<const void*>(&symbol), from, bytes, offset, kind); }
template <class T> cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, static_cast<const void*>(&symbol), bytes, offset, kind); }
template <class T> cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node, const T& symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, static_cast<const void*>(&symbol), from, bytes, offset, kind); }
template <class T> cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node, void* to, const T& symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) { return cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, node, to, static_cast<const void*>(&symbol), bytes, offset, kind); }
// clang-format on
