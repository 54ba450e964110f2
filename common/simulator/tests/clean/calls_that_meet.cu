// Lanes execute the same vote or shuffle in different calls of the function that contains it. They
// converge at this instruction, although their call sites differ.
#include "../cases.h"

__device__ __noinline__ unsigned voted(unsigned v, unsigned salt) {
    const unsigned mine = v * 3 + salt;
    const unsigned votes = __ballot_sync(0xffffffffu, v & 4);
    return votes ^ mine;
}
// clean votes_by_two_calls
__global__ void vote_by_two_calls(unsigned* out) {
    const unsigned t = threadIdx.x;
    unsigned got;
    if (t % 3 == 0)
        got = voted(t, 1000) + 1;
    else
        got = voted(t, 77) * 2;
    out[t] = got;
}
static void votes_by_two_calls() {
    unsigned* out = device_zeros<unsigned>(32);
    vote_by_two_calls<<<1, 32>>>(out);
    const auto got = to_host(out, 32);
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned votes = 0xf0f0f0f0u;
        const unsigned wanted =
            t % 3 == 0 ? (votes ^ (t * 3 + 1000)) + 1 : (votes ^ (t * 3 + 77)) * 2;
        expect(got[t] == wanted, "vote");
    }
}

__device__ __noinline__ unsigned long long from_next(unsigned long long v, int depth) {
    if (depth > 0) return from_next(v + 1, depth - 1) * 3;
    const unsigned long long kept = v << 7;
    return __shfl_sync(0xffffffffu, v, (threadIdx.x + 1) % 32) ^ kept;
}
// clean shuffles_by_calls_of_other_depth
__global__ void shuffle_by_calls_of_other_depth(unsigned long long* out) {
    const unsigned t = threadIdx.x;
    out[t] = from_next(t * 0x100000001ull, t % 4);
}
static void shuffles_by_calls_of_other_depth() {
    unsigned long long* out = device_zeros<unsigned long long>(32);
    shuffle_by_calls_of_other_depth<<<1, 32>>>(out);
    const auto got = to_host(out, 32);
    for (unsigned t = 0; t < 32; ++t) {
        const auto handed = [](unsigned lane) { return lane * 0x100000001ull + lane % 4; };
        unsigned long long wanted = handed((t + 1) % 32) ^ (handed(t) << 7);
        for (unsigned depth = 0; depth < t % 4; ++depth) wanted *= 3;
        expect(got[t] == wanted, "shuffle");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"votes_by_two_calls", votes_by_two_calls},
                     {"shuffles_by_calls_of_other_depth", shuffles_by_calls_of_other_depth}});
}
