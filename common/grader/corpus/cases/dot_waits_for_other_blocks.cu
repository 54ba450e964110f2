// Makes each block wait until the preceding block has added its part, to avoid atomics.
__global__ void dot(float* out, const float* a, const float* b, int n) {
    if (threadIdx.x != 0) return;
    volatile float* sum = out;
    float before = 0;
    for (int i = 0; i < blockIdx.x * 256 && i < n; ++i) before += a[i] * b[i];
    while (*sum < 0.99f * before) {
    }
    float own = 0;
    for (int i = blockIdx.x * 256; i < blockIdx.x * 256 + 256 && i < n; ++i) own += a[i] * b[i];
    *sum = before + own;
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, 256)}, .block = {256}};
}
