// cudaMemcpy2D, cudaMemcpy3D, cudaMemset2D, cudaMemset3D: rows that do not follow each other
// without a gap. CUDA arrays, the other thing that the 3D calls can move, are not simulated.
#include "cudart/api.h"
#include "cudart/devices.h"
#include "cudart/streams.h"
#include "cudart/transfers.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

cudaError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                    size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch) {
        explain("a row of " + std::to_string(width) + " bytes is wider than a pitch (destination " +
                std::to_string(to_pitch) + ", source " + std::to_string(from_pitch) + ").");
        return cudaErrorInvalidPitchValue;
    }
    return copy({.begin = to, .pitch = to_pitch}, {.begin = from, .pitch = from_pitch},
                {.width = width, .height = height}, kind);
}

/// The corner of a pitched block at which a copy begins. x counts bytes: there are no arrays.
Pitched at(const cudaPitchedPtr& block, const cudaPos& position) {
    const u64 offset = (position.z * block.ysize + position.y) * block.pitch + position.x;
    return {.begin = block.ptr ? static_cast<const char*>(block.ptr) + offset : nullptr,
            .pitch = block.pitch,
            .height = block.ysize};
}

bool fits(const cudaPitchedPtr& block, const cudaPos& position, const cudaExtent& extent) {
    return position.x <= block.pitch && extent.width <= block.pitch - position.x &&
           (extent.depth <= 1 ||
            (position.y <= block.ysize && extent.height <= block.ysize - position.y));
}

cudaError_t copy_3d(const cudaPitchedPtr& to, const cudaPos& to_position,
                    const cudaPitchedPtr& from, const cudaPos& from_position,
                    const cudaExtent& extent, cudaMemcpyKind kind) {
    const Shape shape{.width = extent.width, .height = extent.height, .depth = extent.depth};
    if (shape.empty()) return cudaSuccess;
    if (!fits(to, to_position, extent) || !fits(from, from_position, extent)) {
        return cudaErrorInvalidPitchValue;
    }
    return copy(at(to, to_position), at(from, from_position), shape, kind);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p) {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray) return not_simulated("a copy to or from a CUDA array");
    return copy_3d(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, p->kind);
}

cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* p) {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray) return not_simulated("a copy to or from a CUDA array");
    if (!is_device(p->srcDevice) || !is_device(p->dstDevice)) return cudaErrorInvalidDevice;
    return copy_3d(p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, cudaMemcpyDeviceToDevice);
}

cudaError_t fill_2d(void* to, size_t pitch, int value, size_t width, size_t height) {
    if (height > 1 && width > pitch) return cudaErrorInvalidValue;
    return fill({.begin = to, .pitch = pitch}, {.width = width, .height = height}, value);
}

cudaError_t fill_3d(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
    if (extent.width > to.pitch) return cudaErrorInvalidValue;
    if (extent.depth > 1 && extent.height > to.ysize) return cudaErrorInvalidValue;
    return fill({.begin = to.ptr, .pitch = to.pitch, .height = to.ysize},
                {.width = extent.width, .height = extent.height, .depth = extent.depth}, value);
}

}  // namespace

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
    return api(__func__,
               [&] { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return on_stream(__func__, stream,
                     [&] { return copy_2d(to, to_pitch, from, from_pitch, width, height, kind); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DAsync, _ptsz);

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    return api(__func__, [&] { return copy_3d(parameters); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3D, _ptds);

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return copy_3d(parameters); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DAsync, _ptsz);

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
    return api(__func__, [&] { return copy_3d_peer(parameters); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DPeer, _ptds);

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return copy_3d_peer(parameters); });
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy3DPeerAsync, _ptsz);

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return api(__func__, [&] { return fill_2d(to, pitch, value, width, height); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return fill_2d(to, pitch, value, width, height); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset2DAsync, _ptsz);

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return api(__func__, [&] { return fill_3d(to, value, extent); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset3D, _ptds);

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
    return on_stream(__func__, stream, [&] { return fill_3d(to, value, extent); });
}
COALESCE_PER_THREAD_STREAM(cudaMemset3DAsync, _ptsz);
