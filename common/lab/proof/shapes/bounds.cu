// Kernels that access the same addresses as the library's kernels, but transpose nothing. A thread
// combines everything that it loads by exclusive or, and stores the result wherever the library's
// kernel would store. All threads of a block wait until the block's loads are complete, as they do
// for a tile. Tasks, tiles, grids and the sizes of shared memory are the library's own.

#include <concepts>

// A second copy of the library, in a namespace of its own, whose launches lead to the kernels here.
#define coalesce addresses_only
#include <coalesce/permute.cuh>
#undef coalesce

#include "harness/errors.h"
#include "lab/proof/shapes/bounds.h"
#include "lab/proof/shapes/untransposed_strips.cuh"

namespace addresses_only::transposing {

template <class Kernel>
requires(sizeof(Untransposed<Kernel>) > 0) struct KernelFunction<Kernel>
    : KernelFunction<Untransposed<Kernel>> {
};

}  // namespace addresses_only::transposing

namespace addresses_only::permuting {

using transposing::LoadPolicy;
using transposing::Sum;

template <class Tile, int SIZE, LoadPolicy LOADS>
__device__ void move_vectors(const Tile& tile, int rows, int cols) {
    constexpr int N = Tile::VECTOR_ELEMENTS;
    const int y = static_cast<int>(threadIdx.x) / tile.vectors_across;
    const int x = static_cast<int>(threadIdx.x) - y * tile.vectors_across;
    Vector<16> piece[N] = {};
    if (y * N < rows && x * N < cols) {
        const char* const from = static_cast<const char*>(tile.tiling.in) + x * 16;
#pragma unroll
        for (int i = 0; i < N; ++i)
            piece[i] =
                transposing::load_with_policy<LOADS>(from + tile.row_offsets[y * N + i] * SIZE);
    }
    Sum sum;
    sum.add(piece);
    sum.wait_for_loads();
    const int first_col = static_cast<int>(threadIdx.x) / tile.vectors_down;
    const int quad = static_cast<int>(threadIdx.x) - first_col * tile.vectors_down;
    if (first_col >= tile.vectors_across || quad * N >= rows) return;
    char* const to = static_cast<char*>(tile.tiling.out) + quad * 16;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const int col = first_col + k * tile.vectors_across;
        if (col >= cols) return;
        transposing::store_vector(to + tile.col_offsets[col] * SIZE, piece[k]);
    }
}
template <>
__device__ void VectorTileKernel<4, LoadPolicy::plain>::load(int rows, int cols) const {
    move_vectors<VectorTileKernel, 4, LoadPolicy::plain>(*this, rows, cols);
}
template <>
__device__ void VectorTileKernel<4, LoadPolicy::plain>::store(int, int) const {}
template <>
__device__ void VectorTileKernel<4, LoadPolicy::evict_last_128>::load(int rows, int cols) const {
    move_vectors<VectorTileKernel, 4, LoadPolicy::evict_last_128>(*this, rows, cols);
}
template <>
__device__ void VectorTileKernel<4, LoadPolicy::evict_last_128>::store(int, int) const {}

// A thread keeps its sum in a word of shared memory that no other thread accesses.
template <>
template <int COUNT>
__device__ void WordTileKernel<2, true, true>::load_rows_once(int first_row, unsigned*) const {
    unsigned sum = first_row == 0 ? 0 : tile_words[threadIdx.x];
    unsigned word[COUNT][CHUNKS_PER_WARP + 1];
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const char* const row_address = row_addresses[first_row + i * WARPS + warp_index()];
        const unsigned shift = count_misaligned_bits(row_address);
        const char* const from = row_address - shift / 8 + lane_index() * 4;
#pragma unroll
        for (int k = 0; k < CHUNKS_PER_WARP; ++k)
            word[i][k] = transposing::load_element<LOAD_POLICY, 4>(from + k * 128);
        word[i][CHUNKS_PER_WARP] = 0;
        if (lane_index() == 0 && shift != 0)
            word[i][CHUNKS_PER_WARP] =
                transposing::load_element<LOAD_POLICY, 4>(from + CHUNKS_PER_WARP * 128);
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
#pragma unroll
        for (int k = 0; k <= CHUNKS_PER_WARP; ++k) sum ^= word[i][k];
    }
    tile_words[threadIdx.x] = sum;
}
template <>
__device__ unsigned WordTileKernel<2, true, true>::gather_word(const unsigned* const (&)[2], int,
                                                               int) {
    extern __shared__ uint4 shared[];
    return reinterpret_cast<const unsigned*>(shared)[threadIdx.x];
}

template <>
__device__ void CompoundKernel<2, true>::load_vectors() const {
    constexpr int VECTORS = 4;
    const int bytes = cols * element_bytes, threads = static_cast<int>(blockDim.x);
    const int of_row = (bytes + 30) / 16, count = rows * of_row;
    const transposing::Divider by_row(of_row);
    const std::int64_t row_bytes = task.cols * element_bytes;
    Sum sum;
    for (int first_index = threadIdx.x; first_index < count; first_index += threads * VECTORS) {
        Vector<16> vector[VECTORS] = {};
#pragma unroll
        for (int k = 0; k < VECTORS; ++k) {
            const int number = first_index + k * threads, y = by_row.quotient(number);
            const int row_offset = (number - y * of_row) * 16;
            const char* const line = source_row + y * row_bytes;
            const int misaligned_bytes = static_cast<int>(misaligned_bytes_of(line, 16));
            if (y < rows && row_offset < bytes + misaligned_bytes)
                vector[k] = transposing::load_vector<16>(line - misaligned_bytes + row_offset);
        }
        sum.add(vector);
    }
    transposing::element<4>(tile, threadIdx.x) = sum.vector.word[0];
}
template <>
__device__ void CompoundKernel<2, true>::store_words(char* to, const int (&)[2], int first_col,
                                                     int step) const {
    const unsigned word = transposing::element<4>(tile, threadIdx.x);
    const std::int64_t step_bytes = step * task.rows * element_bytes;
#pragma unroll 4
    for (int x = first_col; x < cols; x += step, to += step_bytes)
        *reinterpret_cast<unsigned*>(to) = word;
}

}  // namespace addresses_only::permuting

namespace coalesce::proof {

bool has_bound(const TransposeCase& shape) {
    return shape.rows > 8 && shape.cols > 8;
}
bool has_bound(const PermuteCase& one) {
    // Elements of 3, 6 and 12 bytes, and heads whose length is a whole number of vectors, are moved
    // by other kernels.
    return (one.order.size() >= 4 && one.order.front() != 0) ||
           one.name == "heads apart, odd length";
}

void run_bound(void* out, const void* in, const TransposeCase& shape) {
    addresses_only::TransposeOptions options;
    options.in_pitch = shape.in_pitch;
    options.batches = shape.batches;
    const auto size = static_cast<std::size_t>(shape.element_size);
    const auto* start = static_cast<const char*>(in) + static_cast<std::size_t>(shape.start) * size;
    CUDA_CHECK(
        addresses_only::transpose_elements(out, start, size, shape.rows, shape.cols, options));
}
void run_bound(void* out, const void* in, const PermuteCase& one) {
    CUDA_CHECK(addresses_only::permute_elements(out, in, static_cast<std::size_t>(one.element_size),
                                                static_cast<int>(one.sizes.size()),
                                                one.sizes.data(), one.order.data()));
}

}  // namespace coalesce::proof
