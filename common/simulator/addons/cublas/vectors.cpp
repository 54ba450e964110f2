// Implements the vector functions, and the functions that combine a matrix with vectors.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "simulator/addons/cublas/cublas.h"

using namespace coalesce::simulator::cublas;

namespace {

/// A vector in simulated memory. As in BLAS, the first element of a vector with a negative stride
/// is at the end of its memory.
struct Vector {
    const void* begin;
    int element_step;
    Type type;

    /// Returns the elements in order. Rejects a stride of 0, which would put all elements at the
    /// same address.
    std::vector<double> read_values(int count) const {
        if (count <= 0) return {};
        if (element_step == 0) refuse("the increment of a vector is 0.");
        std::vector<double> elements =
            read_matrix(begin, type, 1, static_cast<size_t>(count), stride());
        if (element_step < 0) std::reverse(elements.begin(), elements.end());
        return elements;
    }
    void write_values(std::vector<double> new_values) const {
        if (new_values.empty()) return;
        if (element_step < 0) std::reverse(new_values.begin(), new_values.end());
        write_matrix(const_cast<void*>(begin), type, 1, new_values.size(), stride(), new_values);
    }

private:
    size_t stride() const { return static_cast<size_t>(std::abs(element_step)); }
};

void store_scalar(void* result, Type type, double value) {
    const auto rounded_value = static_cast<float>(value);
    if (type == Type::f32)
        write_result(result, &rounded_value, sizeof rounded_value);
    else
        write_result(result, &value, sizeof value);
}

void add_scaled_vector(int count, double alpha, const Vector& x, const Vector& y) {
    std::vector<double> sum = y.read_values(count);
    const std::vector<double> x_values = x.read_values(count);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += alpha * x_values[i];
    y.write_values(std::move(sum));
}

void scale_vector(int count, double alpha, const Vector& x) {
    std::vector<double> values_to_scale = x.read_values(count);
    for (double& value : values_to_scale) value *= alpha;
    x.write_values(std::move(values_to_scale));
}

void exchange_vectors(int count, const Vector& x, const Vector& y) {
    std::vector<double> x_values = x.read_values(count), y_values = y.read_values(count);
    x.write_values(std::move(y_values));
    y.write_values(std::move(x_values));
}

double dot_product(int count, const Vector& x, const Vector& y) {
    const std::vector<double> first = x.read_values(count), second = y.read_values(count);
    double sum = 0;
    for (size_t i = 0; i < first.size(); ++i) sum += first[i] * second[i];
    return sum;
}

double sum_of_magnitudes(int count, const Vector& x) {
    double sum = 0;
    for (const double value : x.read_values(count)) sum += std::fabs(value);
    return sum;
}

/// Stores the 1-based index of the element with the largest or smallest magnitude. Of equal
/// elements, the first one counts. Stores 0 if the vector is empty.
void store_extreme_index(int count, const Vector& x, bool finds_largest, void* result) {
    const std::vector<double> elements = x.read_values(count);
    const auto has_smaller_magnitude = [](double a, double b) {
        return std::fabs(a) < std::fabs(b);
    };
    const auto extreme_element =
        finds_largest ? std::max_element(elements.begin(), elements.end(), has_smaller_magnitude)
                      : std::min_element(elements.begin(), elements.end(), has_smaller_magnitude);
    const int index =
        elements.empty() ? 0 : static_cast<int>(extreme_element - elements.begin()) + 1;
    write_result(result, &index, sizeof index);
}

/// Computes y = alpha * op(a) * x + beta * y.
void multiply_vector(Operation op, int m, int n, double alpha, const void* a, int leading_dimension,
                     const Vector& x, double beta, const Vector& y) {
    require(is_operation(op) && m >= 0 && n >= 0 && leading_dimension >= std::max(1, m));
    const int rows = op == 0 ? m : n, columns = op == 0 ? n : m;
    const auto matrix_rows = static_cast<size_t>(m);
    const std::vector<double> matrix = read_matrix(a, x.type, matrix_rows, static_cast<size_t>(n),
                                                   static_cast<size_t>(leading_dimension));
    const std::vector<double> factors = x.read_values(columns);
    std::vector<double> sum(static_cast<size_t>(rows));
    for (size_t i = 0; i < sum.size(); ++i)
        for (size_t j = 0; j < factors.size(); ++j)
            sum[i] +=
                (op == 0 ? matrix[j * matrix_rows + i] : matrix[i * matrix_rows + j]) * factors[j];
    for (double& s : sum) s *= alpha;
    if (beta != 0) {
        const std::vector<double> old_values = y.read_values(rows);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += beta * old_values[i];
    }
    y.write_values(std::move(sum));
}

/// Computes a = a + alpha * x * y^T.
void add_outer_product(int m, int n, double alpha, const Vector& x, const Vector& y, void* a,
                       int leading_dimension) {
    require(m >= 0 && n >= 0 && leading_dimension >= std::max(1, m));
    const auto rows = static_cast<size_t>(m), columns = static_cast<size_t>(n),
               stride = static_cast<size_t>(leading_dimension);
    std::vector<double> sum = read_matrix(a, x.type, rows, columns, stride);
    const std::vector<double> column_factors = x.read_values(m), row_factors = y.read_values(n);
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < rows; ++i)
            sum[j * rows + i] += alpha * column_factors[i] * row_factors[j];
    write_matrix(a, x.type, rows, columns, stride, sum);
}

}  // namespace

