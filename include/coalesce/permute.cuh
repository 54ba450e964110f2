/// \file
/// Changes the order of an array's axes in device memory: up to 6 of them, elements of 1 to 16 bytes.
/// Nothing to link but the CUDA runtime. The kernels are in detail/; an installation also has
/// single/permute.cuh, which is all of it, and transpose.cuh, in one file.
///
///     #include <coalesce/permute.cuh>
///
///     // Axis k of `out` is axis order[k] of `in`: here (B, S, H, D) becomes (B, H, S, D).
///     cudaError_t error = coalesce::permute(out, in, {B, S, H, D}, {0, 2, 1, 3});
///
/// As `transpose`: it allocates nothing, waits for nothing, and moves bits. Lesson 15_permute tells
/// why only two axes matter.
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

/// The kernels of permutations that are no transpose, and the choice among them.
namespace permuting {

template <int LEAST, int SIZE>
constexpr int at_least = SIZE < LEAST ? LEAST : SIZE;

/// Units are never smaller than LEAST, so that kernels for smaller ones are not compiled.
template <int LEAST>
cudaError_t permute(void* out, const void* in, std::size_t element_size, int axes,
                    const std::int64_t* sizes, const int* order, cudaStream_t stream) {
    Plan plan;
    const cudaError_t error = understand(plan, out, in, element_size, axes, sizes, order);
    if (error != cudaSuccess) return error;
    switch (plan.unit) {
        case 16: return carry_out<16>(plan, stream);
        case 8: return carry_out<at_least<LEAST, 8>>(plan, stream);
        case 4: return carry_out<at_least<LEAST, 4>>(plan, stream);
        case 2: return carry_out<at_least<LEAST, 2>>(plan, stream);
        default: return carry_out<LEAST>(plan, stream);
    }
}

}  // namespace permuting

/// Changes the order of an array's axes: axis k of `out` is axis order[k] of `in`, as in NumPy's
/// transpose and PyTorch's permute. Both arrays are dense, the last axis innermost.
///
/// \param out     an array in device memory; may not overlap `in`
/// \param in      an array in device memory
/// \param axes    how many: 0 to 6
/// \param sizes   of the axes of `in`, from 0 on; where one is 0 nothing happens
/// \param order   each number below `axes` once
/// \param stream  where it is queued
/// \return cudaSuccess; cudaErrorInvalidValue for too many axes, a negative size, an order that is
///         none, or a null pointer; cudaErrorMisalignedAddress when an array does not start at a multiple
///         of the largest power of two that divides an element's size; or what the launch returned
template <class T>
cudaError_t permute(T* out, const T* in, int axes, const std::int64_t* sizes, const int* order,
                    cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    static_assert(sizeof(T) <= 16, "elements have 1 to 16 bytes");
    constexpr int unit = sizeof(T) & (~sizeof(T) + 1);
    return permuting::permute<unit>(out, in, sizeof(T), axes, sizes, order, stream);
}

/// The same with lists: permute(out, in, {B, S, H, D}, {0, 2, 1, 3}).
template <class T, int AXES>
cudaError_t permute(T* out, const T* in, const std::int64_t (&sizes)[AXES],
                    const int (&order)[AXES], cudaStream_t stream = nullptr) {
    return permute(out, in, AXES, static_cast<const std::int64_t*>(sizes),
                   static_cast<const int*>(order), stream);
}

/// The same where the size of an element, in bytes, is known only when the program runs.
inline cudaError_t permute_elements(void* out, const void* in, std::size_t element_size, int axes,
                                    const std::int64_t* sizes, const int* order,
                                    cudaStream_t stream = nullptr) {
    return permuting::permute<1>(out, in, element_size, axes, sizes, order, stream);
}

}  // namespace coalesce
