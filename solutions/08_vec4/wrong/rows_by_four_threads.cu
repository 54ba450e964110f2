// expect: mixed-in-tile
// mistake: The row of a thread changes every 4 threads, but a row takes 8.
// says: it takes 8 threads
// never: Perhaps
constexpr int T = 32, THREADS = 128;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float turned[T][T + 1];  // one row for each column of `in`
    const int quad = threadIdx.x % 8 * 4, line = threadIdx.x / 4;  // here
    const int top = blockIdx.y * T, left = blockIdx.x * T;

    auto put = [&](int r, float4 v) {
        turned[quad + 0][r] = v.x;
        turned[quad + 1][r] = v.y;
        turned[quad + 2][r] = v.z;
        turned[quad + 3][r] = v.w;
    };
    for (int r = line; r < T; r += THREADS / 8) {
        if (top + r < rows && left + quad < cols) {
            put(r, *reinterpret_cast<const float4*>(&in[(top + r) * cols + left + quad]));
        }
    }

    __syncthreads();

    for (int c = line; c < T; c += THREADS / 8) {
        if (left + c < cols && top + quad < rows) {
            const float* s = &turned[c][quad];
            float4 v = {s[0], s[1], s[2], s[3]};
            *reinterpret_cast<float4*>(&out[(left + c) * rows + top + quad]) = v;
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, T), ceil_div(rows, T)}, .block = {THREADS}};
}
