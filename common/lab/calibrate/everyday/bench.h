// A list of everyday kernels, each with its launch, and the program that times them.
//
// On a GPU the program prints the time of each launch with a cold and with a warm second-level cache. On the simulated
// GPU it prints the predicted time, the band and what the model does not know.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace everyday {

struct Case {
    std::string name;
    std::function<void()> launch;
};

/// Buffers that all kernels share.
struct Buffers {
    float *a = nullptr, *b = nullptr, *c = nullptr;  ///< 256 MiB each
    int* shuffled = nullptr;                         ///< 16 Mi indices below 64 Mi, in random order
    int* rows = nullptr;  ///< 1 Mi + 1 starts of rows for sparse matrices
};
inline constexpr std::size_t kFloats = std::size_t{1} << 26;
inline constexpr std::size_t kIndices = std::size_t{1} << 24;

std::vector<Case> memory_cases(const Buffers& buffers);
std::vector<Case> shared_cases(const Buffers& buffers);
std::vector<Case> arithmetic_cases(const Buffers& buffers);

}  // namespace everyday
