// A call that is not simulated is reported by name, and the program continues. The exit code is not
// 0, because the call succeeds on a GPU, so later results may differ. A query also returns an
// error, but does not change the exit code, because later results do not depend on it.
// simulator only
// expect: a question: cudaErrorNotSupported
// expect: memory of another process: cudaErrorNotSupported
// expect: the last error: cudaErrorNotSupported
// expect: the device still works: cudaSuccess
// expect-stderr: cudaIpcCloseMemHandle is not simulated.
// expect-stderr: cure: Copy through host memory.
// expect-stderr: coalesce: cudaArrayGetPlane is not simulated; use plain CUDA arrays
// expect-stderr: simulate: parts of the program could not be simulated (1 report
// expect-exit: 2
#include "api_check.h"

int main() {
    result("a question", cudaArrayGetPlane(nullptr, nullptr, 0));
    const cudaError_t error = cudaIpcCloseMemHandle(nullptr);
    std::printf("memory of another process: %s\n", cudaGetErrorName(error));
    std::printf("the last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    result("the device still works", cudaDeviceSynchronize());
}
