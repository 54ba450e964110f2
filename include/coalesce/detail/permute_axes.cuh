/// \file
/// Reduces a permutation to a plan with few axes, and finds matrices in a plan.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../transpose.cuh"
#include "permute_plan.cuh"

namespace coalesce::permuting {

/// The largest number of units in an array for which fast 32-bit quotients are exact.
constexpr std::int64_t max_units_for_32_bits = (std::int64_t{1} << 31) - 1;

/// Removes axes of length 1, and merges axes that are adjacent in both `in` and `out`.
inline void merge_adjacent_axes(PermutePlan& plan) {
    int kept_axes = 0;
    for (int k = 0; k < plan.axes; ++k) {
        const Axis axis = plan.axis[k];
        if (axis.size == 1) continue;
        Axis* const previous_axis = kept_axes == 0 ? nullptr : &plan.axis[kept_axes - 1];
        if (previous_axis != nullptr && previous_axis->step == axis.size * axis.step) {
            previous_axis->size *= axis.size;
            previous_axis->step = axis.step;
        } else {
            plan.axis[kept_axes++] = axis;
        }
    }
    plan.axes = kept_axes;
}

inline bool is_last_axis_kept(const PermutePlan& plan) {
    return plan.axes > 0 && plan.axis[plan.axes - 1].step == 1;
}

/// Combines units into larger ones of up to 16 bytes, if both arrays have the same last axis. If
/// the last axis then has only one unit left, removes this axis, so that the plan transposes larger
/// elements.
inline void widen_units(PermutePlan& plan) {
    if (!is_last_axis_kept(plan)) return;
    while (plan.unit_bytes < 16 && plan.axis[plan.axes - 1].size % 2 == 0 &&
           is_aligned_to(plan.out, 2 * plan.unit_bytes) &&
           is_aligned_to(plan.in, 2 * plan.unit_bytes)) {
        plan.unit_bytes *= 2;
        plan.unit_count /= 2;
        plan.axis[plan.axes - 1].size /= 2;
        for (int k = 0; k + 1 < plan.axes; ++k) plan.axis[k].step /= 2;
    }
    merge_adjacent_axes(plan);
}

/// Computes a multiplier and a shift with which kernels divide by the axis's size, because a
/// multiplication is faster than a division. For numbers below 2^31, the quotient is number *
/// multiplier / 2^(32 + shift), rounded down.
inline void prepare_division(Axis& axis) {
    if (axis.size > max_units_for_32_bits)
        return;  // the multiplier is exact for numbers below 2^31 only
    axis.quotient_shift = 0;
    while ((std::int64_t{2} << axis.quotient_shift) < axis.size) ++axis.quotient_shift;
    const std::uint64_t power_of_two = std::uint64_t{1} << (32 + axis.quotient_shift);
    const auto size = static_cast<std::uint64_t>(axis.size);
    axis.quotient_multiplier = static_cast<unsigned>((power_of_two + size - 1) / size);
}

/// Checks the arguments and makes a plan. Returns cudaSuccess, or an error if an argument is
/// invalid. If the array is empty, the plan has no units.
inline cudaError_t parse_arguments(PermutePlan& plan, void* out, const void* in,
                                   std::size_t element_size, int axes, const std::int64_t* sizes,
                                   const int* order) {
    if (element_size < 1 || element_size > 16) return cudaErrorInvalidValue;
    if (axes < 0 || axes > max_axes) return cudaErrorInvalidValue;
    plan = {};
    plan.out = out, plan.in = in;
    plan.unit_bytes = static_cast<std::int64_t>(element_size & (~element_size + 1));
    const std::int64_t units_per_element =
        static_cast<std::int64_t>(element_size) / plan.unit_bytes;
    std::int64_t in_step[max_axes];
    bool is_axis_taken[max_axes] = {}, is_array_empty = false;
    for (int k = 0; k < axes; ++k) {
        if (sizes[k] < 0 || order[k] < 0 || order[k] >= axes || is_axis_taken[order[k]]) {
            return cudaErrorInvalidValue;
        }
        is_axis_taken[order[k]] = true;
        is_array_empty |= sizes[k] == 0;
    }
    if (is_array_empty) return cudaSuccess;
    plan.unit_count = units_per_element;
    for (int k = axes - 1; k >= 0; --k) {
        in_step[k] = plan.unit_count;
        if (sizes[k] > INT64_MAX / 64 / plan.unit_count) return cudaErrorInvalidValue;
        plan.unit_count *= sizes[k];
    }
    if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
    if (!is_aligned_to(out, plan.unit_bytes) || !is_aligned_to(in, plan.unit_bytes))
        return cudaErrorMisalignedAddress;
    for (int k = 0; k < axes; ++k) plan.axis[k] = {sizes[order[k]], in_step[order[k]], 0, 0};
    plan.axis[axes] = {units_per_element, 1, 0, 0};
    plan.axes = axes + 1;
    merge_adjacent_axes(plan);
    widen_units(plan);
    for (int k = 0; k < plan.axes; ++k) prepare_division(plan.axis[k]);
    return cudaSuccess;
}

/// Returns the index of the axis whose neighbouring elements are `step` units apart in `in`, or -1
/// if there is no such axis.
inline int find_axis_with_step(const PermutePlan& plan, std::int64_t step) {
    for (int k = 0; k < plan.axes; ++k) {
        if (plan.axis[k].step == step) return k;
    }
    return -1;
}

/// A plan with two or three axes, as a matrix or a batch of matrices.
struct MatrixBatch {
    std::int64_t rows, cols;
    TransposeOptions options;
    bool is_dense;
};
inline MatrixBatch make_matrix_batch(const PermutePlan& plan) {
    const Axis& last_axis = plan.axis[plan.axes - 1];
    const int contiguous_axis = find_axis_with_step(plan, 1);
    MatrixBatch matrix_batch = {};
    matrix_batch.rows = last_axis.size;
    matrix_batch.cols = plan.axis[contiguous_axis].size;
    TransposeOptions& options = matrix_batch.options;
    options.in_pitch = last_axis.step;
    options.out_pitch = last_axis.size;
    options.batches = 1;
    matrix_batch.is_dense = plan.axes == 2 || contiguous_axis == 1;
    if (plan.axes == 2) return matrix_batch;
    const Axis& batch_axis = plan.axis[1 - contiguous_axis];
    options.batches = batch_axis.size;
    options.in_stride = batch_axis.step;
    if (contiguous_axis == 1) {
        options.out_stride = matrix_batch.rows * matrix_batch.cols;
    } else {
        options.out_stride = last_axis.size;
        options.out_pitch = last_axis.size * batch_axis.size;
    }
    return matrix_batch;
}

}  // namespace coalesce::permuting
