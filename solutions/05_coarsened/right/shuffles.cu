// Transposes a tile in the registers of each warp with shuffles, without shared memory.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    const unsigned all = 0xffffffff;
    const int lane = threadIdx.x;
    const int left = blockIdx.x * 32, top = (blockIdx.y * blockDim.y + threadIdx.y) * 32;

    float v[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        v[i] = top + i < rows && left + lane < cols ? in[(top + i) * cols + left + lane] : 0;
    }
    // Exchanges halves of the 32 x 32 values between lanes, then quarters, and so on. In the end,
    // v[i] of lane j holds the former value of v[j] of lane i.
#pragma unroll
    for (int width = 16; width > 0; width /= 2) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i & width) continue;
            const bool is_high = lane & width;
            float given = is_high ? v[i] : v[i | width];
            given = __shfl_xor_sync(all, given, width);
            if (is_high)
                v[i] = given;
            else
                v[i | width] = given;
        }
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        if (left + i < cols && top + lane < rows) out[(left + i) * rows + top + lane] = v[i];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 64)}, .block = {32, 2}};
}
