// Helpers for tests of the order between streams.
#pragma once

#include "cases.h"

constexpr int kCount = 1024;

/// Returns a stream that does not wait for the default stream.
inline cudaStream_t new_stream() {
    cudaStream_t stream;
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}
/// Returns kCount zeros in pinned host memory.
inline int* pinned_zeros() {
    int* host;
    need(cudaMallocHost(&host, kCount * sizeof(int)));
    std::memset(host, 0, kCount * sizeof(int));
    return host;
}
inline cudaEvent_t new_event() {
    cudaEvent_t event;
    need(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}
