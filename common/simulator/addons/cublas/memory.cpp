// Copies operands to and from simulated memory, and implements the steps that start and end every
// call. See cublas.h.
#include <algorithm>
#include <cstring>

#include "simulator/addons/cublas/cublas.h"
#include "simulator/base/half.h"
#include "simulator/cudart/driver_support.h"
#include "simulator/cudart/failure.h"
#include "simulator/cudart/handles.h"

namespace coalesce::simulator::cublas {
namespace {

auto& live_contexts() {
    static auto& contexts_by_handle = *new cudart::HandleTable<void*, CublasContext>;
    return contexts_by_handle;
}

/// Ends the call with a cuBLAS status. The runtime's `fail` takes a cudaError_t but does not
/// interpret it, so the status is cast to that type.
[[noreturn]] void fail(Status status) {
    cudart::fail(static_cast<cudaError_t>(status));
}

void require_success(cudaError_t error) {
    if (error != cudaSuccess) fail(kExecutionFailed);  // already reported by the runtime
}

template <class T>
double read_element(const u8* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::is_arithmetic_v<T>)
        return value;
    else
        return to_float(value);
}

double read_element(const u8* bytes, Type type) {
    switch (type) {
        case Type::f32: return read_element<float>(bytes);
        case Type::f64: return read_element<double>(bytes);
        case Type::f16: return read_element<F16>(bytes);
        case Type::bf16: return read_element<BF16>(bytes);
    }
    return 0;
}

void write_element(u8* bytes, Type type, double value) {
    const auto store_rounded = [&](auto rounded) { std::memcpy(bytes, &rounded, sizeof rounded); };
    switch (type) {
        case Type::f32: return store_rounded(static_cast<float>(value));
        case Type::f64: return store_rounded(value);
        case Type::f16: return store_rounded(to_f16(value));
        case Type::bf16: return store_rounded(to_bf16(value));
    }
}

/// Copies columns of `width` bytes between the host and simulated memory. A vector is copied as a
/// matrix with one row, so each of its elements is a column.
cudaError_t copy_columns(void* destination_columns, size_t to_pitch, const void* source_columns,
                         size_t from_pitch, size_t width, size_t columns, cudaMemcpyKind kind) {
    return cudaMemcpy2D(destination_columns, std::max(to_pitch, width), source_columns,
                        std::max(from_pitch, width), width, columns, kind);
}

const char* error_name(cudaError_t error) {
    return status_name(static_cast<Status>(error));
}

}  // namespace

void refuse(const char* reason, Status status) {
    coalesceDriverExplain(reason);
    fail(status);
}

void require(bool condition) {
    if (!condition) refuse("a size, an operation or a leading dimension is invalid.");
}

CublasContext* find_context(void* handle) {
    return live_contexts().find(handle);
}

bool is_supported_type(Type type) {
    return type == Type::f32 || type == Type::f64 || type == Type::f16 || type == Type::bf16;
}

size_t size_of(Type type) {
    return type == Type::f64 ? 8 : type == Type::f32 ? 4 : 2;
}

std::vector<double> read_matrix(const void* source, Type type, size_t rows, size_t columns,
                                size_t stride) {
    const size_t element_bytes = size_of(type), column_bytes = rows * element_bytes;
    std::vector<u8> bytes(column_bytes * columns);
    std::vector<double> values(rows * columns);
    if (values.empty()) return values;
    require_success(copy_columns(bytes.data(), column_bytes, source, stride * element_bytes,
                                 column_bytes, columns, cudaMemcpyDefault));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = read_element(bytes.data() + i * element_bytes, type);
    return values;
}

void write_matrix(void* destination, Type type, size_t rows, size_t columns, size_t stride,
                  const std::vector<double>& values) {
    const size_t element_bytes = size_of(type), column_bytes = rows * element_bytes;
    std::vector<u8> bytes(column_bytes * columns);
    if (values.empty()) return;
    for (size_t i = 0; i < values.size(); ++i)
        write_element(bytes.data() + i * element_bytes, type, values[i]);
    require_success(copy_columns(destination, stride * element_bytes, bytes.data(), column_bytes,
                                 column_bytes, columns, cudaMemcpyDefault));
}

double read_scalar(const void* from, Type type) {
    if (!from) refuse("a scalar is a null pointer.");
    return read_matrix(from, type, 1, 1, 1)[0];
}

void write_result(void* to, const void* value, size_t bytes) {
    if (!to) refuse("the pointer to the result is null.");
    require_success(cudaMemcpy(to, value, bytes, cudaMemcpyDefault));
}

std::vector<void*> read_pointers(const void* const* from, int count) {
    std::vector<void*> pointers(static_cast<size_t>(count));
    if (count > 0)
        require_success(
            cudaMemcpy(pointers.data(), from, pointers.size() * sizeof(void*), cudaMemcpyDefault));
    return pointers;
}

Status run_cublas_call(const char* name, void* handle, const std::function<void()>& body) {
    const cudaError_t error = coalesceDriverCall(name, error_name, [&] {
        const CublasContext* context = find_context(handle);
        if (!context) fail(kNotInitialized);
        cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
        cudaStreamIsCapturing(context->stream, &capture);
        if (capture != cudaStreamCaptureStatusNone)
            cudart::require_success(
                coalesceDriverMissing((std::string(name) + " while a stream is captured").c_str(),
                                      "call it outside of captures"));
        coalesceNoteHostWork(name);
        body();
    });
    return error == cudaErrorNotSupported       ? kNotSupported
           : error == cudaErrorMemoryAllocation ? kAllocFailed
                                                : static_cast<Status>(error);
}

}  // namespace coalesce::simulator::cublas

using namespace coalesce::simulator::cublas;

extern "C" {

Status cublasCreate_v2(void** handle) {
    if (!handle) return kInvalidValue;
    if (cudaFree(nullptr) != cudaSuccess) return kNotInitialized;
    *handle = live_contexts().add({});
    return kSuccess;
}

Status cublasDestroy_v2(void* handle) {
    return live_contexts().destroy(handle) ? kSuccess : kNotInitialized;
}

}  // extern "C"
