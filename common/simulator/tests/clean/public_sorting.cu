// Sorting and searching, from textbook sorting networks to the passes of a radix sort.
#include "../cases.h"

#include <algorithm>

template <class T>
static std::vector<T> sorted(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    return values;
}

// clean bitonic_in_shared
__global__ void sort_block(int* values) {
    __shared__ int shared[256];
    const unsigned t = threadIdx.x;
    shared[t] = values[t];
    for (unsigned k = 2; k <= 256; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            const unsigned other = t ^ j;
            if (other > t) {
                const bool up = (t & k) == 0;
                const int a = shared[t], b = shared[other];
                if ((a > b) == up) {
                    shared[t] = b;
                    shared[other] = a;
                }
            }
        }
    }
    __syncthreads();
    values[t] = shared[t];
}
static void bitonic_in_shared() {
    const auto in = random_numbers(256, 1000);
    int* values = to_device(in);
    sort_block<<<1, 256>>>(values);
    expect(to_host(values, 256) == sorted(in), "sorted");
}

// clean bitonic_by_launches
__global__ void bitonic_step(float* values, int j, int k) {
    const unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
    if (ixj <= i) return;
    if ((i & k) == 0) {
        if (values[i] > values[ixj]) {
            const float temp = values[i];
            values[i] = values[ixj];
            values[ixj] = temp;
        }
    } else if (values[i] < values[ixj]) {
        const float temp = values[i];
        values[i] = values[ixj];
        values[ixj] = temp;
    }
}
static void bitonic_by_launches() {
    const int n = 1024;
    std::vector<float> in;
    for (const int x : random_numbers(n, 100000)) in.push_back(x / 16.0f);
    float* values = to_device(in);
    for (int k = 2; k <= n; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) bitonic_step<<<n / 128, 128>>>(values, j, k);
    }
    expect(to_host(values, n) == sorted(in), "sorted");
}

