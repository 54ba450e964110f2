// Helpers for the test programs in bugs/ and clean/. Each program contains many cases, and its
// arguments select the cases to run.
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

/// Records a failure if a result is incorrect. The programs in clean/ use this function to check
/// their results.
inline void expect(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    case_failed = true;
}

/// Exits if a call that sets up a test has failed.
inline void need(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(3);
}

/// Runs a case. Reports whether it ended without a CUDA error.
inline bool came_to_its_end(const Case& one) {
    one.run();
    const cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status == cudaSuccess;
}

/// Runs the named cases in order. An error ends the program, because it would invalidate the
/// results of later cases. The last line of output states that all cases ran.
inline int run_case(int argc, char** argv, const std::vector<Case>& cases) {
    int ran = 0;
    for (int i = 1; i < argc; ++i) {
        for (const Case& c : cases) {
            if (std::strcmp(argv[i], c.name) != 0) continue;
            if (!came_to_its_end(c)) return 1;
            ++ran;
        }
    }
    if (ran > 0 && ran == argc - 1) {
        if (ran > 1) std::printf("all %d cases ran\n", ran);
        return case_failed ? 1 : 0;
    }
    std::fprintf(stderr, "usage: %s CASE..., which are some of\n", argv[0]);
    for (const Case& c : cases) std::fprintf(stderr, "  %s\n", c.name);
    return 2;
}

/// Returns a device array of `count` zeros.
template <class T>
T* device_zeros(std::size_t count) {
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    need(cudaMemset(data, 0, count * sizeof(T)));
    return data;
}
template <class T>
T* to_device(const std::vector<T>& host) {
    T* data = nullptr;
    need(cudaMalloc(&data, host.size() * sizeof(T)));
    need(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return data;
}
template <class T>
T* device_iota(std::size_t count) {
    std::vector<T> host(count);
    for (std::size_t i = 0; i < count; ++i) host[i] = static_cast<T>(i);
    return to_device(host);
}
template <class T>
std::vector<T> to_host(const T* data, std::size_t count) {
    std::vector<T> host(count);
    need(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/// Returns `count` pseudo-random numbers from 0 to `below` - 1, the same on every machine.
inline std::vector<int> random_numbers(std::size_t count, int below, unsigned seed = 1) {
    std::vector<int> numbers(count);
    for (int& number : numbers) {
        seed = seed * 1664525u + 1013904223u;
        number = static_cast<int>((seed >> 8) % static_cast<unsigned>(below));
    }
    return numbers;
}
