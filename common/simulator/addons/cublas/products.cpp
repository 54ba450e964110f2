// Implements all forms of gemm, and geam.
#include <algorithm>

#include "simulator/addons/cublas/cublas.h"
#include "simulator/cudart/driver_support.h"
#include "simulator/cudart/failure.h"

using namespace coalesce::simulator::cublas;

namespace {

/// A column-major matrix in simulated memory.
struct Matrix {
    const void* first_element;
    Type type;
    int leading_dimension;
};

struct Scalars {
    const void* alpha;
    const void* beta;
    Type type = Type::f32;
};

/// The operands of a product: c = alpha * op(a) * op(b) + beta * c.
struct Product {
    struct {
        Operation op_a, op_b;
        int m, n, k;
    } shape;
    Scalars scalars;
    Matrix a, b, c;
};

/// Returns op(x) as a column-major matrix of `rows` x `columns` elements without padding.
std::vector<double> read_operand(const Matrix& x, Operation op, int rows, int columns) {
    const auto r = static_cast<size_t>(rows), c = static_cast<size_t>(columns);
    const auto leading_dimension = static_cast<size_t>(x.leading_dimension);
    if (op == 0) return read_matrix(x.first_element, x.type, r, c, leading_dimension);
    const std::vector<double> untransposed =
        read_matrix(x.first_element, x.type, c, r, leading_dimension);
    std::vector<double> values(untransposed.size());
    for (size_t j = 0; j < c; ++j)
        for (size_t i = 0; i < r; ++i) values[j * r + i] = untransposed[i * c + j];
    return values;
}

bool is_valid(const Product& p) {
    const auto& [op_a, op_b, m, n, k] = p.shape;
    return is_operation(op_a) && is_operation(op_b) && m >= 0 && n >= 0 && k >= 0 &&
           p.a.leading_dimension >= std::max(1, op_a == 0 ? m : k) &&
           p.b.leading_dimension >= std::max(1, op_b == 0 ? k : n) &&
           p.c.leading_dimension >= std::max(1, m);
}

void multiply(const Product& p) {
    require(is_valid(p));
    const double alpha = read_scalar(p.scalars.alpha, p.scalars.type),
                 beta = read_scalar(p.scalars.beta, p.scalars.type);
    const auto m = static_cast<size_t>(p.shape.m), n = static_cast<size_t>(p.shape.n),
               k = static_cast<size_t>(p.shape.k),
               leading_dimension = static_cast<size_t>(p.c.leading_dimension);
    if (m == 0 || n == 0) return;
    std::vector<double> sum(m * n);
    if (alpha != 0 && k > 0) {
        const std::vector<double> a = read_operand(p.a, p.shape.op_a, p.shape.m, p.shape.k);
        const std::vector<double> b = read_operand(p.b, p.shape.op_b, p.shape.k, p.shape.n);
        for (size_t j = 0; j < n; ++j)
            for (size_t l = 0; l < k; ++l)
                for (size_t i = 0; i < m; ++i) sum[j * m + i] += a[l * m + i] * b[j * k + l];
    }
    for (double& s : sum) s *= alpha;
    // With beta = 0 the old values must not be read: they may be NaN or uninitialized.
    if (beta != 0) {
        const std::vector<double> old_values =
            read_matrix(p.c.first_element, p.c.type, m, n, leading_dimension);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += beta * old_values[i];
    }
    write_matrix(const_cast<void*>(p.c.first_element), p.c.type, m, n, leading_dimension, sum);
}

const void* find_matrix_in_batch(const Matrix& first, long long stride_elements, int matrix_index) {
    return static_cast<const char*>(first.first_element) +
           stride_elements * matrix_index * static_cast<long long>(size_of(first.type));
}

void multiply_strided(Product p, long long a, long long b, long long c, int count) {
    require(count >= 0);
    const Product first_product = p;
    for (int i = 0; i < count; ++i) {
        p.a.first_element = find_matrix_in_batch(first_product.a, a, i);
        p.b.first_element = find_matrix_in_batch(first_product.b, b, i);
        p.c.first_element = find_matrix_in_batch(first_product.c, c, i);
        multiply(p);
    }
}

void multiply_batch(Product p, const void* const* a, const void* const* b, void* const* c,
                    int count) {
    require(count >= 0);
    const auto a_matrices = read_pointers(a, count), b_matrices = read_pointers(b, count),
               c_matrices = read_pointers(c, count);
    for (size_t i = 0; i < a_matrices.size(); ++i) {
        p.a.first_element = a_matrices[i], p.b.first_element = b_matrices[i],
        p.c.first_element = c_matrices[i];
        multiply(p);
    }
}

/// Stores the scalar type of a cublasComputeType_t in `type`. Returns false if the compute type is
/// not supported.
bool find_scalar_type(int compute_type, Type& type) {
    if (compute_type == 64 || compute_type == 65)
        type = Type::f16;
    else if (compute_type == 70 || compute_type == 71)
        type = Type::f64;
    else
        type = Type::f32;
    return compute_type != 72 && compute_type != 73;
}

/// Determines the scalar type of a mixed-type gemm. Fails if an operand type or the compute type is
/// not supported.
void check_types(const char* name, int compute_type, Product& p) {
    const bool is_supported = find_scalar_type(compute_type, p.scalars.type) &&
                              is_supported_type(p.a.type) && is_supported_type(p.b.type) &&
                              is_supported_type(p.c.type);
    if (is_supported) return;
    const std::string unsupported_feature =
        std::string(name) + " of integers, complex numbers or 8-bit floats";
    coalesce::simulator::cudart::require_success(
        coalesceDriverMissing(unsupported_feature.c_str(), "use halves, floats or doubles"));
}

/// Computes c = alpha * op(a) + beta * op(b).
void add_matrices(Type type, Operation op_a, Operation op_b, int m, int n, double alpha,
                  const void* a, int a_leading, double beta, const void* b, int b_leading, void* c,
                  int c_leading) {
    const auto is_valid_leading = [&](Operation op, int leading_dimension) {
        return is_operation(op) && leading_dimension >= std::max(1, op == 0 ? m : n);
    };
    require(m >= 0 && n >= 0 && c_leading >= std::max(1, m));
    require((alpha == 0 || is_valid_leading(op_a, a_leading)) &&
            (beta == 0 || is_valid_leading(op_b, b_leading)));
    std::vector<double> sum(static_cast<size_t>(m) * static_cast<size_t>(n));
    const auto add_scaled_matrix = [&](double factor, const void* source_matrix, Operation op,
                                       int leading_dimension) {
        if (factor == 0) return;
        const std::vector<double> values =
            read_operand({source_matrix, type, leading_dimension}, op, m, n);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * values[i];
    };
    add_scaled_matrix(alpha, a, op_a, a_leading);
    add_scaled_matrix(beta, b, op_b, b_leading);
    write_matrix(c, type, static_cast<size_t>(m), static_cast<size_t>(n),
                 static_cast<size_t>(c_leading), sum);
}

}  // namespace

