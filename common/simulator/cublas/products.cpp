// gemm in its forms, and geam.
#include <algorithm>

#include "cublas/cublas.h"
#include "cudart/driver_support.h"

namespace coalesce::sim::cublas {
namespace {

/// op(x), `rows` x `columns`, column-major without gaps.
std::vector<double> operand(const Product::Matrix& x, Operation op, int rows, int columns) {
    const auto r = static_cast<size_t>(rows), c = static_cast<size_t>(columns);
    const auto leading = static_cast<size_t>(x.leading);
    if (op == 0) return read(x.begin, x.type, r, c, leading);
    const std::vector<double> turned = read(x.begin, x.type, c, r, leading);
    std::vector<double> values(turned.size());
    for (size_t j = 0; j < c; ++j)
        for (size_t i = 0; i < r; ++i) values[j * r + i] = turned[i * c + j];
    return values;
}

}  // namespace

bool is_valid(const Product& p) {
    return is_operation(p.op_a) && is_operation(p.op_b) && p.m >= 0 && p.n >= 0 && p.k >= 0 &&
           p.a.leading >= std::max(1, p.op_a == 0 ? p.m : p.k) &&
           p.b.leading >= std::max(1, p.op_b == 0 ? p.k : p.n) && p.c.leading >= std::max(1, p.m);
}

void multiply(const Product& p) {
    const auto m = static_cast<size_t>(p.m), n = static_cast<size_t>(p.n),
               k = static_cast<size_t>(p.k), leading = static_cast<size_t>(p.c.leading);
    if (m == 0 || n == 0) return;
    std::vector<double> sum(m * n);
    if (p.alpha != 0 && k > 0) {
        const std::vector<double> a = operand(p.a, p.op_a, p.m, p.k);
        const std::vector<double> b = operand(p.b, p.op_b, p.k, p.n);
        for (size_t j = 0; j < n; ++j)
            for (size_t l = 0; l < k; ++l)
                for (size_t i = 0; i < m; ++i) sum[j * m + i] += a[l * m + i] * b[j * k + l];
    }
    for (double& s : sum) s *= p.alpha;
    // With beta = 0 the old values are not looked at: they may be NaN, or never written.
    if (p.beta != 0) {
        const std::vector<double> old = read(p.c.begin, p.c.type, m, n, leading);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += p.beta * old[i];
    }
    write(const_cast<void*>(p.c.begin), p.c.type, m, n, leading, sum);
}

}  // namespace coalesce::sim::cublas

using namespace coalesce::sim::cublas;

