// Tests barriers of a block: for all or some threads, with numbers, and with reductions.
// expect: __syncthreads: ok
// expect: count: ok
// expect: and, or: ok
// expect: numbered barriers of half blocks: ok
// expect: producer arrives, consumer waits: ok
// expect: threads that have left: ok
// expect: a barrier in a loop: ok
// expect: bitonic sort: ok
// expect: prefix sums: ok
#include <algorithm>

#include "check.h"

__global__ void reverse(int* out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void count(int* out) {
    out[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0);
    out[threadIdx.x] += 1000 * __syncthreads_count(threadIdx.x > 90);
}

__global__ void and_or(int* out) {
    int bits = 0;
    bits |= (__syncthreads_and(threadIdx.x < 100) != 0) << 0;
    bits |= (__syncthreads_and(threadIdx.x < 99) != 0) << 1;
    bits |= (__syncthreads_or(threadIdx.x == 99) != 0) << 2;
    bits |= (__syncthreads_or(threadIdx.x == 100) != 0) << 3;
    out[threadIdx.x] = bits;
}

/// Runs the two halves of a block independently, each with its own barrier.
__global__ void halves(int* out) {
    __shared__ int tile[128];
    const int half = threadIdx.x / 64, i = threadIdx.x % 64;
    int value = threadIdx.x;
    for (int round = 0; round < 3 + 2 * half; ++round) {
        tile[threadIdx.x] = value;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        value = tile[half * 64 + (i + 1) % 64] + 1;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
    out[threadIdx.x] = value;
}

/// Warp 0 fills a buffer that warp 1 empties. They signal with bar.arrive and wait with bar.sync.
__global__ void producer(int* out, int rounds) {
    __shared__ int box[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; ++r) {
            asm volatile("bar.sync 1, 64;" ::: "memory");  // wait until the buffer is empty
            box[lane] = r * 100 + lane;
            asm volatile("bar.arrive 2, 64;" ::: "memory");  // the box is full now
        }
    } else {
        int sum = 0;
        for (int r = 0; r < rounds; ++r) {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            sum += box[31 - lane];
        }
        out[lane] = sum;
    }
}

/// Some warps exit before the barrier. The barrier must not wait for them.
__global__ void left(int* out) {
    __shared__ int tile[64];
    if (threadIdx.x >= 64) return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void in_loop(int* out, int rounds) {
    __shared__ int tile[2][100];
    int value = threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        tile[r % 2][threadIdx.x] = value;
        __syncthreads();
        value = tile[r % 2][(threadIdx.x + 1) % 100];
    }
    out[threadIdx.x] = value;
}

__global__ void sort(int* values) {
    __shared__ int tile[512];
    const int i = threadIdx.x;
    tile[i] = values[i];
    for (int size = 2; size <= 512; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int other = i ^ distance;
            if (other > i && (tile[i] > tile[other]) == ((i & size) == 0)) {
                const int swap = tile[i];
                tile[i] = tile[other];
                tile[other] = swap;
            }
        }
    }
    __syncthreads();
    values[i] = tile[i];
}

__global__ void prefix_sums(int* values) {
    __shared__ int tile[300];
    tile[threadIdx.x] = values[threadIdx.x];
    for (int distance = 1; distance < 300; distance *= 2) {
        __syncthreads();
        const int add =
            static_cast<int>(threadIdx.x) >= distance ? tile[threadIdx.x - distance] : 0;
        __syncthreads();
        tile[threadIdx.x] += add;
    }
    values[threadIdx.x] = tile[threadIdx.x];
}

template <class Launch, class Answer>
void test(const char* name, int count, Launch launch, Answer answer) {
    DeviceArray<int> out(count);
    launch(static_cast<int*>(out));
    expect_equal(name, out.read(), for_threads<int>(count, answer));
}

int main() {
    test(
        "__syncthreads", 256, [](int* out) { reverse<<<1, 256>>>(out); },
        [](int i) { return (255 - i) * 3; });
    test(
        "count", 100, [](int* out) { count<<<1, 100>>>(out); }, [](int) { return 34 + 9000; });
    test(
        "and, or", 100, [](int* out) { and_or<<<1, 100>>>(out); }, [](int) { return 0b0101; });
    test(
        "numbered barriers of half blocks", 128, [](int* out) { halves<<<1, 128>>>(out); },
        [](int i) {
            const int rounds = 3 + 2 * (i / 64);
            return i / 64 * 64 + (i + rounds) % 64 + rounds;
        });
    test(
        "producer arrives, consumer waits", 32, [](int* out) { producer<<<1, 64>>>(out, 6); },
        [](int i) { return 1500 + 6 * (31 - i); });
    test(
        "threads that have left", 64, [](int* out) { left<<<1, 128>>>(out); },
        [](int i) { return 63 - i; });
    test(
        "a barrier in a loop", 100, [](int* out) { in_loop<<<1, 100>>>(out, 37); },
        [](int i) { return (i + 37) % 100; });

    std::vector<int> values =
        for_threads<int>(512, [](int i) { return static_cast<int>(i * 2654435761u); });
    DeviceArray<int> sorted(values);
    sort<<<1, 512>>>(sorted);
    std::sort(values.begin(), values.end());
    expect_equal("bitonic sort", sorted.read(), values);

    values = for_threads<int>(300, [](int i) { return i * i % 17; });
    DeviceArray<int> summed(values);
    prefix_sums<<<1, 300>>>(summed);
    for (int i = 1; i < 300; ++i) values[i] += values[i - 1];
    expect_equal("prefix sums", summed.read(), values);
}
