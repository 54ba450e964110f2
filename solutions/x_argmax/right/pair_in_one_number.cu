#include "exercise.h"

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    long long best = -1;
    for (int col = lane; col < cols; col += 32) {
        const long long key =
            ((long long)in[row * cols + col] + 2147483648LL) << 32 | (unsigned)(0x7fffffff - col);
        best = key > best ? key : best;
    }
    for (int o = 16; o > 0; o /= 2) {
        const long long other = __shfl_xor_sync(0xffffffff, best, o);
        best = other > best ? other : best;
    }
    if (lane == 0) {
        index[row] = 0x7fffffff - (int)(best & 0xffffffff);
        value[row] = (int)((best >> 32) - 2147483648LL);
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
