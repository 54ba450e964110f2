// Races and missing synchronization. Each bug has the advice that its report gives, and a twin that
// follows this advice.
#include "twins.h"

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

// ---- lanes ----

template <bool fixed>
__global__ void mirrors(int* out) {
    __shared__ int values[32];
    const auto half = cg::tiled_partition<16>(cg::this_thread_block());
    values[threadIdx.x] = threadIdx.x;  // other half_a_warp
    half.sync();
    if (fixed) __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];  // bug half_a_warp: racecheck: read after write
}
// cure half_a_warp: __syncwarp() is missing between line
template <bool fixed>
void half_a_warp() {
    int* out = device_zeros<int>(32);
    mirrors<fixed><<<1, 32>>>(out);
    if (fixed) expect(to_host(out, 32)[0] == 31, "mirrored");
}

template <bool fixed>
__global__ void asks_outside(int* out) {
    int value = threadIdx.x * 3;
    if (fixed) value = __shfl_sync(~0u, value, (threadIdx.x + 16) % 32);
    if (threadIdx.x >= 16) return;
    if (!fixed)
        value = __shfl_sync(0xffff, value, threadIdx.x + 16);  // bug lane_outside: synccheck: shuffle from outside
    out[threadIdx.x] = value;                                  // other lane_outside
}
// cure lane_outside: The mask must include all lanes that are read, and these lanes must execute
template <bool fixed>
void lane_outside() {
    int* out = device_zeros<int>(32);
    asks_outside<fixed><<<1, 32>>>(out);
    if (fixed) expect(to_host(out, 1)[0] == 48, "value of lane 16");
}

template <bool fixed>
__global__ void votes_in_loop(int* out, const int* lengths) {
    const int lane = threadIdx.x, length = lengths[lane];
    int votes = 0;
    if constexpr (fixed) {
        for (int k = 0; __any_sync(~0u, k < length); ++k)
            votes += __popc(__ballot_sync(~0u, k < length && lane % 2));
    } else {
        for (int k = 0; k < length; ++k)
            votes += __popc(__ballot_sync(~0u, lane % 2));  // bug lanes_that_left: synccheck: invalid warp mask
    }
    out[lane] = votes;
}
// by clang lanes_that_left: clang keeps one vote, at which lanes meet after the others have exited
// cure lanes_that_left: Move the call to a place that all lanes of the mask reach
template <bool fixed>
void lanes_that_left() {
    std::vector<int> lengths(32);
    for (int i = 0; i < 32; ++i) lengths[i] = i % 5 + 1;
    int* out = device_zeros<int>(32);
    votes_in_loop<fixed><<<1, 32>>>(out, to_device(lengths));
    if (fixed) expect(to_host(out, 2)[0] == to_host(out, 2)[1], "votes");
}

// ---- warps of a block ----

// Both warps copy. One stage too many may be in flight, and threads read other threads' copies.
template <bool fixed>
__global__ void adds_stages(int* out, const int* in, int count) {
    __shared__ int stages[4][64];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        __pipeline_memcpy_async(&stages[k][t], &in[k * 64 + t], 4);  // other group_still_in_flight
        __pipeline_commit();
    }
    __pipeline_wait_prior(fixed ? 0 : 1);
    __syncthreads();
    out[t] = stages[count - 1][63 - t];  // bug group_still_in_flight: racecheck: read after write
}
// cure group_still_in_flight: wait for its group (cp.async.wait_group or __pipeline_wait_prior
template <bool fixed>
void group_still_in_flight() {
    int* out = device_zeros<int>(64);
    adds_stages<fixed><<<1, 64>>>(out, device_iota<int>(128), 2);
    if (fixed) expect(to_host(out, 1)[0] == 127, "value of the last copy");
}

// Launched with blocks of 32 x 8 threads, although the kernel uses only x.
template <bool fixed>
__global__ void sums_rows(int* sums, const int* in, int cols) {
    if (fixed && threadIdx.y > 0) return;
    const int row = threadIdx.x;
    sums[row] = 0;                                                      // bug rows_by_all: globalrace: write after write
    for (int k = 0; k < cols; ++k) sums[row] += in[row * cols + k];  // other rows_by_all
}
// cure rows_by_all: Give each thread an element of its own
template <bool fixed>
void rows_by_all() {
    int* sums = device_zeros<int>(32);
    sums_rows<fixed><<<1, dim3(32, 8)>>>(sums, device_iota<int>(256), 8);
    if (fixed) expect(to_host(sums, 1)[0] == 28, "sum");
}

