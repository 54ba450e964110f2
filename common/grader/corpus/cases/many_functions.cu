// Thousands of functions, of which none is called: each launch has to read them all.
#define FUNCTION(n) \
    __device__ __noinline__ int f##n(int x) { return x * 0x##n + (x >> 3) % 0x1##n; }
#define CALL(n) \
    if (cols == -0x##n) col = f##n(col);
#define TEN(DO, n) \
    DO(n##0) DO(n##1) DO(n##2) DO(n##3) DO(n##4) DO(n##5) DO(n##6) DO(n##7) DO(n##8) DO(n##9)
#define HUNDRED(DO, n)                                                                \
    TEN(DO, n##0) TEN(DO, n##1) TEN(DO, n##2) TEN(DO, n##3) TEN(DO, n##4) TEN(DO, n##5) \
    TEN(DO, n##6) TEN(DO, n##7) TEN(DO, n##8) TEN(DO, n##9)
#define ALL(DO)                                                                          \
    HUNDRED(DO, 1) HUNDRED(DO, 2) HUNDRED(DO, 3) HUNDRED(DO, 4) HUNDRED(DO, 5) HUNDRED(DO, 6) \
    HUNDRED(DO, 7) HUNDRED(DO, 8) HUNDRED(DO, 9) HUNDRED(DO, a) HUNDRED(DO, b) HUNDRED(DO, c)
ALL(FUNCTION)

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    ALL(CALL)
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
