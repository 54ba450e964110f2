// Programs that use cooperative groups.
// not built by clang: tiles of several warps and memcpy_async are part of NVIDIA's toolkit
#include "../cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cg = cooperative_groups;

template <class... Args>
static void launch_cooperative(void (*kernel)(Args...), int blocks, int threads, Args... args) {
    void* list[] = {&args...};
    need(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(blocks), dim3(threads),
                                     list, 0, nullptr));
}

// clean copy_by_the_group
__global__ void normalise_rows(float* out, const float* in, int cols) {
    extern __shared__ float row[];
    __shared__ float total;
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, row, in + blockIdx.x * cols, sizeof(float) * cols);
    if (block.thread_rank() == 0) total = 0;
    cg::wait(block);
    float sum = 0;
    for (int i = block.thread_rank(); i < cols; i += block.num_threads()) sum += row[i];
    auto warp = cg::tiled_partition<32>(block);
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(&total, sum);
    block.sync();
    for (int i = block.thread_rank(); i < cols; i += block.num_threads())
        out[blockIdx.x * cols + i] = row[cols - 1 - i] / total;
}
static void copy_by_the_group() {
    const int rows = 5, cols = 80;
    std::vector<float> in(rows * cols, 2.f);
    float* out = device_zeros<float>(rows * cols);
    normalise_rows<<<rows, 64, cols * sizeof(float)>>>(out, to_device(in), cols);
    for (const float x : to_host(out, rows * cols)) expect(x == 2.f / 160, "normalised");
}

// clean two_halves_of_a_copy
__global__ void sum_in_stages(int* out, const int* in, int tiles) {
    __shared__ int stage[2][64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, stage[0], in, sizeof stage[0]);
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            cg::memcpy_async(block, stage[(t + 1) % 2], in + (t + 1) * 64, sizeof stage[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        sum += stage[t % 2][block.thread_rank() ^ 63];
        block.sync();
    }
    out[block.thread_rank()] = sum;
}
static void two_halves_of_a_copy() {
    int* out = device_zeros<int>(64);
    sum_in_stages<<<1, 64>>>(out, device_iota<int>(64 * 6), 6);
    const auto got = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(got[i] == 6 * (i ^ 63) + 64 * 15, "sum");
}

// clean power_iteration_with_grid_sync
__global__ void power_iteration(const float* a, float* x, float* y, float* norm, int n, int steps) {
    auto grid = cg::this_grid();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int s = 0; s < steps; ++s) {
        float largest = 0;
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            float sum = 0;
            for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
            y[i] = sum;
            largest = fmaxf(largest, sum);
        }
        largest = cg::reduce(warp, largest, cg::greater<float>());
        if (warp.thread_rank() == 0)
            atomicMax(reinterpret_cast<int*>(norm + s), __float_as_int(largest));
        grid.sync();
        for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] = y[i] / norm[s];
        grid.sync();
    }
}
static void power_iteration_with_grid_sync() {
    const int n = 50, steps = 12;
    std::vector<float> a(n * n), x(n, 1.f);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) a[i * n + j] = i == j ? 2.f : 1.f / (1 + abs(i - j));
    }
    float *dx = to_device(x), *norm = device_zeros<float>(steps);
    launch_cooperative<const float*, float*, float*, float*, int, int>(
        power_iteration, 3, 64, to_device(a), dx, device_zeros<float>(n), norm, n, steps);
    const auto got = to_host(dx, n);
    float top = 0;
    for (const float v : got) top = std::max(top, v);
    expect(top == 1.f, "largest component");
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += a[i * n + j] * got[j];
        expect(std::abs(sum / to_host(norm, steps)[steps - 1] - got[i]) < 1e-2, "eigenvector");
    }
}

// clean buckets_by_labels
// Lanes with equal keys form a group, whose first lane reserves space for all of its lanes.
__global__ void scatter_by_key(const int* keys, int n, int* cursor, int* out, int capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto active = cg::coalesced_threads();
    auto same = cg::labeled_partition(active, keys[i]);
    int base = 0;
    if (same.thread_rank() == 0) base = atomicAdd(&cursor[keys[i]], same.num_threads());
    base = same.shfl(base, 0);
    out[keys[i] * capacity + base + same.thread_rank()] = i;
}
static void buckets_by_labels() {
    const int n = 300, kinds = 7;
    const auto keys = random_numbers(n, kinds);
    int *cursor = device_zeros<int>(kinds), *out = device_zeros<int>(kinds * n);
    scatter_by_key<<<3, 128>>>(to_device(keys), n, cursor, out, n);
    const auto counts = to_host(cursor, kinds);
    const auto got = to_host(out, kinds * n);
    std::vector<int> seen(n);
    for (int k = 0; k < kinds; ++k) {
        for (int j = 0; j < counts[k]; ++j) {
            expect(keys[got[k * n + j]] == k, "key");
            ++seen[got[k * n + j]];
        }
    }
    for (const int s : seen) expect(s == 1, "each once");
}

