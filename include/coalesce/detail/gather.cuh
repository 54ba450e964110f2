/// \file
/// Kernels that write `out` from its beginning to its end, either one unit at a time or in vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "anywhere.cuh"
#include "permute_plan.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

constexpr int threads_per_block = 256, loads_in_flight = 4;

/// A kernel that writes `out` in order, one unit at a time. `Index` is an integer type that can
/// represent the number of units.
template <int SIZE, class Index>
__global__ void __launch_bounds__(threads_per_block) gather_kernel(const PermutePlan plan) {
    const Index first_unit =
        static_cast<Index>(blockIdx.x) * (threads_per_block * loads_in_flight) + threadIdx.x;
    const auto unit_count = static_cast<Index>(plan.unit_count);
    Index out_index[loads_in_flight], in_offset[loads_in_flight];
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
        const Index unit_index = first_unit + i * threads_per_block;
        out_index[i] = unit_index < unit_count ? unit_index : unit_count - 1;
    }
    find_offsets(in_offset, out_index, plan, plan.axes);
    Element<SIZE> value[loads_in_flight];
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
        value[i] = static_cast<const Element<SIZE>*>(plan.in)[in_offset[i]];
    }
#pragma unroll
    for (int i = 0; i < loads_in_flight; ++i) {
        const Index unit_index = first_unit + i * threads_per_block;
        if (unit_index < unit_count) static_cast<Element<SIZE>*>(plan.out)[unit_index] = value[i];
    }
}

/// The device functions of `splice_kernel`. That kernel performs permutations that keep the last
/// axis in place, so it copies whole rows. Rows may be unaligned. Each vector of `out` is therefore
/// spliced, from one row or from two consecutive rows.
template <int SIZE>
struct RowSplicer {
    static_assert(SIZE <= 4, "larger ones are gathered");
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, ELEMENTS_PER_WORD = 4 / SIZE;
    const char *begin, *end;  ///< the bounds of `in`; nothing outside them is read

    /// Loads an aligned vector, element by element if the vector extends past either end of `in`.
    __device__ Vector<16> load(const char* source) const {
        if (source >= begin && source + 16 <= end) return transposing::load_vector<16>(source);
        Vector<16> vector = {};
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            const char* const address = source + i * SIZE;
            if (address < begin || address >= end) continue;
            vector.word[i / ELEMENTS_PER_WORD] |=
                static_cast<unsigned>(transposing::element<SIZE>(address, 0))
                << (i % ELEMENTS_PER_WORD * SIZE * 8);
        }
        return vector;
    }

    /// Reports whether the two aligned vectors that contain the 16 bytes at this address are both
    /// within `in`.
    __device__ bool are_both_vectors_inside(const char* source) const {
        const char* const first_vector_start =
            source - reinterpret_cast<std::uintptr_t>(source) % 16;
        return first_vector_start >= begin && first_vector_start + 32 <= end;
    }

    /// Loads 16 bytes from any address. If IS_INNER is true, there is no bounds check, so loads do
    /// not wait for a comparison.
    template <bool IS_INNER>
    __device__ Vector<16> load_unaligned(const char* source) const {
        const unsigned misaligned_bytes = reinterpret_cast<std::uintptr_t>(source) % 16;
        const char* const first_vector_start = source - misaligned_bytes;
        if constexpr (IS_INNER) {
            return transposing::splice_vectors<SIZE>(
                transposing::load_vector<16>(first_vector_start),
                transposing::load_vector<16>(first_vector_start + 16), misaligned_bytes);
        } else {
            const Vector<16> low = load(first_vector_start), high = load(first_vector_start + 16);
            return transposing::splice_vectors<SIZE>(low, high, misaligned_bytes);
        }
    }

    /// Stores the part of the vector that is within `out`. `out_position` is the vector's position
    /// in `out`, in bytes.
    static __device__ void store(const PermutePlan& plan, std::int64_t out_position,
                                 const Vector<16>& vector) {
        const std::int64_t bytes = plan.unit_count * SIZE;
        char* const target = static_cast<char*>(plan.out) + out_position;
        if (out_position >= 0 && out_position + 16 <= bytes)
            return transposing::store_vector(target, vector);
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            const std::int64_t element_position = out_position + i * SIZE;
            if (element_position < 0 || element_position >= bytes) continue;
            const unsigned word =
                vector.word[i / ELEMENTS_PER_WORD] >> (i % ELEMENTS_PER_WORD * SIZE * 8);
            transposing::element<SIZE>(target, i) = static_cast<Element<SIZE>>(word);
        }
    }

    /// Returns a vector that consists of the first `low_bytes` bytes of `low_vector` and the
    /// remaining bytes of `high_vector`.
    static __device__ Vector<16> join_vectors(const Vector<16>& low_vector,
                                              const Vector<16>& high_vector, int low_bytes) {
        Vector<16> vector;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int low_bytes_left = low_bytes - 4 * i;
            const unsigned low_mask = low_bytes_left >= 4   ? ~0u
                                      : low_bytes_left <= 0 ? 0u
                                                            : (1u << (8 * low_bytes_left)) - 1;
            vector.word[i] = (low_vector.word[i] & low_mask) | (high_vector.word[i] & ~low_mask);
        }
        return vector;
    }
};

