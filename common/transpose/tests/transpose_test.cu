// coalesce::transpose on whichever GPU is first in LD_LIBRARY_PATH.
//
// Test cases whose names begin with "gpu" need a real one. COALESCE_SAMPLES is how many random
// samples are tried.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "samples.h"

using namespace coalesce;
using namespace coalesce::samples;

namespace {

/// Pitches and strides that were left out are those of matrices whose rows lie side by side.
Sample filled_in(Sample sample) {
    TransposeOptions& options = sample.options;
    if (options.in_pitch == 0) options.in_pitch = sample.cols;
    if (options.out_pitch == 0) options.out_pitch = sample.rows;
    if (options.in_stride == 0) options.in_stride = sample.rows * options.in_pitch;
    if (options.out_stride == 0) options.out_stride = sample.cols * options.out_pitch;
    return sample;
}

void check(const Sample& sample, cudaStream_t stream = nullptr) {
    const Sample whole = filled_in(sample);
    INFO(whole.name());
    CHECK_EQ(trouble_with(whole, samples::transpose, stream), "");
}

int samples_wanted() {
    const char* text = std::getenv("COALESCE_SAMPLES");
    return text == nullptr ? 2000 : std::atoi(text);
}

/// What is wrong with a version that is wrong on purpose, in the first of some samples that shows it.
std::string first_trouble(const Transposer& wrong) {
    for (const Sample& sample : {Sample{4, 65, 33, {}, 0, 0}, Sample{1, 130, 70, {80, 140}, 3, 5},
                                 Sample{2, 64, 64, {}, 0, 0}}) {
        const std::string trouble = trouble_with(filled_in(sample), wrong);
        if (!trouble.empty()) return trouble;
    }
    return "";
}

/// One cell is written with the value of another.
__global__ void put(unsigned char* to, unsigned char value) {
    *to = value;
}
#ifdef __NVCC__
/// Touches a byte, and changes nothing.
__global__ void look(const unsigned char* from, unsigned char* to) {
    if (*from == *to) *to = *from;
}
#endif

}  // namespace

TEST_CASE("right: random shapes, types, pitches, offsets and batches") {
    std::mt19937_64 random(20260);
    if (simulator::is_loaded()) simulator::set_quiet(true);
    const int count = samples_wanted();
    REQUIRE_GT(count, 0);
    for (int i = 0; i < count; ++i) {
        const Sample sample = random_sample(random, 12000);
        INFO("sample ", i, ": ", sample.name());
        REQUIRE_EQ(trouble_with(sample, samples::transpose), "");
    }
}

TEST_CASE("right: nothing, and hardly anything") {
    for (const int size : {1, 2, 4, 8, 16}) {
        for (const std::int64_t rows : {0, 1, 2}) {
            for (const std::int64_t cols : {0, 1, 3}) check({size, rows, cols, {}, 1, 2});
        }
        check({size, 1, 1000, {}, 3, 5});
        check({size, 1000, 1, {}, 3, 5});
        check({size, 1, 1000, {1000, 3}, 0, 0});
        check({size, 1000, 1, {5, 1000}, 0, 0});
        check({size, 5, 7, {0, 0, 0}, 0, 0});
    }
}

TEST_CASE("right: every kernel, at every start") {
    for (const int size : {1, 2, 4, 8, 16}) {
        for (const std::int64_t start : {0, 1, 3}) {
            check({size, 300, 290, {}, start, 1});       // Realigned, Shifted, Shifted
            check({size, 70, 90, {100, 77}, 1, start});  // ... a part of a matrix
            check({size, 700, 37, {}, start, 1});        // Tall
            check({size, 37, 700, {}, 1, start});        // Wide
            check({size, 5, 9, {0, 0, 30}, start, 2});   // Stack
        }
        check({size, 256, 512, {}, 0, 0});           // Pieces
        check({size, 64, 128, {256, 80, 3}, 0, 0});  // ... a part of a matrix
    }
}

