// cudaMemcpy and cudaMemset: plain, with streams, between peers, and to and from symbols.
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/modules.h"
#include "cudart/work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// One device may be named twice.
cudaError_t check_devices(int a, int b) {
    return is_device(a) && is_device(b) ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

// ---- plain ----

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return at_once(__func__,
                   [&](Work& work) { return describe_copy(to, from, bytes, kind, work); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return in_stream(__func__, stream,
                     [&](Work& work) { return describe_copy(to, from, bytes, kind, work); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
    return at_once(__func__, [&](Work& work) {
        if (const cudaError_t error = check_devices(to_device, from_device)) return error;
        return describe_copy(to, from, bytes, cudaMemcpyDeviceToDevice, work);
    });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return in_stream(__func__, stream, [&](Work& work) {
        if (const cudaError_t error = check_devices(to_device, from_device)) return error;
        return describe_copy(to, from, bytes, cudaMemcpyDeviceToDevice, work);
    });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return synchronous(__func__, [&] { return carry_out(fill_of(to, value, bytes)); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return in_stream(__func__, stream, [&](Work& work) {
        work = fill_of(to, value, bytes);
        return cudaSuccess;
    });
}
COALESCE_PER_THREAD_STREAM(cudaMemsetAsync, _ptsz);

// ---- symbols ----

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    return at_once(__func__, [&](Work& work) {
        return describe_copy_to_symbol(symbol, from, bytes, offset, kind, work);
    });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
    return at_once(__func__, [&](Work& work) {
        return describe_copy_from_symbol(to, symbol, bytes, offset, kind, work);
    });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, [&](Work& work) {
        return describe_copy_to_symbol(symbol, from, bytes, offset, kind, work);
    });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, [&](Work& work) {
        return describe_copy_from_symbol(to, symbol, bytes, offset, kind, work);
    });
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
