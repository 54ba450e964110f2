// Transposes 4 x 4 elements per thread in registers, without a tile.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int lane = threadIdx.x, warp = threadIdx.y;
    int col = blockIdx.x * 32 + lane % 8 * 4;
    int row = blockIdx.y * 64 + warp * 16 + lane / 8 * 4;
    if (row >= rows || col >= cols) return;
    float4 a = reinterpret_cast<const float4&>(in[(row + 0) * cols + col]);
    float4 b = reinterpret_cast<const float4&>(in[(row + 1) * cols + col]);
    float4 c = reinterpret_cast<const float4&>(in[(row + 2) * cols + col]);
    float4 d = reinterpret_cast<const float4&>(in[(row + 3) * cols + col]);
    reinterpret_cast<float4&>(out[(col + 0) * rows + row]) = {a.x, b.x, c.x, d.x};
    reinterpret_cast<float4&>(out[(col + 1) * rows + row]) = {a.y, b.y, c.y, d.y};
    reinterpret_cast<float4&>(out[(col + 2) * rows + row]) = {a.z, b.z, c.z, d.z};
    reinterpret_cast<float4&>(out[(col + 3) * rows + row]) = {a.w, b.w, c.w, d.w};
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 64)}, .block = {32, 4}};
}
