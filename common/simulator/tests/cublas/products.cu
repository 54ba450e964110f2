// Compares cuBLAS's matrix products and sums with plain loops. Rounding errors are accepted.
// nvcc: -lcublas
// expect: Sgemm, 16 variants: ok
// expect: Dgemm, 16 variants: ok
// expect: Hgemm: ok
// expect: GemmEx, halves to floats: ok
// expect: strided batches: ok
// expect: batches: ok
// expect: strided batches, Ex: ok
// expect: batches, Ex: ok
// expect: c is not read if beta is 0: ok
// expect: scalars in device memory: ok
// expect: Sgeam transposes: ok
// expect: Sgeam in place, twice: ok
// expect: Dgeam of two: ok
// expect: a leading dimension that is too small: CUBLAS_STATUS_INVALID_VALUE
// expect: memory beside the matrix is unchanged: ok
// expect-stderr: apicheck: CUBLAS_STATUS_INVALID_VALUE from cublasSgemm
// expect-stderr: cublasSgeam: 3 calls, on the host, not counted
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <random>
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

std::mt19937 chance(11);

template <class T>
std::vector<T> random_numbers(int count) {
    std::vector<T> all(count);
    for (T& x : all) x = static_cast<T>(std::uniform_real_distribution<float>(-1, 1)(chance));
    return all;
}

/// Returns element (i, j) of op(x).
template <class T>
double element(const std::vector<T>& x, cublasOperation_t op, int leading, int i, int j, int from = 0) {
    return static_cast<double>(x[from + (op == CUBLAS_OP_N ? j * leading + i : i * leading + j)]);
}

template <class T>
bool is_near(double got, double wanted) {
    const double unit = sizeof(T) == 8 ? 1e-13 : sizeof(T) == 4 ? 1e-5 : 2e-2;
    return std::fabs(got - wanted) <= unit * (1 + std::fabs(wanted));
}

struct Sizes {
    int m, n, k, lda, ldb, ldc;
};
constexpr Sizes kSizes = {7, 5, 9, 11, 12, 8};

template <class A, class C>
double wanted(const std::vector<A>& a, const std::vector<A>& b, const std::vector<C>& c, cublasOperation_t op_a,
              cublasOperation_t op_b, double alpha, double beta, int i, int j, const int* from) {
    double sum = 0;
    for (int l = 0; l < kSizes.k; ++l)
        sum += element(a, op_a, kSizes.lda, i, l, from[0]) * element(b, op_b, kSizes.ldb, l, j, from[1]);
    return alpha * sum + beta * static_cast<double>(c[from[2] + j * kSizes.ldc + i]);
}

template <class A, class C>
bool is_product(const std::vector<C>& got, const std::vector<A>& a, const std::vector<A>& b, const std::vector<C>& c,
                cublasOperation_t op_a, cublasOperation_t op_b, double alpha, double beta, int a0 = 0, int b0 = 0,
                int c0 = 0) {
    const int from[] = {a0, b0, c0};
    for (int j = 0; j < kSizes.n; ++j)
        for (int i = 0; i < kSizes.m; ++i)
            if (!is_near<C>(static_cast<double>(got[c0 + j * kSizes.ldc + i]),
                            wanted(a, b, c, op_a, op_b, alpha, beta, i, j, from)))
                return false;
    return true;
}

void verdict(const char* name, bool good) {
    std::printf("%s: %s\n", name, good ? "ok" : "differs");
}

constexpr int kA = 11 * 9 + 20, kB = 12 * 9 + 20, kC = 8 * 5 + 6;

template <class T, class Gemm>
bool all_ways(cublasHandle_t handle, Gemm gemm, T alpha, T beta) {
    bool good = true;
    for (int way = 0; way < 16; ++way) {
        const auto op_a = way & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, op_b = way & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
        const T al = way & 4 ? alpha : T(1), be = way & 8 ? beta : T(0);
        const auto a = random_numbers<T>(kA), b = random_numbers<T>(kB), c = random_numbers<T>(kC);
        const DeviceArray<T> da(a), db(b), dc(c);
        NEED(gemm(handle, op_a, op_b, kSizes.m, kSizes.n, kSizes.k, &al, da, kSizes.lda, db, kSizes.ldb, &be, dc,
                  kSizes.ldc));
        good = good && is_product(dc.read(), a, b, c, op_a, op_b, static_cast<double>(static_cast<float>(al)),
                                  static_cast<double>(static_cast<float>(be)));
    }
    return good;
}

