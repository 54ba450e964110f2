// Programs that use the toolkit's header libraries: CUB, Thrust, curand_kernel.h.
// not built by clang: CUB and Thrust are part of NVIDIA's toolkit
#include "../cases.h"

#include <curand_kernel.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

// clean block_collectives
// Loads, scans and stores a tile with CUB's block collectives, which share temporary storage.
template <int THREADS, int ITEMS>
__global__ void block_prefix(int* out, const int* in, int* totals) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } temp;
    int items[ITEMS], total;
    const int at = blockIdx.x * THREADS * ITEMS;
    Load(temp.load).Load(in + at, items);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(items, items, total);
    __syncthreads();
    Store(temp.store).Store(out + at, items);
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
}
static void block_collectives() {
    const int n = 2 * 64 * 5;
    const auto in = random_numbers(n, 100);
    int *out = device_zeros<int>(n), *totals = device_zeros<int>(2);
    block_prefix<64, 5><<<2, 64>>>(out, to_device(in), totals);
    const auto got = to_host(out, n);
    for (int i = 0, sum = 0; i < n; ++i) {
        if (i == n / 2) sum = 0;
        expect(got[i] == sum, "prefix");
        sum += in[i];
        if (i == n - 1) expect(to_host(totals, 2)[1] == sum, "total");
    }
}

// clean block_sort_and_runs
__global__ void sort_and_flag(int* keys, int* heads) {
    using Sort = cub::BlockRadixSort<int, 64, 3>;
    using Flags = cub::BlockDiscontinuity<int, 64>;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Flags::TempStorage flags;
    int items[3], head[3];
    cub::LoadDirectBlocked(threadIdx.x, keys, items);
    Sort(sort).Sort(items);
    Flags(flags).FlagHeads(head, items, [](int a, int b) { return a != b; });
    cub::StoreDirectBlocked(threadIdx.x, keys, items);
    cub::StoreDirectBlocked(threadIdx.x, heads, head);
}
static void block_sort_and_runs() {
    auto keys = random_numbers(192, 40);
    int *d = to_device(keys), *heads = device_zeros<int>(192);
    sort_and_flag<<<1, 64>>>(d, heads);
    std::sort(keys.begin(), keys.end());
    expect(to_host(d, 192) == keys, "sorted");
    const auto h = to_host(heads, 192);
    for (int i = 1; i < 192; ++i) expect(h[i] == (keys[i] != keys[i - 1]), "head");
}

