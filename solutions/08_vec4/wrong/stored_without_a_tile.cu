// expect: too-many-requests | uncoalesced-stores
// mistake: The kernel loads a float4 and stores its floats into four rows of `out`, without a tile.
// never: Access each element once
// never: access each element once
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x * 4;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 16) {
        if (row + k < rows && col < cols) {
            float4 v = reinterpret_cast<const float4&>(in[(row + k) * cols + col]);
            out[(col + 0) * rows + row + k] = v.x;  // here
            out[(col + 1) * rows + row + k] = v.y;  // here
            out[(col + 2) * rows + row + k] = v.z;  // here
            out[(col + 3) * rows + row + k] = v.w;  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {8, 16}};
}
