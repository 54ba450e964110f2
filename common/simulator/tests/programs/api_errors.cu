// Tests the last error of a thread, which a failed call sets and only reading clears.
// expect: nothing failed yet: cudaSuccess
// expect: peeking: cudaErrorMemoryAllocation
// expect: a success in between changes nothing: cudaErrorMemoryAllocation
// expect: reading: cudaErrorMemoryAllocation
// expect: reading again: cudaSuccess
// expect: a launch that cannot be: cudaErrorInvalidValue
// expect: it left no error behind: cudaSuccess
// expect: the latest error wins: cudaErrorInvalidDevice
// expect: another thread has its own: cudaSuccess
// expect: this one still has it: cudaErrorInvalidDevice
// expect: cudaErrorIllegalAddress: an illegal memory access was encountered
// expect: cudaErrorInvalidConfiguration: invalid configuration argument
// expect: cudaErrorLaunchOutOfResources: too many resources requested for launch
// expect: cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version
// expect: unrecognized error code: unrecognized error code
// expect-stderr: apicheck: cudaErrorInvalidValue from
// expect-stderr: coalesce: cudaMalloc: 1125899906842624 bytes cannot be allocated
#include <initializer_list>
#include <thread>

#include "api_check.h"

__global__ void nothing() {}

static void say(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
}

static void print_texts(int number) {
    const auto error = static_cast<cudaError_t>(number);
    std::printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
}

int main() {
    void* block;
    say("nothing failed yet", cudaGetLastError());
    cudaMalloc(&block, size_t{1} << 50);
    say("peeking", cudaPeekAtLastError());
    need(cudaMalloc(&block, 16));
    say("a success in between changes nothing", cudaPeekAtLastError());
    say("reading", cudaGetLastError());
    say("reading again", cudaGetLastError());

    nothing<<<1, 2000>>>();
    say("a launch that cannot be", cudaGetLastError());
    say("it left no error behind", cudaDeviceSynchronize());

    cudaMalloc(&block, size_t{1} << 50);
    cudaSetDevice(1000);
    say("the latest error wins", cudaPeekAtLastError());
    std::thread([] { say("another thread has its own", cudaGetLastError()); }).join();
    say("this one still has it", cudaGetLastError());
    for (const int number : {700, 9, 701, 35, 12345}) print_texts(number);
}