template <bool fixed>
__global__ void reads_by_texture_path(int* data, int count) {
    const int t = threadIdx.x;
    data[t] = t;  // other read_only_path
    __syncthreads();
    const int* next = &data[(t + 1) % count];
    data[count + t] = fixed ? *next : __ldg(next);  // bug read_only_path: globalrace: read after write
}
// cure read_only_path: Read the memory with a plain load
template <bool fixed>
void read_only_path() {
    int* data = device_zeros<int>(512);
    reads_by_texture_path<fixed><<<1, 256>>>(data, 256);
    if (fixed) expect(to_host(data, 512)[256] == 1, "neighbour");
}

// ---- blocks ----

template <bool fixed>
__global__ void counts(int* counter) {
    if (fixed)
        atomicAdd(counter, 1);
    else
        atomicAdd_block(counter, 1);  // bug atomic_of_a_block: globalrace: write after write // other atomic_of_a_block
}
// cure atomic_of_a_block: use device scope (atomicAdd)
template <bool fixed>
void atomic_of_a_block() {
    int* counter = device_zeros<int>(1);
    counts<fixed><<<8, 64>>>(counter);
    if (fixed) expect(to_host(counter, 1)[0] == 512, "count");
}

template <bool fixed>
__global__ void hands_over(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;  // other no_fence
        __syncthreads();
        if (fixed) __threadfence();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];  // bug no_fence: globalrace: read after write
    }
}
// cure no_fence: execute __threadfence() between line
template <bool fixed>
void no_fence() {
    int* out = device_zeros<int>(64);
    hands_over<fixed><<<2, 64>>>(device_zeros<int>(64), device_zeros<int>(1), out);
    if (fixed) expect(to_host(out, 64)[63] == 63, "handed over");
}

template <bool fixed>
__global__ void releases(int* data, int* flag, int* out) {
    Flag ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // other relaxed_flag
        ready.store(1, fixed ? cuda::memory_order_release : cuda::memory_order_relaxed);
    } else {
        while (ready.load(fixed ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
        }
        *out = *data;  // bug relaxed_flag: globalrace: read after write
    }
}
// cure relaxed_flag: use memory_order_release and memory_order_acquire at device scope
template <bool fixed>
void relaxed_flag() {
    int* out = device_zeros<int>(1);
    releases<fixed><<<2, 1>>>(device_zeros<int>(1), device_zeros<int>(1), out);
    if (fixed) expect(to_host(out, 1)[0] == 42, "handed over");
}

// The compiler reads a plain flag only once, before the loop.
template <bool fixed>
__global__ void waits_for_flag(int* flag, int* out) {
    if (blockIdx.x == 0) {
        if constexpr (fixed) {
            while (Flag(*flag).load() == 0) {
            }
        } else {
            while (*flag == 0);  // bug plain_flag: synccheck: endless loop
        }
        *out = 1;
    } else if constexpr (fixed) {
        Flag(*flag).store(1);
    } else {
        *flag = 1;
    }
}
// cure plain_flag: read and write it through cuda::atomic_ref
template <bool fixed>
void plain_flag() {
    int* out = device_zeros<int>(1);
    waits_for_flag<fixed><<<2, 1>>>(device_zeros<int>(1), out);
    if (fixed) expect(to_host(out, 1)[0] == 1, "seen");
}

template <bool fixed>
__global__ void relaxes(int* a, int* b, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        b[i] = a[(i + 1) % count] + 1;  // bug second_grid_sync: globalrace: read after write
        cg::this_grid().sync();
        a[i] = b[i];  // other second_grid_sync
        if (fixed) cg::this_grid().sync();
    }
}
// cure second_grid_sync: grid.sync() is missing between line
template <bool fixed>
void second_grid_sync() {
    int *a = device_zeros<int>(512), *b = device_zeros<int>(512), count = 512;
    void* arguments[] = {&a, &b, &count};
    need(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relaxes<fixed>), 4, 128, arguments));
    if (fixed) expect(to_host(a, 1)[0] == 3, "value");
}

__global__ void meets_grid(int* data) {
    data[blockIdx.x] = 1;
    cg::this_grid().sync();  // bug ordinary_launch: execution: trap
    if (blockIdx.x == 0) data[1] += data[0];
}
// by clang ordinary_launch: clang attributes the trap to a line of cooperative_groups.h
// cure ordinary_launch: Launch the kernel with cudaLaunchCooperativeKernel.
template <bool fixed>
void ordinary_launch() {
    int* data = device_zeros<int>(4);
    void* arguments[] = {&data};
    if (fixed)
        need(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meets_grid), 4, 32, arguments));
    else
        meets_grid<<<4, 32>>>(data);
    if (fixed) expect(to_host(data, 2)[1] == 2, "sum");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {TWINS(half_a_warp), TWINS(lane_outside), TWINS(lanes_that_left),
                     TWINS(group_still_in_flight), TWINS(rows_by_all), TWINS(read_only_path),
                     TWINS(atomic_of_a_block), TWINS(no_fence), TWINS(relaxed_flag),
                     TWINS(plain_flag), TWINS(second_grid_sync), TWINS(ordinary_launch)});
}
