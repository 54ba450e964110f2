// cuMemcpy and cuMemset. Directions are those that the names say.
#include "driver/boxes.h"
#include "driver/driver.h"

using namespace coalesce::sim::driver;

namespace {

template <class Copy>
Result copy_box(const char* name, const Copy* copy) {
    return in_context(name, [&]() -> int {
        cudaMemcpy3DParms box{};
        const Result error = describe_copy(copy, box);
        return error != kSuccess ? error : static_cast<int>(cudaMemcpy3D(&box));
    });
}

template <class Copy>
Result copy_box(const char* name, const Copy* copy, cudaStream_t stream) {
    return in_context(name, [&]() -> int {
        cudaMemcpy3DParms box{};
        const Result error = describe_copy(copy, box);
        return error != kSuccess ? error : static_cast<int>(cudaMemcpy3DAsync(&box, stream));
    });
}

Result fill(const char* name, void* to, size_t pitch, unsigned value, unsigned element,
            size_t width, size_t height = 1) {
    return in_context(name, [&] { return coalesceFill(to, pitch, value, element, width, height); });
}

Result fill_in_stream(const char* name, void* to, size_t pitch, unsigned value, unsigned element,
                      size_t width, size_t height, cudaStream_t stream) {
    return in_context(name, [&] {
        return coalesceFillInStream(to, pitch, value, element, width, height, stream);
    });
}

}  // namespace

extern "C" {

// ---- rows of bytes ----

Result cuMemcpy(void* to, const void* from, size_t bytes) {
    return same(__func__, cudaMemcpy, to, from, bytes, cudaMemcpyDefault);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy, _ptds);

Result cuMemcpyAsync(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return same(__func__, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDefault, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyAsync, _ptsz);

Result cuMemcpyHtoD_v2(void* to, const void* from, size_t bytes) {
    return same(__func__, cudaMemcpy, to, from, bytes, cudaMemcpyHostToDevice);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyHtoD_v2, _ptds);

Result cuMemcpyDtoH_v2(void* to, const void* from, size_t bytes) {
    return same(__func__, cudaMemcpy, to, from, bytes, cudaMemcpyDeviceToHost);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyDtoH_v2, _ptds);

Result cuMemcpyDtoD_v2(void* to, const void* from, size_t bytes) {
    return same(__func__, cudaMemcpy, to, from, bytes, cudaMemcpyDeviceToDevice);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyDtoD_v2, _ptds);

Result cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return same(__func__, cudaMemcpyAsync, to, from, bytes, cudaMemcpyHostToDevice, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyHtoDAsync_v2, _ptsz);

Result cuMemcpyDtoHAsync_v2(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return same(__func__, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyDtoHAsync_v2, _ptsz);

Result cuMemcpyDtoDAsync_v2(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return same(__func__, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyDtoDAsync_v2, _ptsz);

/// Contexts share their memory.
Result cuMemcpyPeer(void* to, void*, const void* from, void*, size_t bytes) {
    return same(__func__, cudaMemcpy, to, from, bytes, cudaMemcpyDeviceToDevice);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyPeer, _ptds);

Result cuMemcpyPeerAsync(void* to, void*, const void* from, void*, size_t bytes,
                         cudaStream_t stream) {
    return same(__func__, cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpyPeerAsync, _ptsz);

// ---- boxes ----

Result cuMemcpy2D_v2(const Copy2D* copy) {
    return copy_box(__func__, copy);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy2D_v2, _ptds);

Result cuMemcpy2DUnaligned_v2(const Copy2D* copy) {
    return copy_box(__func__, copy);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy2DUnaligned_v2, _ptds);

Result cuMemcpy2DAsync_v2(const Copy2D* copy, cudaStream_t stream) {
    return copy_box(__func__, copy, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy2DAsync_v2, _ptsz);

Result cuMemcpy3D_v2(const Copy3D* copy) {
    return copy_box(__func__, copy);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy3D_v2, _ptds);

Result cuMemcpy3DAsync_v2(const Copy3D* copy, cudaStream_t stream) {
    return copy_box(__func__, copy, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemcpy3DAsync_v2, _ptsz);

// ---- fills ----

Result cuMemsetD8_v2(void* to, unsigned char value, size_t count) {
    return fill(__func__, to, 0, value, 1, count);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD8_v2, _ptds);

Result cuMemsetD16_v2(void* to, unsigned short value, size_t count) {
    return fill(__func__, to, 0, value, 2, count);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD16_v2, _ptds);

Result cuMemsetD32_v2(void* to, unsigned value, size_t count) {
    return fill(__func__, to, 0, value, 4, count);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD32_v2, _ptds);

Result cuMemsetD2D8_v2(void* to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill(__func__, to, pitch, value, 1, width, height);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D8_v2, _ptds);

Result cuMemsetD2D16_v2(void* to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return fill(__func__, to, pitch, value, 2, width, height);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D16_v2, _ptds);

Result cuMemsetD2D32_v2(void* to, size_t pitch, unsigned value, size_t width, size_t height) {
    return fill(__func__, to, pitch, value, 4, width, height);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D32_v2, _ptds);

Result cuMemsetD8Async(void* to, unsigned char value, size_t count, cudaStream_t stream) {
    return fill_in_stream(__func__, to, 0, value, 1, count, 1, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD8Async, _ptsz);

Result cuMemsetD16Async(void* to, unsigned short value, size_t count, cudaStream_t stream) {
    return fill_in_stream(__func__, to, 0, value, 2, count, 1, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD16Async, _ptsz);

Result cuMemsetD32Async(void* to, unsigned value, size_t count, cudaStream_t stream) {
    return fill_in_stream(__func__, to, 0, value, 4, count, 1, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD32Async, _ptsz);

Result cuMemsetD2D8Async(void* to, size_t pitch, unsigned char value, size_t width, size_t height,
                         cudaStream_t stream) {
    return fill_in_stream(__func__, to, pitch, value, 1, width, height, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D8Async, _ptsz);

Result cuMemsetD2D16Async(void* to, size_t pitch, unsigned short value, size_t width, size_t height,
                          cudaStream_t stream) {
    return fill_in_stream(__func__, to, pitch, value, 2, width, height, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D16Async, _ptsz);

Result cuMemsetD2D32Async(void* to, size_t pitch, unsigned value, size_t width, size_t height,
                          cudaStream_t stream) {
    return fill_in_stream(__func__, to, pitch, value, 4, width, height, stream);
}
COALESCE_PER_THREAD_STREAM(cuMemsetD2D32Async, _ptsz);

}  // extern "C"
