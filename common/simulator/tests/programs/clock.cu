// Clocks advance for every thread and from launch to launch, and __nanosleep takes time.
// expect: clock: ok
// expect: global timer: ok
// expect: a loop that waits for the clock ends: ok
// expect: sleeping takes time: ok
// expect: launches follow one another: ok
// expect: one clock for a block: ok
#include "check.h"

__device__ unsigned long long timer() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

__global__ void clocks(int* out, int* data) {
    const long long start = clock64();
    const unsigned low = clock();
    int value = data[threadIdx.x];
    for (int i = 0; i < 100; ++i) value = value * 3 + 1;
    data[threadIdx.x] = value;
    out[threadIdx.x] = clock64() > start && static_cast<unsigned>(clock()) - low < 1u << 31;
}

__global__ void timers(int* out) {
    const unsigned long long start = timer();
    // The GPU's timer advances only about once per microsecond, so wait for its next tick.
    while (timer() == start) {
    }
    out[0] = timer() > start;
}

__global__ void wait(int* out, long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
    out[threadIdx.x] = 1;
}

__global__ void sleep(int* out) {
    const long long start = clock64();
    __nanosleep(20000);
    __nanosleep(20000);
    out[0] = clock64() - start > 1000;
}

__global__ void stamp(unsigned long long* out) {
    *out = timer();
}

__global__ void one_clock(int* out) {
    __shared__ long long moments[2];
    if (threadIdx.x == 0) moments[0] = clock64();
    __syncthreads();
    if (threadIdx.x == 100) moments[1] = clock64();
    __syncthreads();
    out[threadIdx.x] = moments[1] > moments[0];
}

int main() {
    DeviceArray<int> out(128), data(128);
    clocks<<<1, 128>>>(out, data);
    expect_equal("clock", out.read(), std::vector<int>(128, 1));
    DeviceArray<int> timed(1);
    timers<<<1, 1>>>(timed);
    expect_equal<int>("global timer", timed.read(), {1});
    DeviceArray<int> waited(64);
    wait<<<1, 64>>>(waited, 100000);
    expect_equal("a loop that waits for the clock ends", waited.read(), std::vector<int>(64, 1));
    DeviceArray<int> slept(1);
    sleep<<<1, 1>>>(slept);
    expect_equal<int>("sleeping takes time", slept.read(), {1});
    DeviceArray<unsigned long long> first(1), second(1);
    stamp<<<1, 1>>>(first);
    MUST(cudaDeviceSynchronize());
    wait<<<1, 1>>>(waited, 100000);
    stamp<<<1, 1>>>(second);
    expect_equal<bool>("launches follow one another", {first.read()[0] < second.read()[0]}, {true});
    DeviceArray<int> agreed(128);
    one_clock<<<1, 128>>>(agreed);
    expect_equal("one clock for a block", agreed.read(), std::vector<int>(128, 1));
}