extern "C" {

#define COALESCE_VECTORS(S, T)                                                                     \
    Status cublas##S##axpy_v2(void* handle, int n, const void* alpha, const void* x, int step_x,   \
                              void* y, int step_y) {                                               \
        return run_cublas_call("cublas" #S "axpy", handle, [&] {                                   \
            add_scaled_vector(n, read_scalar(alpha, T), {x, step_x, T}, {y, step_y, T});           \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##scal_v2(void* handle, int n, const void* alpha, void* x, int step) {         \
        return run_cublas_call("cublas" #S "scal", handle, [&] {                                   \
            scale_vector(n, read_scalar(alpha, T), {x, step, T});                                  \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##copy_v2(void* handle, int n, const void* x, int step_x, void* y,             \
                              int step_y) {                                                        \
        return run_cublas_call("cublas" #S "copy", handle, [&] {                                   \
            Vector{y, step_y, T}.write_values(Vector{x, step_x, T}.read_values(n));                \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##swap_v2(void* handle, int n, void* x, int step_x, void* y, int step_y) {     \
        return run_cublas_call("cublas" #S "swap", handle, [&] {                                   \
            exchange_vectors(n, {x, step_x, T}, {y, step_y, T});                                   \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##dot_v2(void* handle, int n, const void* x, int step_x, const void* y,        \
                             int step_y, void* result) {                                           \
        return run_cublas_call("cublas" #S "dot", handle, [&] {                                    \
            store_scalar(result, T, dot_product(n, {x, step_x, T}, {y, step_y, T}));               \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##nrm2_v2(void* handle, int n, const void* x, int step, void* result) {        \
        return run_cublas_call("cublas" #S "nrm2", handle, [&] {                                   \
            store_scalar(result, T, std::sqrt(dot_product(n, {x, step, T}, {x, step, T})));        \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##asum_v2(void* handle, int n, const void* x, int step, void* result) {        \
        return run_cublas_call("cublas" #S "asum", handle, [&] {                                   \
            store_scalar(result, T, sum_of_magnitudes(n, {x, step, T}));                           \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##gemv_v2(void* handle, Operation op, int m, int n, const void* alpha,         \
                              const void* a, int lda, const void* x, int step_x, const void* beta, \
                              void* y, int step_y) {                                               \
        return run_cublas_call("cublas" #S "gemv", handle, [&] {                                   \
            multiply_vector(op, m, n, read_scalar(alpha, T), a, lda, {x, step_x, T},               \
                            read_scalar(beta, T), {y, step_y, T});                                 \
        });                                                                                        \
    }                                                                                              \
    Status cublas##S##ger_v2(void* handle, int m, int n, const void* alpha, const void* x,         \
                             int step_x, const void* y, int step_y, void* a, int lda) {            \
        return run_cublas_call("cublas" #S "ger", handle, [&] {                                    \
            add_outer_product(m, n, read_scalar(alpha, T), {x, step_x, T}, {y, step_y, T}, a,      \
                              lda);                                                                \
        });                                                                                        \
    }
COALESCE_VECTORS(S, Type::f32)
COALESCE_VECTORS(D, Type::f64)
#undef COALESCE_VECTORS

#define COALESCE_INDEX(name, type, largest)                                        \
    Status name##_v2(void* handle, int n, const void* x, int step, void* result) { \
        return run_cublas_call(#name, handle, [&] {                                \
            store_extreme_index(n, {x, step, type}, largest, result);              \
        });                                                                        \
    }
COALESCE_INDEX(cublasIsamax, Type::f32, true)
COALESCE_INDEX(cublasIdamax, Type::f64, true)
COALESCE_INDEX(cublasIsamin, Type::f32, false)
COALESCE_INDEX(cublasIdamin, Type::f64, false)
#undef COALESCE_INDEX

}  // extern "C"
