// expect: grid-exchanged
// mistake: The kernel takes the row of its tile from blockIdx.y, but the grid counts rows along x.
// says: blockIdx.x counts columns
constexpr int N = 64, Q = N / 4;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[N][Q];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * N, j0 = blockIdx.x * N;
    auto slot = [](int line, int q) { return q ^ (line / 4 % 8); };

    int i = i0 + 4 * ty, j = j0 + 4 * tx;
    if (i < rows && j < cols) {
        float4 r[4];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            r[n] = *reinterpret_cast<const float4*>(in + (i + n) * cols + j);
        }
        const int line = 4 * tx;
        tile[line + 0][slot(line + 0, ty)] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
        tile[line + 1][slot(line + 1, ty)] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
        tile[line + 2][slot(line + 2, ty)] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
        tile[line + 3][slot(line + 3, ty)] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
    }
    __syncthreads();

    for (int n = ty; n < N; n += Q) {
        if (i0 + 4 * tx < rows && j0 + n < cols) {
            *reinterpret_cast<float4*>(out + (j0 + n) * rows + i0 + 4 * tx) = tile[n][slot(n, tx)];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, N), ceil_div(cols, N)}, .block = {Q, Q}};
}
