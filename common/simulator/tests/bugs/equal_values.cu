// Races in which all threads store the same value. Only the check equalvalues reports them, because
// they are often harmless: in many programs, several threads set the same flag.
// simulate zeros: --check all,equalvalues
// clean without_the_switch
#include "../cases.h"

// All 8 rows of threads compute the same sums, and store them in the same elements.
__global__ void sums(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = 0;  // bug zeros: globalrace: write after write // other zeros
    for (int k = 0; k < 8; ++k) out[i] += in[i * 8 + k];  // other zeros
}
static void zeros() {
    sums<<<2, dim3(32, 8)>>>(device_zeros<float>(64), device_zeros<float>(512), 64);
}

int main(int argc, char** argv) {
    return run_case(argc, argv, {{"zeros", zeros}, {"without_the_switch", zeros}});
}
