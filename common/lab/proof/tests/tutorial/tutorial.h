/// \file
/// Kernels like those in CUDA courses and tutorials, for comparing the simulator with hardware.
///
/// Each source file in this folder contains the kernels of one theme, and is compiled to a program.
/// Each kernel has an EXAMPLE, which creates the input, launches the kernel once and compares the
/// result with the host's. The program runs all examples, or only those named with `--only`.
/// `--small` makes the inputs smaller. `--time` measures the kernels. `--repeat N` runs each
/// example N times on new input with the same values, so that a profiler sees N launches. The
/// program does not depend on the rest of the project, so `nvcc -cudart shared THEME.cu
/// tutorial.cpp` builds it anywhere.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutorial {

/// A kernel with its input, ready to be launched.
struct Example {
    std::function<void()> launch;  ///< launches the kernel once
    /// Compares the result of one launch with the host's. Returns "" if the result is correct, and
    /// otherwise a message.
    std::function<std::string()> check;
    /// Restores data that a launch changes and the next launch would read. Empty if a launch can be
    /// repeated without restoring anything.
    std::function<void()> restore = {};
};

/// Registers an example before main starts. Use the macro EXAMPLE to create one.
struct Registration {
    Registration(const char* name, Example (*prepare)());
};

#define EXAMPLE(name)                                                             \
    static ::tutorial::Example prepare_##name();                                  \
    static const ::tutorial::Registration register_##name{#name, prepare_##name}; \
    static ::tutorial::Example prepare_##name()

/// Returns `full`, or `small` if the program was started with --small.
int pick(int full, int small);

/// Throws std::runtime_error if the call failed.
void require(cudaError_t result);

/// An array on the device, with a copy of its initial values. Copies of the object share the array.
template <class T>
class Buffer {
public:
    Buffer(std::vector<T> start) : state_(std::make_shared<State>()) {
        state_->start = std::move(start);
        require(cudaMalloc(&state_->device, bytes()));
        restore();
    }

    T* get() const { return state_->device; }
    operator T*() const { return state_->device; }
    std::size_t size() const { return state_->start.size(); }
    /// Returns the initial value of element `i`.
    const T& start(std::size_t i) const { return state_->start[i]; }
    const std::vector<T>& start() const { return state_->start; }
    void restore() const {
        require(cudaMemcpy(state_->device, state_->start.data(), bytes(), cudaMemcpyHostToDevice));
    }
    /// Returns the current values of the elements on the device.
    std::vector<T> read() const {
        std::vector<T> values(size());
        require(cudaMemcpy(values.data(), state_->device, bytes(), cudaMemcpyDeviceToHost));
        return values;
    }

private:
    struct State {
        T* device = nullptr;
        std::vector<T> start;
        State() = default;
        State(const State&) = delete;
        State& operator=(const State&) = delete;
        ~State() { cudaFree(device); }
    };
    std::size_t bytes() const { return size() * sizeof(T); }
    std::shared_ptr<State> state_;
};

template <class T>
Buffer<T> zeros(std::size_t n) {
    return Buffer<T>(std::vector<T>(n));
}

/// Returns the pseudorandom number for index `i`, which is the same in every run.
inline std::uint32_t noise(std::uint64_t i, std::uint32_t seed = 1) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return static_cast<std::uint32_t>(x >> 32);
}

/// Returns an array whose element i is `value(i)`.
template <class F>
auto filled(std::size_t n, F value) {
    using T = std::decay_t<decltype(value(std::size_t{0}))>;
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
    return Buffer<T>(std::move(values));
}

/// Returns `n` pseudorandom floats between 0 and 1.
inline Buffer<float> floats(std::size_t n, std::uint32_t seed = 1) {
    return filled(
        n, [=](std::size_t i) { return static_cast<float>(noise(i, seed) >> 8) / 16777216.0f; });
}
inline Buffer<double> doubles(std::size_t n, std::uint32_t seed = 1) {
    return filled(n, [=](std::size_t i) { return noise(i, seed) / 4294967296.0; });
}
/// Returns `n` pseudorandom integers from 0 to `below` - 1.
template <class T = int>
Buffer<T> integers(std::size_t n, std::uint32_t below, std::uint32_t seed = 1) {
    return filled(n, [=](std::size_t i) { return static_cast<T>(noise(i, seed) % below); });
}

/// Returns a message that names the wrong element and both values.
std::string mismatch(std::size_t at, double expected, double found);

/// Compares values with `expected(i)` at about `samples` evenly spaced indices, or fewer. A value
/// may differ by `tolerance` * max(1, |expected(i)|).
template <class T, class F>
std::string compare(const std::vector<T>& values, F expected, double tolerance = 0,
                    std::size_t samples = 1 << 18) {
    const std::size_t step = values.size() <= samples ? 1 : values.size() / samples | 1;
    for (std::size_t i = 0; i < values.size(); i += step) {
        const double want = static_cast<double>(expected(i)),
                     found = static_cast<double>(values[i]);
        const double room = tolerance * std::max(1.0, std::fabs(want));
        if (!(std::fabs(want - found) <= room)) return mismatch(i, want, found);
    }
    return "";
}
template <class T, class F>
std::string compare(const Buffer<T>& buffer, F expected, double tolerance = 0,
                    std::size_t samples = 1 << 18) {
    return compare(buffer.read(), expected, tolerance, samples);
}

/// Returns the number of blocks of `threads` threads that cover `n` elements.
inline int blocks_for(std::size_t n, int threads) {
    return static_cast<int>((n + static_cast<std::size_t>(threads) - 1) /
                            static_cast<std::size_t>(threads));
}

/// Returns the sum of `value(i)`, in double precision.
template <class F>
double sum_of(std::size_t begin, std::size_t end, F value) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(value(i));
    return sum;
}

}  // namespace tutorial