// clean odd_and_even_apart
__global__ void sums_by_parity(const int* in, int n, int* sums) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const bool odd = in[i] & 1;
        auto part = cg::binary_partition(warp, odd);
        const int sum = cg::reduce(part, in[i], cg::plus<int>());
        if (part.thread_rank() == 0) atomicAdd(&sums[odd], sum);
    }
}
static void odd_and_even_apart() {
    const auto in = random_numbers(256, 1000);
    int* sums = device_zeros<int>(2);
    sums_by_parity<<<1, 64>>>(to_device(in), 256, sums);
    int want[2] = {};
    for (const int x : in) want[x & 1] += x;
    expect(to_host(sums, 2) == std::vector<int>(want, want + 2), "sums");
}

// clean tile_of_two_warps
// A tile of 64 threads is synchronised and reduced independently of the other tile.
__global__ void large_tiles(const int* in, int* out) {
    __shared__ cg::block_tile_memory<128> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    __shared__ int cell[2][64];
    const int which = tile.meta_group_rank();
    int value = in[block.thread_rank()];
    for (int round = 0; round < 1 + 2 * which; ++round) {  // the tiles run different rounds
        cell[which][tile.thread_rank()] = value;
        tile.sync();
        value = cell[which][(tile.thread_rank() + 1) % 64];
        tile.sync();
    }
    const int sum = cg::reduce(tile, value * int(tile.thread_rank()), cg::plus<int>());
    if (tile.thread_rank() == 0) out[which] = sum;
    out[2 + block.thread_rank()] = tile.any(value == 5) ? value : -value;
}
static void tile_of_two_warps() {
    int* out = device_zeros<int>(130);
    large_tiles<<<1, 128>>>(device_iota<int>(128), out);
    const auto got = to_host(out, 130);
    for (int w = 0; w < 2; ++w) {
        int want = 0;
        for (int t = 0; t < 64; ++t) {
            const int v = w * 64 + (t + 1 + 2 * w) % 64;
            want += v * t;
            expect(got[2 + w * 64 + t] == (w ? -v : v), "rotated");
        }
        expect(got[w] == want, "sum of a tile");
    }
}

// clean scan_of_all_kinds
struct MaxPair {
    __device__ int2 operator()(int2 a, int2 b) const { return a.x >= b.x ? a : b; }
};
__global__ void scans(const int* in, int* sums, int* before, int2* peaks) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = cg::inclusive_scan(warp, in[i]);
    before[i] = cg::exclusive_scan(warp, in[i], cg::plus<int>());
    peaks[i] = cg::inclusive_scan(warp, make_int2(in[i], i), MaxPair());
}
static void scan_of_all_kinds() {
    const auto in = random_numbers(128, 500);
    int *sums = device_zeros<int>(128), *before = device_zeros<int>(128);
    int2* peaks = device_zeros<int2>(128);
    scans<<<2, 64>>>(to_device(in), sums, before, peaks);
    const auto s = to_host(sums, 128), b = to_host(before, 128);
    const auto p = to_host(peaks, 128);
    for (int i = 0, sum = 0, peak = 0; i < 128; ++i) {
        if (i % 32 == 0) sum = 0, peak = i;
        expect(b[i] == sum, "exclusive");
        sum += in[i];
        if (in[i] > in[peak]) peak = i;
        expect(s[i] == sum && p[i].y == peak && p[i].x == in[peak], "inclusive");
    }
}

// clean one_of_the_group
__global__ void elected(int* out, int* calls) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int ticket = cg::invoke_one_broadcast(warp, [&] { return atomicAdd(calls, 1); });
    out[blockIdx.x * blockDim.x + ticket % 4 * 32 + warp.thread_rank()] = ticket;
    cg::invoke_one(warp, [&] { atomicAdd(calls + 1, 10); });
}
static void one_of_the_group() {
    int *out = device_zeros<int>(128), *calls = device_zeros<int>(2);
    elected<<<1, 128>>>(out, calls);
    const auto got = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(got[i] == i / 32, "ticket");
    expect(to_host(calls, 2)[1] == 40, "calls");
}

