// expect: never-written
// of: the bug hunt
// mistake: The loop over the rest ends one element early.
// says: ends before element
constexpr int BLOCK = 256;

// A copy can treat the whole matrix as one long row.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = (blockIdx.x * BLOCK + threadIdx.x) * 4;

    if (first + 3 < count) {
        *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(in + first);
    } else {
        for (int i = first; i < count - 1; i++) {  // here
            out[i] = in[i];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, BLOCK * 4)}, .block = {BLOCK}};
}
