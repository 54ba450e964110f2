// Transposes a process's block on its GPU, with the kernel of lesson 04 and 64-bit indices.
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/harness.h"
#include "many/processes/local.h"
#include "many/spread.h"

namespace coalesce::processes {
namespace {

constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
/// The maximum number of blocks along the y axis of a grid.
constexpr unsigned MAX_BLOCKS_DOWN = 65535;

__global__ void transpose_padded(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[static_cast<size_t>(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[static_cast<size_t>(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

}  // namespace

void transpose_on_gpu(float* out, const float* in, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const size_t bytes = sizeof(float) * count_floats(rows, cols);
    const dim3 grid(ceil_div(static_cast<unsigned>(cols), TILE_DIM),
                    ceil_div(static_cast<unsigned>(rows), TILE_DIM));
    if (grid.y > MAX_BLOCKS_DOWN) {
        throw UsageError("a block of " + std::to_string(rows) +
                         " rows is too tall for one GPU; use more processes");
    }
    DeviceBuffer device_in(bytes), device_out(bytes);
    CUDA_CHECK(cudaMemcpy(device_in.data(), in, bytes, cudaMemcpyHostToDevice));
    transpose_padded<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(
        static_cast<float*>(device_out.data()), static_cast<const float*>(device_in.data()), rows,
        cols);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, device_out.data(), bytes, cudaMemcpyDeviceToHost));
}

}  // namespace coalesce::processes
