// Tests instructions with which lanes read each other's registers.
// expect: shuffle index: ok
// expect: shuffle up: ok
// expect: shuffle down: ok
// expect: shuffle butterfly: ok
// expect: shuffle in segments of 8: ok
// expect: shuffle of doubles: ok
// expect: shuffle among half of the lanes: ok
// expect: shuffle predicate: ok
// expect: vote all any uniform: ok
// expect: ballot: ok
// expect: votes of the opposite: ok
// expect: ballot of a divergent half: ok
// expect: match any: ok
// expect: match any of 64 bits: ok
// expect: match all: ok
// expect: reduce unsigned: ok
// expect: reduce signed: ok
// expect: reduce bits: ok
// expect: active mask: ok
// expect: elect: ok
// expect: sum over a warp: ok
#include "check.h"

constexpr unsigned kAll = 0xffffffffu;

__host__ __device__ int value_of(int lane) {
    return lane * lane * 7 + 3;
}

__global__ void shuffle_index(int* out) {
    out[threadIdx.x] = __shfl_sync(kAll, value_of(threadIdx.x), threadIdx.x * 5);
}
__global__ void shuffle_up(int* out) {
    out[threadIdx.x] = __shfl_up_sync(kAll, value_of(threadIdx.x), 3);
}
__global__ void shuffle_down(int* out) {
    out[threadIdx.x] = __shfl_down_sync(kAll, value_of(threadIdx.x), 5);
}
__global__ void shuffle_butterfly(int* out) {
    out[threadIdx.x] = __shfl_xor_sync(kAll, value_of(threadIdx.x), 9);
}

__global__ void shuffle_segments(int* out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_sync(kAll, value_of(lane), 2, 8);
    out[32 + lane] = __shfl_up_sync(kAll, value_of(lane), 3, 8);
    out[64 + lane] = __shfl_down_sync(kAll, value_of(lane), 3, 8);
    out[96 + lane] = __shfl_xor_sync(kAll, value_of(lane), 12, 8);
}

__global__ void shuffle_doubles(double* out) {
    out[threadIdx.x] = __shfl_down_sync(kAll, threadIdx.x * 1.25 + 1e-9, 1);
}

__global__ void shuffle_half(int* out) {
    const int lane = threadIdx.x;
    out[lane] = -1;
    if (lane < 16)
        out[lane] = __shfl_xor_sync(0x0000ffffu, value_of(lane), 1);
    else
        out[lane] = __shfl_sync(0xffff0000u, value_of(lane), 31);
}

__global__ void shuffle_predicate(int* out) {
    int value, inside;
    asm("{ .reg .pred p;\n\t"
        "shfl.sync.down.b32 %0|p, %2, 20, 31, 0xffffffff;\n\t"
        "selp.s32 %1, 1, 0, p; }"
        : "=r"(value), "=r"(inside)
        : "r"(value_of(threadIdx.x)));
    out[threadIdx.x] = inside ? value : -value;
}

__global__ void votes(int* out) {
    const int lane = threadIdx.x;
    int bits = 0;
    bits |= (__all_sync(kAll, lane >= 0) != 0) << 0;
    bits |= (__all_sync(kAll, lane > 0) != 0) << 1;
    bits |= (__any_sync(kAll, lane == 31) != 0) << 2;
    bits |= (__any_sync(kAll, lane == 32) != 0) << 3;
    bits |= (__uni_sync(kAll, lane < 0) != 0) << 4;
    bits |= (__uni_sync(kAll, lane < 40) != 0) << 5;
    bits |= (__uni_sync(kAll, lane < 4) != 0) << 6;
    out[lane] = bits;
}

__global__ void ballot_all(unsigned* out) {
    out[threadIdx.x] = __ballot_sync(kAll, threadIdx.x % 3 == 0);
}

__global__ void ballot_half(unsigned* out) {
    const int lane = threadIdx.x;
    if (lane & 1)
        out[lane] = __ballot_sync(0xaaaaaaaau, lane > 15);
    else
        out[lane] = __ballot_sync(0x55555555u, lane < 4);
}

