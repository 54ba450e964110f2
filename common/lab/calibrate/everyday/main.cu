// everyday [PART]... -- times everyday kernels on a GPU, or predicts them on the simulated one (see bench.h). Where the
// variable BESIDE is set, launches are recorded beside their run: slower, but neighbouring blocks then read real indices.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -cudart shared -o everyday *.cu -ldl
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench.h"

using namespace everyday;

namespace {

#define CHECK(call)                                                             \
    do {                                                                        \
        const cudaError_t error = call;                                         \
        if (error != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (0)

template <class T>
T* device_array(std::size_t count) {
    void* p = nullptr;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    return static_cast<T*>(p);
}

__global__ void fill(float* a, float* b, float* c, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned h = (static_cast<unsigned>(i) * 2654435761u) ^ (static_cast<unsigned>(i) >> 7);
    a[i] = (h & 0xffff) / 65536.f;
    b[i] = ((h >> 8) & 0xffff) / 65536.f;
    c[i] = .1f + (h >> 16) / 65536.f;
}

Buffers make_buffers() {
    Buffers m;
    m.a = device_array<float>(kFloats);
    m.b = device_array<float>(kFloats);
    m.c = device_array<float>(kFloats);
    fill<<<static_cast<unsigned>(kFloats / 256), 256>>>(m.a, m.b, m.c, kFloats);
    std::mt19937 random(7);
    std::vector<int> indices(kIndices);
    for (int& index : indices) index = static_cast<int>(random() >> 6);
    m.shuffled = device_array<int>(kIndices);
    CHECK(cudaMemcpy(m.shuffled, indices.data(), kIndices * sizeof(int), cudaMemcpyHostToDevice));
    std::vector<int> starts((1 << 20) + 1);
    for (std::size_t k = 1; k < starts.size(); ++k)
        starts[k] = starts[k - 1] + static_cast<int>(random() % 17);
    m.rows = device_array<int>(starts.size());
    CHECK(cudaMemcpy(m.rows, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
    return m;
}

class Timer {
public:
    Timer() {
        CHECK(cudaEventCreate(&start_));
        CHECK(cudaEventCreate(&stop_));
        flush_ = device_array<char>(kFlushed);
    }
    /// The median of some launches; cold: each after the second-level cache was filled with clean data.
    double ms(const std::function<void()>& launch, bool cold) {
        std::vector<double> times;
        launch();
        for (int k = 0; k < 7; ++k) {
            if (cold) read_through();
            CHECK(cudaEventRecord(start_));
            launch();
            CHECK(cudaEventRecord(stop_));
            CHECK(cudaEventSynchronize(stop_));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start_, stop_));
            times.push_back(ms);
        }
        CHECK(cudaGetLastError());
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

private:
    static constexpr std::size_t kFlushed = std::size_t{512} << 20;
    void read_through();
    cudaEvent_t start_{}, stop_{};
    char* flush_ = nullptr;
};

__global__ void read_all(const uint4* data, std::size_t n, unsigned* sink) {
    unsigned sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x)
        sum ^= data[i].x ^ data[i].w;
    if (sum == 0x12345677) *sink = sum;
}
void Timer::read_through() {
    read_all<<<1056, 512>>>(reinterpret_cast<const uint4*>(flush_), kFlushed / 16,
                            reinterpret_cast<unsigned*>(flush_));
}

using Record = void (*)(int);
using Predict = int (*)(const char*, void (*)(const char*, size_t, void*), void*);

void predict(const Case& one, Record record, Predict predict) {
    record(std::getenv("BESIDE") ? 1 : 3);
    one.launch();
    cudaDeviceSynchronize();
    std::string text;
    predict(
        "H200",
        [](const char* t, size_t n, void* to) { static_cast<std::string*>(to)->assign(t, n); },
        &text);
    record(0);
    std::printf("{\"name\": \"%s\", \"predictions\": %s}\n", one.name.c_str(), text.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    const auto record = reinterpret_cast<Record>(dlsym(RTLD_DEFAULT, "coalesceRecord"));
    const auto predicted = reinterpret_cast<Predict>(dlsym(RTLD_DEFAULT, "coalescePredict"));
    const Buffers buffers = make_buffers();
    std::vector<Case> cases;
    for (const auto& some :
         {memory_cases(buffers), shared_cases(buffers), arithmetic_cases(buffers)})
        cases.insert(cases.end(), some.begin(), some.end());
    const auto is_wanted = [&](const Case& one) {
        bool any = argc < 2;
        for (int k = 1; k < argc; ++k) any |= one.name.find(argv[k]) != std::string::npos;
        return any;
    };
    Timer* timer = record ? nullptr : new Timer;
    for (const Case& one : cases) {
        if (!is_wanted(one)) continue;
        if (record) {
            predict(one, record, predicted);
        } else {
            const double cold = timer->ms(one.launch, true), warm = timer->ms(one.launch, false);
            std::printf("{\"name\": \"%s\", \"cold_ms\": %.6f, \"warm_ms\": %.6f}\n",
                        one.name.c_str(), cold, warm);
        }
        std::fflush(stdout);
    }
    return 0;
}
