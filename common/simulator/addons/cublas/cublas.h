// Declares a replacement for NVIDIA's libcublas.so.13. It contains the functions that tutorials and
// transpose programs use.
//
// Theory of operation
//   NVIDIA's kernels are machine code and cannot be interpreted, so each call is executed on the
//   host. The call copies its operands from simulated memory (with cudaMemcpy2D, which checks
//   bounds), computes with plain loops, and copies the result back. The work is complete when the
//   call returns, as for all work in the simulator's streams. Calls made while a stream is being
//   captured are not supported. The counters do not include this work. The report says how often
//   each function was called, and that it ran on the host. A program that uses an unsupported
//   function is rejected before it starts (simulate/program_file.cpp).
// Rounding   Sums are computed in double precision, in order, and rounded once. cuBLAS adds in a
//            different order and in the precision of the type, so the last bits of its results
//            differ. (For example, NVIDIA's cublasHgemm adds in half precision.)
// Types      We repeat the values of cuBLAS's enumerations, because its headers come only with a
//            toolkit.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace coalesce::simulator::cublas {

/// The type of cuBLAS's status codes (cublasStatus_t).
using Status = int;
inline constexpr Status kSuccess = 0, kNotInitialized = 1, kAllocFailed = 3, kInvalidValue = 7,
                        kExecutionFailed = 13, kNotSupported = 15;
/// Returns the name of a status code, such as "CUBLAS_STATUS_INVALID_VALUE".
const char* status_name(Status status);

/// The type of cublasOperation_t: 0 leaves a matrix unchanged, 1 transposes it, and 2 conjugates
/// and transposes it. For a real matrix, 1 and 2 have the same result.
using Operation = int;
inline bool is_operation(Operation op) {
    return op >= 0 && op <= 2;
}

struct CublasContext {
    cudaStream_t stream = nullptr;
    int pointer_mode = 0;  ///< 0 if scalars and results are in host memory, 1 if in device memory
    int math_mode = 0, atomics_mode = 0;
};
/// Returns the context of `handle`, or null if the handle is invalid.
CublasContext* find_context(void* handle);

/// The supported types of matrix elements and scalars, with the values of cudaDataType.
enum class Type : int { f32 = 0, f64 = 1, f16 = 2, bf16 = 14 };
bool is_supported_type(Type type);
size_t size_of(Type type);

/// Ends the current call with `status`, and adds the sentence `reason` to the error report.
[[noreturn]] void refuse(const char* reason, Status status = kInvalidValue);
/// Ends the current call with kInvalidValue if `condition` is false. Calls use it to check sizes,
/// operations and leading dimensions.
void require(bool condition);

/// Reads a matrix from simulated memory. The elements of a column are consecutive, and the columns
/// start `stride` elements apart. (A vector with increment i is read as one row with stride i.)
std::vector<double> read_matrix(const void* source, Type type, size_t rows, size_t columns,
                                size_t stride);
void write_matrix(void* destination_columns, Type type, size_t rows, size_t columns, size_t stride,
                  const std::vector<double>& values);
/// Reads a scalar at `from`, an address in host or device memory. Fails if `from` is null.
double read_scalar(const void* from, Type type);
void write_result(void* to, const void* value, size_t bytes);
/// Reads an array of `count` pointers from device memory.
std::vector<void*> read_pointers(const void* const* from, int count);

/// Runs `body`, which implements the cuBLAS function `name`, and returns the status of the call. If
/// `body` fails, reports the error. Fails if `handle` is invalid or its stream is being captured.
Status run_cublas_call(const char* name, void* handle, const std::function<void()>& body);

}  // namespace coalesce::simulator::cublas
