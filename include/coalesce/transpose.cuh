/// \file
/// Transposes matrices in device memory: matrices of any shape, parts of larger matrices, and
/// batches of matrices, with elements of 1, 2, 4, 8 or 16 bytes. You need to link only the CUDA
/// runtime. The kernels are in detail/. An installation also contains single/transpose.cuh, a
/// single file with everything.
///
///     #include <coalesce/transpose.cuh>
///
///     // out(col, row) = in(row, col)
///     cudaError_t error = coalesce::transpose(out, in, rows, cols);
///
///     // A part of a matrix with 5000 columns, in a stream.
///     coalesce::TransposeOptions options;
///     options.in_pitch = 5000;
///     error = coalesce::transpose(out, in + 70 * 5000 + 3, rows, cols, options, stream);
///
/// The functions allocate nothing and never wait. They queue kernels in the stream, which may be
/// capturing a graph. Bits are copied unchanged. The header needs C++17. Lesson 11_any_shape
/// explains the design of the kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "detail/choice.cuh"
#include "detail/device.cuh"
#include "detail/launch.cuh"

/// The version of the library. COALESCE_VERSION increases with each version, so that #if can
/// compare versions.
#define COALESCE_VERSION_MAJOR 0
#define COALESCE_VERSION_MINOR 2
#define COALESCE_VERSION (COALESCE_VERSION_MAJOR * 1000 + COALESCE_VERSION_MINOR)

namespace coalesce {

/// The layout of the matrices in memory. Pitches and strides are numbers of elements; 0 means that
/// there are no gaps between rows or matrices.
struct TransposeOptions {
    std::int64_t in_pitch = 0;    ///< the distance between rows of `in`; at least `cols`
    std::int64_t out_pitch = 0;   ///< the distance between rows of `out`; at least `rows`
    std::int64_t batches = 1;     ///< the number of matrices, all of the same shape
    std::int64_t in_stride = 0;   ///< the distance between matrices of `in`
    std::int64_t out_stride = 0;  ///< the distance between matrices of `out`
};

/// The kernels, and the choice among them. Each family of kernels has a file in detail/.
namespace transposing {

/// Checks the arguments and fills in the defaults. Returns cudaSuccess or an error.
inline cudaError_t parse_arguments(TransposeTask& task, void* out, const void* in,
                                   std::int64_t size, std::int64_t rows, std::int64_t cols,
                                   const TransposeOptions& options) {
    constexpr std::int64_t max_elements = INT64_MAX / 64;
    task = {};
    task.out = out, task.in = in;
    task.strips_in_group = 1;
    task.rows = rows, task.cols = cols, task.batches = options.batches;
    task.in_pitch = options.in_pitch == 0 ? cols : options.in_pitch;
    task.out_pitch = options.out_pitch == 0 ? rows : options.out_pitch;
    if (rows < 0 || cols < 0 || options.batches < 0) return cudaErrorInvalidValue;
    if (task.in_pitch < cols || task.out_pitch < rows) return cudaErrorInvalidValue;
    if (options.in_stride < 0 || options.out_stride < 0) return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0 || options.batches == 0) return cudaSuccess;
    if (task.in_pitch > max_elements / rows || task.out_pitch > max_elements / cols)
        return cudaErrorInvalidValue;
    task.in_stride = options.in_stride == 0 ? rows * task.in_pitch : options.in_stride;
    task.out_stride = options.out_stride == 0 ? cols * task.out_pitch : options.out_stride;
    if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
    if (!is_aligned_to(out, size) || !is_aligned_to(in, size)) return cudaErrorMisalignedAddress;
    // Consecutive blocks go down a column of tiles, so that rows of `out` are written in long runs.
    // On an H200, this order was faster for all shapes that we tried, except 2048 x 32768 and 4096
    // x 32768.
    task.is_down_first = cols / 8 < rows || cols / 16 > rows;
    task.has_fast_memory = has_fast_memory();
    return cudaSuccess;
}

template <int SIZE>
cudaError_t transpose(void* out, const void* in, std::int64_t rows, std::int64_t cols,
                      const TransposeOptions& options, const LaunchQueue& queue) {
    TransposeTask task;
    const cudaError_t error = parse_arguments(task, out, in, SIZE, rows, cols, options);
    if (error != cudaSuccess || rows == 0 || cols == 0 || options.batches == 0) return error;
    const bool is_plain_copy =
        (rows == 1 && task.out_pitch == 1) || (cols == 1 && task.in_pitch == 1);
    if (is_plain_copy && options.batches == 1) {
        return copy_bytes(out, in, rows * cols * SIZE, queue);
    }
    return launch_fastest_kernel<SIZE>(task, queue);
}

}  // namespace transposing

/// Transposes a matrix, or `options.batches` matrices: out(col, row) = in(row, col).
///
/// The work is queued in `stream`. The function allocates nothing and never waits, so it can be
/// captured into a graph. Bits are copied unchanged, whatever the type.
///
/// \param out      a matrix of `cols` rows and `rows` columns in device memory; must not overlap
///                 `in`
/// \param in       a matrix of `rows` rows and `cols` columns in device memory
/// \param rows     the number of rows, at least 0; with 0 rows or columns, nothing happens
/// \param cols     the number of columns, at least 0
/// \param options  pitches and batches; the default is one matrix without gaps between its rows
/// \param stream   the stream in which the kernel is queued
/// \return cudaSuccess; cudaErrorInvalidValue if a size is negative, a pitch is shorter than a row,
///         or a pointer is null; cudaErrorMisalignedAddress if a matrix does not start at a
///         multiple of its element size; or the error of the launch
template <class T>
cudaError_t transpose(T* out, const T* in, std::int64_t rows, std::int64_t cols,
                      const TransposeOptions& options = {}, cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    static_assert(
        sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
        "elements have 1, 2, 4, 8 or 16 bytes");
    return transposing::transpose<sizeof(T)>(out, in, rows, cols, options, stream);
}

/// Transposes matrices whose element size in bytes is known only at run time.
inline cudaError_t transpose_elements(void* out, const void* in, std::size_t element_size,
                                      std::int64_t rows, std::int64_t cols,
                                      const TransposeOptions& options = {},
                                      cudaStream_t stream = nullptr) {
    switch (element_size) {
        case 1: return transposing::transpose<1>(out, in, rows, cols, options, stream);
        case 2: return transposing::transpose<2>(out, in, rows, cols, options, stream);
        case 4: return transposing::transpose<4>(out, in, rows, cols, options, stream);
        case 8: return transposing::transpose<8>(out, in, rows, cols, options, stream);
        case 16: return transposing::transpose<16>(out, in, rows, cols, options, stream);
        default: return cudaErrorInvalidValue;
    }
}

}  // namespace coalesce
