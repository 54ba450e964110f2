// harris_k20c -- the two copies and three transposes of Mark Harris's article, rewritten.
//
// harris_k20c.toml has the figures, and where they stand. Tiles of 32 x 32, blocks of 32 x 8 threads, four elements
// a thread, no bounds checks; how wide the matrix is, the grid says.

#include "harness/harness.h"

namespace {

constexpr int TILE = 32, ROWS = 8;

__device__ int width() {
    return gridDim.x * TILE;
}

__global__ void copy(float* out, const float* in) {
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        out[(row + k) * width() + col] = in[(row + k) * width() + col];
}

__global__ void copy_through_tile(float* out, const float* in) {
    __shared__ float tile[TILE * TILE];
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        tile[(threadIdx.y + k) * TILE + threadIdx.x] = in[(row + k) * width() + col];
    __syncthreads();
    for (int k = 0; k < TILE; k += ROWS)
        out[(row + k) * width() + col] = tile[(threadIdx.y + k) * TILE + threadIdx.x];
}

__global__ void naive(float* out, const float* in) {
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        out[col * width() + row + k] = in[(row + k) * width() + col];
}

template <int PADDING>
__global__ void through_tile(float* out, const float* in) {
    __shared__ float tile[TILE][TILE + PADDING];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * width() + col];
    __syncthreads();
    col = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        out[(row + k) * width() + col] = tile[threadIdx.x][threadIdx.y + k];
}

template <void (*KERNEL)(float*, const float*)>
void launch(float* out, const float* in, int rows, int) {
    KERNEL<<<dim3(rows / TILE, rows / TILE), dim3(TILE, ROWS)>>>(out, in);
}

coalesce::Variant square(const char* name, coalesce::LaunchFunction launch,
                         Produces::Kind kind = Produces::transpose) {
    return {.name = name,
            .launch = launch,
            .produces = {kind},
            .rows_multiple = TILE,
            .cols_multiple = TILE,
            .square_only = true};
}

}  // namespace

int main(int argc, char** argv) {
    return run_step(argc, argv,
                    {
                        square("copy", launch<copy>, Produces::copy),
                        square("copySharedMem", launch<copy_through_tile>, Produces::copy),
                        square("transposeNaive", launch<naive>),
                        square("transposeCoalesced", launch<through_tile<0>>),
                        square("transposeNoBankConflicts", launch<through_tile<1>>),
                    });
}
