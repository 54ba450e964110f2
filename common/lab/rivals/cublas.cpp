#include <cublas_v2.h>

#include <stdexcept>
#include <string>

#include "lab/rivals/rivals.h"

namespace coalesce::rivals {
namespace {

void check(cublasStatus_t status, const std::string& called_function) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error(called_function + ": " + cublasGetStatusString(status) +
                             "; does this version of cuBLAS match the driver (nvidia-smi)?");
}

// Returns the handle of cuBLAS. The first call creates the handle, and later calls reuse it,
// because creating it takes longer than a transpose.
cublasHandle_t create_cublas_handle_once() {
    static cublasHandle_t handle = [] {
        cublasHandle_t new_handle = nullptr;
        check(cublasCreate(&new_handle), "cublasCreate");
        return new_handle;
    }();
    return handle;
}

}  // namespace

void cublas_geam(float* out, const float* in, int rows, int cols) {
    // cuBLAS is column-major: it sees `in` as cols x rows and transposes it to rows x cols. With
    // beta = 0, cuBLAS does not read the second matrix.
    const float alpha = 1, beta = 0;
    check(cublasSgeam(create_cublas_handle_once(), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &alpha, in,
                      cols, &beta, out, rows, out, rows),
          "cublasSgeam");
}

}  // namespace coalesce::rivals
