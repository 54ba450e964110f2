// Implements cuMemcpy and cuMemset. Each function's name specifies the direction of the copy.
#include "simulator/addons/driver/boxes.h"
#include "simulator/addons/driver/driver.h"

using namespace coalesce::simulator::driver;

namespace {

template <cudaMemcpyKind kind>
cudaError_t copy(void* destination, const void* source, size_t bytes) {
    return cudaMemcpy(destination, source, bytes, kind);
}
template <cudaMemcpyKind kind>
cudaError_t copy_in_stream(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

template <class Copy>
cudaError_t copy_box(const Copy* copy) {
    const cudaMemcpy3DParms box = to_runtime_copy(copy);
    return cudaMemcpy3D(&box);
}
template <class Copy>
cudaError_t copy_box_in_stream(const Copy* copy, cudaStream_t stream) {
    const cudaMemcpy3DParms box = to_runtime_copy(copy);
    return cudaMemcpy3DAsync(&box, stream);
}

/// Fills memory with `value`. If `stream` is null, waits until the memory has been filled.
Result fill(const char* name, void* to, size_t pitch, unsigned value, unsigned element,
            size_t width, size_t height, const cudaStream_t* stream = nullptr) {
    return call_with_context(name, [&] {
        require_success(coalesceFill(to, pitch, value, element, width, height, stream));
    });
}

}  // namespace

extern "C" {

// ---- rows of bytes ----

COALESCE_SAME_AT_ONCE(cuMemcpy, copy<cudaMemcpyDefault>, 3);
COALESCE_SAME_AT_ONCE(cuMemcpyHtoD_v2, copy<cudaMemcpyHostToDevice>, 3);
COALESCE_SAME_AT_ONCE(cuMemcpyDtoH_v2, copy<cudaMemcpyDeviceToHost>, 3);
COALESCE_SAME_AT_ONCE(cuMemcpyDtoD_v2, copy<cudaMemcpyDeviceToDevice>, 3);
COALESCE_SAME_IN_STREAM(cuMemcpyAsync, copy_in_stream<cudaMemcpyDefault>, 4);
COALESCE_SAME_IN_STREAM(cuMemcpyHtoDAsync_v2, copy_in_stream<cudaMemcpyHostToDevice>, 4);
COALESCE_SAME_IN_STREAM(cuMemcpyDtoHAsync_v2, copy_in_stream<cudaMemcpyDeviceToHost>, 4);
COALESCE_SAME_IN_STREAM(cuMemcpyDtoDAsync_v2, copy_in_stream<cudaMemcpyDeviceToDevice>, 4);

/// Ignores the contexts, because all contexts share the same memory.
Result cuMemcpyPeer(void* to, void*, const void* from, void*, size_t bytes) {
    return forward_with_context(__func__, copy<cudaMemcpyDeviceToDevice>, to, from, bytes);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyPeer, _ptds);

Result cuMemcpyPeerAsync(void* to, void*, const void* from, void*, size_t bytes,
                         cudaStream_t stream) {
    return forward_with_context(__func__, copy_in_stream<cudaMemcpyDeviceToDevice>, to, from, bytes,
                                stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyPeerAsync, _ptsz);

// ---- boxes ----

COALESCE_SAME_AT_ONCE(cuMemcpy2D_v2, copy_box<Copy2D>, 1);
COALESCE_SAME_AT_ONCE(cuMemcpy2DUnaligned_v2, copy_box<Copy2D>, 1);
COALESCE_SAME_IN_STREAM(cuMemcpy2DAsync_v2, copy_box_in_stream<Copy2D>, 2);
COALESCE_SAME_AT_ONCE(cuMemcpy3D_v2, copy_box<Copy3D>, 1);
COALESCE_SAME_IN_STREAM(cuMemcpy3DAsync_v2, copy_box_in_stream<Copy3D>, 2);

// ---- fills ----

#define COALESCE_FILLS(bits, type)                                                           \
    Result cuMemsetD##bits##_v2(void* to, type value, size_t count) {                        \
        return fill(__func__, to, 0, value, sizeof value, count, 1);                         \
    }                                                                                        \
    COALESCE_PER_THREAD_STREAM(cuMemsetD##bits##_v2, _ptds);                                 \
    Result cuMemsetD2D##bits##_v2(void* to, size_t pitch, type value, size_t width,          \
                                  size_t height) {                                           \
        return fill(__func__, to, pitch, value, sizeof value, width, height);                \
    }                                                                                        \
    COALESCE_PER_THREAD_STREAM(cuMemsetD2D##bits##_v2, _ptds);                               \
    Result cuMemsetD##bits##Async(void* to, type value, size_t count, cudaStream_t stream) { \
        return fill(__func__, to, 0, value, sizeof value, count, 1, &stream);                \
    }                                                                                        \
    COALESCE_PER_THREAD_STREAM(cuMemsetD##bits##Async, _ptsz);                               \
    Result cuMemsetD2D##bits##Async(void* to, size_t pitch, type value, size_t width,        \
                                    size_t height, cudaStream_t stream) {                    \
        return fill(__func__, to, pitch, value, sizeof value, width, height, &stream);       \
    }                                                                                        \
    COALESCE_PER_THREAD_STREAM(cuMemsetD2D##bits##Async, _ptsz)
COALESCE_FILLS(8, unsigned char);
COALESCE_FILLS(16, unsigned short);
COALESCE_FILLS(32, unsigned);
#undef COALESCE_FILLS

}  // extern "C"
