/// \file
/// The kernel for 1-byte and 2-byte elements. It works like the kernel in run_tile.cuh, but moves
/// words.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "permute_plan.cuh"
#include "run_tile.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

/// Loads an aligned word of an array. If the word is partly outside the array, loads only the units
/// inside.
template <int SIZE>
__device__ unsigned load_word_within(const char* address, const char* begin, const char* end) {
    if (address >= begin && address + 4 <= end) return *reinterpret_cast<const unsigned*>(address);
    unsigned word = 0;
    for (int i = 0; i < 4; i += SIZE) {
        if (address + i < begin || address + i >= end) continue;
        word |= static_cast<unsigned>(transposing::element<SIZE>(address + i, 0)) << (8 * i);
    }
    return word;
}

/// A kernel with tiles like those of `tile_kernel`. In `in`, rows of a tile may start anywhere in a
/// word, so words are spliced before they are stored to shared memory. A block loads EXTRA_ROWS
/// additional rows, so that it can store whole sectors of `out`.
template <int SIZE, bool IS_LARGE = false, bool IS_LOADED_ONCE = false>
struct WordTileKernel {
    static constexpr int THREADS = 512, WARPS = THREADS / 32,
                         LOADS_IN_FLIGHT = IS_LOADED_ONCE ? 6 : 4, ELEMENTS_PER_WORD = 4 / SIZE;
    /// The number of blocks that must fit on a multiprocessor. It limits the registers per thread.
    /// It is smaller for large arrays, so that each block has more of the L1 cache.
    static constexpr int MIN_RESIDENT_BLOCKS = IS_LOADED_ONCE ? 3 : IS_LARGE ? 2 : 4;
    static constexpr int ROWS = (IS_LARGE ? 384 : 256) / SIZE, COLS = 128, EXTRA_ROWS = 32 / SIZE;
    static constexpr int LOADED_ROWS = ROWS + EXTRA_ROWS;
    static constexpr auto LOAD_POLICY =
        IS_LARGE ? transposing::LoadPolicy::evict_last_128 : transposing::LoadPolicy::plain;
    static constexpr int WORDS_PER_ROW = COLS / ELEMENTS_PER_WORD,
                         CHUNKS_PER_WARP = WORDS_PER_ROW / 32;
    /// The distance in words between groups of rows. The distance is odd, so that lanes that read
    /// different groups use different banks.
    static constexpr int GROUP_PITCH_WORDS = ELEMENTS_PER_WORD * WORDS_PER_ROW + 1;
    static constexpr int SHARED_BYTES = LOADED_ROWS / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS * 4;
    static_assert(WARPS % ELEMENTS_PER_WORD == 0 && ROWS % (WARPS * LOADS_IN_FLIGHT) == 0 &&
                      ROWS % (32 * ELEMENTS_PER_WORD) == 0,
                  "the warps and lanes must cover a tile evenly");

    unsigned* tile_words;
    const char* const (&row_addresses)[LOADED_ROWS];  ///< the start of each row of the tile in `in`
    char* const (&col_addresses)[COLS];  ///< the start of each column of the tile in `out`
    const char *begin, *end;             ///< the bounds of `in`
    /// The number of rows to load, including the extra ones, and the number of columns.
    int rows, cols;
    /// Whether the tile is the first of its run. The first tile also stores the elements before its
    /// first sector.
    bool is_first_of_run;

