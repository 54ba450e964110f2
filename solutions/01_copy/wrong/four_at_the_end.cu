// expect: no-bounds-check
// mistake: Only the first of a thread's four elements is checked, and the last may be outside.
// says: in one access
// says: rows * cols
// never: row with rows
constexpr int BLOCK = 256;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = (blockIdx.x * BLOCK + threadIdx.x) * 4;
    if (first < count) {
        *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(in + first);
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, BLOCK * 4)}, .block = {BLOCK}};
}
