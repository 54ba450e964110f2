// Uses 128 threads in one dimension, a template and device functions.
template <int SIDE>
struct Tile {
    float at[SIDE][SIDE + 1];

    __device__ void put(int row, int col, float4 v) {
        at[row][col] = v.x, at[row][col + 1] = v.y, at[row][col + 2] = v.z, at[row][col + 3] = v.w;
    }
    __device__ float4 down(int row, int col) const {
        return {at[row][col], at[row + 1][col], at[row + 2][col], at[row + 3][col]};
    }
};

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ Tile<32> tile;
    const int four = threadIdx.x % 8 * 4, line = threadIdx.x / 8;
    const int top = blockIdx.y * 32, left = blockIdx.x * 32;
    for (int y = line; y < 32; y += 16) {
        if (top + y >= rows || left + four >= cols) break;
        tile.put(y, four, *reinterpret_cast<const float4*>(&in[(top + y) * cols + left + four]));
    }
    __syncthreads();
    for (int y = line; y < 32; y += 16) {
        if (top + four >= rows || left + y >= cols) break;
        *reinterpret_cast<float4*>(&out[(left + y) * rows + top + four]) = tile.down(four, y);
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {128}};
}
