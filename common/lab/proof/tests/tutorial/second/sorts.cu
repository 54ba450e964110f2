// Sorting, partitioning and ranking.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// Returns element `i` of the result if each group of `length` elements is sorted by itself.
template <class T>
auto sorted_in(const Buffer<T>& in, std::size_t length) {
    std::vector<T> values = in.start();
    for (std::size_t begin = 0; begin < values.size(); begin += length) {
        const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(at, at + static_cast<std::ptrdiff_t>(length));
    }
    return [values = std::make_shared<std::vector<T>>(std::move(values))](std::size_t i) {
        return (*values)[i];
    };
}

}  // namespace

// Sorts 32 64-bit keys per warp with a bitonic network of shuffles.
__global__ void sort_long_keys(unsigned long long* keys) {
    const int lane = threadIdx.x % 32;
    unsigned long long key = keys[thread_in_grid()];
    for (int size = 2; size <= 32; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            const unsigned long long other = __shfl_xor_sync(~0u, key, step);
            const bool keeps_smaller = (lane & step) == 0 == ((lane & size) == 0);
            key = keeps_smaller ? min(key, other) : max(key, other);
        }
    }
    keys[thread_in_grid()] = key;
}
EXAMPLE(sort_long_keys) {
    const int n = pick(1 << 21, 1 << 12);
    const auto keys = integers<unsigned long long>(n, 1u << 31);
    return in_place([=] { sort_long_keys<<<n / 256, 256>>>(keys); }, keys, sorted_in(keys, 32));
}

// Sorts eight floats per thread in shared memory by insertion.
__global__ void sort_own_strip(float* data) {
    __shared__ float s[8][128];
    const int t = threadIdx.x, first = blockIdx.x * 1024;
    for (int k = 0; k < 8; ++k) s[k][t] = data[first + k * 128 + t];
    for (int k = 1; k < 8; ++k) {
        const float x = s[k][t];
        int at = k;
        for (; at > 0 && s[at - 1][t] > x; --at) s[at][t] = s[at - 1][t];
        s[at][t] = x;
    }
    for (int k = 0; k < 8; ++k) data[first + k * 128 + t] = s[k][t];
}
EXAMPLE(sort_own_strip) {
    const int n = pick(1 << 20, 1 << 12);
    const auto data = floats(n);
    const auto expected = [=](std::size_t i) {
        float strip[8];
        for (std::size_t k = 0; k < 8; ++k)
            strip[k] = data.start(i / 1024 * 1024 + k * 128 + i % 128);
        std::sort(strip, strip + 8);
        return strip[i % 1024 / 128];
    };
    return in_place([=] { sort_own_strip<<<n / 1024, 128>>>(data); }, data, expected);
}

// Sorts 512 doubles per block of 256 threads with a bitonic network.
__global__ void sort_doubles(double* data) {
    __shared__ double s[512];
    const int t = threadIdx.x, first = blockIdx.x * 512;
    s[t] = data[first + t];
    s[t + 256] = data[first + t + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int a = 2 * t - (t & (step - 1)), b = a + step;
            const double x = s[a], y = s[b];
            if ((x > y) == ((a & size) == 0)) s[a] = y, s[b] = x;
        }
    }
    __syncthreads();
    data[first + t] = s[t];
    data[first + t + 256] = s[t + 256];
}
EXAMPLE(sort_doubles) {
    const int n = pick(1 << 20, 1 << 12);
    const auto data = doubles(n);
    return in_place([=] { sort_doubles<<<n / 512, 256>>>(data); }, data, sorted_in(data, 512));
}

// Counts, for each lane, the lower lanes with the same digit.
__global__ void digit_ranks(unsigned char* out, const unsigned* in, int shift) {
    const unsigned digit = in[thread_in_grid()] >> shift & 15;
    const unsigned same = __match_any_sync(~0u, digit);
    out[thread_in_grid()] = __popc(same & (1u << threadIdx.x % 32) - 1);
}
EXAMPLE(digit_ranks) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = integers<unsigned>(n, 1u << 30);
    const auto out = zeros<unsigned char>(n);
    const auto expected = [=](std::size_t i) {
        int rank = 0;
        for (std::size_t k = i / 32 * 32; k < i; ++k)
            rank += (in.start(k) >> 8 & 15) == (in.start(i) >> 8 & 15);
        return rank;
    };
    return checked([=] { digit_ranks<<<n / 384, 384>>>(out, in, 8); }, out,
                   [=](std::size_t i) { return i < in.size() / 384 * 384 ? expected(i) : 0; });
}

// Merges two sorted runs of sixteen elements per thread.
__global__ void merge_runs(int* out, const int* in) {
    const int first = thread_in_grid() * 32;
    int a = first, b = first + 16;
    for (int k = first; k < first + 32; ++k) {
        const bool takes_a = b == first + 32 || (a < first + 16 && in[a] <= in[b]);
        out[k] = in[takes_a ? a++ : b++];
    }
}
EXAMPLE(merge_runs) {
    const int n = pick(1 << 21, 1 << 13);
    const auto random = integers(n, 10000);
    const auto runs = sorted_in(random, 16);
    const auto in = filled(n, [&](std::size_t i) { return runs(i); }), out = zeros<int>(n);
    return checked([=] { merge_runs<<<n / 32 / 64, 64>>>(out, in); }, out, sorted_in(in, 32));
}