namespace {

struct Scalars {
    const void* alpha;
    const void* beta;
    Type type;
};

Status multiply_once(Product p, const Scalars& scalars) {
    if (!is_valid(p)) return kInvalidValue;
    p.alpha = read_scalar(scalars.alpha, scalars.type);
    p.beta = read_scalar(scalars.beta, scalars.type);
    multiply(p);
    return kSuccess;
}

const void* moved(const void* begin, Type type, long long elements, int times) {
    return static_cast<const char*>(begin) +
           elements * times * static_cast<long long>(size_of(type));
}

Status multiply_strided(Product p, const Scalars& scalars, long long a, long long b, long long c,
                        int count) {
    if (count < 0) return kInvalidValue;
    const Product first = p;
    for (int i = 0; i < count; ++i) {
        p.a.begin = moved(first.a.begin, p.a.type, a, i);
        p.b.begin = moved(first.b.begin, p.b.type, b, i);
        p.c.begin = moved(first.c.begin, p.c.type, c, i);
        const Status status = multiply_once(p, scalars);
        if (status != kSuccess) return status;
    }
    return kSuccess;
}

Status multiply_batch(Product p, const Scalars& scalars, const void* const* a, const void* const* b,
                      void* const* c, int count) {
    if (count < 0) return kInvalidValue;
    const auto as = read_pointers(a, count), bs = read_pointers(b, count),
               cs = read_pointers(c, count);
    for (size_t i = 0; i < as.size(); ++i) {
        p.a.begin = as[i], p.b.begin = bs[i], p.c.begin = cs[i];
        const Status status = multiply_once(p, scalars);
        if (status != kSuccess) return status;
    }
    return kSuccess;
}

/// cublasComputeType_t: what scalars are. False: a type that is not here.
bool find_scalars(int compute, Type& type) {
    if (compute == 64 || compute == 65)
        type = Type::f16;
    else if (compute == 70 || compute == 71)
        type = Type::f64;
    else
        type = Type::f32;
    return compute != 72 && compute != 73;
}

/// The types of a gemm that takes any; a sentence, and cudaErrorNotSupported, where they are not here.
Status check_types(const char* name, std::initializer_list<Type> types, int compute,
                   Scalars& scalars) {
    bool known = find_scalars(compute, scalars.type);
    for (const Type type : types) known = known && is_known(type);
    if (known) return kSuccess;
    const std::string what = std::string(name) + " of integers, complex numbers or 8-bit floats";
    return coalesceDriverMissing(what.c_str(), "use halves, floats or doubles");
}

/// c = alpha * op(a) + beta * op(b).
Status add_matrices(Type type, Operation op_a, Operation op_b, int m, int n, double alpha,
                    const void* a, int a_leading, double beta, const void* b, int b_leading,
                    void* c, int c_leading) {
    const auto fits = [&](Operation op, int leading) {
        return is_operation(op) && leading >= std::max(1, op == 0 ? m : n);
    };
    if (m < 0 || n < 0 || c_leading < std::max(1, m) || (alpha != 0 && !fits(op_a, a_leading)) ||
        (beta != 0 && !fits(op_b, b_leading)))
        return kInvalidValue;
    std::vector<double> sum(static_cast<size_t>(m) * static_cast<size_t>(n));
    const auto add = [&](double factor, const void* from, Operation op, int leading) {
        if (factor == 0) return;
        const std::vector<double> values = operand({from, type, leading}, op, m, n);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * values[i];
    };
    add(alpha, a, op_a, a_leading);
    add(beta, b, op_b, b_leading);
    write(c, type, static_cast<size_t>(m), static_cast<size_t>(n), static_cast<size_t>(c_leading),
          sum);
    return kSuccess;
}

}  // namespace

extern "C" {

#define COALESCE_GEMM(name, suffix, type)                                                        \
    Status name##gemm##suffix(void* handle, Operation op_a, Operation op_b, int m, int n, int k, \
                              const void* alpha, const void* a, int lda, const void* b, int ldb, \
                              const void* beta, void* c, int ldc) {                              \
        return call(#name "gemm", handle, [&](Context&) {                                        \
            return multiply_once(                                                                \
                {op_a, op_b, m, n, k, 0, 0, {a, type, lda}, {b, type, ldb}, {c, type, ldc}},     \
                {alpha, beta, type});                                                            \
        });                                                                                      \
    }                                                                                            \
    Status name##gemmStridedBatched(                                                             \
        void* handle, Operation op_a, Operation op_b, int m, int n, int k, const void* alpha,    \
        const void* a, int lda, long long stride_a, const void* b, int ldb, long long stride_b,  \
        const void* beta, void* c, int ldc, long long stride_c, int count) {                     \
        return call(#name "gemmStridedBatched", handle, [&](Context&) {                          \
            return multiply_strided(                                                             \
                {op_a, op_b, m, n, k, 0, 0, {a, type, lda}, {b, type, ldb}, {c, type, ldc}},     \
                {alpha, beta, type}, stride_a, stride_b, stride_c, count);                       \
        });                                                                                      \
    }                                                                                            \
    Status name##gemmBatched(void* handle, Operation op_a, Operation op_b, int m, int n, int k,  \
                             const void* alpha, const void* const* a, int lda,                   \
                             const void* const* b, int ldb, const void* beta, void* const* c,    \
                             int ldc, int count) {                                               \
        return call(#name "gemmBatched", handle, [&](Context&) {                                 \
            return multiply_batch({op_a,                                                         \
                                   op_b,                                                         \
                                   m,                                                            \
                                   n,                                                            \
                                   k,                                                            \
                                   0,                                                            \
                                   0,                                                            \
                                   {nullptr, type, lda},                                         \
                                   {nullptr, type, ldb},                                         \
                                   {nullptr, type, ldc}},                                        \
                                  {alpha, beta, type}, a, b, c, count);                          \
        });                                                                                      \
    }
