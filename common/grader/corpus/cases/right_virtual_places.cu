// Asks a virtual function for the row of the tile in which an element lies.
struct Places {
    __device__ virtual int place(int row, int col) const = 0;
};
struct Padded : Places {
    __device__ int place(int row, int col) const override { return row * 33 + col; }
};
struct Swizzled : Places {
    __device__ int place(int row, int col) const override { return row * 32 + (col ^ row); }
};
__device__ __noinline__ int place_of(const Places& places, int row, int col) { return places.place(row, col); }
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32 * 33];
    Padded padded;
    Swizzled swizzled;
    const Places& places = rows > cols ? static_cast<const Places&>(padded) : swizzled;
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (top + k < rows && left + x < cols) tile[place_of(places, k, x)] = in[(top + k) * cols + left + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[place_of(places, x, k)];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