// Moves the elements below a pivot to the front of the block, and preserves the order.
__global__ void partition_block(float* out, const float* in, float pivot) {
    __shared__ int small_of_warp[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float x = in[thread_in_grid()];
    const unsigned small = __ballot_sync(~0u, x < pivot);
    if (lane == 0) small_of_warp[warp] = __popc(small);
    __syncthreads();
    int before = __popc(small & (1u << lane) - 1), all = 0;
    for (int w = 0; w < 8; ++w) {
        before += w < warp ? small_of_warp[w] : 0;
        all += small_of_warp[w];
    }
    const int at = x < pivot ? before : all + static_cast<int>(threadIdx.x) - before;
    out[blockIdx.x * 256 + at] = x;
}
EXAMPLE(partition_block) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = floats(n), out = zeros<float>(n);
    std::vector<float> parted = in.start();
    for (auto at = parted.begin(); at != parted.end(); at += 256)
        std::stable_partition(at, at + 256, [](float x) { return x < .3f; });
    const auto shared = std::make_shared<std::vector<float>>(std::move(parted));
    return checked([=] { partition_block<<<n / 256, 256>>>(out, in, .3f); }, out,
                   [=](std::size_t i) { return (*shared)[i]; });
}

// Performs an odd-even transposition sort across the lanes of a warp.
__global__ void exchange_lanes(int* data) {
    const int lane = threadIdx.x % 32;
    int x = data[thread_in_grid()];
    for (int phase = 0; phase < 32; ++phase) {
        const int partner = (lane + phase) % 2 == 0 ? lane + 1 : lane - 1;
        const int other = __shfl_sync(~0u, x, partner & 31);
        if (partner >= 0 && partner < 32) x = partner > lane ? min(x, other) : max(x, other);
    }
    data[thread_in_grid()] = x;
}
EXAMPLE(exchange_lanes) {
    const int n = pick(1 << 20, 1 << 12);
    const auto data = integers(n, 100000);
    return in_place([=] { exchange_lanes<<<n / 512, 512>>>(data); }, data, sorted_in(data, 32));
}

// Tests whether runs of 1024 elements are sorted, with four elements per thread.
__global__ void are_sorted(int* out, const int4* in) {
    const int4 v = in[thread_in_grid()];
    const int next = __shfl_down_sync(~0u, v.x, 1);
    const bool is_sorted =
        v.x <= v.y && v.y <= v.z && v.z <= v.w && (threadIdx.x % 32 == 31 || v.w <= next);
    const int all = __syncthreads_and(is_sorted);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
EXAMPLE(are_sorted) {
    const int n = pick(1 << 23, 1 << 14);
    const auto in = filled(
        n, [](std::size_t i) { return i % 7168 == 77 ? 1 << 29 : static_cast<int>(i % 1024); });
    const auto out = zeros<int>(n / 1024);
    return checked([=] { are_sorted<<<n / 1024, 256>>>(out, reinterpret_cast<int4*>(in.get())); },
                   out, [](std::size_t block) { return block % 7 != 0; });
}

// Computes the rank of each element within its row of 128 elements, using shared memory.
__global__ void ranks_in_rows(short* out, const float* in) {
    __shared__ float row[128];
    const float x = in[blockIdx.x * 128 + threadIdx.x];
    row[threadIdx.x] = x;
    __syncthreads();
    int rank = 0;
    for (int k = 0; k < 128; ++k) rank += row[k] < x;
    out[blockIdx.x * 128 + threadIdx.x] = rank;
}
EXAMPLE(ranks_in_rows) {
    const int n = pick(1 << 19, 1 << 12);
    const auto in = floats(n);
    const auto out = zeros<short>(n);
    return checked([=] { ranks_in_rows<<<n / 128, 128>>>(out, in); }, out,
                   [=](std::size_t i) {
                       return sum_of(i / 128 * 128, i / 128 * 128 + 128,
                                     [&](std::size_t k) { return in.start(k) < in.start(i); });
                   });
}

// Finds the third-smallest element of each row of 64 elements, with one thread per row.
__global__ void third_smallest(int* out, const int* in, int rows) {
    const int row = thread_in_grid();
    int a = 1 << 30, b = a, c = a;
    for (int k = 0; k < 64; ++k) {
        const int x = in[k * rows + row];
        c = min(c, max(b, x));
        b = min(b, max(a, x));
        a = min(a, x);
    }
    out[row] = c;
}
EXAMPLE(third_smallest) {
    const int rows = pick(1 << 16, 1 << 9);
    const auto in = integers(rows * 64, 10000), out = zeros<int>(rows);
    const auto expected = [=](std::size_t row) {
        std::vector<int> values;
        for (std::size_t k = 0; k < 64; ++k) values.push_back(in.start(k * out.size() + row));
        std::sort(values.begin(), values.end());
        return values[2];
    };
    return checked([=] { third_smallest<<<rows / 256, 256>>>(out, in, rows); }, out, expected);
}
