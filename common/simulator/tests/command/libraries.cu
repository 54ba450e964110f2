// A program that calls a library of NVIDIA's; command_test.cpp has it refused.
#include <cublas_v2.h>

int main() {
    cublasHandle_t handle;
    return cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS ? 0 : 1;
}
