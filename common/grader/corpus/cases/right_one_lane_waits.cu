// One lane of each warp arrives at a cuda::barrier, and all lanes wait.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    __shared__ alignas(Barrier) unsigned char memory[sizeof(Barrier)];
    Barrier& loaded = *reinterpret_cast<Barrier*>(memory);
    if (threadIdx.x + threadIdx.y == 0) init(&loaded, 8);
    __syncthreads();
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + x < cols) tile[k][x] = in[(top + k) * cols + left + x];
    __syncwarp();
    if (x == 0) loaded.arrive_and_wait();
    __syncwarp();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
