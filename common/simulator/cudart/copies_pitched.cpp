// cudaMemcpy2D, cudaMemcpy3D, cudaMemset2D, cudaMemset3D: rows that do not follow each other
// without a gap. The 3D calls also copy to and from CUDA arrays (arrays.h).
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

Work describe_copy_3d_peer(const cudaMemcpy3DPeerParms* p) {
    need(p);
    need(is_device(p->srcDevice) && is_device(p->dstDevice), cudaErrorInvalidDevice);
    CopyWork plain{};
    plain.srcArray = p->srcArray;
    plain.srcPos = p->srcPos;
    plain.srcPtr = p->srcPtr;
    plain.dstArray = p->dstArray;
    plain.dstPos = p->dstPos;
    plain.dstPtr = p->dstPtr;
    plain.extent = p->extent;
    plain.kind = cudaMemcpyDeviceToDevice;
    return plain;
}

Work describe_fill_2d(void* to, size_t pitch, int value, size_t width, size_t height) {
    return FillWork{.to = {to, pitch, width, height},
                    .extent = {width, height, 1},
                    .value = static_cast<unsigned>(value)};
}

Work describe_fill_3d(cudaPitchedPtr to, int value, cudaExtent extent) {
    need(extent.width <= to.pitch);
    return FillWork{.to = to, .extent = extent, .value = static_cast<unsigned>(value)};
}

}  // namespace

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy2D, describe_copy_2d, 7);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy3D, describe_copy_3d, 1);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy3DPeer, describe_copy_3d_peer, 1);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset2D, describe_fill_2d, 5);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemset3D, describe_fill_3d, 3);
