// Tests coalesce::transpose on the device of the first libcudart in LD_LIBRARY_PATH.
//
// Test cases whose names start with "gpu" need a real GPU. The environment
// variable COALESCE_SAMPLES sets the number of random samples.

#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "launch_checks.h"
#include "samples.h"

using namespace coalesce;
using namespace coalesce::samples;

namespace {

int sample_count() {
    const char* text = std::getenv("COALESCE_SAMPLES");
    return text == nullptr ? 2000 : std::atoi(text);
}

/// Returns the first error that three fixed samples reveal in a deliberately wrong transpose.
std::string find_mistake(const Transposer& wrong_transpose) {
    for (const Sample& sample : {Sample{4, 65, 33, {}, 0, 0}, Sample{1, 130, 70, {80, 140}, 3, 5},
                                 Sample{2, 64, 64, {}, 0, 0}}) {
        const std::string found_error = find_error(fill_layout(sample), wrong_transpose);
        if (!found_error.empty()) return found_error;
    }
    return "";
}

/// Returns a transposer that always runs `Kernel`, even if the library would choose another one.
template <int SIZE, class Kernel>
Transposer transpose_by(bool spreads_strips = false, unsigned group = 1) {
    return [=](void* out, const void* in, const Sample& s, cudaStream_t stream) {
        transposing::TransposeTask task;
        const cudaError_t error =
            transposing::parse_arguments(task, out, in, SIZE, s.rows, s.cols, s.options);
        if (error != cudaSuccess) return error;
        task.spreads_strips = spreads_strips;
        task.strips_in_group = group;
        return transposing::launch_fixed_tiles<SIZE, Kernel>(task, stream);
    };
}

template <int SIZE, class Kernel>
void check_kernel(const Sample& sample, bool spreads_strips = false, unsigned group = 1) {
    const Sample full_sample = fill_layout(sample);
    INFO(full_sample.name());
    CHECK_EQ(find_error(full_sample, transpose_by<SIZE, Kernel>(spreads_strips, group), nullptr),
             "");
}

/// Writes a byte, to introduce an error.
__global__ void store_byte(unsigned char* to, unsigned char value) {
    *to = value;
}
#ifdef __NVCC__
/// Reads a byte without changing any memory, so that a transposer can make an invalid read.
__global__ void load_byte(const unsigned char* from, unsigned char* to) {
    if (*from == *to) *to = *from;
}
#endif

}  // namespace

TEST_CASE("transpose is correct for random shapes, types, pitches, offsets and batches") {
    std::mt19937_64 random(20260);
    if (simulator_library::is_loaded()) simulator_library::set_quiet(true);
    const int count = sample_count();
    REQUIRE_GT(count, 0);
    for (int i = 0; i < count; ++i) {
        const Sample sample = random_sample(random, 12000);
        INFO("sample ", i, ": ", sample.name());
        REQUIRE_EQ(find_error(sample, samples::transpose), "");
    }
}

