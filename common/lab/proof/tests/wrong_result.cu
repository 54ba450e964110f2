// Two examples with the same input: a correct kernel, and a kernel that omits the last element.
// proof.tutorial_notices_wrong_results expects an error for the second example.
#include "lab/proof/tests/tutorial/tutorial.h"

using namespace tutorial;

__global__ void double_values(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

namespace {

Example doubled(int elements) {
    const int n = 1000;
    const Buffer<float> in = filled(n, [](std::size_t i) { return 1.0f + static_cast<float>(i); }),
                        out = zeros<float>(n);
    return {[=] { double_values<<<blocks_for(n, 256), 256>>>(out, in, elements); },
            [=] { return compare(out, [&](std::size_t i) { return 2 * in.start(i); }); }};
}

}  // namespace

EXAMPLE(right_result) {
    return doubled(1000);
}
EXAMPLE(wrong_result) {
    return doubled(999);
}