extern "C" {

#define COALESCE_GEMM(name, suffix, type)                                                        \
    Status name##gemm##suffix(void* handle, Operation op_a, Operation op_b, int m, int n, int k, \
                              const void* alpha, const void* a, int lda, const void* b, int ldb, \
                              const void* beta, void* c, int ldc) {                              \
        return run_cublas_call(#name "gemm", handle, [&] {                                       \
            multiply({{op_a, op_b, m, n, k},                                                     \
                      {alpha, beta, type},                                                       \
                      {a, type, lda},                                                            \
                      {b, type, ldb},                                                            \
                      {c, type, ldc}});                                                          \
        });                                                                                      \
    }                                                                                            \
    Status name##gemmStridedBatched(                                                             \
        void* handle, Operation op_a, Operation op_b, int m, int n, int k, const void* alpha,    \
        const void* a, int lda, long long stride_a, const void* b, int ldb, long long stride_b,  \
        const void* beta, void* c, int ldc, long long stride_c, int count) {                     \
        return run_cublas_call(#name "gemmStridedBatched", handle, [&] {                         \
            const Product p{{op_a, op_b, m, n, k},                                               \
                            {alpha, beta, type},                                                 \
                            {a, type, lda},                                                      \
                            {b, type, ldb},                                                      \
                            {c, type, ldc}};                                                     \
            multiply_strided(p, stride_a, stride_b, stride_c, count);                            \
        });                                                                                      \
    }                                                                                            \
    Status name##gemmBatched(void* handle, Operation op_a, Operation op_b, int m, int n, int k,  \
                             const void* alpha, const void* const* a, int lda,                   \
                             const void* const* b, int ldb, const void* beta, void* const* c,    \
                             int ldc, int count) {                                               \
        return run_cublas_call(#name "gemmBatched", handle, [&] {                                \
            const Product p{{op_a, op_b, m, n, k},                                               \
                            {alpha, beta, type},                                                 \
                            {nullptr, type, lda},                                                \
                            {nullptr, type, ldb},                                                \
                            {nullptr, type, ldc}};                                               \
            multiply_batch(p, a, b, c, count);                                                   \
        });                                                                                      \
    }