COALESCE_GEMM(cublasS, _v2, Type::f32)
COALESCE_GEMM(cublasD, _v2, Type::f64)
COALESCE_GEMM(cublasH, , Type::f16)
#undef COALESCE_GEMM

Status cublasGemmEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                    const void* alpha, const void* a, Type a_type, int lda, const void* b,
                    Type b_type, int ldb, const void* beta, void* c, Type c_type, int ldc,
                    int compute, int) {
    return call(__func__, handle, [&](Context&) {
        Scalars scalars{alpha, beta, Type::f32};
        const Status status =
            check_types("cublasGemmEx", {a_type, b_type, c_type}, compute, scalars);
        if (status != kSuccess) return status;
        return multiply_once(
            {op_a, op_b, m, n, k, 0, 0, {a, a_type, lda}, {b, b_type, ldb}, {c, c_type, ldc}},
            scalars);
    });
}

Status cublasGemmStridedBatchedEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                                  const void* alpha, const void* a, Type a_type, int lda,
                                  long long stride_a, const void* b, Type b_type, int ldb,
                                  long long stride_b, const void* beta, void* c, Type c_type,
                                  int ldc, long long stride_c, int count, int compute, int) {
    return call(__func__, handle, [&](Context&) {
        Scalars scalars{alpha, beta, Type::f32};
        const Status status =
            check_types("cublasGemmStridedBatchedEx", {a_type, b_type, c_type}, compute, scalars);
        if (status != kSuccess) return status;
        return multiply_strided(
            {op_a, op_b, m, n, k, 0, 0, {a, a_type, lda}, {b, b_type, ldb}, {c, c_type, ldc}},
            scalars, stride_a, stride_b, stride_c, count);
    });
}

Status cublasGemmBatchedEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                           const void* alpha, const void* const* a, Type a_type, int lda,
                           const void* const* b, Type b_type, int ldb, const void* beta,
                           void* const* c, Type c_type, int ldc, int count, int compute, int) {
    return call(__func__, handle, [&](Context&) {
        Scalars scalars{alpha, beta, Type::f32};
        const Status status =
            check_types("cublasGemmBatchedEx", {a_type, b_type, c_type}, compute, scalars);
        if (status != kSuccess) return status;
        return multiply_batch({op_a,
                               op_b,
                               m,
                               n,
                               k,
                               0,
                               0,
                               {nullptr, a_type, lda},
                               {nullptr, b_type, ldb},
                               {nullptr, c_type, ldc}},
                              scalars, a, b, c, count);
    });
}

#define COALESCE_GEAM(name, type)                                                                 \
    Status name##geam(void* handle, Operation op_a, Operation op_b, int m, int n,                 \
                      const void* alpha, const void* a, int lda, const void* beta, const void* b, \
                      int ldb, void* c, int ldc) {                                                \
        return call(__func__, handle, [&](Context&) {                                             \
            return add_matrices(type, op_a, op_b, m, n, read_scalar(alpha, type), a, lda,         \
                                read_scalar(beta, type), b, ldb, c, ldc);                         \
        });                                                                                       \
    }
COALESCE_GEAM(cublasS, Type::f32)
COALESCE_GEAM(cublasD, Type::f64)
#undef COALESCE_GEAM

}  // extern "C"
