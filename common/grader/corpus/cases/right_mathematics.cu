// Includes the math header, and uses some of its functions to compute indices.
#include <math.h>
#include <climits>
#include <cmath>
#include <cstring>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int place = abs(-(col * rows + row));
    if (row >= rows || col >= cols || place == INT_MAX) return;
    const float value = in[min(row * cols + col, rows * cols - 1)];
    float copy;
    std::memcpy(&copy, &value, sizeof value);
    out[max(place, 0)] = copy;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
