// Declares a replacement for NVIDIA's libcublas.so.13. It contains the functions that tutorials and
// transpose programs use.
//
// Theory of operation
//   NVIDIA's kernels are machine code and cannot be interpreted, so each call is executed on the
//   host. The call copies its operands from simulated memory to the host (with cudaMemcpy2D, which
//   checks bounds), computes with plain loops, and copies the result back to simulated memory. The
//   work is complete when the call returns, as for all work in the simulator's streams. Calls made
//   while a stream is being captured are not supported. The counters do not include this work. The
//   report at the end of the run says how often each function was called, and that the work ran on
//   the host. A program that uses an unsupported function is rejected before it starts
//   (simulate/program_file.cpp).
// Rounding   Sums are computed in double precision, in order, and rounded once. cuBLAS adds in a
//            different order and in the precision of the type, so the last bits of its results
//            differ. (For example, NVIDIA's cublasHgemm adds in half precision.)
// Types      The values of cuBLAS's enumerations are repeated here, because cuBLAS's headers come
//            only with a CUDA toolkit.
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
/// Ends the current call with kInvalidValue if `condition` is false. Used to check the sizes,
/// operations and leading dimensions of a call.
void require(bool condition);

/// Reads a matrix from simulated memory. The elements of a column are consecutive, and each column
/// starts `stride` elements after the previous one. (A vector with increment i is read as a matrix
/// with one row and stride i.)
std::vector<double> read_matrix(const void* source, Type type, size_t rows, size_t columns,
                                size_t stride);
void write_matrix(void* destination_columns, Type type, size_t rows, size_t columns, size_t stride,
                  const std::vector<double>& values);
/// Reads a scalar at `from`, an address in host or device memory. Fails if `from` is null.
double read_scalar(const void* from, Type type);
void write_result(void* to, const void* value, size_t bytes);
/// Reads an array of `count` pointers from device memory.
std::vector<void*> read_pointers(const void* const* from, int count);

/// Runs `body`, which implements the cuBLAS function `name`, and returns the status of the call.
/// Reports an error if `body` fails, if `handle` is invalid, or if the stream of `handle` is being
/// captured.
Status run_cublas_call(const char* name, void* handle, const std::function<void()>& body);

}  // namespace coalesce::simulator::cublas