/// Converts halves to floats, because the plain loops compute with floats.
std::vector<float> floats(const std::vector<__half>& halves) {
    std::vector<float> all;
    for (const __half h : halves) all.push_back(__half2float(h));
    return all;
}
std::vector<__half> halves(const std::vector<float>& numbers) {
    std::vector<__half> all;
    for (const float x : numbers) all.push_back(__float2half(x));
    return all;
}

void of_halves(cublasHandle_t handle) {
    const auto a = halves(random_numbers<float>(kA)), b = halves(random_numbers<float>(kB)),
               c = halves(random_numbers<float>(kC));
    const DeviceArray<__half> da(a), db(b), dc(c);
    const __half one = __float2half(1), half = __float2half(0.5f);
    NEED(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, kSizes.m, kSizes.n, kSizes.k, &one, da, kSizes.lda, db,
                     kSizes.ldb, &half, dc, kSizes.ldc));
    const auto got = floats(dc.read()), old = floats(c);
    bool good = true;
    const int from[] = {0, 0, 0};
    for (int j = 0; j < kSizes.n; ++j)
        for (int i = 0; i < kSizes.m; ++i)
            good = good && is_near<__half>(got[j * kSizes.ldc + i],
                                           wanted(floats(a), floats(b), old, CUBLAS_OP_N, CUBLAS_OP_T, 1, 0.5, i, j, from));
    verdict("Hgemm", good);

    const std::vector<float> start = random_numbers<float>(kC);
    const DeviceArray<float> out(start);
    const float alpha = 2, beta = -1;
    NEED(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha, da, CUDA_R_16F,
                      kSizes.lda, db, CUDA_R_16F, kSizes.ldb, &beta, out, CUDA_R_32F, kSizes.ldc, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT));
    verdict("GemmEx, halves to floats",
            is_product(out.read(), floats(a), floats(b), start, CUBLAS_OP_T, CUBLAS_OP_N, 2, -1));
}

