// Loads the next pair of tiles into registers while the block multiplies this pair.
#include "exercise.h"

constexpr int B = 16, E = 4, T = B * E, D = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ float of_a[T][D], of_b[D][T];
    const int x = threadIdx.x, y = threadIdx.y, id = y * B + x;
    const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    float next_a[E], next_b[E], sums[E][E] = {};

    auto load = [&](int first) {
        for (int i = 0; i < E; ++i) {
            const int at = id + B * B * i;
            const int row = row0 + at / D, ka = first + at % D;
            const int kb = first + at / T, col = col0 + at % T;
            next_a[i] = row < rows && ka < inner ? a[row * inner + ka] : 0;
            next_b[i] = kb < inner && col < cols ? b[kb * cols + col] : 0;
        }
    };

    load(0);
    for (int first = 0; first < inner; first += D) {
        for (int i = 0; i < E; ++i) {
            const int at = id + B * B * i;
            of_a[at / D][at % D] = next_a[i];
            of_b[at / T][at % T] = next_b[i];
        }
        __syncthreads();
        load(first + D);
        for (int k = 0; k < D; ++k) {
            float from_b[E];
            for (int j = 0; j < E; ++j) from_b[j] = of_b[k][x + B * j];
            for (int i = 0; i < E; ++i) {
                const float from_a = of_a[y + B * i][k];
                for (int j = 0; j < E; ++j) sums[i][j] = fmaf(from_a, from_b[j], sums[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < E; ++i) {
        const int row = row0 + y + B * i;
        for (int j = 0; row < rows && j < E; ++j) {
            const int col = col0 + x + B * j;
            if (col < cols) out[row * cols + col] = sums[i][j];
        }
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, T), ceil_div(rows, T)}, .block = {B, B}};
}
