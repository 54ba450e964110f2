// Sums, extremes and statistics, from the first textbook version to combined reductions.
#include "../cases.h"

#include <algorithm>
#include <cmath>

static long long sum_of(const std::vector<int>& numbers) {
    long long sum = 0;
    for (const int number : numbers) sum += number;
    return sum;
}

// clean interleaved_addressing
__global__ void reduce_modulo(int* out, const int* in) {
    extern __shared__ int partial[];
    const unsigned t = threadIdx.x;
    partial[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
static void interleaved_addressing() {
    const auto in = random_numbers(1024, 1000);
    int *partial = device_zeros<int>(8), *out = device_zeros<int>(1);
    reduce_modulo<<<8, 128, 128 * sizeof(int)>>>(partial, to_device(in));
    reduce_modulo<<<1, 8, 8 * sizeof(int)>>>(out, partial);
    expect(to_host(out, 1)[0] == sum_of(in), "sum");
}

// clean unrolled_last_warp
template <unsigned Threads>
__global__ void reduce_unrolled(int* out, const int* in, unsigned n) {
    __shared__ int partial[Threads];
    const unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * Threads * 2 + t; i < n; i += gridDim.x * Threads * 2) {
        sum += in[i];
        if (i + Threads < n) sum += in[i + Threads];
    }
    partial[t] = sum;
    __syncthreads();
    if (Threads >= 256) {
        if (t < 128) partial[t] = sum += partial[t + 128];
        __syncthreads();
    }
    if (Threads >= 128) {
        if (t < 64) partial[t] = sum += partial[t + 64];
        __syncthreads();
    }
    if (t < 32) {
        sum += partial[t + 32];
        for (int by = 16; by > 0; by /= 2) {
            __syncwarp();
            partial[t] = sum;
            __syncwarp();
            sum += partial[t ^ by];
        }
        if (t == 0) out[blockIdx.x] = sum;
    }
}
static void unrolled_last_warp() {
    const int n = 5001;
    const auto in = random_numbers(n, 1000);
    const int* device_in = to_device(in);
    int* out = device_zeros<int>(6);
    reduce_unrolled<256><<<3, 256>>>(out, device_in, n);
    reduce_unrolled<64><<<3, 64>>>(out + 3, device_in, n);
    const auto host = to_host(out, 6);
    expect(host[0] + host[1] + host[2] == sum_of(in), "sum by 256");
    expect(host[3] + host[4] + host[5] == sum_of(in), "sum by 64");
}

// clean shuffles_then_shared
__inline__ __device__ double warp_sum(double value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}
__inline__ __device__ double block_sum(double value) {
    static __shared__ double sums[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = warp_sum(value);
    __syncthreads();  // allows the function to be called again
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? sums[lane] : 0;
    if (warp == 0) value = warp_sum(value);
    return value;
}
__global__ void sum_and_squares(double* out, const int* in, int n) {
    double sum = 0, squares = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
        squares += static_cast<double>(in[i]) * in[i];
    }
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
        atomicAdd(&out[0], sum);
        atomicAdd(&out[1], squares);
    }
}
static void shuffles_then_shared() {
    const auto in = random_numbers(3000, 1000);
    double* out = device_zeros<double>(2);
    sum_and_squares<<<3, 160>>>(out, to_device(in), 3000);
    double sum = 0, squares = 0;
    for (const int x : in) sum += x, squares += static_cast<double>(x) * x;
    expect(to_host(out, 2) == std::vector{sum, squares}, "sums");
}

// clean double_added_by_compare_and_swap
__device__ double add_to_double(double* address, double value) {
    auto* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *static_cast<volatile unsigned long long*>(word), assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed,
                        static_cast<unsigned long long>(__double_as_longlong(
                            value + __longlong_as_double(static_cast<long long>(assumed)))));
    } while (assumed != old);
    return __longlong_as_double(static_cast<long long>(old));
}
__global__ void add_quarters(double* sum) {
    add_to_double(sum, 0.25 * (blockIdx.x * blockDim.x + threadIdx.x));
}
static void double_added_by_compare_and_swap() {
    double* sum = device_zeros<double>(1);
    add_quarters<<<4, 64>>>(sum);
    expect(to_host(sum, 1)[0] == 0.25 * 255 * 128, "sum");
}

