/// \file
/// The kernel for images. It converts channels in planes (RRR GGG BBB) to pixels (RGB RGB RGB), or
/// the reverse.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "task.cuh"
#include "vectors.cuh"

namespace coalesce::transposing {

/// An element within a register: the word that contains it, and its position in the word.
struct RegisterElement {
    unsigned word;
    int position;
};

/// Packs elements into a word. `piece(i)` returns element i. Element 0 goes into the lowest bits.
template <int SIZE, class ElementOf>
__device__ inline unsigned build_word(ElementOf piece) {
    if constexpr (SIZE == 4) {
        return piece(0).word;
    } else if constexpr (SIZE == 2) {
        const RegisterElement low = piece(0), high = piece(1);
        return __byte_perm(low.word, high.word,
                           0x5410 + low.position * 0x22 + high.position * 0x2200);
    } else {
        const RegisterElement a = piece(0), b = piece(1), c = piece(2), d = piece(3);
        const unsigned low = __byte_perm(a.word, b.word, a.position + (4 + b.position) * 16);
        const unsigned high = __byte_perm(c.word, d.word, c.position + (4 + d.position) * 16);
        return __byte_perm(low, high, 0x5410);
    }
}

/// A kernel for images with CHANNELS channels. An image is a matrix with one row per channel, or
/// with one column per channel (channels last). Each thread processes a vector of pixels per
/// channel.
template <int SIZE, int CHANNELS, bool IS_TO_LAST>
struct Channels {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, ELEMENTS_PER_WORD = 4 / SIZE;
    static constexpr int THREADS = 256, PIXELS = THREADS * VECTOR_ELEMENTS, LEAD = 0;
    static constexpr int TILE_ROWS = IS_TO_LAST ? CHANNELS : PIXELS;
    static constexpr int TILE_COLS = IS_TO_LAST ? PIXELS : CHANNELS;
    static constexpr int SHARED_BYTES = THREADS * CHANNELS * 16;

    /// Returns the address of a vector in shared memory. If CHANNELS is a power of two, the vectors
    /// are permuted to avoid bank conflicts.
    static __device__ char* vector(char* shared, int index) {
        const bool is_power = (CHANNELS & (CHANNELS - 1)) == 0;
        return shared + (is_power ? index ^ index / 8 % 8 : index) * 16;
    }

    static __device__ void run(const Task& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const char* in = in_address<SIZE>(task, origin);
        char* out = out_address<SIZE>(task, origin);
        const std::int64_t pixels = IS_TO_LAST ? task.cols : task.rows;
        const std::int64_t first = IS_TO_LAST ? origin.col : origin.row;
        const std::int64_t pixels_left = pixels - first;
        // The number of threads that have pixels to process.
        const int count =
            static_cast<int>(pixels_left < PIXELS ? pixels_left : PIXELS) / VECTOR_ELEMENTS;
        const int thread = threadIdx.x;
        if constexpr (IS_TO_LAST) {
            if (thread < count) load_planes(in + first * SIZE + thread * 16, pixels, shared);
            __syncthreads();
            char* const to = out + first * CHANNELS * SIZE;
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) {
                const int i = thread + c * THREADS;
                if (i < count * CHANNELS) {
                    store_vector(to + i * 16, load_vector<16>(vector(shared, i)));
                }
            }
        } else {
            load_line(in + first * CHANNELS * SIZE, shared, count * CHANNELS);
            __syncthreads();
            if (thread < count) store_planes(out + first * SIZE + thread * 16, pixels, shared);
        }
    }

    static __device__ void load_planes(const char* in, std::int64_t pixels, char* shared) {
        Vector<16> plane[CHANNELS], last[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) plane[c] = load_vector<16>(in + c * pixels * SIZE);
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            last[w / 4].word[w % 4] = build_word<SIZE>([&](int k) {
                const int i = w * ELEMENTS_PER_WORD + k, pixel = i / CHANNELS;
                return RegisterElement{plane[i % CHANNELS].word[pixel / ELEMENTS_PER_WORD],
                                       pixel % ELEMENTS_PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            store_vector(vector(shared, threadIdx.x * CHANNELS + c), last[c]);
        }
    }

    static __device__ void store_planes(char* out, std::int64_t pixels, char* shared) {
        Vector<16> plane[CHANNELS], last[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            last[c] = load_vector<16>(vector(shared, threadIdx.x * CHANNELS + c));
        }
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            plane[w / 4].word[w % 4] = build_word<SIZE>([&](int k) {
                const int pixel = w % 4 * ELEMENTS_PER_WORD + k, i = pixel * CHANNELS + w / 4;
                return RegisterElement{
                    last[i / VECTOR_ELEMENTS].word[i % VECTOR_ELEMENTS / ELEMENTS_PER_WORD],
                    i % ELEMENTS_PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) store_vector(out + c * pixels * SIZE, plane[c]);
    }

    static __device__ void load_line(const char* in, char* shared, int count) {
        Vector<16> value[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < count) value[c] = load_vector<16>(in + i * 16);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < count) store_vector(vector(shared, i), value[c]);
        }
    }
};

}  // namespace coalesce::transposing
