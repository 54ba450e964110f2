// Calls two functions of an NVIDIA library. Our replacement for the library lacks one of them.
// command_test.cpp checks that simulate refuses this program.
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    float one = 1, *matrix = nullptr;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    return cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                       CUBLAS_DIAG_NON_UNIT, 0, 0, &one, matrix, 1, matrix,
                       1) == CUBLAS_STATUS_SUCCESS
               ? 0
               : 1;
}
