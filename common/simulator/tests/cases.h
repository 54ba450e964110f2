// What the test programs in bugs/ and clean/ share: one program holds many cases, and the first
// argument says which one runs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Case {
    const char* name;
    void (*run)();
};

inline bool case_failed = false;

/// Clean programs compute something and say whether it is right.
inline void expect(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    case_failed = true;
}

/// For what must work before a kernel can be wrong.
inline void need(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(3);
}

inline int run_case(int argc, char** argv, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        if (argc != 2 || std::strcmp(argv[1], c.name) != 0) continue;
        c.run();
        const cudaError_t status = cudaDeviceSynchronize();
        if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return case_failed || status != cudaSuccess ? 1 : 0;
    }
    std::fprintf(stderr, "usage: %s CASE, which is one of\n", argv[0]);
    for (const Case& c : cases) std::fprintf(stderr, "  %s\n", c.name);
    return 2;
}

/// `count` zeros on the device, or 0, 1, 2, ...
template <class T>
T* device_zeros(std::size_t count) {
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    need(cudaMemset(data, 0, count * sizeof(T)));
    return data;
}
template <class T>
T* device_iota(std::size_t count) {
    std::vector<T> host(count);
    for (std::size_t i = 0; i < count; ++i) host[i] = static_cast<T>(i);
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    need(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return data;
}
template <class T>
std::vector<T> to_host(const T* data, std::size_t count) {
    std::vector<T> host(count);
    need(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}