void batches(cublasHandle_t handle) {
    constexpr int kCount = 3;
    const auto a = random_numbers<float>(kCount * kA), b = random_numbers<float>(kB), c = random_numbers<float>(kCount * kC);
    const DeviceArray<float> da(a), db(b);
    const float alpha = 1.5f, beta = 0.5f;
    std::vector<const float*> as, bs;
    const auto good = [&](const DeviceArray<float>& dc) {
        bool all = true;
        for (int i = 0; i < kCount; ++i)
            all = all && is_product(dc.read(), a, b, c, CUBLAS_OP_N, CUBLAS_OP_N, alpha, beta, i * kA, 0, i * kC);
        return all;
    };
    const DeviceArray<float> strided(c), pointers(c), strided_ex(c), pointers_ex(c);
    NEED(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha, da,
                                   kSizes.lda, kA, db, kSizes.ldb, 0, &beta, strided, kSizes.ldc, kC, kCount));
    verdict("strided batches", good(strided));
    std::vector<float*> cs, cs_ex;
    for (int i = 0; i < kCount; ++i) {
        as.push_back(da + i * kA);
        bs.push_back(db);
        cs.push_back(pointers + i * kC);
        cs_ex.push_back(pointers_ex + i * kC);
    }
    const DeviceArray<const float*> pa(as), pb(bs);
    const DeviceArray<float*> pc(cs), pc_ex(cs_ex);
    NEED(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha, pa, kSizes.lda, pb,
                            kSizes.ldb, &beta, pc, kSizes.ldc, kCount));
    verdict("batches", good(pointers));
    NEED(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha, da,
                                    CUDA_R_32F, kSizes.lda, kA, db, CUDA_R_32F, kSizes.ldb, 0, &beta, strided_ex,
                                    CUDA_R_32F, kSizes.ldc, kC, kCount, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    verdict("strided batches, Ex", good(strided_ex));
    NEED(cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha,
                             reinterpret_cast<const void* const*>(static_cast<const float**>(pa)), CUDA_R_32F, kSizes.lda,
                             reinterpret_cast<const void* const*>(static_cast<const float**>(pb)), CUDA_R_32F, kSizes.ldb,
                             &beta, reinterpret_cast<void* const*>(static_cast<float**>(pc_ex)), CUDA_R_32F, kSizes.ldc,
                             kCount, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    verdict("batches, Ex", good(pointers_ex));
}

void scalars(cublasHandle_t handle) {
    const auto a = random_numbers<float>(kA), b = random_numbers<float>(kB);
    const std::vector<float> nothing(kC, NAN), zeros(kC, 0.0f);
    const DeviceArray<float> da(a), db(b), dc(nothing), one({1.0f}), zero({0.0f}), again(zeros);
    const float alpha = 1, beta = 0;
    NEED(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, &alpha, da, kSizes.lda, db,
                     kSizes.ldb, &beta, dc, kSizes.ldc));
    verdict("c is not read if beta is 0", is_product(dc.read(), a, b, zeros, CUBLAS_OP_N, CUBLAS_OP_N, 1, 0));
    NEED(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    NEED(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSizes.m, kSizes.n, kSizes.k, one, da, kSizes.lda, db, kSizes.ldb,
                     zero, again, kSizes.ldc));
    NEED(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    verdict("scalars in device memory", is_product(again.read(), a, b, zeros, CUBLAS_OP_N, CUBLAS_OP_N, 1, 0));
}

void sums(cublasHandle_t handle) {
    constexpr int kRows = 6, kColumns = 4;
    const auto a = random_numbers<float>(kRows * kColumns);
    const DeviceArray<float> da(a), turned(kRows * kColumns);
    const float one = 1, zero = 0;
    // Calling geam with beta = 0 is the usual way to transpose a matrix with cuBLAS.
    NEED(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, kColumns, kRows, &one, da, kRows, &zero, nullptr, kColumns, turned,
                     kColumns));
    const auto got = turned.read();
    bool good = true;
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kColumns; ++j) good = good && got[i * kColumns + j] == a[j * kRows + i];
    verdict("Sgeam transposes", good);

    for (int i = 0; i < 2; ++i)
        NEED(cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, kRows, kColumns, &one, da, kRows, &one, da, kRows, da, kRows));
    expect_equal("Sgeam in place, twice", da.read(), for_threads<float>(kRows * kColumns, [&](int i) { return 4 * a[i]; }));

    const auto x = random_numbers<double>(kRows * kColumns), y = random_numbers<double>(kRows * kColumns);
    const DeviceArray<double> dx(x), dy(y), sum(kRows * kColumns);
    const double two = 2, minus = -3;
    NEED(cublasDgeam(handle, CUBLAS_OP_N, CUBLAS_OP_T, kRows, kColumns, &two, dx, kRows, &minus, dy, kColumns, sum, kRows));
    const auto both = sum.read();
    good = true;
    for (int j = 0; j < kColumns; ++j)
        for (int i = 0; i < kRows; ++i)
            good = good && is_near<double>(both[j * kRows + i], 2 * x[j * kRows + i] - 3 * y[i * kColumns + j]);
    verdict("Dgeam of two", good);
}

void mistakes(cublasHandle_t handle) {
    const DeviceArray<float> a(64), b(64);
    const std::vector<float> before = random_numbers<float>(64);
    const DeviceArray<float> c(before);
    const float one = 1, zero = 0;
    std::printf("a leading dimension that is too small: %s\n",
                cublasGetStatusName(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 7, b, 8, &zero, c, 8)));
    NEED(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, a, 8, b, 8, &zero, c, 8));
    const auto after = c.read();
    bool good = true;
    for (int i = 0; i < 64; ++i) {
        const bool inside = i % 8 < 3 && i / 8 < 3;
        good = good && after[i] == (inside ? 0 : before[i]);
    }
    verdict("memory beside the matrix is unchanged", good);
}

int main() {
    cublasHandle_t handle;
    NEED(cublasCreate(&handle));
    verdict("Sgemm, 16 variants", all_ways<float>(handle, cublasSgemm, 0.75f, -2.0f));
    verdict("Dgemm, 16 variants", all_ways<double>(handle, cublasDgemm, 0.75, -2.0));
    of_halves(handle);
    batches(handle);
    scalars(handle);
    sums(handle);
    mistakes(handle);
    NEED(cublasDestroy(handle));
}