// clean odd_and_even_turns
__global__ void transpose_neighbours(int* values, int n) {
    extern __shared__ int row[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = values[i];
    __syncthreads();
    for (bool again = true; again;) {
        again = false;
        for (int parity = 0; parity < 2; ++parity) {
            const int at = 2 * threadIdx.x + parity;
            const bool swaps = at + 1 < n && row[at] > row[at + 1];
            if (swaps) {
                const int larger = row[at];
                row[at] = row[at + 1];
                row[at + 1] = larger;
            }
            again |= __syncthreads_or(swaps) != 0;
        }
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = row[i];
}
static void odd_and_even_turns() {
    const int n = 151;
    const auto in = random_numbers(n, 500);
    int* values = to_device(in);
    transpose_neighbours<<<1, 96, n * sizeof(int)>>>(values, n);
    expect(to_host(values, n) == sorted(in), "sorted");
}

// clean rank_by_counting
__global__ void place_by_rank(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0;
    for (int k = 0; k < n; ++k) rank += in[k] < in[i] || (in[k] == in[i] && k < i);
    out[rank] = in[i];
}
static void rank_by_counting() {
    const auto in = random_numbers(300, 200);
    int* out = device_zeros<int>(300);
    place_by_rank<<<3, 128>>>(out, to_device(in), 300);
    expect(to_host(out, 300) == sorted(in), "sorted");
}

// clean radix_bit_by_bit
__global__ void radix_sort_block(unsigned* values) {
    __shared__ unsigned keys[128], zeros_before[128];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    __shared__ int zeros_of_warp[4];
    keys[t] = values[t];
    __syncthreads();
    for (int bit = 0; bit < 12; ++bit) {
        const unsigned key = keys[t];
        const bool is_zero = (key >> bit & 1) == 0;
        const unsigned zeros = __ballot_sync(0xffffffff, is_zero);
        if (lane == 0) zeros_of_warp[warp] = __popc(zeros);
        zeros_before[t] = __popc(zeros & ((1u << lane) - 1));
        __syncthreads();
        int before = zeros_before[t], all = 0;
        for (int w = 0; w < 4; ++w) {
            if (w < warp) before += zeros_of_warp[w];
            all += zeros_of_warp[w];
        }
        keys[is_zero ? before : all + t - before] = key;
        __syncthreads();
    }
    values[t] = keys[t];
}
static void radix_bit_by_bit() {
    std::vector<unsigned> in;
    for (const int x : random_numbers(128, 4096)) in.push_back(x);
    unsigned* values = to_device(in);
    radix_sort_block<<<1, 128>>>(values);
    expect(to_host(values, 128) == sorted(in), "sorted");
}

// clean radix_passes_of_four_bits
// Blocks count digits, one thread scans the counts, and then each block writes its keys in order.
__global__ void count_digits(int* counts, const unsigned* in, int n, int shift) {
    __shared__ int digits[16];
    if (threadIdx.x < 16) digits[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&digits[in[i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}
__global__ void scan_counts(int* counts, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        const int count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}
__global__ void place_digits(unsigned* out, const unsigned* in, int n, int shift,
                             const int* first) {
    __shared__ unsigned char digits[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int digit = i < n ? in[i] >> shift & 15 : 16;
    digits[threadIdx.x] = digit;
    __syncthreads();
    if (i >= n) return;
    int at = first[digit * gridDim.x + blockIdx.x];
    for (int k = 0; k < threadIdx.x; ++k) at += digits[k] == digit;
    out[at] = in[i];
}
static void radix_passes_of_four_bits() {
    const int n = 500, blocks = (n + 63) / 64;
    std::vector<unsigned> in;
    for (const int x : random_numbers(n, 1 << 16)) in.push_back(x);
    unsigned *a = to_device(in), *b = device_zeros<unsigned>(n);
    int* counts = device_zeros<int>(16 * blocks);
    for (int shift = 0; shift < 16; shift += 4, std::swap(a, b)) {
        count_digits<<<blocks, 64>>>(counts, a, n, shift);
        scan_counts<<<1, 1>>>(counts, 16 * blocks);
        place_digits<<<blocks, 64>>>(b, a, n, shift, counts);
    }
    expect(to_host(a, n) == sorted(in), "sorted");
}

// clean merge_path
// Each thread finds its starting position in each input with a binary search.
__device__ int crossing(const int* a, int a_count, const int* b, int b_count, int diagonal) {
    int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
__global__ void merge(int* out, const int* a, int a_count, const int* b, int b_count) {
    const int each = 7, total = a_count + b_count;
    const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    if (begin >= total) return;
    int i = crossing(a, a_count, b, b_count, begin), k = begin - i;
    for (int at = begin; at < min(begin + each, total); ++at)
        out[at] = k >= b_count || (i < a_count && a[i] <= b[k]) ? a[i++] : b[k++];
}
static void merge_path() {
    const auto a = sorted(random_numbers(400, 1000, 1)), b = sorted(random_numbers(333, 900, 2));
    int* out = device_zeros<int>(733);
    merge<<<2, 64>>>(out, to_device(a), 400, to_device(b), 333);
    std::vector<int> want(733);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    expect(to_host(out, 733) == want, "merged");
}

// clean merge_sort_from_below
__global__ void merge_runs(int* out, const int* in, int width, int n) {
    const int start = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
    if (start >= n) return;
    const int middle = min(start + width, n), end = min(start + 2 * width, n);
    int i = start, j = middle;
    for (int k = start; k < end; k++) {
        if (i < middle && (j >= end || in[i] < in[j])) {
            out[k] = in[i];
            i++;
        } else {
            out[k] = in[j];
            j++;
        }
    }
}
static void merge_sort_from_below() {
    const int n = 600;
    const auto in = random_numbers(n, 3000);
    int *a = to_device(in), *b = device_zeros<int>(n);
    for (int width = 1; width < n; width *= 2, std::swap(a, b)) {
        const int merges = (n + 2 * width - 1) / (2 * width);
        merge_runs<<<(merges + 63) / 64, 64>>>(b, a, width, n);
    }
    expect(to_host(a, n) == sorted(in), "sorted");
}

// clean buckets_by_splitters
__constant__ int splitters[7];
__global__ void scatter(int* out, int* sizes, const int* in, int n, int room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bucket = 0;
    while (bucket < 7 && in[i] >= splitters[bucket]) bucket++;
    out[bucket * room + atomicAdd(&sizes[bucket], 1)] = in[i];
}
__global__ void sort_buckets(int* values, const int* sizes, int room) {
    int* mine = values + threadIdx.x * room;
    for (int i = 1; i < sizes[threadIdx.x]; i++) {
        const int value = mine[i];
        int k = i - 1;
        while (k >= 0 && mine[k] > value) {
            mine[k + 1] = mine[k];
            k--;
        }
        mine[k + 1] = value;
    }
}
static void buckets_by_splitters() {
    const int n = 300, room = 300;
    const auto in = random_numbers(n, 800);
    const int at[] = {100, 200, 300, 400, 500, 600, 700};
    need(cudaMemcpyToSymbol(splitters, at, sizeof at));
    int *values = device_zeros<int>(8 * room), *sizes = device_zeros<int>(8);
    scatter<<<3, 128>>>(values, sizes, to_device(in), n, room);
    sort_buckets<<<1, 8>>>(values, sizes, room);
    const auto host = to_host(values, 8 * room);
    const auto host_sizes = to_host(sizes, 8);
    std::vector<int> got;
    for (int b = 0; b < 8; ++b)
        got.insert(got.end(), host.begin() + b * room, host.begin() + b * room + host_sizes[b]);
    expect(got == sorted(in), "sorted");
}

// clean quicksort_with_own_stack
// Each thread sorts one row in local memory, with a stack of ranges instead of recursion.
__global__ void sort_rows(int* rows) {
    int row[32], stack[64], depth = 0;
    for (int i = 0; i < 32; ++i) row[i] = rows[threadIdx.x * 32 + i];
    stack[depth++] = 0;
    stack[depth++] = 31;
    while (depth > 0) {
        const int high = stack[--depth], low = stack[--depth];
        if (low >= high) continue;
        const int pivot = row[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (row[i] < pivot) i++;
            while (row[j] > pivot) j--;
            if (i > j) break;
            const int swap = row[i];
            row[i++] = row[j];
            row[j--] = swap;
        }
        stack[depth++] = low;
        stack[depth++] = j;
        stack[depth++] = i;
        stack[depth++] = high;
    }
    for (int i = 0; i < 32; ++i) rows[threadIdx.x * 32 + i] = row[i];
}
static void quicksort_with_own_stack() {
    auto in = random_numbers(40 * 32, 100);
    int* rows = to_device(in);
    sort_rows<<<1, 40>>>(rows);
    for (int row = 0; row < 40; ++row) std::sort(in.begin() + row * 32, in.begin() + row * 32 + 32);
    expect(to_host(rows, 40 * 32) == in, "sorted rows");
}

// clean flags_and_distances_in_shared
// Sorts structs that have padding between their members.
struct Hit {
    bool is_valid;
    double distance;
};
__global__ void sort_hits(Hit* hits) {
    __shared__ Hit shared[64];
    const int t = threadIdx.x;
    shared[t] = hits[t];
    __syncthreads();
    for (int turn = 0; turn < 64; ++turn) {
        const int at = 2 * t + turn % 2;
        if (at + 1 < 64) {
            const Hit a = shared[at], b = shared[at + 1];
            const bool wrong = a.is_valid != b.is_valid ? b.is_valid : a.distance > b.distance;
            if (wrong) {
                shared[at] = b;
                shared[at + 1] = a;
            }
        }
        __syncthreads();
    }
    hits[t] = shared[t];
}
__global__ void make_hits(Hit* hits, const int* numbers) {
    hits[threadIdx.x].is_valid = numbers[threadIdx.x] % 3 != 0;
    hits[threadIdx.x].distance = 0.5 * numbers[threadIdx.x];
}
static void flags_and_distances_in_shared() {
    auto numbers = random_numbers(64, 1000);
    Hit* hits = nullptr;
    need(cudaMalloc(&hits, 64 * sizeof(Hit)));
    make_hits<<<1, 64>>>(hits, to_device(numbers));
    sort_hits<<<1, 64>>>(hits);
    std::sort(numbers.begin(), numbers.end(),
              [](int a, int b) { return (a % 3 != 0) != (b % 3 != 0) ? a % 3 != 0 : a < b; });
    const auto host = to_host(hits, 64);
    for (int i = 0; i < 64; ++i) {
        expect(host[i].is_valid == (numbers[i] % 3 != 0), "valid first");
        expect(host[i].distance == 0.5 * numbers[i], "nearest first");
    }
}

// clean median_by_digits
// Finds the element with a given rank by radix select, which counts the candidates for each digit.
__global__ void select(unsigned* out, const unsigned* in, int n, int rank) {
    __shared__ int counts[16];
    __shared__ unsigned prefix;
    __shared__ int left;
    if (threadIdx.x == 0) {
        prefix = 0;
        left = rank;
    }
    for (int shift = 12; shift >= 0; shift -= 4) {
        if (threadIdx.x < 16) counts[threadIdx.x] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (in[i] >> (shift + 4) == prefix) atomicAdd(&counts[in[i] >> shift & 15], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned digit = 0;
            while (left >= counts[digit]) left -= counts[digit++];
            prefix = prefix << 4 | digit;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = prefix;
}
static void median_by_digits() {
    std::vector<unsigned> in;
    for (const int x : random_numbers(777, 1 << 16)) in.push_back(x);
    unsigned* out = device_zeros<unsigned>(1);
    select<<<1, 128>>>(out, to_device(in), 777, 388);
    expect(to_host(out, 1)[0] == sorted(in)[388], "median");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"bitonic_in_shared", bitonic_in_shared},
                        {"bitonic_by_launches", bitonic_by_launches},
                        {"odd_and_even_turns", odd_and_even_turns},
                        {"rank_by_counting", rank_by_counting},
                        {"radix_bit_by_bit", radix_bit_by_bit},
                        {"radix_passes_of_four_bits", radix_passes_of_four_bits},
                        {"merge_path", merge_path},
                        {"merge_sort_from_below", merge_sort_from_below},
                        {"buckets_by_splitters", buckets_by_splitters},
                        {"quicksort_with_own_stack", quicksort_with_own_stack},
                        {"flags_and_distances_in_shared", flags_and_distances_in_shared},
                        {"median_by_digits", median_by_digits},
                    });
}
