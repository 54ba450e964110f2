// Selects the layout of a matrix with a cuda::std::variant.
#include <cuda/std/variant>
struct ByRow { int pitch; }; struct ByCol { int pitch; };
__device__ int place(cuda::std::variant<ByRow, ByCol> v, int r, int c) { return cuda::std::holds_alternative<ByRow>(v) ? r * cuda::std::get<ByRow>(v).pitch + c : c * cuda::std::get<ByCol>(v).pitch + r; }
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[place(ByRow{cols}, top + k, left + threadIdx.x)];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + int(threadIdx.x) < rows) out[place(ByCol{rows}, top + threadIdx.x, left + k)] = tile[threadIdx.x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
