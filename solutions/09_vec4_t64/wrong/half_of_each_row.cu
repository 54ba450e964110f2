// expect: uninitialised-shared
// mistake: Only 8 threads load a row of 64 elements.
// says: it takes 16 threads
// says: columns 0 to 31
// never: reaches 1024
constexpr int SIDE = 64, PER_ROW = 8, THREADS = 256;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int r0 = blockIdx.y * SIDE, c0 = blockIdx.x * SIDE;

    for (int i = threadIdx.x; i < SIDE * PER_ROW; i += THREADS) {
        int r = i / PER_ROW, c = i % PER_ROW * 4;  // here
        if (r0 + r < rows && c0 + c < cols) {
            float4 v = *reinterpret_cast<const float4*>(&in[(r0 + r) * cols + c0 + c]);
            tile[r][c] = v.x;
            tile[r][c + 1] = v.y;
            tile[r][c + 2] = v.z;
            tile[r][c + 3] = v.w;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE * PER_ROW; i += THREADS) {
        int c = i / PER_ROW, r = i % PER_ROW * 4;
        if (r0 + r < rows && c0 + c < cols) {
            float4 v = make_float4(tile[r][c], tile[r + 1][c], tile[r + 2][c], tile[r + 3][c]);
            *reinterpret_cast<float4*>(&out[(c0 + c) * rows + r0 + r]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {THREADS}};
}