// clean float_extremes
// The minimum uses a compare-and-swap loop. The maximum compares floats as integers.
__device__ void min_of_floats(float* address, float value) {
    int* word = reinterpret_cast<int*>(address);
    int old = *static_cast<volatile int*>(word);
    while (value < __int_as_float(old)) {
        const int assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(value));
        if (old == assumed) break;
    }
}
__device__ void max_of_floats(float* address, float value) {
    if (value >= 0)
        atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
    else
        atomicMin(reinterpret_cast<unsigned*>(address), __float_as_uint(value));
}
__global__ void extremes(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    min_of_floats(&out[0], in[i]);
    max_of_floats(&out[1], in[i]);
    max_of_floats(&out[2], -1 - in[i] * in[i]);
}
static void float_extremes() {
    std::vector<float> in;
    for (const int x : random_numbers(500, 2001)) in.push_back((x - 1000) / 8.0f);
    float* out = to_device<float>({1e30f, -1e30f, -1e30f});
    extremes<<<4, 128>>>(out, to_device(in), 500);
    const auto [least, most] = std::minmax_element(in.begin(), in.end());
    float nearest = 1e30f;
    for (const float x : in) nearest = std::min(nearest, x * x);
    expect(to_host(out, 3) == std::vector{*least, *most, -1 - nearest}, "extremes");
}

// clean small_counters_in_words
// There is no atomicAdd for 8 or 16 bits, so a compare-and-swap updates the enclosing word.
__device__ unsigned char add_to_byte(unsigned char* address, unsigned char value) {
    const size_t at = reinterpret_cast<size_t>(address);
    auto* word = reinterpret_cast<unsigned*>(at & ~size_t(3));
    const unsigned shift = at % 4 * 8;
    unsigned old = *static_cast<volatile unsigned*>(word), assumed;
    do {
        assumed = old;
        const unsigned sum = (assumed >> shift) + value & 0xff;
        old = atomicCAS(word, assumed, assumed & ~(0xffu << shift) | sum << shift);
    } while (old != assumed);
    return old >> shift & 0xff;
}
__device__ void max_of_short(short* address, short value) {
    const size_t at = reinterpret_cast<size_t>(address);
    auto* word = reinterpret_cast<unsigned*>(at & ~size_t(3));
    const bool is_high = at & 2;
    unsigned old = atomicAdd(word, 0u), assumed;
    do {
        assumed = old;
        if (static_cast<short>(is_high ? assumed >> 16 : assumed) >= value) return;
        const unsigned mine = static_cast<unsigned short>(value);
        old = atomicCAS(word, assumed, __byte_perm(assumed, mine, is_high ? 0x5410 : 0x3254));
    } while (old != assumed);
}
__global__ void count_in_bytes(unsigned char* counts, short* largest, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    add_to_byte(&counts[in[i] % 11], 1);
    max_of_short(&largest[in[i] % 11], static_cast<short>(in[i] - 500));
}
static void small_counters_in_words() {
    const auto in = random_numbers(600, 1000);
    auto* counts = device_zeros<unsigned char>(12);
    short* largest = to_device(std::vector<short>(12, -1000));
    count_in_bytes<<<5, 128>>>(counts, largest, to_device(in), 600);
    std::vector<unsigned char> want(12);
    std::vector<short> want_largest(12, -1000);
    for (const int x : in) {
        ++want[x % 11];
        want_largest[x % 11] = std::max<short>(want_largest[x % 11], x - 500);
    }
    expect(to_host(counts, 12) == want, "counts");
    expect(to_host(largest, 12) == want_largest, "largest");
}

