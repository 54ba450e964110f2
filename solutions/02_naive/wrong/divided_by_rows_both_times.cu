// expect: wrong-pitch
// mistake: A flat index of `in` is divided by the number of rows.
// says: divided by rows
// never: seems to use
constexpr int THREADS = 256;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows * cols) return;

    int row = i / rows;  // here
    int col = i % rows;
    out[col * rows + row] = in[i];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, THREADS)}, .block = {THREADS}};
}
