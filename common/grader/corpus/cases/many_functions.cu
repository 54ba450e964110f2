// Defines 700 functions that are not inlined, each of which must be read, checked and translated.
template <int N>
__device__ __noinline__ int one(int x) {
    return x * N + 1;
}
template <int Begin, int End>
__device__ __forceinline__ int all(int x) {
    if constexpr (End - Begin == 1) {
        return one<Begin>(x);
    } else {
        return all<Begin, (Begin + End) / 2>(x) ^ all<(Begin + End) / 2, End>(x);
    }
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (rows < 0) row += all<0, 700>(col);
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
