// Lanes of a warp that cooperate correctly. No check may report anything.
#include "../cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// clean syncwarp_exchange
__global__ void reverse_in_warp(int* out, const int* in) {
    __shared__ int values[64];
    const int t = threadIdx.x;
    values[t] = in[t];
    __syncwarp();
    out[t] = values[t ^ 31];
    __syncwarp();
    values[t ^ 31] = out[t];
}
static void syncwarp_exchange() {
    int* out = device_zeros<int>(64);
    reverse_in_warp<<<1, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == (i ^ 31), "exchange");
}

// clean reduction_with_syncwarp
__global__ void sum_of_warp(int* out, const int* in) {
    __shared__ int sums[64];
    const int t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = in[t + 32];
    __syncwarp();
    for (int half = 32; half > 0; half /= 2) {
        const int other = t < half ? sums[t + half] : 0;
        __syncwarp();
        sums[t] += other;
        __syncwarp();
    }
    if (t == 0) *out = sums[0];
}
static void reduction_with_syncwarp() {
    int* out = device_zeros<int>(1);
    sum_of_warp<<<1, 32>>>(out, device_iota<int>(64));
    expect(to_host(out, 1)[0] == 63 * 32, "sum");
}

// clean shuffle_reduction
__global__ void sum_by_shuffle(int* out, const int* in) {
    int value = in[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffff, value, by);
    if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}
static void shuffle_reduction() {
    int* out = device_zeros<int>(1);
    sum_by_shuffle<<<1, 128>>>(out, device_iota<int>(128));
    expect(to_host(out, 1)[0] == 127 * 64, "sum");
}

// clean shuffle_in_half_warp
__global__ void shuffle_in_branch(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x < 16)
        value += __shfl_xor_sync(0x0000ffff, value, 8);
    else
        value -= __shfl_xor_sync(0xffff0000, value, 4);
    out[threadIdx.x] = value;
}
static void shuffle_in_half_warp() {
    int* out = device_zeros<int>(32);
    shuffle_in_branch<<<1, 32>>>(out);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == (i < 16 ? i + (i ^ 8) : i - (i ^ 4)), "value");
}

// clean vote_and_match
__global__ void count_equal(int* out, const int* in) {
    const int value = in[threadIdx.x] % 5;
    const unsigned same = __match_any_sync(0xffffffff, value);
    const unsigned odd = __ballot_sync(0xffffffff, value & 1);
    const bool all = __all_sync(0xffffffff, value < 5), any = __any_sync(0xffffffff, value == 4);
    out[threadIdx.x] = __popc(same) * 100 + __popc(odd) + (all && any ? 0 : 1000);
}
static void vote_and_match() {
    int* out = device_zeros<int>(32);
    count_equal<<<1, 32>>>(out, device_iota<int>(32));
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) {
        const int same = i % 5 < 2 ? 7 : 6, odd = 7 + 6;
        expect(host[i] == same * 100 + odd, "counts");
    }
}

// clean tile_of_eight
__global__ void sum_of_tiles(int* out, const int* in) {
    __shared__ int values[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int t = threadIdx.x;
    values[t] = in[t];
    tile.sync();
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += values[t / 8 * 8 + i];
    tile.sync();
    values[t] = sum;
    tile.sync();
    out[t] = values[t ^ 7] + cg::reduce(tile, in[t], cg::plus<int>());
}
static void tile_of_eight() {
    int* out = device_zeros<int>(64);
    sum_of_tiles<<<1, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == 2 * (i / 8 * 64 + 28), "sum of eight");
}

// clean coalesced_group
__global__ void count_with_group(int* counter, int* positions, const int* in) {
    if (in[threadIdx.x] % 3 != 0) return;
    auto group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    positions[threadIdx.x] = group.shfl(first, 0) + group.thread_rank() + 1;
}
static void coalesced_group() {
    int *counter = device_zeros<int>(1), *positions = device_zeros<int>(96);
    count_with_group<<<1, 96>>>(counter, positions, device_iota<int>(96));
    expect(to_host(counter, 1)[0] == 32, "count");
    std::vector<int> seen(33);
    for (const int position : to_host(positions, 96)) seen[position] += position > 0;
    for (int i = 1; i <= 32; ++i) expect(seen[i] == 1, "position");
}

// clean warp_aggregated_atomics
__global__ void compact(int* out, int* count, const int* in) {
    const int value = in[threadIdx.x];
    const bool wanted = value % 2 == 1;
    const unsigned mask = __ballot_sync(0xffffffff, wanted);
    const int lane = threadIdx.x % 32, leader = __ffs(mask) - 1;
    int first = 0;
    if (lane == leader) first = atomicAdd(count, __popc(mask));
    first = __shfl_sync(0xffffffff, first, leader);
    if (wanted) out[first + __popc(mask & ((1u << lane) - 1))] = value;
}
static void warp_aggregated_atomics() {
    int *out = device_zeros<int>(64), *count = device_zeros<int>(1);
    compact<<<2, 64>>>(out, count, device_iota<int>(64));
    expect(to_host(count, 1)[0] == 64, "count");
}

// clean diverged_then_together
__global__ void collatz(int* out) {
    int n = threadIdx.x + 1, steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    __syncwarp();
    out[threadIdx.x] = __reduce_max_sync(0xffffffff, steps);
}
static void diverged_then_together() {
    int* out = device_zeros<int>(32);
    collatz<<<1, 32>>>(out);
    for (const int steps : to_host(out, 32)) expect(steps == 111, "longest chain below 33");
}

// clean lock_between_lanes
__global__ void lanes_take_turns(int* lock, int* sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *reinterpret_cast<volatile int*>(sum) =
                *reinterpret_cast<volatile int*>(sum) + threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
static void lock_between_lanes() {
    int* sum = device_zeros<int>(1);
    lanes_take_turns<<<1, 32>>>(device_zeros<int>(1), sum);
    expect(to_host(sum, 1)[0] == 31 * 16, "sum");
}

// clean lock_between_lanes_plain_loop
__global__ void lanes_spin(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum = *sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}
static void lock_between_lanes_plain_loop() {
    int* sum = device_zeros<int>(1);
    lanes_spin<<<4, 64>>>(device_zeros<int>(1), sum);
    expect(to_host(sum, 1)[0] == 256, "sum");
}

// clean partial_warp
__global__ void few_threads(int* out) {
    __shared__ int values[20];
    values[threadIdx.x] = threadIdx.x;
    __syncwarp(0xfffff);
    const int next = __shfl_sync(0xfffff, threadIdx.x, (threadIdx.x + 1) % 20);
    out[threadIdx.x] = values[19 - threadIdx.x] + next;
}
static void partial_warp() {
    int* out = device_zeros<int>(20);
    few_threads<<<1, 20>>>(out);
    const auto host = to_host(out, 20);
    for (int i = 0; i < 20; ++i) expect(host[i] == 19 - i + (i + 1) % 20, "value");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"syncwarp_exchange", syncwarp_exchange},
                        {"reduction_with_syncwarp", reduction_with_syncwarp},
                        {"shuffle_reduction", shuffle_reduction},
                        {"shuffle_in_half_warp", shuffle_in_half_warp},
                        {"vote_and_match", vote_and_match},
                        {"tile_of_eight", tile_of_eight},
                        {"coalesced_group", coalesced_group},
                        {"warp_aggregated_atomics", warp_aggregated_atomics},
                        {"diverged_then_together", diverged_then_together},
                        {"lock_between_lanes", lock_between_lanes},
                        {"lock_between_lanes_plain_loop", lock_between_lanes_plain_loop},
                        {"partial_warp", partial_warp},
                    });
}