// clean warp_collectives
__global__ void warp_reduce_and_sort(const int* in, int* largest, int* sorted) {
    using Reduce = cub::WarpReduce<int>;
    using Sort = cub::WarpMergeSort<int, 2, 32>;
    __shared__ typename Reduce::TempStorage reduce[2];
    __shared__ typename Sort::TempStorage sort[2];
    const int warp = threadIdx.x / 32;
    int items[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    const int top = Reduce(reduce[warp]).Reduce(max(items[0], items[1]), [](int a, int b) { return max(a, b); });
    if (threadIdx.x % 32 == 0) largest[warp] = top;
    Sort(sort[warp]).Sort(items, [](int a, int b) { return a < b; });
    sorted[2 * threadIdx.x] = items[0];
    sorted[2 * threadIdx.x + 1] = items[1];
}
static void warp_collectives() {
    auto in = random_numbers(128, 9999);
    int *largest = device_zeros<int>(2), *sorted = device_zeros<int>(128);
    warp_reduce_and_sort<<<1, 64>>>(to_device(in), largest, sorted);
    for (int w = 0; w < 2; ++w) std::sort(in.begin() + 64 * w, in.begin() + 64 * (w + 1));
    expect(to_host(sorted, 128) == in, "sorted");
    const auto top = to_host(largest, 2);
    expect(top[0] == in[63] && top[1] == in[127], "largest");
}

// clean device_wide_reduction
static void device_wide_reduction() {
    const int n = 5000;
    const auto in = random_numbers(n, 1000);
    int *d = to_device(in), *sum = device_zeros<int>(1);
    size_t bytes = 0;
    need(cub::DeviceReduce::Sum(nullptr, bytes, d, sum, n));
    void* temp;
    need(cudaMalloc(&temp, bytes));
    need(cub::DeviceReduce::Sum(temp, bytes, d, sum, n));
    expect(to_host(sum, 1)[0] == std::accumulate(in.begin(), in.end(), 0), "sum");
}

// clean device_wide_histogram_and_runs
static void device_wide_histogram_and_runs() {
    const int n = 3000, kinds = 16;
    auto in = random_numbers(n, kinds);
    std::sort(in.begin(), in.end());
    int *d = to_device(in), *bins = device_zeros<int>(kinds);
    int *keys = device_zeros<int>(n), *lengths = device_zeros<int>(n), *runs = device_zeros<int>(1);
    size_t a = 0, b = 0;
    need(cub::DeviceHistogram::HistogramEven(nullptr, a, d, bins, kinds + 1, 0, kinds, n));
    need(cub::DeviceRunLengthEncode::Encode(nullptr, b, d, keys, lengths, runs, n));
    void* temp;
    need(cudaMalloc(&temp, std::max(a, b)));
    need(cub::DeviceHistogram::HistogramEven(temp, a, d, bins, kinds + 1, 0, kinds, n));
    need(cub::DeviceRunLengthEncode::Encode(temp, b, d, keys, lengths, runs, n));
    const int found = to_host(runs, 1)[0];
    expect(found == kinds, "runs");
    expect(to_host(bins, kinds) == to_host(lengths, kinds), "same counts");
}

// clean thrust_by_keys
static void thrust_by_keys() {
    const int n = 1000;
    const auto k = random_numbers(n, 25, 3), v = random_numbers(n, 100, 4);
    thrust::device_vector<int> keys(k.begin(), k.end()), values(v.begin(), v.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::device_vector<int> unique(25), sums(25);
    const auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(),
                                            unique.begin(), sums.begin());
    std::vector<int> want(25), got(25);
    for (int i = 0; i < n; ++i) want[k[i]] += v[i];
    const int count = ends.first - unique.begin();
    for (int i = 0; i < count; ++i) got[unique[i]] = sums[i];
    expect(got == want, "sums by key");
}

// clean thrust_with_fancy_iterators
struct SquareOf {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
struct Norm {
    template <class T>
    __host__ __device__ float operator()(const T& t) const {
        return thrust::get<0>(t) * thrust::get<0>(t) + thrust::get<1>(t) * thrust::get<1>(t);
    }
};
static void thrust_with_fancy_iterators() {
    const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(1),
                                                         SquareOf());
    expect(thrust::reduce(thrust::device, squares, squares + 50) == 42925, "sum of squares");
    thrust::device_vector<float> x(100, 3.f), y(100, 4.f);
    const auto both = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    const float largest = thrust::transform_reduce(both, both + 100, Norm(), 0.f,
                                                   thrust::maximum<float>());
    expect(largest == 25.f, "norm");
}

// clean random_numbers_of_curand
__global__ void dice(int* faces, unsigned long long seed, int rolls) {
    __shared__ int counts[6];
    if (threadIdx.x < 6) counts[threadIdx.x] = 0;
    __syncthreads();
    curandStatePhilox4_32_10_t state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int i = 0; i < rolls; i += 4) {
        const uint4 r = curand4(&state);
        atomicAdd(&counts[r.x % 6], 1);
        atomicAdd(&counts[r.y % 6], 1);
        atomicAdd(&counts[r.z % 6], 1);
        atomicAdd(&counts[r.w % 6], 1);
    }
    __syncthreads();
    if (threadIdx.x < 6) atomicAdd(faces + threadIdx.x, counts[threadIdx.x]);
}
static void random_numbers_of_curand() {
    int* faces = device_zeros<int>(6);
    dice<<<2, 64>>>(faces, 1234, 40);
    int sum = 0;
    for (const int f : to_host(faces, 6)) {
        expect(f > 700 && f < 1000, "about a sixth");
        sum += f;
    }
    expect(sum == 2 * 64 * 40, "all rolls");
}

// clean generator_states_in_memory
__global__ void seed_states(curandState* states) {
    curand_init(99, threadIdx.x, 0, &states[threadIdx.x]);
}
__global__ void walk(curandState* states, int* positions, int steps) {
    curandState state = states[threadIdx.x];
    int at = positions[threadIdx.x];
    for (int s = 0; s < steps; ++s) at += curand(&state) & 1 ? 1 : -1;
    positions[threadIdx.x] = at;
    states[threadIdx.x] = state;
}
static void generator_states_in_memory() {
    curandState* states;
    need(cudaMalloc(&states, 64 * sizeof(curandState)));
    int *twice = device_zeros<int>(64), *once = device_zeros<int>(64);
    seed_states<<<1, 64>>>(states);
    walk<<<1, 64>>>(states, twice, 10);
    walk<<<1, 64>>>(states, twice, 15);
    seed_states<<<1, 64>>>(states);
    walk<<<1, 64>>>(states, once, 25);
    expect(to_host(once, 64) == to_host(twice, 64), "same walk");
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"block_collectives", block_collectives},
            {"block_sort_and_runs", block_sort_and_runs},
            {"warp_collectives", warp_collectives},
            {"device_wide_reduction", device_wide_reduction},
            {"device_wide_histogram_and_runs", device_wide_histogram_and_runs},
            {"thrust_by_keys", thrust_by_keys},
            {"thrust_with_fancy_iterators", thrust_with_fancy_iterators},
            {"random_numbers_of_curand", random_numbers_of_curand},
            {"generator_states_in_memory", generator_states_in_memory},
        });
}