COALESCE_GEMM(cublasS, _v2, Type::f32)
COALESCE_GEMM(cublasD, _v2, Type::f64)
COALESCE_GEMM(cublasH, , Type::f16)
#undef COALESCE_GEMM

Status cublasGemmEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                    const void* alpha, const void* a, Type a_type, int lda, const void* b,
                    Type b_type, int ldb, const void* beta, void* c, Type c_type, int ldc,
                    int compute_type, int) {
    return run_cublas_call(__func__, handle, [&] {
        Product p{{op_a, op_b, m, n, k},
                  {alpha, beta},
                  {a, a_type, lda},
                  {b, b_type, ldb},
                  {c, c_type, ldc}};
        check_types("cublasGemmEx", compute_type, p);
        multiply(p);
    });
}

Status cublasGemmStridedBatchedEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                                  const void* alpha, const void* a, Type a_type, int lda,
                                  long long stride_a, const void* b, Type b_type, int ldb,
                                  long long stride_b, const void* beta, void* c, Type c_type,
                                  int ldc, long long stride_c, int count, int compute_type, int) {
    return run_cublas_call(__func__, handle, [&] {
        Product p{{op_a, op_b, m, n, k},
                  {alpha, beta},
                  {a, a_type, lda},
                  {b, b_type, ldb},
                  {c, c_type, ldc}};
        check_types("cublasGemmStridedBatchedEx", compute_type, p);
        multiply_strided(p, stride_a, stride_b, stride_c, count);
    });
}

Status cublasGemmBatchedEx(void* handle, Operation op_a, Operation op_b, int m, int n, int k,
                           const void* alpha, const void* const* a, Type a_type, int lda,
                           const void* const* b, Type b_type, int ldb, const void* beta,
                           void* const* c, Type c_type, int ldc, int count, int compute_type, int) {
    return run_cublas_call(__func__, handle, [&] {
        Product p{{op_a, op_b, m, n, k},
                  {alpha, beta},
                  {nullptr, a_type, lda},
                  {nullptr, b_type, ldb},
                  {nullptr, c_type, ldc}};
        check_types("cublasGemmBatchedEx", compute_type, p);
        multiply_batch(p, a, b, c, count);
    });
}

#define COALESCE_GEAM(name, type)                                                                 \
    Status name##geam(void* handle, Operation op_a, Operation op_b, int m, int n,                 \
                      const void* alpha, const void* a, int lda, const void* beta, const void* b, \
                      int ldb, void* c, int ldc) {                                                \
        return run_cublas_call(__func__, handle, [&] {                                            \
            add_matrices(type, op_a, op_b, m, n, read_scalar(alpha, type), a, lda,                \
                         read_scalar(beta, type), b, ldb, c, ldc);                                \
        });                                                                                       \
    }
COALESCE_GEAM(cublasS, Type::f32)
COALESCE_GEAM(cublasD, Type::f64)
#undef COALESCE_GEAM

}  // extern "C"
