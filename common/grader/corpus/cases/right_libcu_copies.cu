// Requests the rows with cuda::memcpy_async, and waits at a cuda::barrier.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4, ROW = QUADS + 1, THREADS = 256;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * ROW];
    __shared__ alignas(Barrier) unsigned char memory[sizeof(Barrier)];
    Barrier& arrived = *reinterpret_cast<Barrier*>(memory);
    const int tile_row = blockIdx.x * TILE_DIM, tile_col = blockIdx.y * TILE_DIM;
    const int height = min(TILE_DIM, rows - tile_row);
    const int bytes_of_row = min(TILE_DIM, cols - tile_col) * int(sizeof(float));
    if (threadIdx.x == 0) init(&arrived, THREADS);
    __syncthreads();
    if (int(threadIdx.x) < height)
        cuda::memcpy_async(&tile[threadIdx.x * ROW], reinterpret_cast<const float4*>(&in[(tile_row + threadIdx.x) * cols + tile_col]),
                           cuda::aligned_size_t<16>(bytes_of_row), arrived);
    arrived.arrive_and_wait();
    // Rows that are 4 apart begin in only 2 of 8 bank groups. To avoid conflicts, the 8 threads
    // that read together take pieces on a diagonal. Two of them still fill a sector of `out`.
    int row_quad = threadIdx.x % QUADS;
    int col_quad = (threadIdx.x / QUADS + row_quad / 2) % QUADS;
    int row = tile_row + row_quad * 4, col = tile_col + col_quad * 4;
    if (row < rows && col < cols) {
        float4 a = tile[(row_quad * 4 + 0) * ROW + col_quad];
        float4 b = tile[(row_quad * 4 + 1) * ROW + col_quad];
        float4 c = tile[(row_quad * 4 + 2) * ROW + col_quad];
        float4 d = tile[(row_quad * 4 + 3) * ROW + col_quad];
        reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
        reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
        reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
        reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {THREADS}};
}
