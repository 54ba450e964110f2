// Lets half of the warps load and the others store, with a cuda::barrier between them.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    __shared__ alignas(Barrier) unsigned char memory[sizeof(Barrier)];
    Barrier& full = *reinterpret_cast<Barrier*>(memory);
    if (threadIdx.x + threadIdx.y == 0) init(&full, 256);
    __syncthreads();
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (threadIdx.y < 4) {
        for (int k = threadIdx.y; k < 32; k += 4)
            if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        static_cast<void>(full.arrive());
        return;
    }
    full.arrive_and_wait();
    for (int k = threadIdx.y - 4; k < 32; k += 4)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
