// Gets the row pitch from a virtual function.
struct Order {
    int rows, cols;
    __device__ virtual int pitch() const = 0;
};
struct Along : Order {
    __device__ int pitch() const override { return cols; }
};
struct Across : Order {
    __device__ int pitch() const override { return rows; }
};
__device__ __noinline__ int pitch_of(const Order& order) {
    return order.pitch();
}
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    Along from;
    Across to;
    from.rows = to.rows = rows;
    from.cols = to.cols = cols;
    const int in_pitch = pitch_of(from), out_pitch = pitch_of(to);
    const int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 64; k += 8) {
        const int row = blockIdx.y * 64 + k + threadIdx.y;
        if (row < rows && col < cols) out[col * out_pitch + row] = in[row * in_pitch + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 64)}, .block = {32, 8}};
}
