// Sharing between processes is not simulated: each call fails, and the exit code is not 0.
// not built by clang: it lacks the functions for several processes
// simulator only
// expect: giving memory: cudaErrorNotSupported
// expect: taking it: cudaErrorNotSupported
// expect: an event for other processes: cudaErrorNotSupported
// expect: the device still works: cudaSuccess
// expect-stderr: cudaIpcGetMemHandle is not simulated.
// expect-stderr: cudaIpcOpenMemHandle is not simulated.
// expect-stderr: cudaEventCreateWithFlags: an event shared with other processes is
// expect-stderr: cure: Copy through host memory.
// expect-exit: 2
#include "api_check.h"

int main() {
    void *memory, *theirs;
    cudaIpcMemHandle_t handle = {};
    cudaEvent_t event;
    need(cudaMalloc(&memory, 16));
    result("giving memory", cudaIpcGetMemHandle(&handle, memory));
    result("taking it", cudaIpcOpenMemHandle(&theirs, handle, cudaIpcMemLazyEnablePeerAccess));
    result("an event for other processes",
           cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    result("the device still works", cudaDeviceSynchronize());
    need(cudaFree(memory));
}
