// expect: scrambled-in-tile
// mistake: One of the six exchanges of a piece is missing.
// says: (1,3) and (3,1)
// never: was not transposed
constexpr int TILE_DIM = 64, QUADS = TILE_DIM / 4;

__device__ void exchange(float& p, float& q) {
    float t = p;
    p = q;
    q = t;
}

// Turns the rows a, b, c, d of a 4 x 4 piece into its columns.
__device__ void turn(float4& a, float4& b, float4& c, float4& d) {
    exchange(a.y, b.x);
    exchange(a.z, c.x);
    exchange(a.w, d.x);
    exchange(b.z, c.y);
    exchange(c.w, d.z);
}

__device__ int place(int row, int quad) {
    return row * QUADS + (quad ^ (row / 4 % 8));
}

// The tile keeps the order of `in`; the pieces are turned when they are taken out.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[TILE_DIM * QUADS];
    int top = blockIdx.x * TILE_DIM, left = blockIdx.y * TILE_DIM;
    int x = threadIdx.x, y = threadIdx.y;

    for (int k = y; k < TILE_DIM; k += QUADS) {
        if (top + k < rows && left + x * 4 < cols) {
            tile[place(k, x)] = *(const float4*)&in[(top + k) * cols + left + x * 4];
        }
    }
    __syncthreads();
    int row = top + x * 4, col = left + y * 4;
    if (row < rows && col < cols) {
        float4 a = tile[place(x * 4 + 0, y)], b = tile[place(x * 4 + 1, y)];
        float4 c = tile[place(x * 4 + 2, y)], d = tile[place(x * 4 + 3, y)];
        turn(a, b, c, d);
        *(float4*)&out[(col + 0) * rows + row] = a;
        *(float4*)&out[(col + 1) * rows + row] = b;
        *(float4*)&out[(col + 2) * rows + row] = c;
        *(float4*)&out[(col + 3) * rows + row] = d;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, TILE_DIM), ceil_div(cols, TILE_DIM)}, .block = {QUADS, QUADS}};
}
