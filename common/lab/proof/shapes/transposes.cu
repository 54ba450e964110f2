#include "lab/proof/shapes/transposes.h"

#include <utility>

#include "harness/errors.h"
#include "lab/proof/device_check.h"
#include "tests/compiled.h"

namespace coalesce::proof {
namespace {

__global__ void fill_bytes(unsigned char* data, std::size_t bytes) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += step) {
        data[i] = static_cast<unsigned char>((i * 0x9e3779b97f4a7c15u >> 29) * 0x9e3779b9u >> 24);
    }
}

/// Returns smaller cases that the simulated GPU finishes quickly.
std::vector<TransposeCase> with_shorter_sides(std::vector<TransposeCase> cases) {
    for (TransposeCase& one : cases) {
        const auto shorten = [](std::int64_t side) { return side > 300 ? side / 60 + 150 : side; };
        one.rows = shorten(one.rows);
        one.cols = shorten(one.cols);
        one.batches = one.batches > 1 ? 5 : 1;
        if (one.in_pitch > 0) one.in_pitch = one.cols + 200;
    }
    return cases;
}

}  // namespace

std::string TransposeCase::shape_text() const {
    const std::string matrix = std::to_string(rows) + " x " + std::to_string(cols);
    return batches == 1 ? matrix : std::to_string(batches) + " x " + matrix;
}

std::vector<TransposeCase> transpose_cases(bool divided) {
    std::vector<TransposeCase> cases = {
        {"float", 4, 1, 16384, 16384},
        {"float", 4, 1, 32768, 32768},
        {"float, flat", 4, 1, 2048, 32768},
        {"float, odd sides", 4, 1, 8191, 8193},
        {"float, odd sides", 4, 1, 32767, 32765},
        {"float, ends within lines", 4, 1, 32760, 32760},
        {"float, ends within sectors", 4, 1, 20004, 20004},
        {"float, ends within sectors", 4, 1, 40004, 2000},
        {"float, a part of a matrix", 4, 1, 8000, 8000, 8200},
        {"float, misaligned start", 4, 1, 8192, 8192, 0, 1},
        {"1 byte", 1, 1, 16384, 16384},
        {"1 byte, flat", 1, 1, 8192, 131072},
        {"1 byte, odd sides", 1, 1, 16383, 16381},
        {"1 byte, ends within sectors", 1, 1, 20016, 20016},
        {"2 bytes", 2, 1, 16384, 16384},
        {"2 bytes, odd sides", 2, 1, 16383, 16381},
        {"2 bytes, ends within sectors", 2, 1, 20008, 20008},
        {"8 bytes", 8, 1, 16384, 16384},
        {"8 bytes, odd sides", 8, 1, 16383, 16381},
        {"16 bytes", 16, 1, 16384, 16384},
        {"16 bytes, odd sides", 16, 1, 16383, 16381},
        {"float, tall", 4, 1, 1000003, 37},
        {"float, wide", 4, 1, 37, 1000003},
        {"1 byte, tall", 1, 1, 1000003, 37},
        {"1 byte, wide", 1, 1, 37, 1000003},
        {"1 byte, 64 columns", 1, 1, 4000003, 64},
        {"1 byte, 64 rows", 1, 1, 64, 4000003},
        {"2 bytes, 24 columns", 2, 1, 4000003, 24},
        {"2 bytes, 24 rows", 2, 1, 24, 4000003},
        {"float, 64 columns", 4, 1, 1000003, 64},
        {"float, 64 rows", 4, 1, 64, 1000003},
        {"2 bytes, batches", 2, 8192, 100, 96},
        {"float, batches", 4, 4096, 64, 96},
        {"float, batches", 4, 65536, 32, 32},
        {"float, odd batches", 4, 4096, 63, 95},
        {"float, tiny batches", 4, 300000, 17, 15},
        {"float, 3 planes to last", 4, 1024, 3, 224 * 224},
        {"float, last to 3 planes", 4, 1024, 224 * 224, 3},
        {"float, 4 planes to last", 4, 1024, 4, 224 * 224},
        {"float, last to 4 planes", 4, 1024, 224 * 224, 4},
        {"float, 6 planes to last", 4, 512, 6, 224 * 224},
        {"float, last to 6 planes", 4, 512, 224 * 224, 6},
        {"float, 8 planes to last", 4, 256, 8, 224 * 224},
        {"float, last to 8 planes", 4, 256, 224 * 224, 8},
        {"1 byte, 3 planes to last", 1, 4096, 3, 224 * 224},
        {"1 byte, last to 3 planes", 1, 4096, 224 * 224, 3},
        {"1 byte, 4 planes to last", 1, 4096, 4, 224 * 224},
        {"1 byte, last to 4 planes", 1, 4096, 224 * 224, 4},
        {"2 bytes, 3 planes to last", 2, 2048, 3, 224 * 224},
        {"2 bytes, last to 3 planes", 2, 2048, 224 * 224, 3},
        {"2 bytes, 8 planes to last", 2, 512, 8, 224 * 224},
        {"2 bytes, last to 8 planes", 2, 512, 224 * 224, 8},
    };
    return divided ? with_shorter_sides(std::move(cases)) : cases;
}

void fill_by_position(void* data, std::size_t bytes) {
    fill_bytes<<<2048, 256>>>(static_cast<unsigned char*>(data), bytes);
    CUDA_CHECK(cudaGetLastError());
}

void transpose_case(void* out, const void* in, const TransposeCase& shape) {
    TransposeOptions options;
    options.in_pitch = shape.in_pitch;
    options.batches = shape.batches;
    const auto size = static_cast<std::size_t>(shape.element_size);
    const auto* start = static_cast<const char*>(in) + static_cast<std::size_t>(shape.start) * size;
    CUDA_CHECK(transpose_elements(out, start, size, shape.rows, shape.cols, options));
}

std::uint64_t wrong_elements(const void* out, const void* in, const TransposeCase& shape) {
    const std::int64_t pitch = shape.in_pitch == 0 ? shape.cols : shape.in_pitch;
    const auto* start = static_cast<const char*>(in) + shape.start * shape.element_size;
    return count_wrong_elements(
        static_cast<std::size_t>(shape.element_size),
        {{shape.batches, shape.rows * pitch}, {shape.cols, 1}, {shape.rows, pitch}}, out, start);
}

}  // namespace coalesce::proof
