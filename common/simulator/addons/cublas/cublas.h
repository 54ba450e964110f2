// The stand-in for NVIDIA's libcublas.so.13: what tutorials and transposes call of it.
//
// Theory of operation
//   NVIDIA's kernels are machine code and cannot be interpreted. Here a call is carried out on the host: operands are
//   copied out of the simulated memory (by cudaMemcpy2D, which checks bounds), computed with in plain loops, and copied
//   back. That is at once, as all work in streams is; calls while a stream is captured are not here. Nothing is
//   counted: the report says how often each function was called, and that it ran on the host.
//   A program that wants a function which is not here is refused before it starts (simulate/program_file.cpp).
// Rounding  Sums are made in double precision, in order, and rounded once. cuBLAS adds in another order and in the
//   precision of the type: its last bits differ. (cublasHgemm adds in halves there.)
// Types      The numbers of cuBLAS's enumerations: its headers are not there without a toolkit.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace coalesce::simulator::cublas {

/// A cublasStatus_t.
using Status = int;
inline constexpr Status kSuccess = 0, kNotInitialized = 1, kAllocFailed = 3, kInvalidValue = 7,
                        kExecutionFailed = 13, kNotSupported = 15;
/// "CUBLAS_STATUS_INVALID_VALUE"
const char* name_of(Status status);

/// cublasOperation_t: 0 as it is, 1 transposed, 2 conjugated, too: the same for real numbers.
using Operation = int;
inline bool is_operation(Operation op) {
    return op >= 0 && op <= 2;
}

struct Context {
    cudaStream_t stream = nullptr;
    int pointer_mode = 0;  ///< 0: scalars and results on the host; 1: on the device
    int math_mode = 0, atomics_mode = 0;
};
/// nullptr for a handle that is none.
Context* find_context(void* handle);

/// A cudaDataType of the real numbers that are here.
enum class Type : int { f32 = 0, f64 = 1, f16 = 2, bf16 = 14 };
bool is_known(Type type);
size_t size_of(Type type);

/// Ends a call. `why`: a sentence.
[[noreturn]] void refuse(const char* why, Status status = kInvalidValue);
/// Ends it unless a size, an operation or a leading dimension can be.
void need(bool condition);

/// Numbers in the simulated memory: `rows` of a column that follow each other, columns `stride` elements apart.
/// (Of a vector with increment i: one row, i apart.)
std::vector<double> read(const void* from, Type type, size_t rows, size_t columns, size_t stride);
void write(void* to, Type type, size_t rows, size_t columns, size_t stride,
           const std::vector<double>& values);
/// A scalar, wherever it lies.
double read_scalar(const void* from, Type type);
void write_result(void* to, const void* value, size_t bytes);
/// An element of an array of pointers that lies on the device.
std::vector<void*> read_pointers(const void* const* from, int count);

/// Surrounds the body of a function: finds the context, turns failures into a status and a report that names the
/// function, and notes that it ran.
Status call(const char* name, void* handle, const std::function<void()>& body);

}  // namespace coalesce::simulator::cublas
