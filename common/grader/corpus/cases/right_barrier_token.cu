// Waits at a cuda::barrier with a token. The library's wait reads a clock.
#include <cuda/barrier>
constexpr int side = 32, down = 8;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ float tile[side][side + 1];
    __shared__ alignas(Barrier) unsigned char place[sizeof(Barrier)];
    Barrier& barrier = *reinterpret_cast<Barrier*>(place);
    if (threadIdx.x == 0 && threadIdx.y == 0) init(&barrier, blockDim.x * blockDim.y);
    __syncthreads();
    int col = blockIdx.x * side + threadIdx.x, row = blockIdx.y * side + threadIdx.y;
    for (int k = 0; k < side; k += down)
        if (row + k < rows && col < cols)
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
    auto token = barrier.arrive();
    barrier.wait(static_cast<Barrier::arrival_token&&>(token));
    col = blockIdx.y * side + threadIdx.x;
    row = blockIdx.x * side + threadIdx.y;
    for (int k = 0; k < side; k += down)
        if (row + k < cols && col < rows)
            out[(row + k) * rows + col] = tile[threadIdx.x][threadIdx.y + k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, side), ceil_div(rows, side)}, .block = {side, down}};
}
