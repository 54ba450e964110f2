// cudaMemcpy and cudaMemset: plain, with streams, between peers, and to and from symbols.
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/modules.h"
#include "cudart/work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

/// One device may be named twice.
Work describe_peer_copy(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    need(is_device(to_device) && is_device(from_device), cudaErrorInvalidDevice);
    return describe_copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

}  // namespace

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy, describe_copy, 4);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset, describe_fill, 3);

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
    return at_once(__func__, describe_peer_copy, to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_peer_copy, to, to_device, from, from_device, bytes);
}

// ---- symbols ----

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyToSymbol, describe_copy_to_symbol, 5);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyFromSymbol, describe_copy_from_symbol, 5);

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    return api(__func__, [&] {
        need(address);
        *address = reinterpret_cast<void*>(Modules::instance().find_variable(symbol).address);
    });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    return api(__func__, [&] {
        need(bytes);
        *bytes = Modules::instance().find_variable(symbol).bytes;
    });
}