TEST_CASE("right: in a stream of your own") {
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check({4, 130, 71, {}, 1, 0}, stream);
    check({1, 1, 900, {}, 0, 0}, stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_CASE("right: places beyond 2^31 elements and 2^32 bytes") {
    // The last rows begin there. Memory between the rows is never touched.
    const std::int64_t far = (std::int64_t{1} << 31) / 60;
    struct Far {
        int size;
        std::int64_t in_pitch, out_pitch;
    };
    for (const Far& kind :
         {Far{1, far, 70}, Far{1, 70, far}, Far{4, far + 64, 80}, Far{4, 72, far}}) {
        constexpr std::int64_t rows = 70, cols = 66;
        const auto bytes = [&](std::int64_t pitch) {
            return static_cast<std::size_t>(70 * pitch * kind.size);
        };
        const DeviceBuffer in(bytes(kind.in_pitch)), out(bytes(kind.out_pitch));
        std::vector<unsigned char> values(static_cast<std::size_t>(rows * cols * kind.size));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<unsigned char>(i * 7);
        const auto length = static_cast<std::size_t>(cols * kind.size);
        const auto turned_length = static_cast<std::size_t>(rows * kind.size);
        CUDA_CHECK(cudaMemcpy2D(in.data(), static_cast<std::size_t>(kind.in_pitch * kind.size),
                                values.data(), length, length, rows, cudaMemcpyHostToDevice));
        TransposeOptions options;
        options.in_pitch = kind.in_pitch;
        options.out_pitch = kind.out_pitch;
        REQUIRE_EQ(transpose_elements(out.data(), in.data(), static_cast<std::size_t>(kind.size),
                                      rows, cols, options),
                   cudaSuccess);
        std::vector<unsigned char> turned(values.size());
        CUDA_CHECK(cudaMemcpy2D(turned.data(), turned_length, out.data(),
                                static_cast<std::size_t>(kind.out_pitch * kind.size), turned_length,
                                cols, cudaMemcpyDeviceToHost));
        if (simulator::is_loaded()) CHECK(simulator::reports().empty());
        int wrong = 0;
        for (std::int64_t i = 0; i < rows * cols; ++i) {
            const std::int64_t row = i / cols, col = i % cols;
            for (int byte = 0; byte < kind.size; ++byte) {
                wrong += turned[static_cast<std::size_t>((col * rows + row) * kind.size + byte)] !=
                         values[static_cast<std::size_t>(i * kind.size + byte)];
            }
        }
        CHECK_EQ(wrong, 0);
    }
}

TEST_CASE("right: what cannot be meant is refused, and no error is left behind") {
    const DeviceBuffer memory(4096);
    float* const place = static_cast<float*>(memory.data());
    float* const odd = reinterpret_cast<float*>(static_cast<char*>(memory.data()) + 2);
    TransposeOptions narrow;
    narrow.in_pitch = 4;
    TransposeOptions negative;
    negative.batches = -1;
    CHECK_EQ(coalesce::transpose(place, place + 100, -1, 5), cudaErrorInvalidValue);
    CHECK_EQ(coalesce::transpose(place, place + 100, 5, -1), cudaErrorInvalidValue);
    CHECK_EQ(coalesce::transpose(place, place + 100, 5, 5, narrow), cudaErrorInvalidValue);
    CHECK_EQ(coalesce::transpose(place, place + 100, 5, 5, negative), cudaErrorInvalidValue);
    CHECK_EQ(coalesce::transpose(odd, place + 100, 5, 5), cudaErrorMisalignedAddress);
    CHECK_EQ(coalesce::transpose<float>(nullptr, place, 5, 5), cudaErrorInvalidValue);
    CHECK_EQ(coalesce::transpose<float>(nullptr, nullptr, 0, 5), cudaSuccess);
    CHECK_EQ(coalesce::transpose(place, place + 100, std::int64_t{1} << 40, std::int64_t{1} << 40),
             cudaErrorInvalidValue);
    CHECK_EQ(transpose_elements(place, place + 100, 3, 5, 5), cudaErrorInvalidValue);
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_CASE("wrong versions are found") {
    if (simulator::is_loaded()) simulator::set_quiet(true);
    const auto last = [](const Sample& sample) { return sample.rows * sample.cols - 1; };
    CHECK_NE(first_trouble([](void*, const void*, const Sample&, cudaStream_t) {
                 return cudaSuccess;  // does nothing
             }),
             "");
    CHECK_NE(
        first_trouble([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            Sample shorter = sample;  // forgets the last row
            shorter.rows -= 1;
            return samples::transpose(out, in, shorter, stream);
        }),
        "");
    CHECK_NE(
        first_trouble([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            Sample misread = sample;  // one element further
            misread.rows -= 1;
            static_cast<void>(samples::transpose(out, in, sample, stream));
            return samples::transpose(out, static_cast<const char*>(in) + sample.size, misread,
                                      stream);
        }),
        "");
    CHECK_NE(
        first_trouble([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            if (sample.options.out_pitch > sample.rows) {  // writes between the rows
                put<<<1, 1, 0, stream>>>(
                    static_cast<unsigned char*>(out) + sample.rows * sample.size, 1);
            }
            return error;
        }),
        "");
    CHECK_NE(
        first_trouble([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            auto* bytes = static_cast<unsigned char*>(const_cast<void*>(in));
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            put<<<1, 1, 0, stream>>>(bytes + last(sample), 1);  // changes the input
            put<<<1, 1, 0, stream>>>(bytes + last(sample) - 1, 2);
            return error;
        }),
        "");
#ifdef __NVCC__  // by clang this read is not reported
    if (!simulator::is_loaded()) return;
    CHECK_NE(
        first_trouble([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            if (sample.options.in_pitch > sample.cols) {  // reads between the rows
                const auto* bytes = static_cast<const unsigned char*>(in);
                look<<<1, 1, 0, stream>>>(bytes + sample.cols * sample.size,
                                          static_cast<unsigned char*>(out));
            }
            return error;
        }),
        "");
#endif
}

#ifdef __NVCC__  // the headers of common/cuda have no graphs
TEST_CASE("gpu: captured into a graph") {
    for (const Sample& kind : {Sample{4, 300, 200, {}, 0, 0}, Sample{1, 77, 501, {}, 1, 0},
                               Sample{8, 1, 400, {}, 0, 0}, Sample{4, 9, 5, {0, 0, 100}, 0, 0}}) {
        const Sample sample = filled_in(kind);
        INFO(sample.name());
        const Transposer by_graph = [](void* out, const void* in, const Sample& s, cudaStream_t) {
            cudaStream_t stream = nullptr;
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t ready = nullptr;
            CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            const cudaError_t error = samples::transpose(out, in, s, stream);
            CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
            CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
            CUDA_CHECK(cudaGraphLaunch(ready, stream));
            CUDA_CHECK(cudaStreamSynchronize(stream));
            CUDA_CHECK(cudaGraphExecDestroy(ready));
            CUDA_CHECK(cudaGraphDestroy(graph));
            CUDA_CHECK(cudaStreamDestroy(stream));
            return error;
        };
        CHECK_EQ(trouble_with(sample, by_graph), "");
    }
}
#endif