/// Votes on `!p` with a negation inside of the instruction, a form that no compiler emits.
__global__ void votes_of_the_opposite(unsigned* out) {
    unsigned bits, all, any, none;
    asm("{ .reg .pred p, q;\n\t"
        "setp.lt.u32 p, %4, 5;\n\t"
        "vote.sync.ballot.b32 %0, !p, 0xffffffff;\n\t"
        "vote.sync.all.pred q, !p, 0xffffffff;\n\t"
        "selp.u32 %1, 1, 0, q;\n\t"
        "vote.sync.any.pred q, !p, 0xffffffff;\n\t"
        "selp.u32 %2, 1, 0, q;\n\t"
        "setp.lt.u32 p, %4, 32;\n\t"
        "vote.sync.any.pred q, !p, 0xffffffff;\n\t"
        "selp.u32 %3, 1, 0, q; }"
        : "=r"(bits), "=r"(all), "=r"(any), "=r"(none)
        : "r"(threadIdx.x));
    out[threadIdx.x] = bits + all + 2 * any + 4 * none;
}

__global__ void match_any(unsigned* out) {
    out[threadIdx.x] = __match_any_sync(kAll, threadIdx.x / 5);
}
__global__ void match_any_wide(unsigned* out) {
    // The values differ only in their upper halves.
    out[threadIdx.x] =
        __match_any_sync(kAll, static_cast<unsigned long long>(threadIdx.x % 3) << 40);
}

__global__ void match_all(unsigned* out) {
    const int lane = threadIdx.x;
    int same = 5, different = 5;
    out[lane] = __match_all_sync(kAll, 42, &same);
    out[32 + lane] = __match_all_sync(kAll, lane == 7, &different);
    out[64 + lane] = same * 2 + different;
}

__global__ void reduce_unsigned(unsigned* out) {
    const unsigned value = threadIdx.x * 0x9e3779b9u;
    out[threadIdx.x] = __reduce_add_sync(kAll, value);
    out[32 + threadIdx.x] = __reduce_min_sync(kAll, value);
    out[64 + threadIdx.x] = __reduce_max_sync(kAll, value);
}
__global__ void reduce_signed(int* out) {
    const int value = static_cast<int>(threadIdx.x * 0x9e3779b9u);
    out[threadIdx.x] = __reduce_add_sync(kAll, value);
    out[32 + threadIdx.x] = __reduce_min_sync(kAll, value);
    out[64 + threadIdx.x] = __reduce_max_sync(kAll, value);
}
__global__ void reduce_bits(unsigned* out) {
    const unsigned value = threadIdx.x * 0x9e3779b9u;
    out[threadIdx.x] = __reduce_and_sync(kAll, value | 0x10u);
    out[32 + threadIdx.x] = __reduce_or_sync(kAll, value & 0xff00u);
    out[64 + threadIdx.x] = __reduce_xor_sync(kAll, value);
}

__global__ void active_mask(unsigned* out) {
    const int lane = threadIdx.x;
    out[lane] = __activemask();
    // In a divergent branch, __activemask() may include other lanes of the branch than the caller.
    if (lane % 4 == 1) {
        const unsigned active = __activemask();
        out[lane] = (active & ~0x22222222u) == 0 && (active >> lane & 1);
    }
}

__global__ void elect(unsigned* out) {
    unsigned leader, chosen;
    asm("{ .reg .pred p;\n\t"
        "elect.sync %0|p, 0xffffffff;\n\t"
        "selp.u32 %1, 1, 0, p; }"
        : "=r"(leader), "=r"(chosen));
    const unsigned number_chosen = __popc(__ballot_sync(kAll, chosen));
    const bool it_is_me = leader == threadIdx.x;
    out[threadIdx.x] = number_chosen == 1 && it_is_me == (chosen == 1);
}

__global__ void sum_over_warp(int* out) {
    int sum = value_of(threadIdx.x);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(kAll, sum, distance);
    out[threadIdx.x] = sum;
}

template <class T, class Kernel, class Answer>
void test(const char* name, Kernel kernel, int count, Answer answer) {
    DeviceArray<T> out(count);
    kernel<<<1, 32>>>(out);
    expect_equal(name, out.read(), for_threads<T>(count, answer));
}