/// Constants of `splice_kernel`, which is used only for rows of at least `min_spliced_row_bytes`
/// bytes. Each thread stores `spliced_vectors_per_thread` vectors of 16 bytes, and each block
/// stores `spliced_bytes_per_block` bytes.
constexpr int min_spliced_row_bytes = 64, spliced_vectors_per_thread = 2,
              spliced_bytes_per_block = threads_per_block * spliced_vectors_per_thread * 16;

/// Finds the addresses in `in` of `row_count` rows, starting with row `first_row`. For rows past
/// the last one, repeats the address of the last row.
template <int SIZE>
__device__ void find_row_addresses(const char** row_addresses, const PermutePlan& plan,
                                   std::int64_t first_row, int row_count) {
    const int last_axis_index = plan.axes - 1;
    const auto total_rows =
        static_cast<unsigned>(plan.unit_count / plan.axis[last_axis_index].size);
    for (int i = threadIdx.x; i < row_count; i += threads_per_block) {
        const unsigned row = static_cast<unsigned>(first_row) + i;
        unsigned row_index[1] = {row < total_rows ? row : total_rows - 1};
        std::int64_t row_offset[1];
        find_offsets(row_offset, row_index, plan, last_axis_index);
        row_addresses[i] = static_cast<const char*>(plan.in) + row_offset[0] * SIZE;
    }
}

/// A kernel that writes `out` in vectors. First, the threads of a block compute the addresses of
/// all rows that the block needs. A vector that contains the end of one row and the start of the
/// next is spliced from both rows.
template <int SIZE>
__global__ void __launch_bounds__(threads_per_block, 4) splice_kernel(const PermutePlan plan) {
    __shared__ const char* row_addresses[spliced_bytes_per_block / min_spliced_row_bytes + 3];
    const RowSplicer<SIZE> row_splicer{static_cast<const char*>(plan.in),
                                       static_cast<const char*>(plan.in) + plan.unit_count * SIZE};
    const Axis& last_axis = plan.axis[plan.axes - 1];
    const auto row_bytes = static_cast<int>(last_axis.size * SIZE);
    const auto misaligned_out_bytes =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(plan.out) % 16);
    // Compute the block's first row and offset once. The positions of the vectors relative to them
    // fit into 31 bits.
    const std::int64_t block_position =
        std::int64_t{blockIdx.x} * spliced_bytes_per_block - misaligned_out_bytes;
    const std::int64_t first_row = block_position < 0 ? 0 : block_position / row_bytes;
    const auto offset_in_first_row = static_cast<int>(block_position - first_row * row_bytes);
    find_row_addresses<SIZE>(row_addresses, plan, first_row,
                             (offset_in_first_row + spliced_bytes_per_block) / row_bytes + 2);
    __syncthreads();

    const char *source_address[spliced_vectors_per_thread],
        *next_row_source[spliced_vectors_per_thread];
    int row_bytes_left
        [spliced_vectors_per_thread];  // the bytes from a vector's start to the end of its row
    bool is_inner = true;
#pragma unroll
    for (int i = 0; i < spliced_vectors_per_thread; ++i) {
        const int vector_position =
            offset_in_first_row + static_cast<int>(threadIdx.x + i * threads_per_block) * 16;
        const unsigned unit_index =
            vector_position < 0 ? 0 : static_cast<unsigned>(vector_position) / SIZE;
        const auto row_in_block = static_cast<int>(quotient(unit_index, last_axis));
        const int x =
            vector_position - row_in_block * row_bytes;  // negative for bytes before `out`
        source_address[i] = row_addresses[row_in_block] + x;
        row_bytes_left[i] = row_bytes - x;
        next_row_source[i] = row_addresses[row_in_block + 1] - row_bytes_left[i];
        is_inner = is_inner && row_splicer.are_both_vectors_inside(source_address[i]);
    }
    Vector<16> vector[spliced_vectors_per_thread];
    if (is_inner) {
#pragma unroll
        for (int i = 0; i < spliced_vectors_per_thread; ++i) {
            vector[i] = row_splicer.template load_unaligned<true>(source_address[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < spliced_vectors_per_thread; ++i) {
            vector[i] = row_splicer.template load_unaligned<false>(source_address[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < spliced_vectors_per_thread; ++i) {
        if (row_bytes_left[i] >= 16) continue;
        const auto next_row_vector =
            row_splicer.are_both_vectors_inside(next_row_source[i])
                ? row_splicer.template load_unaligned<true>(next_row_source[i])
                : row_splicer.template load_unaligned<false>(next_row_source[i]);
        vector[i] = RowSplicer<SIZE>::join_vectors(vector[i], next_row_vector, row_bytes_left[i]);
    }
#pragma unroll
    for (int i = 0; i < spliced_vectors_per_thread; ++i) {
        const std::int64_t vector_position =
            block_position + (threadIdx.x + i * threads_per_block) * 16;
        RowSplicer<SIZE>::store(plan, vector_position, vector[i]);
    }
}

}  // namespace coalesce::permuting
