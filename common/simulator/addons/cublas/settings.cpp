// Implements the cuBLAS functions that do not compute anything: streams, modes, versions and error
// names.
#include <cstddef>

#include "simulator/addons/cublas/cublas.h"

using namespace coalesce::simulator::cublas;

namespace {

constexpr int kCublasVersion = 130000;

template <class T>
Status set_member(void* handle, T CublasContext::*member, T value) {
    CublasContext* context = find_context(handle);
    if (!context) return kNotInitialized;
    context->*member = value;
    return kSuccess;
}

template <class T>
Status get_member(void* handle, T CublasContext::*member, T* value) {
    const CublasContext* context = find_context(handle);
    if (!context) return kNotInitialized;
    if (!value) return kInvalidValue;
    *value = context->*member;
    return kSuccess;
}

/// Copies a matrix between the host and the device. Waits for the copy if `stream` is null.
Status copy_matrix(int rows, int columns, int bytes, const void* source, int from_leading,
                   void* destination, int to_leading, cudaMemcpyKind kind,
                   const cudaStream_t* stream = nullptr) {
    if (rows < 0 || columns < 0 || bytes <= 0 || from_leading < rows || to_leading < rows)
        return kInvalidValue;
    const auto element_bytes = static_cast<size_t>(bytes);
    const size_t to_pitch = element_bytes * static_cast<size_t>(to_leading),
                 from_pitch = element_bytes * static_cast<size_t>(from_leading),
                 width = element_bytes * static_cast<size_t>(rows);
    const auto count = static_cast<size_t>(columns);
    const cudaError_t error =
        stream ? cudaMemcpy2DAsync(destination, to_pitch, source, from_pitch, width, count, kind,
                                   *stream)
               : cudaMemcpy2D(destination, to_pitch, source, from_pitch, width, count, kind);
    return error == cudaSuccess ? kSuccess : kExecutionFailed;
}

}  // namespace

namespace coalesce::simulator::cublas {

const char* status_name(Status status) {
    switch (status) {
        case 0: return "CUBLAS_STATUS_SUCCESS";
        case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
        case 7: return "CUBLAS_STATUS_INVALID_VALUE";
        case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
        case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
        default: return "an unknown status";
    }
}

}  // namespace coalesce::simulator::cublas

extern "C" {

const char* cublasGetStatusName(Status status) {
    return status_name(status);
}
const char* cublasGetStatusString(Status status) {
    return status_name(status);
}

Status cublasGetVersion_v2(void* handle, int* version) {
    if (!find_context(handle)) return kNotInitialized;
    if (!version) return kInvalidValue;
    *version = kCublasVersion;
    return kSuccess;
}
size_t cublasGetCudartVersion() {
    return 13000;
}
/// Stores the major version of cuBLAS if `property` is 0, the minor version if it is 1, or the
/// patch level if it is 2.
Status cublasGetProperty(int property, int* value) {
    if (!value || property < 0 || property > 2) return kInvalidValue;
    *value = property == 0 ? kCublasVersion / 10000 : 0;
    return kSuccess;
}

#define COALESCE_SETTING(name, type, member)                      \
    Status cublasSet##name(void* handle, type value) {            \
        return set_member(handle, &CublasContext::member, value); \
    }                                                             \
    Status cublasGet##name(void* handle, type* value) {           \
        return get_member(handle, &CublasContext::member, value); \
    }
COALESCE_SETTING(Stream_v2, cudaStream_t, stream)
COALESCE_SETTING(MathMode, int, math_mode)
COALESCE_SETTING(AtomicsMode, int, atomics_mode)
#undef COALESCE_SETTING
Status cublasSetPointerMode_v2(void* handle, int mode) {
    return mode == 0 || mode == 1 ? set_member(handle, &CublasContext::pointer_mode, mode)
                                  : kInvalidValue;
}
Status cublasGetPointerMode_v2(void* handle, int* mode) {
    return get_member(handle, &CublasContext::pointer_mode, mode);
}
Status cublasSetWorkspace_v2(void* handle, void*, size_t) {
    return find_context(handle) ? kSuccess : kNotInitialized;
}

/// Copies a vector as a matrix with one row, whose leading dimension is the vector's stride.
#define COALESCE_COPIES(direction, kind)                                                         \
    Status cublas##direction##Vector(int count, int bytes, const void* from, int from_step,      \
                                     void* to, int to_step) {                                    \
        return copy_matrix(1, count, bytes, from, from_step, to, to_step, kind);                 \
    }                                                                                            \
    Status cublas##direction##VectorAsync(int count, int bytes, const void* from, int from_step, \
                                          void* to, int to_step, cudaStream_t stream) {          \
        return copy_matrix(1, count, bytes, from, from_step, to, to_step, kind, &stream);        \
    }                                                                                            \
    Status cublas##direction##Matrix(int rows, int columns, int bytes, const void* from,         \
                                     int from_leading, void* to, int to_leading) {               \
        return copy_matrix(rows, columns, bytes, from, from_leading, to, to_leading, kind);      \
    }                                                                                            \
    Status cublas##direction##MatrixAsync(int rows, int columns, int bytes, const void* from,    \
                                          int from_leading, void* to, int to_leading,            \
                                          cudaStream_t stream) {                                 \
        return copy_matrix(rows, columns, bytes, from, from_leading, to, to_leading, kind,       \
                           &stream);                                                             \
    }
COALESCE_COPIES(Set, cudaMemcpyHostToDevice)
COALESCE_COPIES(Get, cudaMemcpyDeviceToHost)
#undef COALESCE_COPIES

}  // extern "C"
