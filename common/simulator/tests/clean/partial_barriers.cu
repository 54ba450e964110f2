// Warps of a block exchange data through global memory, and synchronize without the other warps.
#include "../bulk.h"

#include "../cases.h"

__device__ void meet(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void arrive(uint64_t& phase) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&phase)) : "memory");
}

// clean halves
__global__ void turn_halves(int* x) {
    const int half = threadIdx.x / 64 * 64, i = threadIdx.x % 64;
    for (int round = 0; round < 4; ++round) {
        const int next = x[half + (i + 33) % 64];
        meet(1 + half / 64, 64);
        x[threadIdx.x] = next + 1;
        meet(1 + half / 64, 64);
    }
}
static void halves() {
    int* x = device_iota<int>(128);
    turn_halves<<<1, 128>>>(x);
    const auto host = to_host(x, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == i / 64 * 64 + (i + 4 * 33) % 64 + 4, "turned");
}

// clean one_after_the_other
// Warp 0 signals warp 1, and then warp 1 signals warp 2. So warp 2 may read the data of both.
__global__ void pass_on(int* x) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        x[lane] = lane;
        arrive(1, 64);
    } else if (warp == 1) {
        meet(1, 64);
        x[32 + lane] = x[lane] + 1;
        arrive(2, 64);
    } else {
        meet(2, 64);
        x[64 + lane] = x[lane] + x[32 + lane];
    }
}
static void one_after_the_other() {
    int* x = device_zeros<int>(96);
    pass_on<<<1, 96>>>(x);
    const auto host = to_host(x, 96);
    for (int i = 0; i < 32; ++i) expect(host[64 + i] == 2 * i + 1, "passed on");
}

// clean ring
// Two slots are filled and emptied in turn, for more rounds than a cell's 10-bit epoch can count.
__global__ void hand_over(int* out, int* places, int rounds) {
    __shared__ uint64_t full[2], empty[2];
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; ++k) init(full[k], 32), init(empty[k], 32);
    __syncthreads();
    const int lane = threadIdx.x % 32;
    for (int r = 0; r < rounds; ++r) {
        int* place = places + r % 2 * 32;
        if (threadIdx.x < 32) {
            if (r >= 2) wait(empty[r % 2], (r / 2 - 1) % 2);
            place[lane] = r + lane;
            arrive(full[r % 2]);
        } else {
            wait(full[r % 2], r / 2 % 2);
            out[lane] += place[31 - lane];
            arrive(empty[r % 2]);
        }
    }
}
static void ring() {
    constexpr int kRounds = 800;
    int* out = device_zeros<int>(32);
    hand_over<<<1, 64>>>(out, device_zeros<int>(64), kRounds);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i)
        expect(host[i] == kRounds * (kRounds - 1) / 2 + kRounds * (31 - i), "handed over");
}

// clean copied_ahead
// Threads overwrite the source of a bulk copy only after they have waited at the copy's mbarrier.
__global__ void copy_and_overwrite(int* x) {
    __shared__ __align__(128) int run[64];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, sizeof run);
        load_run(run, x, sizeof run, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    x[threadIdx.x] = run[63 - threadIdx.x];
}
static void copied_ahead() {
    int* x = device_iota<int>(64);
    copy_and_overwrite<<<1, 64>>>(x);
    const auto host = to_host(x, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == 63 - i, "turned around");
}

// clean many_barriers
__global__ void meet_often(int* x) {
    for (int i = 0; i < 1500; ++i) {
        const int next = x[blockIdx.x * 64 + (threadIdx.x + 1) % 64];
        __syncthreads();
        x[blockIdx.x * 64 + threadIdx.x] = next;
        __syncthreads();
    }
}
static void many_barriers() {
    int* x = device_iota<int>(128);
    meet_often<<<2, 64>>>(x);
    const auto host = to_host(x, 128);
    for (int i = 0; i < 128; ++i) expect(host[i] == i / 64 * 64 + (i + 1500) % 64, "turned");
}

// clean flag_after_many_fences
__global__ void publish(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        for (int i = 0; i < 1100; ++i) __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
static void flag_after_many_fences() {
    int* out = device_zeros<int>(64);
    publish<<<2, 64>>>(device_zeros<int>(64), device_zeros<int>(1), out);
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(host[i] == i + 1, "published");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"halves", halves},
                        {"one_after_the_other", one_after_the_other},
                        {"ring", ring},
                        {"copied_ahead", copied_ahead},
                        {"many_barriers", many_barriers},
                        {"flag_after_many_fences", flag_after_many_fences},
                    });
}