TEST_CASE("transpose is correct for empty and tiny matrices") {
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

TEST_CASE("every kernel is correct at every alignment") {
    for (const int size : {1, 2, 4, 8, 16}) {
        for (const std::int64_t start : {0, 1, 3}) {
            check({size,
                   300,
                   290,
                   {},
                   start,
                   1});  // RealignedVectorKernel and ShiftedElementKernel run
            check({size, 70, 90, {100, 77}, 1, start});  // runs the same kernels on a submatrix
            check({size, 700, 37, {}, start, 1});        // runs TallStripKernel
            check({size, 37, 700, {}, 1, start});        // runs WideStripKernel
            check({size, 5, 9, {0, 0, 30}, start, 2});   // runs MatrixStackKernel
            check({size, 63, 31, {0, 0, 3}, 1, start});  // the same, larger matrices
            check({size, 9, 32, {0, 0, 7}, start, 1});   // the same, with padding
        }
        check({size, 256, 512, {}, 0, 0});           // runs RegisterBlockKernel
        check({size, 64, 128, {256, 80, 3}, 0, 0});  // runs RegisterBlockKernel on a submatrix
    }
}

TEST_CASE("the kernels for large matrices are correct on small matrices") {
    using namespace transposing;
    constexpr LoadPolicy far = LoadPolicy::evict_last_128, stay = LoadPolicy::evict_last;
    for (const std::int64_t start : {0, 1, 7}) {
        for (const std::int64_t pitch : {0, 601}) {
            const TransposeOptions options{pitch, pitch, 2};
            check_kernel<1, RewoundRowKernel<1, 256, 512, 2, far, 32>>(
                {1, 397, 523, options, start, 3});
            check_kernel<2, RewoundRowKernel<2, 128, 256, 4, far, 32>>(
                {2, 397, 283, options, start, 3});
            check_kernel<1, RewoundRowKernel<1, 128, 512, 4, far, 32>>(
                {1, 397, 523, options, start, 3});
            check_kernel<1, RewoundRowKernel<1, 128, 512, 4, far, 16>>(
                {1, 397, 523, options, start, 3});
            check_kernel<4, ShiftedElementKernel<4, 64, 64, 256, 32, far>>(
                {4, 197, 203, options, start, 3});
            check_kernel<4, ShiftedElementKernel<4, 64, 64, 512, 32, far>>(
                {4, 197, 203, options, start, 3});
            check_kernel<8, ShiftedElementKernel<8, 64, 32, 512, 32, far>>(
                {8, 97, 103, options, start, 3});
            check_kernel<16, ShiftedElementKernel<16, 64, 16, 512, 32, far>>(
                {16, 97, 73, options, start, 3});
            check_kernel<4, ShiftedElementKernel<4, 64, 64, 512, 4, far>>(
                {4, 197, 203, options, start, 3});
            check_kernel<4, ShiftedElementKernel<4, 32, 128, 512, 4, far>>(
                {4, 197, 203, options, start, 3});
            check_kernel<8, ShiftedElementKernel<8, 32, 64, 512, 8, far>>(
                {8, 97, 103, options, start, 3});
            check_kernel<16, ShiftedElementKernel<16, 32, 32, 512, 16, far>>(
                {16, 97, 73, options, start, 3});
        }
    }
    for (const TransposeOptions& options : {TransposeOptions{}, TransposeOptions{272, 208, 3}}) {
        check_kernel<1, RegisterBlockKernel<1, 16, 8, 1, stay>>({1, 208, 272, options, 0, 0});
        check_kernel<1, RegisterBlockKernel<1, 16, 16, 1, stay>>({1, 208, 272, options, 0, 0});
        check_kernel<2, RegisterBlockKernel<2, 16, 16, 1, stay>>({2, 200, 264, options, 0, 0});
        check_kernel<4, AlignedWordKernel<stay>>({4, 196, 268, options, 0, 0});
        check_kernel<4, FastestKernels<4>::AlignedLineKernel>({4, 196, 268, options, 0, 0});
        check_kernel<4, FastestKernels<4>::OneTileHighKernel>({4, 196, 268, options, 0, 0});
        check_kernel<4, AlignedWordKernel<far>>({4, 196, 268, options, 0, 0});
        check_kernel<16, RegisterBlockKernel<16, 16, 16, 2, far>>({16, 99, 87, options, 0, 0});
        check_kernel<8, RegisterBlockKernel<8, 16, 32, 1, stay>>({8, 198, 262, options, 0, 0});
        check_kernel<16, RegisterBlockKernel<16, 16, 16, 2, stay>>({16, 99, 87, options, 0, 0});
    }
}

TEST_CASE("rows that start at vectors within sectors are stored as whole sectors") {
    using namespace transposing;
    using Bytes = FastestKernels<1>::AlignedSectorKernel;
    using Words = FastestKernels<4>::AlignedSectorKernel;
    for (const TransposeOptions& options : {TransposeOptions{}, TransposeOptions{784, 656, 2}}) {
        for (const std::int64_t start : {0, 1}) {  // in vectors
            check_kernel<1, Bytes>({1, 624, 784, options, 0, start * 16});
            check_kernel<1, Bytes>({1, 16, 272, options, start * 16, 16});
            check_kernel<4, Words>({4, 388, 196, options, start * 4, 0});
            check_kernel<4, Words>({4, 12, 68, options, 0, start * 4});
        }
    }
}

TEST_CASE("stacks of matrices whose sides are whole words are transposed correctly") {
    for (const std::int64_t start : {0, 4, 8}) {
        for (const std::int64_t rows : {4, 12, 32, 44}) {
            for (const std::int64_t cols : {8, 12, 36, 60}) {
                check({1, rows, cols, {0, 0, 17}, start, 4});
                check({2, rows + 2, cols, {0, 0, 17}, 4, start});
            }
        }
        check({1, 100, 96, {0, 0, 3}, start, 4});  // one matrix per block, with more threads
        check({1, 180, 148, {0, 0, 3}, 4, start});
        check({2, 100, 96, {0, 0, 3}, start, 4});
        check({2, 98, 100, {0, 0, 3}, 4, start});
        check({2, 150, 148, {0, 0, 3}, start, 4});
    }
    check({1, 12, 36, {0, 0, 17}, 1, 4});  // not whole words, or not aligned
    check({1, 12, 36, {0, 0, 17}, 4, 1});
    check({1, 14, 36, {0, 0, 17}, 4, 4});
    check({2, 13, 36, {0, 0, 17}, 4, 4});
    check({2, 12, 34, {0, 0, 17}, 2, 4});
}

TEST_CASE("strips that are processed in a spread-out order are transposed correctly") {
    using namespace transposing;
    for (const std::int64_t cols : {64 * 64, 64 * 64 + 4, 64 * 63}) {
        check_kernel<4, AlignedWordKernel<LoadPolicy::evict_last>>({4, 68, cols, {}, 0, 0}, true);
    }
    // The order must be a permutation of the strips.
    for (const unsigned strips : {1u, 63u, 64u, 200u, 256u}) {
        std::vector<int> seen(strips);
        for (unsigned strip = 0; strip < strips; ++strip) ++seen[spread_strip_index(strip, strips)];
        CHECK_EQ(seen, std::vector<int>(strips, 1));
    }
    CHECK_EQ(spread_strip_index(1, 64), 32);  // 32 strips of 256 bytes are 8 KB
    CHECK_EQ(spread_strip_index(65, 200), 96);
    CHECK_EQ(spread_strip_index(193, 200), 193);
}

TEST_CASE("groups of adjacent strips are transposed correctly, even if the last group is partial") {
    using namespace transposing;
    using Tile = ShiftedElementKernel<4, 64, 32, 256, 32>;
    for (const std::int64_t cols : {31, 3 * 32, 4 * 32, 9 * 32 + 5}) {
        for (const unsigned group : {1u, 2u, 4u, 100u}) {
            check_kernel<4, Tile>({4, 300, cols, {0, 0, 3}, 1, 0}, false, group);
        }
    }
    check_kernel<1, RewoundRowKernel<1, 128, 512, 4, LoadPolicy::plain, 32>>(
        {1, 201, 1301, {}, 1, 0}, false, 4);
    check_kernel<4, AlignedWordKernel<LoadPolicy::evict_last_128>>(
        {4, 196, 9 * 64 + 4, {0, 0, 2}, 0, 0}, false, 4);
}

TEST_CASE("images with few channels are transposed correctly") {
    for (const int size : {1, 2, 4}) {
        for (const std::int64_t channels : {2, 3, 4, 5, 6, 7, 8}) {
            for (const std::int64_t pixels : {4096, 5008, 5000, 4100, 4099}) {
                for (const std::int64_t start : {0, 1}) {
                    check({size, channels, pixels, {0, 0, 2}, start, 0});
                    check({size, pixels, channels, {0, 0, 2}, 0, start});
                }
            }
        }
    }
}

TEST_CASE("matrices with only a few rows or columns are transposed correctly") {
    for (const int size : {1, 2, 4, 8, 16}) {
        // These sizes lead to strips with and without padding, and to every block size.
        for (const std::int64_t few : {1, 2, 3, 5, 8, 17, 37, 52, 64, 75, 104, 125, 300}) {
            const std::int64_t many = few < 10 ? 9001 : 2003;
            for (const std::int64_t start : {0, 1, 3}) {
                check({size, few, many, {0, 0, 2}, start, 0});
                check({size, many, few, {0, 0, 2}, 0, start});
            }
            check({size, few, many, {many + 5, 0, 1}, 1, 2});
        }
    }
}

TEST_CASE("transpose is correct in a stream created by the caller") {
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check({4, 130, 71, {}, 1, 0}, stream);
    check({1, 1, 900, {}, 0, 0}, stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

TEST_CASE("transpose is correct when several threads call it at the same time") {
    constexpr int rows = 97, cols = 211, calls = 20;
    std::vector<float> values(rows * cols);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const auto run_calls = [&](int& wrong) {
        cudaStream_t stream = nullptr;
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const DeviceBuffer in(rows * cols * 4), out(rows * cols * 4);
        CUDA_CHECK(cudaMemcpy(in.data(), values.data(), in.bytes(), cudaMemcpyHostToDevice));
        std::vector<float> transposed(values.size());
        for (int call = 0; call < calls; ++call) {
            CUDA_CHECK(cudaMemsetAsync(out.data(), 0, out.bytes(), stream));
            CUDA_CHECK(coalesce::transpose(static_cast<float*>(out.data()),
                                           static_cast<const float*>(in.data()), rows, cols, {},
                                           stream));
            CUDA_CHECK(cudaStreamSynchronize(stream));
            CUDA_CHECK(
                cudaMemcpy(transposed.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost));
            for (int i = 0; i < rows * cols; ++i) {
                wrong += transposed[static_cast<std::size_t>(i % cols * rows + i / cols)] !=
                         values[static_cast<std::size_t>(i)];
            }
        }
        CUDA_CHECK(cudaStreamDestroy(stream));
    };
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (int& count : wrong) threads.emplace_back([&run_calls, &count] { run_calls(count); });
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(wrong, std::vector<int>(4, 0));
}

TEST_CASE("elements with indices over 2^31 and byte offsets over 2^32 are transposed correctly") {
    // The last rows start beyond element 2^31 and, if elements have 4 bytes, beyond byte 2^32. The
    // memory between the rows is never accessed.
    const std::int64_t far = (std::int64_t{1} << 31) / 60;
    struct FarLayout {
        int size;
        std::int64_t in_pitch, out_pitch;
    };
    for (const FarLayout& kind : {FarLayout{1, far, 70}, FarLayout{1, 70, far},
                                  FarLayout{4, far + 64, 80}, FarLayout{4, 72, far}}) {
        constexpr std::int64_t rows = 70, cols = 66;
        const auto bytes = [&](std::int64_t pitch) {
            return static_cast<std::size_t>(70 * pitch * kind.size);
        };
        const DeviceBuffer in(bytes(kind.in_pitch)), out(bytes(kind.out_pitch));
        std::vector<unsigned char> values(static_cast<std::size_t>(rows * cols * kind.size));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<unsigned char>(i * 7);
        const auto length = static_cast<std::size_t>(cols * kind.size);
        const auto transposed_length = static_cast<std::size_t>(rows * kind.size);
        CUDA_CHECK(cudaMemcpy2D(in.data(), static_cast<std::size_t>(kind.in_pitch * kind.size),
                                values.data(), length, length, rows, cudaMemcpyHostToDevice));
        TransposeOptions options;
        options.in_pitch = kind.in_pitch;
        options.out_pitch = kind.out_pitch;
        REQUIRE_EQ(transpose_elements(out.data(), in.data(), static_cast<std::size_t>(kind.size),
                                      rows, cols, options),
                   cudaSuccess);
        std::vector<unsigned char> transposed(values.size());
        CUDA_CHECK(cudaMemcpy2D(transposed.data(), transposed_length, out.data(),
                                static_cast<std::size_t>(kind.out_pitch * kind.size),
                                transposed_length, cols, cudaMemcpyDeviceToHost));
        if (simulator_library::is_loaded()) CHECK(simulator_library::reports().empty());
        int wrong = 0;
        for (std::int64_t i = 0; i < rows * cols; ++i) {
            const std::int64_t row = i / cols, col = i % cols;
            for (int byte = 0; byte < kind.size; ++byte) {
                wrong +=
                    transposed[static_cast<std::size_t>((col * rows + row) * kind.size + byte)] !=
                    values[static_cast<std::size_t>(i * kind.size + byte)];
            }
        }
        CHECK_EQ(wrong, 0);
    }
}

TEST_CASE("invalid arguments are rejected without leaving a CUDA error behind") {
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
    if (simulator_library::is_loaded()) simulator_library::set_quiet(true);
    const auto last = [](const Sample& sample) { return sample.rows * sample.cols - 1; };
    CHECK_NE(find_mistake([](void*, const void*, const Sample&, cudaStream_t) {
                 return cudaSuccess;  // does nothing
             }),
             "");
    CHECK_NE(
        find_mistake([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            Sample shorter = sample;  // leaves out the last row
            shorter.rows -= 1;
            return samples::transpose(out, in, shorter, stream);
        }),
        "");
    CHECK_NE(
        find_mistake([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            Sample misread = sample;  // reads one element later
            misread.rows -= 1;
            static_cast<void>(samples::transpose(out, in, sample, stream));
            return samples::transpose(out, static_cast<const char*>(in) + sample.size, misread,
                                      stream);
        }),
        "");
    CHECK_NE(
        find_mistake([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            if (sample.options.out_pitch > sample.rows) {  // writes between rows of the output
                store_byte<<<1, 1, 0, stream>>>(
                    static_cast<unsigned char*>(out) + sample.rows * sample.size, 1);
            }
            return error;
        }),
        "");
    CHECK_NE(
        find_mistake([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            auto* bytes = static_cast<unsigned char*>(const_cast<void*>(in));
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            store_byte<<<1, 1, 0, stream>>>(bytes + last(sample), 1);  // also changes the input
            store_byte<<<1, 1, 0, stream>>>(bytes + last(sample) - 1, 2);
            return error;
        }),
        "");
#ifdef __NVCC__  // this read is not reported if clang built the program
    if (!simulator_library::is_loaded()) return;
    CHECK_NE(
        find_mistake([&](void* out, const void* in, const Sample& sample, cudaStream_t stream) {
            const cudaError_t error = samples::transpose(out, in, sample, stream);
            if (sample.options.in_pitch > sample.cols) {  // reads between rows of the input
                const auto* bytes = static_cast<const unsigned char*>(in);
                load_byte<<<1, 1, 0, stream>>>(bytes + sample.cols * sample.size,
                                               static_cast<unsigned char*>(out));
            }
            return error;
        }),
        "");
#endif
}

#ifdef __NVCC__  // tested with nvcc only
TEST_CASE("gpu only: transpose can be captured into a graph") {
    for (const Sample& kind : {Sample{4, 300, 200, {}, 0, 0}, Sample{1, 77, 501, {}, 1, 0},
                               Sample{8, 1, 400, {}, 0, 0}, Sample{4, 9, 5, {0, 0, 100}, 0, 0}}) {
        const Sample sample = fill_layout(kind);
        INFO(sample.name());
        const Transposer transpose_in_graph = [](void* out, const void* in, const Sample& s,
                                                 cudaStream_t) {
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
        CHECK_EQ(find_error(sample, transpose_in_graph), "");
    }
}
#endif
