// Tests lanes of a warp that diverge and reconverge.
// expect: if and else: ok
// expect: nested branches: ok
// expect: loops of different length: ok
// expect: break and continue: ok
// expect: switch: ok
// expect: early return: ok
// expect: exit in a loop: ok
// expect: short circuits: ok
// expect: goto: ok
// expect: a barrier after divergence: ok
// expect: __syncwarp in branches: ok
// expect: partial warps: ok
// expect: many paths: ok
#include "check.h"

__host__ __device__ int branch(int i) {
    return i % 3 == 0 ? i * 2 : i + 100;
}

__host__ __device__ int nested(int i) {
    int value = i;
    if (i & 1) {
        value += 10;
        if (i & 2)
            value *= 3;
        else
            value -= 4;
        if (i & 4) {
            if (i & 8)
                value ^= 0x55;
            else
                value ^= 0xaa;
        }
    } else if (i % 6 == 0) {
        value = -value;
    }
    return value;
}

__host__ __device__ int collatz(int i) {
    int steps = 0;
    for (unsigned n = i + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) ++steps;
    return steps;
}

__host__ __device__ int breaks(int i) {
    int sum = 0;
    for (int k = 0; k < 50; ++k) {
        if (k % (i + 2) == 1) continue;
        if (k > i) break;
        for (int m = 0; m < k; ++m) {
            if (m * k > 40 + i) break;
            sum += m;
        }
    }
    return sum;
}

__host__ __device__ int switched(int i) {
    switch (i % 9) {
        case 0: return 3;
        case 1: i += 7; [[fallthrough]];
        case 2: return i * 5;
        case 3: return i - 80;
        case 4: return i / 3;
        case 5: return i % 4;
        case 6: return ~i;
        case 7: return i << 3;
        default: return -1;
    }
}

__host__ __device__ bool costly(int i, int& calls) {
    ++calls;
    return i % 5 != 0;
}
__host__ __device__ int circuits(int i) {
    int calls = 0;
    const bool both = i % 2 == 0 && costly(i, calls);
    const bool one = i % 3 == 0 || costly(i + 1, calls);
    return calls * 4 + both * 2 + one;
}

__host__ __device__ int gotos(int i) {
    int value = i, rounds = 0;
again:
    if (++rounds > 20) goto done;
    value = value * 5 + 1;
    if (value % 7 == 3) goto skip;
    value += i;
    if (value % 11 != 0) goto again;
skip:
    value -= 2;
    if (value % 3 == 0) goto again;
done:
    return value * 100 + rounds;
}

template <int (*Function)(int)>
__global__ void apply(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = Function(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void early_return(int* out) {
    if (threadIdx.x % 5 == 2) return;
    out[threadIdx.x] = 7;
    if (threadIdx.x > 40) return;
    __syncwarp(__activemask());
    out[threadIdx.x] = 9;
}

__global__ void exit_in_loop(int* out) {
    for (int i = 0;; ++i) {
        out[threadIdx.x] += i;
        if (i == static_cast<int>(threadIdx.x)) return;
    }
}

__global__ void then_barrier(int* out) {
    __shared__ int values[128];
    const int i = threadIdx.x;
    if (i % 7 < 3)
        values[i] = collatz(i);
    else
        values[i] = -i;
    __syncthreads();
    out[i] = values[127 - i];
}

__global__ void syncwarps(int* out) {
    __shared__ int values[32];
    const int lane = threadIdx.x;
    if (lane < 16) {
        values[lane] = lane * 2;
        __syncwarp(0x0000ffff);
        out[lane] = values[15 - lane];
    } else {
        values[lane] = lane * 3;
        __syncwarp(0xffff0000);
        out[lane] = values[47 - lane];
    }
    __syncwarp();
    out[lane] += values[31 - lane] * 1000;
}

__global__ void partial(int* out) {
    const int i = threadIdx.x;
    const unsigned mates = __ballot_sync(__activemask(), true);
    if (i == 0) out[blockDim.x] = __popc(mates);
    out[i] = branch(i);
    __syncthreads();
    if (i == static_cast<int>(blockDim.x) - 1) out[blockDim.x + 1] = __popc(mates);
}

/// Returns a value that depends on the branches taken. Every lane takes a different path.
__host__ __device__ int path(int i) {
    int value = 1;
    for (int bit = 0; bit < 10; ++bit) {
        if (i >> bit & 1)
            value = value * 3 + bit;
        else
            value = value * 2 - bit;
    }
    return value;
}

template <class Launch, class Answer>
void test(const char* name, int count, Launch launch, Answer answer) {
    DeviceArray<int> out(count);
    launch(static_cast<int*>(out));
    expect_equal(name, out.read(), for_threads<int>(count, answer));
}
template <int (*Function)(int)>
void test(const char* name) {
    test(
        name, 256, [](int* out) { apply<Function><<<2, 128>>>(out); }, Function);
}

int main() {
    test<branch>("if and else");
    test<nested>("nested branches");
    test<collatz>("loops of different length");
    test<breaks>("break and continue");
    test<switched>("switch");
    test(
        "early return", 64, [](int* out) { early_return<<<1, 64>>>(out); },
        [](int i) { return i % 5 == 2 ? 0
                           : i > 40   ? 7
                                      : 9; });
    test(
        "exit in a loop", 64, [](int* out) { exit_in_loop<<<1, 64>>>(out); },
        [](int i) { return i * (i + 1) / 2; });
    test<circuits>("short circuits");
    test<gotos>("goto");
    test(
        "a barrier after divergence", 128, [](int* out) { then_barrier<<<1, 128>>>(out); },
        [](int i) { return (127 - i) % 7 < 3 ? collatz(127 - i) : i - 127; });
    test(
        "__syncwarp in branches", 32, [](int* out) { syncwarps<<<1, 32>>>(out); },
        [](int i) {
            const auto value = [](int lane) { return lane < 16 ? lane * 2 : lane * 3; };
            return value(i < 16 ? 15 - i : 47 - i) + value(31 - i) * 1000;
        });
    test(
        "partial warps", 47, [](int* out) { partial<<<1, 45>>>(out); },
        [](int i) { return i == 45   ? 32
                           : i == 46 ? 13
                                     : branch(i); });
    test<path>("many paths");
}
