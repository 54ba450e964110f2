// Moves float4s where four floats are left, and single floats at the end.
constexpr int THREADS = 256;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int count = rows * cols;
    int first = (blockIdx.x * THREADS + threadIdx.x) * 4;
    if (first + 4 <= count) {
        reinterpret_cast<float4&>(out[first]) = reinterpret_cast<const float4&>(in[first]);
    } else {
        for (int i = first; i < count; ++i) out[i] = in[i];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows * cols, THREADS * 4)}, .block = {THREADS}};
}