// clean small_products_by_tiles_of_four
// Four threads multiply 4 x 4 matrices. Each thread holds one row, and gets the other rows by
// shuffles.
template <class Tile>
__device__ float4 multiply_row(const Tile& tile, float4 a, float4 b) {
    float4 c{0, 0, 0, 0};
    const float of_row[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        c.x += of_row[k] * tile.shfl(b.x, k);
        c.y += of_row[k] * tile.shfl(b.y, k);
        c.z += of_row[k] * tile.shfl(b.z, k);
        c.w += of_row[k] * tile.shfl(b.w, k);
    }
    return c;
}
__global__ void batched_square(float4* m, int batch, int power) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 4;
    if (id >= batch) return;
    float4 row = m[id * 4 + tile.thread_rank()];
    const float4 first = row;
    for (int p = 1; p < power; ++p) row = multiply_row(tile, row, first);
    m[id * 4 + tile.thread_rank()] = row;
}
static void small_products_by_tiles_of_four() {
    const int batch = 21;
    std::vector<float> m(batch * 16);
    for (int i = 0; i < batch * 16; ++i) m[i] = i % 16 % 5 == 0 ? i / 16 : i % 16 == 1;
    float* d = to_device(m);
    batched_square<<<2, 64>>>(reinterpret_cast<float4*>(d), batch, 3);
    const auto got = to_host(d, batch * 16);
    for (int b = 0; b < batch; ++b) {
        expect(got[b * 16 + 5] == b * b * b, "diagonal");
        expect(got[b * 16 + 1] == 3 * b * b, "beside the diagonal");
        expect(got[b * 16 + 4] == 0, "below the diagonal");
    }
}

// clean function_over_any_group
// The same function accepts a thread, a tile, a coalesced group or a block as an argument.
template <class Group>
__device__ void copy_reversed(const Group& group, int* to, const int* from, int n) {
    for (int i = group.thread_rank(); i < n; i += group.size()) to[n - 1 - i] = from[i];
    group.sync();
}
__global__ void reversals(int* out, const int* in) {
    __shared__ int buffer[96];
    auto block = cg::this_thread_block();
    copy_reversed(block, buffer, in, 96);
    auto tile = cg::tiled_partition<16>(block);
    copy_reversed(tile, out + 24 * tile.meta_group_rank(), buffer + 24 * tile.meta_group_rank(), 24);
    if (block.thread_rank() % 32 < 10) {
        auto some = cg::coalesced_threads();
        const int w = block.thread_rank() / 32;
        copy_reversed(some, out + 96 + 20 * w, buffer + 20 * w, 20);
    }
    copy_reversed(cg::this_thread(), out + 136 + 3 * threadIdx.x, in, 3);
}
static void function_over_any_group() {
    int* out = device_zeros<int>(136 + 192);
    reversals<<<1, 64>>>(out, device_iota<int>(96));
    const auto got = to_host(out, 136 + 192);
    for (int i = 0; i < 96; ++i) expect(got[i] == 95 - (i / 24 * 24 + 23 - i % 24), "tiles");
    for (int i = 0; i < 40; ++i) expect(got[96 + i] == 95 - (i / 20 * 20 + 19 - i % 20), "lanes");
    for (int i = 0; i < 192; ++i) expect(got[136 + i] == 2 - i % 3, "threads");
}

// clean grid_barrier_in_two_parts
__global__ void split_grid_barrier(int* a, int* b, int rounds) {
    auto grid = cg::this_grid();
    const int me = grid.thread_rank(), n = grid.size();
    int own = 0;
    for (int r = 0; r < rounds; ++r) {
        a[r % 2 * n + me] = me + r;
        auto token = grid.barrier_arrive();
        own += r * me;
        grid.barrier_wait(std::move(token));
        own += a[r % 2 * n + (me + 40) % n];
    }
    b[me] = own;
}
static void grid_barrier_in_two_parts() {
    const int n = 128, rounds = 5;
    int* b = device_zeros<int>(n);
    launch_cooperative<int*, int*, int>(split_grid_barrier, 4, 32, device_zeros<int>(2 * n), b,
                                        rounds);
    const auto got = to_host(b, n);
    for (int i = 0; i < n; ++i) expect(got[i] == 10 * i + rounds * ((i + 40) % n) + 10, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"copy_by_the_group", copy_by_the_group},
                        {"two_halves_of_a_copy", two_halves_of_a_copy},
                        {"power_iteration_with_grid_sync", power_iteration_with_grid_sync},
                        {"buckets_by_labels", buckets_by_labels},
                        {"odd_and_even_apart", odd_and_even_apart},
                        {"tile_of_two_warps", tile_of_two_warps},
                        {"scan_of_all_kinds", scan_of_all_kinds},
                        {"one_of_the_group", one_of_the_group},
                        {"small_products_by_tiles_of_four", small_products_by_tiles_of_four},
                        {"function_over_any_group", function_over_any_group},
                        {"grid_barrier_in_two_parts", grid_barrier_in_two_parts},
                    });
}
