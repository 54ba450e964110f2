// Implements cudaMemcpy and cudaMemset: linear, pitched, in streams, between peers, and to and from
// symbols.
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/modules.h"
#include "simulator/cudart/work.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// Describes a copy between devices. Both devices may be the same.
Work describe_peer_copy(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    require(is_device_index(to_device) && is_device_index(from_device), cudaErrorInvalidDevice);
    return describe_copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

Work describe_copy_3d_peer(const cudaMemcpy3DPeerParms* peer_parameters) {
    require(peer_parameters);
    require(
        is_device_index(peer_parameters->srcDevice) && is_device_index(peer_parameters->dstDevice),
        cudaErrorInvalidDevice);
    CopyWork copy_work{};
    copy_work.srcArray = peer_parameters->srcArray;
    copy_work.srcPos = peer_parameters->srcPos;
    copy_work.srcPtr = peer_parameters->srcPtr;
    copy_work.dstArray = peer_parameters->dstArray;
    copy_work.dstPos = peer_parameters->dstPos;
    copy_work.dstPtr = peer_parameters->dstPtr;
    copy_work.extent = peer_parameters->extent;
    copy_work.kind = cudaMemcpyDeviceToDevice;
    return copy_work;
}

Work describe_fill_2d(void* to, size_t pitch, int value, size_t width, size_t height) {
    return FillWork{.to = {to, pitch, width, height},
                    .extent = {width, height, 1},
                    .value = static_cast<unsigned>(value)};
}

Work describe_fill_3d(cudaPitchedPtr to, int value, cudaExtent extent) {
    require(extent.width <= to.pitch);
    return FillWork{.to = to, .extent = extent, .value = static_cast<unsigned>(value)};
}

}  // namespace

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy, describe_copy, 4);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset, describe_fill, 3);

COALESCE_BY(execute_now, cudaMemcpyPeer, describe_peer_copy, 5);

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return queue_in_stream(__func__, stream, describe_peer_copy, to, to_device, from, from_device,
                           bytes);
}

// ---- pitched memory, and 3D calls, which also accept CUDA arrays (arrays.h) ----

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy2D, describe_copy_2d, 7);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy3D, describe_copy_3d, 1);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy3DPeer, describe_copy_3d_peer, 1);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset2D, describe_fill_2d, 5);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset3D, describe_fill_3d, 3);

// ---- symbols ----

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyToSymbol, describe_copy_to_symbol, 5);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyFromSymbol, describe_copy_from_symbol, 5);

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    return run_device_call(__func__, [&] {
        require(address);
        *address = reinterpret_cast<void*>(Modules::instance().find_variable(symbol).address);
    });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    return run_device_call(__func__, [&] {
        require(bytes);
        *bytes = Modules::instance().find_variable(symbol).bytes;
    });
}
