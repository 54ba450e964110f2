// Reads three of the four words of a struct. The compiler loads all four at once, and declares the gap in a pragma.
struct alignas(16) Words { unsigned low, middle, unused, high; };

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ Words words[8][32];
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const unsigned bits = row < rows && col < cols ? __float_as_uint(in[row * cols + col]) : 0;
    Words& mine = words[threadIdx.y][threadIdx.x];
    mine.low = bits & 0xff;
    mine.middle = bits & 0xff00;
    mine.high = bits & 0xffff0000;
    __syncthreads();
    const Words& other = words[threadIdx.y][threadIdx.x ^ 1];
    const int other_col = blockIdx.x * 32 + (threadIdx.x ^ 1);
    if (row < rows && other_col < cols)
        out[other_col * rows + row] = __uint_as_float(other.low | other.middle | other.high);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
