// expect: uncoalesced-stores
// mistake: Each lane stores a vector in a row of its own, without a tile.
// says: fills only 16 of its 32 bytes
// says: tile in shared memory
// never: how does the index change
constexpr int BX = 32, BY = 8;

// four floats from one column, stored side by side: no shared memory needed
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int c = blockIdx.x * BX + threadIdx.x;
    int r = (blockIdx.y * BY + threadIdx.y) * 4;
    if (r < rows && c < cols) {
        float4 v;
        v.x = in[r * cols + c];
        v.y = in[(r + 1) * cols + c];
        v.z = in[(r + 2) * cols + c];
        v.w = in[(r + 3) * cols + c];
        reinterpret_cast<float4&>(out[c * rows + r]) = v;  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, BX), ceil_div(rows, BY * 4)}, .block = {BX, BY}};
}
