#include <cstdint>

#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/pattern.h"
#include "many/elements.h"

namespace coalesce::many {
namespace {

constexpr int BLOCKS = 1024, THREADS = 256;

/// Returns a collision-free hash of a number (lowbias32 by Chris Wellons).
__device__ std::uint32_t hash_bits(std::uint32_t value) {
    value = (value ^ (value >> 16)) * 0x7feb352d;
    value = (value ^ (value >> 15)) * 0x846ca68b;
    return value ^ (value >> 16);
}

__device__ std::size_t first_element_of_thread() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ std::size_t grid_stride() {
    return gridDim.x * static_cast<std::size_t>(blockDim.x);
}

__global__ void fill_block(std::uint32_t* in, std::size_t first, std::size_t count) {
    for (std::size_t i = first_element_of_thread(); i < count; i += grid_stride()) {
        in[i] = hash_bits(static_cast<std::uint32_t>(first + i));
    }
}

struct WrongCellCounter {
    unsigned long long cell_count, first;
};

__global__ void compare_block(WrongCellCounter* counter, const std::uint32_t* out, std::size_t rows,
                              std::size_t cols, std::size_t first, std::size_t count) {
    for (std::size_t i = first_element_of_thread(); i < count; i += grid_stride()) {
        const std::size_t row = (first + i) % rows, col = (first + i) / rows;
        if (out[i] == hash_bits(static_cast<std::uint32_t>(row * cols + col))) continue;
        atomicAdd(&counter->cell_count, 1ULL);
        atomicMin(&counter->first, static_cast<unsigned long long>(first + i));
    }
}

}  // namespace

void fill_in(const Ranks& ranks) {
    ranks.for_each_rank([&](int rank) {
        fill_block<<<BLOCKS, THREADS>>>(reinterpret_cast<std::uint32_t*>(ranks.in[rank]),
                                        count_floats(ranks.rows.begin(rank), ranks.cols.count),
                                        count_floats(ranks.rows.size(rank), ranks.cols.count));
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
    });
}

void poison_out(const Ranks& ranks) {
    ranks.for_each_rank([&](int rank) {
        const std::size_t size = count_floats(ranks.cols.size(rank), ranks.rows.count);
        if (size == 0) return;
        CUDA_CHECK(cudaMemset(ranks.out[rank], kPoisonByte, sizeof(float) * size));
        CUDA_CHECK(cudaDeviceSynchronize());
    });
}

WrongCells count_wrong_cells(const Ranks& ranks) {
    WrongCells wrong_cells;
    ranks.for_each_rank([&](int rank) {
        WrongCellCounter counter{0, ~0ULL};
        DeviceBuffer buffer(sizeof counter);
        auto* device_counter = static_cast<WrongCellCounter*>(buffer.data());
        CUDA_CHECK(cudaMemcpy(device_counter, &counter, sizeof counter, cudaMemcpyHostToDevice));
        compare_block<<<BLOCKS, THREADS>>>(device_counter,
                                           reinterpret_cast<const std::uint32_t*>(ranks.out[rank]),
                                           ranks.rows.count, ranks.cols.count,
                                           count_floats(ranks.cols.begin(rank), ranks.rows.count),
                                           count_floats(ranks.cols.size(rank), ranks.rows.count));
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(&counter, device_counter, sizeof counter, cudaMemcpyDeviceToHost));
        wrong_cells.cell_count += counter.cell_count;
        wrong_cells.first = std::min(wrong_cells.first, counter.first);
    });
    return wrong_cells;
}

}  // namespace coalesce::many
