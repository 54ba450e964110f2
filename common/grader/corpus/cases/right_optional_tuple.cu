// Checks bounds with a function that returns an optional tuple.
#include <cuda/std/tuple>
#include <cuda/std/optional>
__device__ cuda::std::optional<cuda::std::tuple<int, int>> inside(int r, int c, int rows, int cols) {
    if (r < rows && c < cols) return cuda::std::make_tuple(r, c);
    return cuda::std::nullopt;
}
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (const auto at = inside(top + k, left + threadIdx.x, rows, cols)) { const auto [r, c] = *at; tile[k][threadIdx.x] = in[r * cols + c]; }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