// clean place_of_the_smallest
struct Smallest {
    float value;
    int index;
};
__device__ Smallest smaller(Smallest a, Smallest b) {
    if (b.value < a.value || (b.value == a.value && b.index < a.index)) return b;
    return a;
}
__global__ void find_smallest(Smallest* out, const float* in, int n) {
    __shared__ Smallest best[128];
    Smallest mine = {3e38f, -1};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mine = smaller(mine, Smallest{in[i], i});
    best[threadIdx.x] = mine;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) best[threadIdx.x] = smaller(best[threadIdx.x], best[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}
static void place_of_the_smallest() {
    std::vector<float> in;
    for (const int x : random_numbers(2000, 700)) in.push_back(x * 0.5f - 100);
    Smallest* out = device_zeros<Smallest>(4);
    find_smallest<<<4, 128>>>(out, to_device(in), 2000);
    auto host = to_host(out, 4);
    const Smallest best = *std::min_element(host.begin(), host.end(), [](auto& a, auto& b) {
        return a.value != b.value ? a.value < b.value : a.index < b.index;
    });
    expect(best.index == std::min_element(in.begin(), in.end()) - in.begin(), "the first smallest");
}

// clean largest_with_payload_in_a_word
__global__ void find_largest(unsigned long long* best, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int bits = __float_as_int(in[i]);
    const unsigned ordered = bits < 0 ? ~bits : bits | 0x80000000;
    atomicMax(best, static_cast<unsigned long long>(ordered) << 32 | i);
}
static void largest_with_payload_in_a_word() {
    std::vector<float> in;
    for (const int x : random_numbers(1000, 100000)) in.push_back((x - 90000) / 16.0f);
    auto* best = device_zeros<unsigned long long>(1);
    find_largest<<<8, 128>>>(best, to_device(in), 1000);
    const unsigned index = to_host(best, 1)[0] & 0xffffffff;
    expect(index < 1000 && in[index] == *std::max_element(in.begin(), in.end()), "the largest");
}

// clean mean_and_variance
// Each thread computes its own mean. The values' large offset must not reduce the precision.
struct Moments {
    int count;
    double mean, spread;
};
__host__ __device__ inline Moments together(const Moments& a, const Moments& b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double difference = b.mean - a.mean;
    const int count = a.count + b.count;
    return {count, a.mean + difference * b.count / count,
            a.spread + b.spread + difference * difference * a.count * b.count / count};
}
__global__ void moments_of_block(Moments* out, const double* in, int n) {
    __shared__ Moments parts[64];
    Moments mine{0, 0, 0};
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        mine = together(mine, Moments{1, in[i], 0});
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            parts[threadIdx.x] = together(parts[threadIdx.x], parts[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = parts[0];
}
static void mean_and_variance() {
    std::vector<double> in;
    for (const int x : random_numbers(1500, 1000)) in.push_back(1e9 + x);
    Moments* out = nullptr;
    need(cudaMalloc(&out, 3 * sizeof(Moments)));
    moments_of_block<<<3, 64>>>(out, to_device(in), 1500);
    Moments all{0, 0, 0};
    for (const Moments& part : to_host(out, 3)) all = together(all, part);
    double mean = 0, spread = 0;
    for (const double x : in) mean += (x - 1e9) / 1500;
    for (const double x : in) spread += (x - 1e9 - mean) * (x - 1e9 - mean);
    expect(all.count == 1500 && std::abs(all.mean - 1e9 - mean) < 1e-4, "mean");
    expect(std::abs(all.spread / spread - 1) < 1e-6, "variance");
}

// clean dot_product
__global__ void dot(float* c, const float* a, const float* b, int n) {
    __shared__ float cache[128];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    const int cache_index = threadIdx.x;
    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cache_index] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cache_index < i) cache[cache_index] += cache[cache_index + i];
        __syncthreads();
        i /= 2;
    }
    if (cache_index == 0) c[blockIdx.x] = cache[0];
}
static void dot_product() {
    const int n = 1000;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) a[i] = i % 17, b[i] = i % 23 - 11;
    float* c = device_zeros<float>(5);
    dot<<<5, 128>>>(c, to_device(a), to_device(b), n);
    float got = 0, want = 0;
    for (const float part : to_host(c, 5)) got += part;
    for (int i = 0; i < n; ++i) want += a[i] * b[i];
    expect(got == want, "product");
}

