// Bug hunt 18_product -- a colleague's product, which reads four values of a tile at once.
//
// Seen    After the colleague had padded a tile against bank conflicts, the kernel stopped with an
//         error, on every GPU and for every matrix.
// Fix     the bug (1 number), and keep the padding.
// Check   ./learn check 18 --hunt
#include "exercise.h"  // Launch, ceil_div

constexpr int BLOCK = 16, EACH = 4, TILE = BLOCK * EACH;  // elements per thread and side: EACH
constexpr int DEPTH = 16;
//! [blank]
//! constexpr int PADDING = 1;  // floats at the end of each row
constexpr int PADDING = 4;  // floats at the end of each row
//! [blank]

__device__ float4 read_quad(const float* from) {
    return *reinterpret_cast<const float4*>(from);
}

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ __align__(16) float tile_a[DEPTH][TILE + PADDING];  // transposed
    __shared__ __align__(16) float tile_b[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * BLOCK + x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sums[EACH][EACH] = {};

    for (int first = 0; first < inner; first += DEPTH) {
        for (int i = 0; i < EACH; i++) {
            int at = thread + BLOCK * BLOCK * i;
            int r = top + at / DEPTH, c = left + at % TILE;
            int k_of_a = first + at % DEPTH, k_of_b = first + at / TILE;
            tile_a[at % DEPTH][at / DEPTH] = r < rows && k_of_a < inner ? a[r * inner + k_of_a] : 0;
            tile_b[at / TILE][at % TILE] = k_of_b < inner && c < cols ? b[k_of_b * cols + c] : 0;
        }
        __syncthreads();

        // Four neighbours of a row of each tile are one access of 16 bytes.
        for (int k = 0; k < DEPTH; k++) {
            float4 quad_a = read_quad(&tile_a[k][EACH * y]),
                   quad_b = read_quad(&tile_b[k][EACH * x]);
            float of_a[EACH] = {quad_a.x, quad_a.y, quad_a.z, quad_a.w};
            float of_b[EACH] = {quad_b.x, quad_b.y, quad_b.z, quad_b.w};
            for (int i = 0; i < EACH; i++) {
                for (int j = 0; j < EACH; j++) sums[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int row = top + EACH * y + i, col = left + EACH * x + j;
            if (row < rows && col < cols) out[row * cols + col] = sums[i][j];
        }
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, TILE), ceil_div(rows, TILE)}, .block = {BLOCK, BLOCK}};
}
