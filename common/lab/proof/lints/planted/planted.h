// Kernels with common inefficiencies. Each kernel has a twin that does the same work without the
// inefficiency.
//
// Every source in this folder defines one pair of kernels. The comment `// lint ID` marks the line
// that `simulate --lints` must report. main.cu runs a pair and measures it.
#pragma once

#include <cuda_runtime.h>

#include <vector>

namespace coalesce::planted {

using u32 = unsigned;

/// The arrays of a launch. `in` and `out` hold a fixed number of words for each element.
struct Buffers {
    u32 *in, *out;
    long elements;
};

struct Pair {
    const char* name;
    long measured_elements;      ///< the size on a GPU, where a launch takes 0.2 ms or more
    long simulated_elements;     ///< the size on the simulated GPU
    double in_words, out_words;  ///< words of `in` and `out` for each element
    void (*inefficient)(const Buffers&);
    void (*efficient)(const Buffers&);
    /// The function that fills `in`. If it is null, every word of `in` holds a hash of its index.
    void (*fill)(const Buffers&, bool is_twin) = nullptr;
};

/// Returns all pairs, in an unspecified order.
std::vector<Pair>& pairs();

/// An object that registers a pair. Each source defines one as a global variable, so that main()
/// finds its pair.
struct Register {
    explicit Register(const Pair& pair) { pairs().push_back(pair); }
};

__host__ __device__ inline u32 hash(u32 index) {
    index = (index ^ (index >> 16)) * 0x7feb352du;
    index = (index ^ (index >> 15)) * 0x846ca68bu;
    return index ^ (index >> 16);
}

/// Returns the position of `i` in a permutation of the numbers below `n` that moves neighbours far
/// apart. `n` must be a power of 2.
__host__ __device__ inline long scatter(long i, long n) {
    return i * (n * 618 / 1000 | 1) % n;
}

/// Returns the number of blocks for `threads` threads in blocks of `block` threads.
inline unsigned blocks_for(long threads, int block) {
    return static_cast<unsigned>((threads + block - 1) / block);
}

/// Fills a table of `rows` rows and `cols` columns with hashes. The table is stored by columns if
/// `is_by_columns` is set.
void fill_table(u32* in, long rows, long cols, bool is_by_columns);

}  // namespace coalesce::planted