// clean darts_for_pi
__host__ __device__ inline unsigned throw_darts(unsigned seed, int darts) {
    unsigned inside = 0;
    for (int i = 0; i < darts; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned long long x = seed >> 16;
        seed = seed * 1664525u + 1013904223u;
        const unsigned long long y = seed >> 16;
        inside += x * x + y * y < 1ull << 32;
    }
    return inside;
}
__global__ void count_darts(unsigned* total, int darts) {
    __shared__ unsigned inside;
    if (threadIdx.x == 0) inside = 0;
    __syncthreads();
    atomicAdd(&inside, throw_darts(blockIdx.x * blockDim.x + threadIdx.x + 1, darts));
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, inside);
}
static void darts_for_pi() {
    unsigned* total = device_zeros<unsigned>(1);
    count_darts<<<4, 64>>>(total, 100);
    unsigned want = 0;
    for (unsigned thread = 1; thread <= 256; ++thread) want += throw_darts(thread, 100);
    const unsigned got = to_host(total, 1)[0];
    expect(got == want, "darts inside");
    expect(std::abs(4.0 * got / 25600 - 3.14159) < 0.05, "pi");
}

// clean ten_largest
// Each thread sorts its ten largest values. Ten times, the block takes the largest of all heads.
__global__ void take_largest(int* out, const int* in, int n, int k) {
    __shared__ int heads[64];
    __shared__ int owners[64];
    int best[10];
    for (int i = 0; i < 10; ++i) best[i] = -1;
    for (int i = threadIdx.x; i < n; i += 64) {
        int value = in[i];
        for (int place = 0; place < 10; ++place) {
            if (value > best[place]) {
                const int smaller = best[place];
                best[place] = value;
                value = smaller;
            }
        }
    }
    int used = 0;
    for (int round = 0; round < k; ++round) {
        heads[threadIdx.x] = used < 10 ? best[used] : -1;
        owners[threadIdx.x] = threadIdx.x;
        __syncthreads();
        for (int s = 32; s > 0; s /= 2) {
            if (threadIdx.x < s && heads[threadIdx.x + s] > heads[threadIdx.x]) {
                heads[threadIdx.x] = heads[threadIdx.x + s];
                owners[threadIdx.x] = owners[threadIdx.x + s];
            }
            __syncthreads();
        }
        if (owners[0] == threadIdx.x) out[round] = best[used++];
        __syncthreads();
    }
}
static void ten_largest() {
    auto in = random_numbers(900, 5000);
    int* out = device_zeros<int>(10);
    take_largest<<<1, 64>>>(out, to_device(in), 900, 10);
    std::sort(in.rbegin(), in.rend());
    in.resize(10);
    expect(to_host(out, 10) == in, "the ten largest");
}

// clean sums_of_segments
// Rows differ in length. Each warp sums one row, so some lanes make one iteration more than others.
__global__ void segment_sums(int* out, const int* in, const int* first, int segments) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= segments) return;
    int sum = 0;
    for (int i = first[warp] + lane; i < first[warp + 1]; i += 32) sum += in[i];
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 31) out[warp] = sum;
}
static void sums_of_segments() {
    const int segments = 50;
    std::vector<int> first{0}, want(segments);
    for (const int length : random_numbers(segments, 80)) first.push_back(first.back() + length);
    const auto in = random_numbers(first.back(), 100, 5);
    for (int s = 0; s < segments; ++s) {
        for (int i = first[s]; i < first[s + 1]; ++i) want[s] += in[i];
    }
    int* out = device_zeros<int>(segments);
    segment_sums<<<14, 128>>>(out, to_device(in), to_device(first), segments);
    expect(to_host(out, segments) == want, "sums");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"interleaved_addressing", interleaved_addressing},
                        {"unrolled_last_warp", unrolled_last_warp},
                        {"shuffles_then_shared", shuffles_then_shared},
                        {"double_added_by_compare_and_swap", double_added_by_compare_and_swap},
                        {"float_extremes", float_extremes},
                        {"small_counters_in_words", small_counters_in_words},
                        {"place_of_the_smallest", place_of_the_smallest},
                        {"largest_with_payload_in_a_word", largest_with_payload_in_a_word},
                        {"mean_and_variance", mean_and_variance},
                        {"dot_product", dot_product},
                        {"darts_for_pi", darts_for_pi},
                        {"ten_largest", ten_largest},
                        {"sums_of_segments", sums_of_segments},
                    });
}
