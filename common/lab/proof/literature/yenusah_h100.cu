// yenusah_h100 -- rewritten versions of 20 transposes whose times on an H100 Caleb Yenusah has
// published.
//
// record.cpp contains the times and their source. Each variant here matches the original in its
// tile, padding, threads, elements per thread, bounds checks, 32-bit indices of a square matrix,
// and restrict pointers.

#include "harness/harness.h"

namespace {

__global__ void naive(float* __restrict__ out, const float* __restrict__ in, int side) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < side && row < side) out[col * side + row] = in[row * side + col];
}

constexpr int SMALL = 32, LARGE = 64;

// Transposes with one thread per element of the tile, and PADDING words after each row.
template <int PADDING>
__global__ void through_tile(float* __restrict__ out, const float* __restrict__ in, int side) {
    __shared__ float tile[SMALL][SMALL + PADDING];
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < side && row < side) tile[threadIdx.y][threadIdx.x] = in[row * side + col];
    __syncthreads();
    col = blockIdx.y * blockDim.x + threadIdx.x;
    row = blockIdx.x * blockDim.y + threadIdx.y;
    if (col < side && row < side) out[row * side + col] = tile[threadIdx.x][threadIdx.y];
}

// Transposes with ROWS rows of threads, which iterate over the rows of the tile.
template <int ROWS>
__global__ void coarsened(float* __restrict__ out, const float* __restrict__ in, int side) {
    __shared__ float tile[SMALL][SMALL + 1];
    int col = blockIdx.x * SMALL + threadIdx.x, row = blockIdx.y * SMALL + threadIdx.y;
#pragma unroll
    for (int k = 0; k < SMALL; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * side + col];
    __syncthreads();
    col = blockIdx.y * SMALL + threadIdx.x;
    row = blockIdx.x * SMALL + threadIdx.y;
#pragma unroll
    for (int k = 0; k < SMALL; k += ROWS)
        out[(row + k) * side + col] = tile[threadIdx.x][threadIdx.y + k];
}

// Transposes through a tile, with float2 or float4 accesses in global memory and single floats in
// the tile.
template <class Vector, int TILE, int ROWS, bool IS_CHECKED>
__global__ void by_vectors(float* __restrict__ out, const float* __restrict__ in, int side) {
    constexpr int WIDE = sizeof(Vector) / sizeof(float);
    __shared__ float tile[TILE][TILE + 1];
    const int width = side / WIDE;
    int col = blockIdx.x * (TILE / WIDE) + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS) {
        if (IS_CHECKED && (col >= width || row >= side)) continue;
        const Vector loaded_vector = reinterpret_cast<const Vector*>(in)[(row + k) * width + col];
        const float* const floats = reinterpret_cast<const float*>(&loaded_vector);
        for (int i = 0; i < WIDE; ++i) tile[threadIdx.y + k][threadIdx.x * WIDE + i] = floats[i];
    }
    __syncthreads();
    col = blockIdx.y * (TILE / WIDE) + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS) {
        if (IS_CHECKED && (col >= width || row >= side)) continue;
        Vector gathered_vector;
        float* const floats = reinterpret_cast<float*>(&gathered_vector);
        for (int i = 0; i < WIDE; ++i) floats[i] = tile[threadIdx.x * WIDE + i][threadIdx.y + k];
        reinterpret_cast<Vector*>(out)[(row + k) * width + col] = gathered_vector;
    }
}

using Kernel = void (*)(float*, const float*, int);

// Launches one block of THREADS_X x THREADS_Y threads per tile.
template <Kernel KERNEL, int TILE, int THREADS_X, int THREADS_Y>
void launch(float* out, const float* in, int rows, int) {
    const dim3 block(THREADS_X, THREADS_Y), grid(ceil_div(rows, TILE), ceil_div(rows, TILE));
    KERNEL<<<grid, block>>>(out, in, rows);
}
template <int ROWS>
constexpr auto launch_coarsened = launch<coarsened<ROWS>, SMALL, SMALL, ROWS>;
template <class Vector, int TILE, int ROWS, bool IS_CHECKED = false>
constexpr auto launch_vectors = launch<by_vectors<Vector, TILE, ROWS, IS_CHECKED>, TILE,
                                       TILE * sizeof(float) / sizeof(Vector), ROWS>;

coalesce::Variant square(const char* name, coalesce::LaunchFunction launch) {
    return {.name = name,
            .launch = launch,
            .rows_multiple = LARGE,
            .cols_multiple = LARGE,
            .square_only = true};
}

}  // namespace

int main(int argc, char** argv) {
    return run_step(argc, argv,
                    {
                        square("Naive", launch<naive, SMALL, SMALL, SMALL>),
                        square("Tiled", launch<through_tile<0>, SMALL, SMALL, SMALL>),
                        square("TiledPadded", launch<through_tile<1>, SMALL, SMALL, SMALL>),
                        square("Coarsen2", launch_coarsened<16>),
                        square("Coarsen4", launch_coarsened<8>),
                        square("Coarsen8", launch_coarsened<4>),
                        square("Vec2", launch_vectors<float2, SMALL, 32, true>),
                        square("Vec2Coarsen2", launch_vectors<float2, SMALL, 16>),
                        square("Vec2Coarsen4", launch_vectors<float2, SMALL, 8>),
                        square("Vec2Coarsen8", launch_vectors<float2, SMALL, 4>),
                        square("Vec4", launch_vectors<float4, SMALL, 32, true>),
                        square("Vec4Coarsen2", launch_vectors<float4, SMALL, 16>),
                        square("Vec4Coarsen4", launch_vectors<float4, SMALL, 8>),
                        square("Vec4Coarsen8", launch_vectors<float4, SMALL, 4>),
                        square("Vec2_T64", launch_vectors<float2, LARGE, 32>),
                        square("Vec2_T64_Coarsen2", launch_vectors<float2, LARGE, 16>),
                        square("Vec2_T64_Coarsen4", launch_vectors<float2, LARGE, 8>),
                        square("Vec4_T64", launch_vectors<float4, LARGE, 32>),
                        square("Vec4_T64_Coarsen2", launch_vectors<float4, LARGE, 16>),
                        square("Vec4_T64_Coarsen4", launch_vectors<float4, LARGE, 8>),
                    });
}
