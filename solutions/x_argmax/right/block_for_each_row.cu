#include "exercise.h"

__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    __shared__ int values[128], places[128];
    const int t = threadIdx.x, row = blockIdx.x;
    int best = -2147483647 - 1, at = cols;
    for (int col = t; col < cols; col += 128) {
        const int here = in[row * cols + col];
        if (here > best) {
            best = here;
            at = col;
        }
    }
    values[t] = best;
    places[t] = at;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half && (values[t + half] > values[t] ||
                         (values[t + half] == values[t] && places[t + half] < places[t]))) {
            values[t] = values[t + half];
            places[t] = places[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        index[row] = places[0];
        value[row] = values[0];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {128}};
}
