/* Transposes a matrix of 5 x 3 floats from C. Prints "right", or what is wrong. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "coalesce_c.h"

enum { ROWS = 5, COLS = 3, BYTES = ROWS * COLS * sizeof(float) };

static int failed(int error) {
    if (error != 0) printf("%s\n", cudaGetErrorString((cudaError_t)error));
    return error != 0;
}

int main(void) {
    float in[ROWS * COLS], out[ROWS * COLS];
    void *device_in = NULL, *device_out = NULL;
    for (int i = 0; i < ROWS * COLS; ++i) in[i] = (float)i;
    if (failed(cudaMalloc(&device_in, BYTES)) || failed(cudaMalloc(&device_out, BYTES))) return 1;
    if (failed(cudaMemcpy(device_in, in, BYTES, cudaMemcpyHostToDevice))) return 1;
    if (failed(coalesce_transpose(device_out, device_in, sizeof(float), 1, ROWS, COLS, NULL))) return 1;
    if (failed(cudaMemcpy(out, device_out, BYTES, cudaMemcpyDeviceToHost))) return 1;
    for (int row = 0; row < ROWS; ++row) {
        for (int col = 0; col < COLS; ++col) {
            if (out[col * ROWS + row] == in[row * COLS + col]) continue;
            printf("out(%d,%d) is wrong\n", col, row);
            return 1;
        }
    }
    cudaFree(device_in);
    cudaFree(device_out);
    printf("right\n");
    return 0;
}
