// Helpers for the feature tests: arrays on the device, and comparisons with the host's results. A
// test prints "NAME: ok", or the first element that differs. The `// expect:` lines at the top of
// its file list the lines that it must print.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

/// Ends the program if a CUDA runtime call fails.
#define MUST(call)                                                                     \
    do {                                                                               \
        const cudaError_t error = (call);                                              \
        if (error != cudaSuccess) {                                                    \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : DeviceArray(std::vector<T>(count)) {}
    DeviceArray(std::initializer_list<T> values) : DeviceArray(std::vector<T>(values)) {}
    explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
        MUST(cudaMalloc(&data_, count_ * sizeof(T)));
        MUST(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;

    operator T*() const { return data_; }
    /// Waits for the device, and returns a copy of the array's elements.
    std::vector<T> read() const {
        std::vector<T> values(count_);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

template <class T>
void print_value(const T& value) {
    if constexpr (std::is_floating_point_v<T>)
        std::printf("%f", static_cast<double>(value));
    else if constexpr (std::is_unsigned_v<T>)
        std::printf("%llu", static_cast<unsigned long long>(value));
    else if constexpr (std::is_integral_v<T>)
        std::printf("%lld", static_cast<long long>(value));
    else
        std::printf("another value");
}

template <class T>
void expect_equal(const char* name, const std::vector<T>& got, const std::vector<T>& wanted) {
    if (got.size() != wanted.size()) {
        std::printf("%s: %zu values, expected %zu\n", name, got.size(), wanted.size());
        return;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] == wanted[i]) continue;
        std::printf("%s: [%zu] is ", name, i);
        print_value(got[i]);
        std::printf(", expected ");
        print_value(wanted[i]);
        std::printf("\n");
        return;
    }
    std::printf("%s: ok\n", name);
}

/// Returns answer(0) to answer(count - 1), the host's results for each thread.
template <class T, class Answer>
std::vector<T> for_threads(int count, Answer answer) {
    std::vector<T> values(count);
    for (int i = 0; i < count; ++i) values[i] = answer(i);
    return values;
}
