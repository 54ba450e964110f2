// Constrains a template with a concept.
#include <cuda/std/concepts>
#include <cuda/std/type_traits>
template <class T> requires cuda::std::integral<T> __device__ T place(T r, T c, T pitch) { return r * pitch + c; }
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[place<int>(top + k, left + threadIdx.x, cols)];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
