// Helpers for tests of the runtime API. Each line of output shows a call and its result, or a
// statement and whether it is true.
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

/// Prints a line such as "freeing twice: cudaErrorInvalidValue", and clears the last error.
inline void result(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

/// Prints a line such as "pitch is a multiple of 512: yes".
inline void fact(const char* what, bool holds) {
    std::printf("%s: %s\n", what, holds ? "yes" : "NO");
}
