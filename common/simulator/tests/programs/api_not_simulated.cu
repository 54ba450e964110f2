// Calls that are not simulated are reported, by name, and the program goes on. On hardware they
// succeed, so that its exit code cannot be 0 here: its results are not those of a GPU. A question is
// answered with the same error, and leaves nothing undone.
// simulator only
// expect: a question: cudaErrorNotSupported
// expect: an array: cudaErrorNotSupported
// expect: the last error: cudaErrorNotSupported
// expect: the device still works: cudaSuccess
// expect-stderr: cudaMallocArray is not simulated.
// expect-stderr: cure: Use plain device memory and index it.
// expect-stderr: coalesce: cudaArrayGetInfo is not simulated; use plain device memory
// expect-stderr: simulate: not all that the program asked for could be simulated (1 report
// expect-exit: 2
#include "api_check.h"

int main() {
    cudaArray_t array;
    result("a question", cudaArrayGetInfo(nullptr, nullptr, nullptr, nullptr));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaError_t error = cudaMallocArray(&array, &format, 16, 16);
    std::printf("an array: %s\n", cudaGetErrorName(error));
    std::printf("the last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    result("the device still works", cudaDeviceSynchronize());
}
