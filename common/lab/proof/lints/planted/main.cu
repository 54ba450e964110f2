// planted NAME [--twin]: launches one kernel of a pair once, for `simulate --lints`.
// planted --measure: measures every pair on a GPU, and prints the times as JSON.
// planted --list: prints the names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lab/proof/lints/planted/planted.h"

namespace coalesce::planted {

std::vector<Pair>& pairs() {
    static std::vector<Pair> all;
    return all;
}

namespace {

constexpr int kMeasurements = 7;

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void fill_with_hashes(u32* in, long rows, long cols, bool is_by_columns) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const long row = i / cols, col = i % cols;
    in[is_by_columns ? col * rows + row : i] = hash(static_cast<u32>(i));
}

__global__ void add_words(unsigned long long* sum, const u32* out, long words) {
    unsigned long long own = 0;
    for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
         i += static_cast<long>(gridDim.x) * blockDim.x)
        own += out[i];
    for (int distance = 16; distance > 0; distance /= 2)
        own += __shfl_down_sync(~0u, own, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

/// The arrays of a pair on the device.
class Arrays {
public:
    Arrays(const Pair& pair, long elements)
        : pair_(pair),
          in_words_(static_cast<long>(pair.in_words * static_cast<double>(elements)) + 64),
          out_words_(static_cast<long>(pair.out_words * static_cast<double>(elements)) + 64) {
        buffers_.elements = elements;
        check(cudaMalloc(&buffers_.in, in_words_ * sizeof(u32)), "cudaMalloc");
        check(cudaMalloc(&buffers_.out, out_words_ * sizeof(u32)), "cudaMalloc");
        check(cudaMemset(buffers_.in, 0, in_words_ * sizeof(u32)), "cudaMemset");
        check(cudaMemset(buffers_.out, 0, out_words_ * sizeof(u32)), "cudaMemset");
    }
    ~Arrays() {
        cudaFree(buffers_.in);
        cudaFree(buffers_.out);
    }
    void fill(bool is_twin) const {
        if (pair_.fill)
            pair_.fill(buffers_, is_twin);
        else
            fill_table(buffers_.in, in_words_, 1, false);
    }
    void run(bool is_twin) const {
        (is_twin ? pair_.efficient : pair_.inefficient)(buffers_);
        check(cudaGetLastError(), pair_.name);
    }
    /// Returns the sum of all words of `out`.
    unsigned long long sum() const {
        unsigned long long *device_sum, sum = 0;
        check(cudaMalloc(&device_sum, sizeof sum), "cudaMalloc");
        check(cudaMemset(device_sum, 0, sizeof sum), "cudaMemset");
        add_words<<<256, 256>>>(device_sum, buffers_.out, out_words_);
        check(cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost), "add_words");
        cudaFree(device_sum);
        return sum;
    }

private:
    const Pair& pair_;
    long in_words_, out_words_;
    Buffers buffers_{};
};

/// Returns the median time of several launches, in milliseconds.
double measure(const Arrays& arrays, bool is_twin) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int k = 0; k < 2; ++k) arrays.run(is_twin);
    std::vector<float> times;
    for (int k = 0; k < kMeasurements; ++k) {
        cudaEventRecord(begin);
        arrays.run(is_twin);
        cudaEventRecord(end);
        check(cudaEventSynchronize(end), "measurement");
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        times.push_back(ms);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return times[kMeasurements / 2];
}

/// Runs one kernel of a pair once, and returns the sum of its results.
unsigned long long run_once(const Pair& pair, long elements, bool is_twin) {
    const Arrays arrays(pair, elements);
    arrays.fill(is_twin);
    arrays.run(is_twin);
    return arrays.sum();
}

void measure_all() {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    int driver = 0;
    cudaDriverGetVersion(&driver);
    std::printf("{\n \"gpu\": \"%s\",\n \"driver\": %d,\n \"pairs\": {", properties.name, driver);
    const char* separator = "";
    for (const Pair& pair : pairs()) {
        if (run_once(pair, pair.simulated_elements, false) !=
            run_once(pair, pair.simulated_elements, true)) {
            std::fprintf(stderr, "%s: the twins give different results\n", pair.name);
            std::exit(1);
        }
        double ms[2];
        for (const bool is_twin : {false, true}) {
            const Arrays arrays(pair, pair.measured_elements);
            arrays.fill(is_twin);
            ms[is_twin] = measure(arrays, is_twin);
        }
        std::printf("%s\n  \"%s\": {\"inefficient_ms\": %.4f, \"efficient_ms\": %.4f}", separator,
                    pair.name, ms[0], ms[1]);
        std::fflush(stdout);
        separator = ",";
    }
    std::printf("\n }\n}\n");
}

}  // namespace

void fill_table(u32* in, long rows, long cols, bool is_by_columns) {
    fill_with_hashes<<<blocks_for(rows * cols, 256), 256>>>(in, rows, cols, is_by_columns);
}

}  // namespace coalesce::planted

int main(int argc, char** argv) {
    using namespace coalesce::planted;
    std::sort(pairs().begin(), pairs().end(),
              [](const Pair& a, const Pair& b) { return std::strcmp(a.name, b.name) < 0; });
    const std::string argument = argc > 1 ? argv[1] : "";
    if (argument == "--measure") {
        measure_all();
        return 0;
    }
    if (argument == "--list") {
        for (const Pair& pair : pairs()) std::puts(pair.name);
        return 0;
    }
    for (const Pair& pair : pairs()) {
        if (argument != pair.name) continue;
        const bool is_twin = argc > 2 && std::strcmp(argv[2], "--twin") == 0;
        std::printf("%s: %llu\n", pair.name, run_once(pair, pair.simulated_elements, is_twin));
        return 0;
    }
    std::fprintf(stderr, "usage: planted NAME [--twin] | --measure | --list\n");
    return 1;
}