template <class T, class Combine>
T over_lanes(Combine combine) {
    T total = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const T value = static_cast<T>(lane * 0x9e3779b9u);
        total = lane ? combine(total, value) : value;
    }
    return total;
}

int main() {
    test<int>("shuffle index", shuffle_index, 32, [](int l) { return value_of(l * 5 % 32); });
    test<int>("shuffle up", shuffle_up, 32, [](int l) { return value_of(l < 3 ? l : l - 3); });
    test<int>("shuffle down", shuffle_down, 32, [](int l) { return value_of(l > 26 ? l : l + 5); });
    test<int>("shuffle butterfly", shuffle_butterfly, 32, [](int l) { return value_of(l ^ 9); });
    test<int>("shuffle in segments of 8", shuffle_segments, 128, [](int i) {
        const int l = i % 32, in_segment = l % 8, first = l - in_segment;
        switch (i / 32) {
            case 0: return value_of(first + 2);
            case 1: return value_of(in_segment < 3 ? l : l - 3);
            case 2: return value_of(in_segment > 4 ? l : l + 3);
            // Only a shuffle towards lower lanes can leave the segment.
            default: return value_of((l ^ 12) > first + 7 ? l : l ^ 12);
        }
    });
    test<double>("shuffle of doubles", shuffle_doubles, 32,
                 [](int l) { return (l == 31 ? l : l + 1) * 1.25 + 1e-9; });
    test<int>("shuffle among half of the lanes", shuffle_half, 32,
              [](int l) { return value_of(l < 16 ? l ^ 1 : 31); });
    test<int>("shuffle predicate", shuffle_predicate, 32,
              [](int l) { return l < 12 ? value_of(l + 20) : -value_of(l); });

    test<int>("vote all any uniform", votes, 32, [](int) { return 0b0110101; });
    test<unsigned>("ballot", ballot_all, 32, [](int) { return 0x49249249u; });
    test<unsigned>("votes of the opposite", votes_of_the_opposite, 32,
                   [](int) { return 0xffffffe0u + 2; });
    test<unsigned>("ballot of a divergent half", ballot_half, 32,
                   [](int l) { return l & 1 ? 0xaaaa0000u : 0x00000005u; });
    test<unsigned>("match any", match_any, 32,
                   [](int l) { return l >= 30 ? 0xc0000000u : 31u << (l / 5 * 5); });
    test<unsigned>("match any of 64 bits", match_any_wide, 32, [](int l) {
        unsigned same = 0;
        for (int k = l % 3; k < 32; k += 3) same |= 1u << k;
        return same;
    });
    test<unsigned>("match all", match_all, 96, [](int i) {
        return i < 32 ? kAll : i < 64 ? 0u : 2u;
    });

    test<unsigned>("reduce unsigned", reduce_unsigned, 96, [](int i) {
        if (i < 32) return over_lanes<unsigned>([](unsigned a, unsigned b) { return a + b; });
        if (i < 64)
            return over_lanes<unsigned>([](unsigned a, unsigned b) { return a < b ? a : b; });
        return over_lanes<unsigned>([](unsigned a, unsigned b) { return a > b ? a : b; });
    });
    test<int>("reduce signed", reduce_signed, 96, [](int i) {
        if (i < 32)
            return static_cast<int>(
                over_lanes<unsigned>([](unsigned a, unsigned b) { return a + b; }));
        if (i < 64) return over_lanes<int>([](int a, int b) { return a < b ? a : b; });
        return over_lanes<int>([](int a, int b) { return a > b ? a : b; });
    });
    test<unsigned>("reduce bits", reduce_bits, 96, [](int i) {
        unsigned all = kAll, any = 0, odd = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned value = lane * 0x9e3779b9u;
            all &= value | 0x10u;
            any |= value & 0xff00u;
            odd ^= value;
        }
        return i < 32 ? all : i < 64 ? any : odd;
    });
    test<unsigned>("active mask", active_mask, 32, [](int l) { return l % 4 == 1 ? 1u : kAll; });
    test<unsigned>("elect", elect, 32, [](int) { return 1u; });
    test<int>("sum over a warp", sum_over_warp, 32, [](int) {
        int sum = 0;
        for (int lane = 0; lane < 32; ++lane) sum += value_of(lane);
        return sum;
    });
}
