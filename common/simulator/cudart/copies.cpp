// cudaMemcpy and cudaMemset: plain, with streams, between peers, and to and from symbols.
#include "cudart/api.h"
#include "cudart/devices.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include "cudart/transfers.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// One device may be named twice.
cudaError_t check_devices(int a, int b) {
    return is_device(a) && is_device(b) ? cudaSuccess : cudaErrorInvalidDevice;
}

/// A part of a variable, for a copy.
cudaError_t part_of(const void* symbol, size_t bytes, size_t offset, void*& begin) {
    VariableAddress variable;
    const cudaError_t error = Modules::instance().find_variable(symbol, variable);
    if (error != cudaSuccess) return error;
    if (offset > variable.bytes || bytes > variable.bytes - offset) {
        explain(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                " do not fit a symbol of " + std::to_string(variable.bytes) + " bytes.");
        return cudaErrorInvalidValue;
    }
    begin = reinterpret_cast<void*>(variable.address + offset);
    return cudaSuccess;
}

cudaError_t to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                      cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
        return cudaErrorInvalidMemcpyDirection;
    }
    void* begin = nullptr;
    const cudaError_t error = part_of(symbol, bytes, offset, begin);
    return error != cudaSuccess ? error : copy(begin, from, bytes, kind);
}

cudaError_t from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                        cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
        return cudaErrorInvalidMemcpyDirection;
    }
    void* begin = nullptr;
    const cudaError_t error = part_of(symbol, bytes, offset, begin);
    return error != cudaSuccess ? error : copy(to, begin, bytes, kind);
}

}  // namespace

// ---- plain ----

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return api(__func__, [&] { return copy(to, from, bytes, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return copy(to, from, bytes, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
    return api(__func__, [&] {
        const cudaError_t error = check_devices(to_device, from_device);
        return error != cudaSuccess ? error : copy(to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return on_stream(__func__, stream, [&] {
        const cudaError_t error = check_devices(to_device, from_device);
        return error != cudaSuccess ? error : copy(to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return api(__func__, [&] { return fill({.begin = to}, {.width = bytes}, value); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return on_stream(__func__, stream,
                     [&] { return fill({.begin = to}, {.width = bytes}, value); });
}
COALESCE_PER_THREAD_STREAM(cudaMemsetAsync, _ptsz);

// ---- symbols ----

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    return api(__func__, [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
    return api(__func__, [&] { return from_symbol(to, symbol, bytes, offset, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return on_stream(__func__, stream,
                     [&] { return to_symbol(symbol, from, bytes, offset, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return on_stream(__func__, stream,
                     [&] { return from_symbol(to, symbol, bytes, offset, kind); });
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
