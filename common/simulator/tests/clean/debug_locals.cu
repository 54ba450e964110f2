// nvcc: -G
// not built by clang: only nvcc has -G
// A loop that accesses a volatile local variable does not wait for other threads, so its lanes stay
// together. Without optimisation, such a variable is accessed through a generic address.
#include "../cases.h"

// clean volatile_local
__global__ void counts_in_a_volatile(unsigned* out) {
    unsigned v = 0;
    for (unsigned i = 0; i < threadIdx.x * 20; ++i) {
        volatile unsigned kept = v + i;
        if (kept > 7) v = kept;
    }
    __syncwarp();
    out[threadIdx.x] = v;
}
static void volatile_local() {
    unsigned* out = device_zeros<unsigned>(32);
    counts_in_a_volatile<<<1, 32>>>(out);
    const auto got = to_host(out, 32);
    for (unsigned t = 0; t < 32; ++t) {
        unsigned v = 0;
        for (unsigned i = 0; i < t * 20; ++i)
            if (v + i > 7) v = v + i;
        expect(got[t] == v, "count");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv, {{"volatile_local", volatile_local}});
}