    static __device__ int lane_index() { return threadIdx.x % 32; }
    static __device__ int warp_index() { return threadIdx.x / 32; }
    static __device__ unsigned count_misaligned_bits(const char* address) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address)) % 4 * 8;
    }
    __device__ int count_rows_to_load()
        const {  // the last word of a column may extend past its end
        return rows + ELEMENTS_PER_WORD - 1 < LOADED_ROWS ? rows + ELEMENTS_PER_WORD - 1
                                                          : LOADED_ROWS;
    }

    /// Loads rows whose words are all within `in`. Past the last row, loads the last row again.
    __device__ void load_inner_rows() const {
        unsigned* const warp_words =
            tile_words + warp_index() / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS +
            warp_index() % ELEMENTS_PER_WORD * WORDS_PER_ROW + lane_index();
        const int row_count = count_rows_to_load();
#pragma unroll 1
        for (int first_row = 0; first_row < ROWS && first_row < row_count;
             first_row += WARPS * LOADS_IN_FLIGHT) {
            load_rows<LOADS_IN_FLIGHT>(
                first_row, warp_words + first_row / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS);
        }
#pragma unroll 1
        for (int first_row = ROWS; first_row + warp_index() < row_count; first_row += WARPS) {
            load_rows<1>(first_row, warp_words + first_row / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS);
        }
    }
    template <int COUNT>
    __device__ void load_rows(int first_row, unsigned* target) const {
        if constexpr (IS_LOADED_ONCE) {
            load_rows_once<COUNT>(first_row, target);
        } else {
            load_rows_twice<COUNT>(first_row, target);
        }
    }
    /// Loads COUNT rows. Each lane loads one word and splices it with the word of the next lane.
    /// Lane 31 uses the first word of the next chunk, which lane 0 loads.
    template <int COUNT>
    __device__ void load_rows_once(int first_row, unsigned* target) const {
        unsigned word[COUNT][CHUNKS_PER_WARP + 1], shift_bits[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const char* const row_address = row_addresses[first_row + i * WARPS + warp_index()];
            shift_bits[i] = count_misaligned_bits(row_address);
            const char* const source = row_address - shift_bits[i] / 8 + lane_index() * 4;
#pragma unroll
            for (int k = 0; k < CHUNKS_PER_WARP; ++k) {
                word[i][k] = transposing::load_element<LOAD_POLICY, 4>(source + k * 128);
            }
            word[i][CHUNKS_PER_WARP] = 0;
            if (lane_index() == 0 && shift_bits[i] != 0) {
                word[i][CHUNKS_PER_WARP] =
                    transposing::load_element<LOAD_POLICY, 4>(source + CHUNKS_PER_WARP * 128);
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
#pragma unroll
            for (int k = 0; k < CHUNKS_PER_WARP; ++k) {
                const unsigned sent_word = lane_index() == 0 ? word[i][k + 1] : word[i][k];
                const unsigned next_word = __shfl_sync(~0u, sent_word, (lane_index() + 1) % 32);
                target[i * WARPS / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS + k * 32] =
                    __funnelshift_r(word[i][k], next_word, shift_bits[i]);
            }
        }
    }
    /// Loads COUNT rows. Each lane itself loads both words that it splices.
    template <int COUNT>
    __device__ void load_rows_twice(int first_row, unsigned* target) const {
        unsigned low_word[COUNT][CHUNKS_PER_WARP], high_word[COUNT][CHUNKS_PER_WARP],
            shift_bits[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const char* const row_address = row_addresses[first_row + i * WARPS + warp_index()];
            shift_bits[i] = count_misaligned_bits(row_address);
            const char* const source = row_address - shift_bits[i] / 8 + lane_index() * 4;
#pragma unroll
            for (int k = 0; k < CHUNKS_PER_WARP; ++k) {
                low_word[i][k] = transposing::load_element<LOAD_POLICY, 4>(source + k * 128);
                high_word[i][k] = transposing::load_element<LOAD_POLICY, 4>(source + k * 128 + 4);
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
#pragma unroll
            for (int k = 0; k < CHUNKS_PER_WARP; ++k) {
                target[i * WARPS / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS + k * 32] =
                    __funnelshift_r(low_word[i][k], high_word[i][k], shift_bits[i]);
            }
        }
    }
    /// Loads rows whose words may be partly outside `in`.
    __device__ void load_edge_rows() const {
        const int row_count = count_rows_to_load();
        for (int row = warp_index(); row < row_count; row += WARPS) {
            const unsigned shift_bits = count_misaligned_bits(row_addresses[row]);
            const char* const row_address = row_addresses[row] - shift_bits / 8;
            for (int k = lane_index(); k < WORDS_PER_ROW; k += 32) {
                const unsigned low_word = load_word_within<SIZE>(row_address + 4 * k, begin, end);
                const unsigned high_word =
                    load_word_within<SIZE>(row_address + 4 * k + 4, begin, end);
                tile_words[row / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS +
                           row % ELEMENTS_PER_WORD * WORDS_PER_ROW + k] =
                    __funnelshift_r(low_word, high_word, shift_bits);
            }
        }
    }

    __device__ void store() const {
        for (int col = warp_index(); col < cols; col += WARPS) {
            char* const target = col_addresses[col];
            const int rows_before_sector =
                static_cast<int>(-reinterpret_cast<std::uintptr_t>(target) % 32) / SIZE;
            const unsigned* row[ELEMENTS_PER_WORD];
#pragma unroll
            for (int k = 0; k < ELEMENTS_PER_WORD; ++k) {
                row[k] = tile_words +
                         ((rows_before_sector + k) / ELEMENTS_PER_WORD + lane_index()) *
                             GROUP_PITCH_WORDS +
                         (rows_before_sector + k) % ELEMENTS_PER_WORD * WORDS_PER_ROW +
                         col / ELEMENTS_PER_WORD;
            }
            if (rows_before_sector + ROWS <= rows) {
#pragma unroll
                for (int i = 0; i < ROWS / ELEMENTS_PER_WORD / 32; ++i) {
                    const int y = rows_before_sector + (i * 32 + lane_index()) * ELEMENTS_PER_WORD;
                    transposing::element<4>(target + y * SIZE, 0) = gather_word(row, col, i);
                }
            } else {
                store_column_part(target, rows_before_sector, row, col);
            }
            if (is_first_of_run && lane_index() < rows_before_sector && lane_index() < rows) {
                const unsigned word =
                    tile_words[lane_index() / ELEMENTS_PER_WORD * GROUP_PITCH_WORDS +
                               lane_index() % ELEMENTS_PER_WORD * WORDS_PER_ROW +
                               col / ELEMENTS_PER_WORD];
                transposing::element<SIZE>(target, lane_index()) =
                    static_cast<Element<SIZE>>(word >> (col % ELEMENTS_PER_WORD * SIZE * 8));
            }
        }
    }
    /// Stores the part of a column that is inside the matrix.
    __device__ void store_column_part(char* target, int rows_before_sector,
                                      const unsigned* const (&row)[ELEMENTS_PER_WORD],
                                      int col) const {
        for (int i = 0; i < ROWS / ELEMENTS_PER_WORD / 32; ++i) {
            const int y = rows_before_sector + (i * 32 + lane_index()) * ELEMENTS_PER_WORD;
            if (y >= rows) return;
            const unsigned word = gather_word(row, col, i);
            if (y + ELEMENTS_PER_WORD <= rows) {
                transposing::element<4>(target + y * SIZE, 0) = word;
                continue;
            }
            for (int k = 0; y + k < rows; ++k) {
                transposing::element<SIZE>(target, y + k) =
                    static_cast<Element<SIZE>>(word >> (8 * SIZE * k));
            }
        }
    }
    /// Returns a word that contains the column's elements from consecutive rows.
    static __device__ unsigned gather_word(const unsigned* const (&row)[ELEMENTS_PER_WORD], int col,
                                           int i) {
        const int group_offset = i * 32 * GROUP_PITCH_WORDS;
        if constexpr (SIZE == 2) {
            return __byte_perm(row[0][group_offset], row[1][group_offset],
                               col % 2 == 0 ? 0x5410 : 0x7632);
        } else {
            const unsigned byte_selector = 0x0040 + col % 4 * 0x0011;
            return __byte_perm(
                __byte_perm(row[0][group_offset], row[1][group_offset], byte_selector),
                __byte_perm(row[2][group_offset], row[3][group_offset], byte_selector), 0x5410);
        }
    }
};

template <int SIZE, class Tile>
__global__ void __launch_bounds__(Tile::THREADS, Tile::MIN_RESIDENT_BLOCKS)
    word_tile_kernel(const Tiling tiling, std::int64_t bytes) {
    extern __shared__ uint4 shared[];
    __shared__ const char* row_addresses[Tile::LOADED_ROWS];
    __shared__ char* col_addresses[Tile::COLS];
    const BlockTile block_tile = find_block_tile(tiling, Tile::ROWS, Tile::COLS);
    const auto smaller = [](std::int64_t length, int limit) {
        return length < limit ? static_cast<int>(length) : limit;
    };
    const int rows = smaller(tiling.rows.size - block_tile.row, Tile::LOADED_ROWS);
    const int cols = smaller(tiling.cols.size - block_tile.col, Tile::COLS);
    const char* const begin = static_cast<const char*>(tiling.in);
    const Tile tile{reinterpret_cast<unsigned*>(shared),
                    row_addresses,
                    col_addresses,
                    begin,
                    begin + bytes,
                    rows,
                    cols,
                    block_tile.row == 0};
    bool is_edge_tile = false;
    for (int i = threadIdx.x; i < Tile::LOADED_ROWS; i += Tile::THREADS) {
        const std::int64_t row = block_tile.row + (i < rows ? i : rows - 1);
        row_addresses[i] =
            begin + (block_tile.in_offset + find_other_array_offset(tiling.rows, row)) * SIZE;
        is_edge_tile = is_edge_tile || row_addresses[i] - begin < 3 ||
                       tile.end - row_addresses[i] < Tile::COLS * SIZE + 4;
    }
    for (int i = threadIdx.x; i < cols; i += Tile::THREADS) {
        col_addresses[i] =
            static_cast<char*>(tiling.out) +
            (block_tile.out_offset + find_other_array_offset(tiling.cols, block_tile.col + i)) *
                SIZE;
    }
    if (__syncthreads_or(is_edge_tile)) {
        tile.load_edge_rows();
    } else {
        tile.load_inner_rows();
    }
    __syncthreads();
    tile.store();
}

}  // namespace coalesce::permuting
