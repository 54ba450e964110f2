// cudaMemcpy and cudaMemset: plain, with streams, between peers, and to and from symbols.
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/modules.h"
#include "cudart/work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// One device may be named twice.
cudaError_t describe_peer_copy(void* to, int to_device, const void* from, int from_device,
                               size_t bytes, Work& work) {
    if (!is_device(to_device) || !is_device(from_device)) return cudaErrorInvalidDevice;
    return describe_copy(to, from, bytes, cudaMemcpyDeviceToDevice, work);
}

}  // namespace

// ---- plain ----

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return at_once(__func__, describe_copy, to, from, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy, to, from, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
    return at_once(__func__, describe_peer_copy, to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_peer_copy, to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return at_once(__func__, describe_fill, to, value, bytes);
}
COALESCE_PER_THREAD_STREAM(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_fill, to, value, bytes);
}
COALESCE_PER_THREAD_STREAM(cudaMemsetAsync, _ptsz);

// ---- symbols ----

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    return at_once(__func__, describe_copy_to_symbol, symbol, from, bytes, offset, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
    return at_once(__func__, describe_copy_from_symbol, to, symbol, bytes, offset, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy_to_symbol, symbol, from, bytes, offset, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy_from_symbol, to, symbol, bytes, offset, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromSymbolAsync, _ptsz);

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    return api(__func__, [&] {
        if (!address) return cudaErrorInvalidValue;
        VariableAddress variable;
        const cudaError_t error = Modules::instance().find_variable(symbol, variable);
        if (error == cudaSuccess) *address = reinterpret_cast<void*>(variable.address);
        return error;
    });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    return api(__func__, [&] {
        if (!bytes) return cudaErrorInvalidValue;
        VariableAddress variable;
        const cudaError_t error = Modules::instance().find_variable(symbol, variable);
        if (error == cudaSuccess) *bytes = variable.bytes;
        return error;
    });
}
