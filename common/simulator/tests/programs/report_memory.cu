// Tests that a report on stderr names the check, kind, line and thread, and sets the exit code.
// simulator only: the program contains errors that hardware does not detect
// simulate: --error-exitcode 5
// expect-exit: 5
// expect: illegal memory access
// expect-stderr: coalesce: memcheck: out of bounds in beyond
// expect-stderr: report_memory.cu:14
// expect-stderr: by block (0,0,0), thread (8,0,0)
// expect-stderr: cure:
// expect-stderr: 1 report
#include <cstdio>

__global__ void beyond(int* out) {
    out[threadIdx.x] = 1;
}

int main() {
    int* out;
    cudaMalloc(&out, 8 * sizeof(int));
    beyond<<<1, 32>>>(out);
    std::printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "went well"
                                                               : "illegal memory access");
    return 0;
}
