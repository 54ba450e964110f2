// Tests of cuBLAS's functions for vectors, streams and settings.
// nvcc: -lcublas
// expect: axpy: 12 24 36
// expect: axpy, every other element backwards: 31 2 23 4 15
// expect: scal: 5 10 15
// expect: copy: 1 2 3
// expect: swap: 4 5 6, 1 2 3
// expect: dot: 32, nrm2: 5, asum: 7
// expect: the largest is no. 2, the smallest no. 3
// expect: a result in device memory: 32
// expect: gemv: 22 28, transposed: 9 12 15
// expect: ger: 4 8 5 10
// expect: scal in a stream: 2
// expect: copied to the device and back: 1 2 3 4
// expect: stream kept: yes, math mode kept: yes
// expect: a null handle: CUBLAS_STATUS_NOT_INITIALIZED
#include <cublas_v2.h>

#include <string>

#include "../programs/check.h"

#define NEED(call)                                                                    \
    do {                                                                              \
        const cublasStatus_t status = (call);                                         \
        if (status != CUBLAS_STATUS_SUCCESS) {                                        \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cublasGetStatusString(status)); \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

template <class T>
std::string listed(const DeviceArray<T>& array) {
    std::string text;
    for (const T value : array.read()) text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(value));
    return text;
}

void level_1(cublasHandle_t handle) {
    const DeviceArray<float> x({1, 2, 3}), y({2, 4, 6});
    const float ten = 10, five = 5;
    NEED(cublasSaxpy(handle, 3, &ten, x, 1, y, 1));
    std::printf("axpy: %s\n", listed(y).c_str());
    const DeviceArray<float> apart({1, 2, 3, 4, 5});
    NEED(cublasSaxpy(handle, 3, &ten, x, 1, apart, -2));
    std::printf("axpy, every other element backwards: %s\n", listed(apart).c_str());
    const DeviceArray<double> d({1, 2, 3}), e({4, 5, 6}), f(3);
    const double factor = five;
    NEED(cublasDcopy(handle, 3, d, 1, f, 1));
    NEED(cublasDscal(handle, 3, &factor, f, 1));
    std::printf("scal: %s\ncopy: %s\n", listed(f).c_str(), listed(d).c_str());
    NEED(cublasDswap(handle, 3, d, 1, e, 1));
    std::printf("swap: %s, %s\n", listed(d).c_str(), listed(e).c_str());

    double dot, length, sum;
    const DeviceArray<double> sides({3, -4, 0});
    NEED(cublasDdot(handle, 3, d, 1, e, 1, &dot));
    NEED(cublasDnrm2(handle, 3, sides, 1, &length));
    NEED(cublasDasum(handle, 3, sides, 1, &sum));
    std::printf("dot: %g, nrm2: %g, asum: %g\n", dot, length, sum);
    int largest, smallest;
    NEED(cublasIdamax(handle, 3, sides, 1, &largest));
    NEED(cublasIdamin(handle, 3, sides, 1, &smallest));
    std::printf("the largest is no. %d, the smallest no. %d\n", largest, smallest);
    const DeviceArray<double> there(1);
    NEED(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    NEED(cublasDdot(handle, 3, d, 1, e, 1, there));
    NEED(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    std::printf("a result in device memory: %s\n", listed(there).c_str());
}

void level_2(cublasHandle_t handle) {
    const DeviceArray<float> a({1, 2, 3, 4, 5, 6});  // 2 x 3, with columns (1 2) (3 4) (5 6)
    const DeviceArray<float> x({1, 2, 3}), y(2), z({1, 1, 1}), w({2, 1});
    const float one = 1, zero = 0;
    NEED(cublasSgemv(handle, CUBLAS_OP_N, 2, 3, &one, a, 2, x, 1, &zero, y, 1));
    NEED(cublasSgemv(handle, CUBLAS_OP_T, 2, 3, &one, a, 2, w, 1, &one, z, 1));
    const float minus = -1;
    const DeviceArray<float> ones({-4, -1, 2});
    NEED(cublasSaxpy(handle, 3, &minus, ones, 1, z, 1));
    std::printf("gemv: %s, transposed: %s\n", listed(y).c_str(), listed(z).c_str());
    const DeviceArray<float> outer(4), p({1, 2}), q({4, 5});
    NEED(cublasSger(handle, 2, 2, &one, p, 1, q, 1, outer, 2));
    std::printf("ger: %s\n", listed(outer).c_str());
}

__global__ void make_one(float* x) { *x = 1; }

void settings(cublasHandle_t handle) {
    cudaStream_t stream, told;
    MUST(cudaStreamCreate(&stream));
    NEED(cublasSetStream(handle, stream));
    NEED(cublasGetStream(handle, &told));
    const DeviceArray<float> x(1);
    const float two = 2;
    make_one<<<1, 1, 0, stream>>>(x);
    NEED(cublasSscal(handle, 1, &two, x, 1));
    MUST(cudaStreamSynchronize(stream));
    std::printf("scal in a stream: %s\n", listed(x).c_str());

    const float matrix[] = {1, 2, 3, 4};
    float back[4] = {};
    const DeviceArray<float> on_device(8);
    NEED(cublasSetMatrix(2, 2, sizeof(float), matrix, 2, on_device, 4));
    NEED(cublasGetMatrix(2, 2, sizeof(float), on_device, 4, back, 2));
    std::printf("copied to the device and back: %g %g %g %g\n", back[0], back[1], back[2], back[3]);
    cublasMath_t mode;
    NEED(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
    NEED(cublasGetMathMode(handle, &mode));
    std::printf("stream kept: %s, math mode kept: %s\n", told == stream ? "yes" : "no",
                mode == CUBLAS_TF32_TENSOR_OP_MATH ? "yes" : "no");
}

int main() {
    cublasHandle_t handle;
    NEED(cublasCreate(&handle));
    level_1(handle);
    level_2(handle);
    settings(handle);
    NEED(cublasDestroy(handle));
    std::printf("a null handle: %s\n", cublasGetStatusName(cublasDestroy(nullptr)));
}
