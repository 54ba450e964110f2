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
    int position_in_word;
};

/// Packs elements into a word. `get_element(i)` returns element i. Element 0 goes into the lowest
/// bits.
template <int SIZE, class ElementOf>
__device__ inline unsigned build_word(ElementOf get_element) {
    if constexpr (SIZE == 4) {
        return get_element(0).word;
    } else if constexpr (SIZE == 2) {
        const RegisterElement low = get_element(0), high = get_element(1);
        return __byte_perm(low.word, high.word,
                           0x5410 + low.position_in_word * 0x22 + high.position_in_word * 0x2200);
    } else {
        const RegisterElement a = get_element(0), b = get_element(1), c = get_element(2),
                              d = get_element(3);
        const unsigned low =
            __byte_perm(a.word, b.word, a.position_in_word + (4 + b.position_in_word) * 16);
        const unsigned high =
            __byte_perm(c.word, d.word, c.position_in_word + (4 + d.position_in_word) * 16);
        return __byte_perm(low, high, 0x5410);
    }
}

/// A kernel for images with CHANNELS channels. An image is a matrix with one row per channel, or
/// with one column per channel (channels last). Each thread processes a vector of pixels per
/// channel.
template <int SIZE, int CHANNELS, bool IS_TO_LAST>
struct ChannelKernel {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE, ELEMENTS_PER_WORD = 4 / SIZE;
    static constexpr int THREADS = 256, PIXELS_PER_BLOCK = THREADS * VECTOR_ELEMENTS,
                         EXTRA_ROWS = 0;
    static constexpr int TILE_ROWS = IS_TO_LAST ? CHANNELS : PIXELS_PER_BLOCK;
    static constexpr int TILE_COLS = IS_TO_LAST ? PIXELS_PER_BLOCK : CHANNELS;
    static constexpr int SHARED_BYTES = THREADS * CHANNELS * 16;

    /// Returns the address of a vector in shared memory. If CHANNELS is a power of two, the order
    /// of the vectors in shared memory is permuted to avoid bank conflicts.
    static __device__ char* vector_address(char* shared, int vector_index) {
        const bool is_power_of_two = (CHANNELS & (CHANNELS - 1)) == 0;
        return shared + (is_power_of_two ? vector_index ^ vector_index / 8 % 8 : vector_index) * 16;
    }

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin origin = find_tile_of_block(task, TILE_ROWS, TILE_COLS);
        const char* in_image = in_matrix_address<SIZE>(task, origin);
        char* out_image = out_matrix_address<SIZE>(task, origin);
        const std::int64_t image_pixels = IS_TO_LAST ? task.cols : task.rows;
        const std::int64_t first_pixel = IS_TO_LAST ? origin.col : origin.row;
        const std::int64_t pixels_left = image_pixels - first_pixel;
        // The number of threads that have pixels to process.
        const int busy_threads =
            static_cast<int>(pixels_left < PIXELS_PER_BLOCK ? pixels_left : PIXELS_PER_BLOCK) /
            VECTOR_ELEMENTS;
        const int thread = threadIdx.x;
        if constexpr (IS_TO_LAST) {
            if (thread < busy_threads)
                load_planes(in_image + first_pixel * SIZE + thread * 16, image_pixels, shared);
            __syncthreads();
            char* const target = out_image + first_pixel * CHANNELS * SIZE;
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) {
                const int i = thread + c * THREADS;
                if (i < busy_threads * CHANNELS) {
                    store_vector(target + i * 16, load_vector<16>(vector_address(shared, i)));
                }
            }
        } else {
            load_pixels(in_image + first_pixel * CHANNELS * SIZE, shared, busy_threads * CHANNELS);
            __syncthreads();
            if (thread < busy_threads)
                store_planes(out_image + first_pixel * SIZE + thread * 16, image_pixels, shared);
        }
    }

    static __device__ void load_planes(const char* in, std::int64_t image_pixels, char* shared) {
        Vector<16> plane_vector[CHANNELS], pixel_vector[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c)
            plane_vector[c] = load_vector<16>(in + c * image_pixels * SIZE);
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            pixel_vector[w / 4].word[w % 4] = build_word<SIZE>([&](int k) {
                const int i = w * ELEMENTS_PER_WORD + k, pixel = i / CHANNELS;
                return RegisterElement{plane_vector[i % CHANNELS].word[pixel / ELEMENTS_PER_WORD],
                                       pixel % ELEMENTS_PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            store_vector(vector_address(shared, threadIdx.x * CHANNELS + c), pixel_vector[c]);
        }
    }

    static __device__ void store_planes(char* out, std::int64_t image_pixels, char* shared) {
        Vector<16> plane_vector[CHANNELS], pixel_vector[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            pixel_vector[c] = load_vector<16>(vector_address(shared, threadIdx.x * CHANNELS + c));
        }
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            plane_vector[w / 4].word[w % 4] = build_word<SIZE>([&](int k) {
                const int pixel = w % 4 * ELEMENTS_PER_WORD + k, i = pixel * CHANNELS + w / 4;
                return RegisterElement{
                    pixel_vector[i / VECTOR_ELEMENTS].word[i % VECTOR_ELEMENTS / ELEMENTS_PER_WORD],
                    i % ELEMENTS_PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c)
            store_vector(out + c * image_pixels * SIZE, plane_vector[c]);
    }

    static __device__ void load_pixels(const char* in, char* shared, int vector_count) {
        Vector<16> value[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < vector_count) value[c] = load_vector<16>(in + i * 16);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < vector_count) store_vector(vector_address(shared, i), value[c]);
        }
    }
};

}  // namespace coalesce::transposing
