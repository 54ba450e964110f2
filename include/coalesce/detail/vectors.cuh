/// \file
/// Loads, transposes and stores elements of any size, and vectors of 8 and 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "task.cuh"

namespace coalesce::transposing {

/// An unsigned type with SIZE bytes.
template <int SIZE>
using Element = std::conditional_t<
    SIZE == 1, unsigned char,
    std::conditional_t<
        SIZE == 2, unsigned short,
        std::conditional_t<SIZE == 4, unsigned,
                           std::conditional_t<SIZE == 8, unsigned long long, uint4>>>>;

/// Return the addresses at which the block's matrix starts in `in` and in `out`. These are byte
/// addresses, because nvcc would split vector accesses through pointers to elements into one access
/// per element.
template <int SIZE>
__device__ inline const char* in_matrix_address(const TransposeTask& task,
                                                const TileOrigin& origin) {
    return static_cast<const char*>(task.in) + origin.matrix_index * task.in_stride * SIZE;
}
template <int SIZE>
__device__ inline char* out_matrix_address(const TransposeTask& task, const TileOrigin& origin) {
    return static_cast<char*>(task.out) + origin.matrix_index * task.out_stride * SIZE;
}

/// Returns element `index` of the array at `source`.
template <int SIZE>
__device__ inline const Element<SIZE>& element(const char* source, std::int64_t index) {
    return *reinterpret_cast<const Element<SIZE>*>(source + index * SIZE);
}
template <int SIZE>
__device__ inline Element<SIZE>& element(char* source, std::int64_t index) {
    return *reinterpret_cast<Element<SIZE>*>(source + index * SIZE);
}

/// Returns by how many elements the start of row `col` of `out` is past the last address that is a
/// multiple of ALIGNMENT elements.
template <int SIZE, int ALIGNMENT>
__device__ inline int count_misaligned_elements(const char* out, std::int64_t col,
                                                std::int64_t pitch) {
    const auto out_element_address =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out) / SIZE);
    // Only the lowest bits matter, so 32-bit arithmetic is sufficient.
    return (out_element_address + static_cast<unsigned>(col) * static_cast<unsigned>(pitch)) %
           ALIGNMENT;
}

/// The data of one access: 4, 8 or 16 bytes, stored as words.
template <int BYTES>
struct Vector {
    unsigned word[BYTES / 4];
};
template <int BYTES>
__device__ inline Vector<BYTES> load_vector(const void* source) {
    if constexpr (BYTES == 16) {
        const uint4 words = *static_cast<const uint4*>(source);
        return {{words.x, words.y, words.z, words.w}};
    } else {
        const uint2 words = *static_cast<const uint2*>(source);
        return {{words.x, words.y}};
    }
}
template <int BYTES>
__device__ inline void store_vector(void* target, const Vector<BYTES>& vector) {
    if constexpr (BYTES == 16) {
        *static_cast<uint4*>(target) =
            make_uint4(vector.word[0], vector.word[1], vector.word[2], vector.word[3]);
    } else {
        *static_cast<uint2*>(target) = make_uint2(vector.word[0], vector.word[1]);
    }
}

/// The hint that a load gives the L2 cache. With `evict_last`, the cache keeps the line longer than
/// other lines. `evict_last_128` does the same, and also makes the cache fetch 128 bytes from
/// memory at a time. Both hints cost time if the matrices fit into the cache.
enum class LoadPolicy { plain, evict_last, evict_last_128 };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#    define COALESCE_EVICT_LAST_LOAD(HINT, KIND, VALUES)            \
        "{ .reg .b64 policy;\n"                                     \
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n" \
        "ld.global.L2::cache_hint" HINT "." KIND " " VALUES ", policy; }"
#endif

/// Loads a vector from device memory, with the hint LOADS.
template <LoadPolicy LOADS>
__device__ inline Vector<16> load_with_policy(const void* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (LOADS != LoadPolicy::plain) {
        Vector<16> v;
        if constexpr (LOADS == LoadPolicy::evict_last) {
            asm volatile(COALESCE_EVICT_LAST_LOAD("", "v4.u32", "{%0, %1, %2, %3}, [%4]")
                         : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                         : "l"(__cvta_generic_to_global(source)));
        } else {
            asm volatile(COALESCE_EVICT_LAST_LOAD(".L2::128B", "v4.u32", "{%0, %1, %2, %3}, [%4]")
                         : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                         : "l"(__cvta_generic_to_global(source)));
        }
        return v;
    }
#endif
    return load_vector<16>(source);
}
template <LoadPolicy LOADS, int SIZE>
__device__ inline Element<SIZE> load_element(const char* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (LOADS == LoadPolicy::evict_last_128 && SIZE == 4) {
        unsigned v;
        asm volatile(COALESCE_EVICT_LAST_LOAD(".L2::128B", "u32", "%0, [%1]")
                     : "=r"(v)
                     : "l"(__cvta_generic_to_global(source)));
        return v;
    }
    if constexpr (LOADS == LoadPolicy::evict_last_128 && SIZE == 8) {
        unsigned long long v;
        asm volatile(COALESCE_EVICT_LAST_LOAD(".L2::128B", "u64", "%0, [%1]")
                     : "=l"(v)
                     : "l"(__cvta_generic_to_global(source)));
        return v;
    }
    if constexpr (LOADS == LoadPolicy::evict_last_128 && SIZE == 16) {
        const Vector<16> v = load_with_policy<LOADS>(source);
        return {v.word[0], v.word[1], v.word[2], v.word[3]};
    }
#endif
    return *reinterpret_cast<const Element<SIZE>*>(source);
}
#undef COALESCE_EVICT_LAST_LOAD

