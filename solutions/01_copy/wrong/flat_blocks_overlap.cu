// expect: race-between-blocks
// mistake: Blocks of a flat copy begin 256 elements apart, but each moves 1024.
// says: 256 elements of `out` apart
// says: 1024
// never: columns of `out` apart
constexpr int BLOCK = 256;
constexpr int PER_THREAD = 4;

// A copy does not care about rows and columns: the matrix is one long array.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = blockIdx.x * BLOCK + threadIdx.x;  // here

    float v[PER_THREAD];
    for (int j = 0; j < PER_THREAD; ++j) {
        int i = first + j * BLOCK;
        v[j] = i < count ? in[i] : 0.0f;
    }
    for (int j = 0; j < PER_THREAD; ++j) {
        int i = first + j * BLOCK;
        if (i < count) out[i] = v[j];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, BLOCK * PER_THREAD)}, .block = {BLOCK}};
}
