// What the tests of the runtime API share: each line names a call or a fact and what came of it.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

/// For calls that must work before there is anything to test.
inline void need(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("a call that must work failed: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/// "freeing twice: cudaErrorInvalidValue". Clears the thread's last error.
inline void result(const char* what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

/// "pitch is a multiple of 512: yes"
inline void fact(const char* what, bool holds) {
    std::printf("%s: %s\n", what, holds ? "yes" : "NO");
}
