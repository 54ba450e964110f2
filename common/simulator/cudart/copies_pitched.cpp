// cudaMemcpy2D, cudaMemcpy3D, cudaMemset2D, cudaMemset3D: rows that do not follow each other
// without a gap. The 3D calls also copy to and from CUDA arrays (arrays.h).
#include "cudart/capture.h"
#include "cudart/devices.h"
#include "cudart/work.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

cudaError_t describe_copy_3d_peer(const cudaMemcpy3DPeerParms* p, Work& work) {
    if (!p) return cudaErrorInvalidValue;
    if (!is_device(p->srcDevice) || !is_device(p->dstDevice)) return cudaErrorInvalidDevice;
    cudaMemcpy3DParms plain{};
    plain.srcArray = p->srcArray;
    plain.srcPos = p->srcPos;
    plain.srcPtr = p->srcPtr;
    plain.dstArray = p->dstArray;
    plain.dstPos = p->dstPos;
    plain.dstPtr = p->dstPtr;
    plain.extent = p->extent;
    plain.kind = cudaMemcpyDeviceToDevice;
    return describe_copy_3d(&plain, work);
}

cudaError_t describe_fill_2d(void* to, size_t pitch, int value, size_t width, size_t height,
                             Work& work) {
    work = FillWork{.to = {to, pitch, width, height},
                    .extent = {width, height, 1},
                    .value = static_cast<unsigned>(value)};
    return cudaSuccess;
}

cudaError_t describe_fill_3d(const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                             Work& work) {
    if (extent.width > to.pitch) return cudaErrorInvalidValue;
    work = FillWork{.to = to, .extent = extent, .value = static_cast<unsigned>(value)};
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
    return at_once(__func__, describe_copy_2d, to, to_pitch, from, from_pitch, width, height, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy_2d, to, to_pitch, from, from_pitch, width,
                     height, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DAsync, _ptsz);

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    return at_once(__func__, describe_copy_3d, parameters);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3D, _ptds);

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy_3d, parameters);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DAsync, _ptsz);

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
    return at_once(__func__, describe_copy_3d_peer, parameters);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DPeer, _ptds);

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_copy_3d_peer, parameters);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DPeerAsync, _ptsz);

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return at_once(__func__, describe_fill_2d, to, pitch, value, width, height);
}
COALESCE_PER_THREAD_STREAM(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return in_stream(__func__, stream, describe_fill_2d, to, pitch, value, width, height);
}
COALESCE_PER_THREAD_STREAM(cudaMemset2DAsync, _ptsz);

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return at_once(__func__, describe_fill_3d, to, value, extent);
}
COALESCE_PER_THREAD_STREAM(cudaMemset3D, _ptds);

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
    return in_stream(__func__, stream, describe_fill_3d, to, value, extent);
}
COALESCE_PER_THREAD_STREAM(cudaMemset3DAsync, _ptsz);