/// The hint that a store gives the L2 cache. With `streaming`, the cache evicts the stored data
/// before other data.
enum class StorePolicy { plain, streaming };
/// Stores a word to device memory, with the hint STORES.
template <StorePolicy STORES>
__device__ inline void store_word(char* target, unsigned word) {
    if constexpr (STORES == StorePolicy::streaming) {
        __stcs(reinterpret_cast<unsigned*>(target), word);
    } else {
        *reinterpret_cast<unsigned*>(target) = word;
    }
}

/// Transposes VECTOR_ELEMENTS x VECTOR_ELEMENTS elements in a thread's registers. VECTOR_ELEMENTS
/// elements form a vector.
template <int SIZE, int VECTOR_ELEMENTS, int BYTES>
__device__ inline void transpose_vectors(Vector<BYTES> (&out)[VECTOR_ELEMENTS],
                                         const Vector<BYTES> (&in)[VECTOR_ELEMENTS]) {
    constexpr int WORDS = BYTES / 4;
    if constexpr (SIZE >= 4) {
        // If elements consist of whole words, no instructions are needed, because the compiler only
        // renames registers.
        constexpr int WORDS_PER_ELEMENT = SIZE / 4;
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS * VECTOR_ELEMENTS * WORDS_PER_ELEMENT; ++i) {
            const int row = i / WORDS_PER_ELEMENT / VECTOR_ELEMENTS,
                      col = i / WORDS_PER_ELEMENT % VECTOR_ELEMENTS, word = i % WORDS_PER_ELEMENT;
            out[col].word[row * WORDS_PER_ELEMENT + word] =
                in[row].word[col * WORDS_PER_ELEMENT + word];
        }
    } else if constexpr (SIZE == 2) {
        // Transposes 2 x 2 half words. __byte_perm selects any four of eight bytes.
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS / 2 * WORDS; ++i) {
            const int row = i / WORDS, col = i % WORDS;
            const unsigned a = in[2 * row].word[col], b = in[2 * row + 1].word[col];
            out[2 * col + 0].word[row] = __byte_perm(a, b, 0x5410);
            out[2 * col + 1].word[row] = __byte_perm(a, b, 0x7632);
        }
    } else {
        // Transposes 4 x 4 bytes in two rounds: first pairs of bytes, then pairs of pairs.
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS / 4 * WORDS; ++i) {
            const int row = i / WORDS, col = i % WORDS;
            const unsigned a = in[4 * row + 0].word[col], b = in[4 * row + 1].word[col];
            const unsigned c = in[4 * row + 2].word[col], d = in[4 * row + 3].word[col];
            const unsigned ab_bytes_01 = __byte_perm(a, b, 0x5140),
                           ab_bytes_23 = __byte_perm(a, b, 0x7362);
            const unsigned cd_bytes_01 = __byte_perm(c, d, 0x5140),
                           cd_bytes_23 = __byte_perm(c, d, 0x7362);
            out[4 * col + 0].word[row] = __byte_perm(ab_bytes_01, cd_bytes_01, 0x5410);
            out[4 * col + 1].word[row] = __byte_perm(ab_bytes_01, cd_bytes_01, 0x7632);
            out[4 * col + 2].word[row] = __byte_perm(ab_bytes_23, cd_bytes_23, 0x5410);
            out[4 * col + 3].word[row] = __byte_perm(ab_bytes_23, cd_bytes_23, 0x7632);
        }
    }
}

/// A transposed tile in shared memory. A vector consists of VECTOR_ELEMENTS elements that are
/// vertically adjacent in `in`. The order of the vectors differs from column to column, so that
/// threads access different banks.
template <int SIZE, int BYTES, int TILE_COLS, int VECTORS_PER_ROW>
struct TransposedTile {
    static constexpr int VECTOR_ELEMENTS = BYTES / SIZE;
    static constexpr int LANES_PER_LINE = 128 / BYTES;
    static_assert(VECTORS_PER_ROW % LANES_PER_LINE == 0 && TILE_COLS / VECTOR_ELEMENTS % 8 == 0,
                  "vectors are exchanged in groups");

    char* shared_data;

    __device__ char* vector_address(int col, int vector_index) const {
        return shared_data +
               (col * VECTORS_PER_ROW + (vector_index ^ (col / VECTOR_ELEMENTS % LANES_PER_LINE))) *
                   BYTES;
    }
    __device__ Element<SIZE>& element_at(int col, int row) const {
        return element<SIZE>(vector_address(col, row / VECTOR_ELEMENTS), row % VECTOR_ELEMENTS);
    }
};

}  // namespace coalesce::transposing
