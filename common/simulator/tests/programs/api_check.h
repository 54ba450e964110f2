// Helpers for the tests of the runtime API. Each line of output names a call with its result, or a
// property and whether it holds.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Exits if a call that sets up a test has failed.
inline void need(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("a call that must work failed: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// Prints "freeing twice: cudaErrorInvalidValue", for example, and clears the thread's last error.
inline void result(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

/// Prints "pitch is a multiple of 512: yes", for example.
inline void fact(const char* what, bool holds) {
    std::printf("%s: %s\n", what, holds ? "yes" : "NO");
}
