// Helpers for the tests of the runtime API. Each line of output is a call or fact and its result.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// Exits unless a call that prepares a test has succeeded.
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
