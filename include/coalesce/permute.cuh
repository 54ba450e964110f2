/// \file
/// Permutes the axes of an array in device memory: up to 6 axes, and elements of 1 to 16 bytes. You
/// need to link only the CUDA runtime. The kernels are in detail/. An installation also contains
/// single/permute.cuh, a single file with all of this and transpose.cuh.
///
///     #include <coalesce/permute.cuh>
///
///     // Axis k of `out` is axis order[k] of `in`: here (B, S, H, D) becomes (B, H, S, D).
///     cudaError_t error = coalesce::permute(out, in, {B, S, H, D}, {0, 2, 1, 3});
///
/// Like `transpose`, `permute` allocates nothing, never waits, and copies bits unchanged. Lesson
/// 15_permute explains why only two axes matter.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "detail/permute_axes.cuh"
#include "detail/permute_launch.cuh"
#include "transpose.cuh"

namespace coalesce {

/// The kernels for permutations that are not transposes, and the choice among them.
namespace permuting {

/// Returns the size of the units that the kernels move. It is the largest power of two that divides
/// the size of an element.
template <class T>
constexpr int unit_size() {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    static_assert(sizeof(T) <= 16, "elements have 1 to 16 bytes");
    return sizeof(T) & (~sizeof(T) + 1);
}

template <int MIN_UNIT_BYTES, int SIZE>
constexpr int compiled_unit_bytes = SIZE < MIN_UNIT_BYTES ? MIN_UNIT_BYTES : SIZE;

/// Implements the public functions for an element of `element_size` bytes. MIN_UNIT_BYTES is the
/// size of the smallest unit for which kernels are compiled.
template <int MIN_UNIT_BYTES>
cudaError_t permute(void* out, const void* in, std::size_t element_size, int axes,
                    const std::int64_t* sizes, const int* order, const LaunchQueue& queue) {
    PermutePlan plan;
    const cudaError_t error = parse_arguments(plan, out, in, element_size, axes, sizes, order);
    if (error != cudaSuccess) return error;
    switch (plan.unit_bytes) {
        case 16: return launch_plan<16>(plan, queue);
        case 8: return launch_plan<compiled_unit_bytes<MIN_UNIT_BYTES, 8>>(plan, queue);
        case 4: return launch_plan<compiled_unit_bytes<MIN_UNIT_BYTES, 4>>(plan, queue);
        case 2: return launch_plan<compiled_unit_bytes<MIN_UNIT_BYTES, 2>>(plan, queue);
        default: return launch_plan<MIN_UNIT_BYTES>(plan, queue);
    }
}

}  // namespace permuting

/// Permutes the axes of an array: axis k of `out` is axis order[k] of `in`, as in NumPy's transpose
/// and PyTorch's permute. Both arrays are dense, and elements along the last axis are adjacent.
///
/// \param out     an array in device memory; must not overlap `in`
/// \param in      an array in device memory
/// \param axes    the number of axes: 0 to 6
/// \param sizes   the sizes of the axes of `in`, each at least 0; if one is 0, nothing happens
/// \param order   a permutation of the numbers from 0 to `axes` - 1
/// \param stream  the stream in which the kernel is queued
/// \return cudaSuccess; cudaErrorInvalidValue for too many axes, a negative size, an order that is
///         not a permutation, or a null pointer; cudaErrorMisalignedAddress if an array does not
///         start at a multiple of the largest power of two that divides the element size; or the
///         error of the launch
template <class T>
cudaError_t permute(T* out, const T* in, int axes, const std::int64_t* sizes, const int* order,
                    cudaStream_t stream = nullptr) {
    return permuting::permute<permuting::unit_size<T>()>(out, in, sizeof(T), axes, sizes, order,
                                                         stream);
}

/// Permutes the axes of an array. Sizes and order are given as lists, as in permute(out, in, {B, S,
/// H, D}, {0, 2, 1, 3}).
template <class T, int AXES>
cudaError_t permute(T* out, const T* in, const std::int64_t (&sizes)[AXES],
                    const int (&order)[AXES], cudaStream_t stream = nullptr) {
    return permute(out, in, AXES, static_cast<const std::int64_t*>(sizes),
                   static_cast<const int*>(order), stream);
}

/// Permutes the axes of an array whose element size in bytes is known only at run time.
inline cudaError_t permute_elements(void* out, const void* in, std::size_t element_size, int axes,
                                    const std::int64_t* sizes, const int* order,
                                    cudaStream_t stream = nullptr) {
    return permuting::permute<1>(out, in, element_size, axes, sizes, order, stream);
}

}  // namespace coalesce
