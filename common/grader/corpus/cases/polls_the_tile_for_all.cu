// Reads each element of an unpadded tile with a relaxed load for all lanes of the warp, of which one keeps it.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][32];
    const int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) tile[k][x] = top + k < rows && left + x < cols ? in[(top + k) * cols + left + x] : 0;
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        float value = 0;
        for (int lane = 0; lane < 32; ++lane) {
            float other;
            asm volatile("ld.relaxed.cta.shared.f32 %0, [%1];" : "=f"(other) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane][k]))) : "memory");
            if (x == lane) value = other;
        }
        if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = value;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}
