/// \file
/// Arithmetic on the sizes of an exercise, as in "rows * (cols + 1)". The same text is also valid
/// C++, so the compiled reference and the examiner compute the same values.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce {

/// Thrown if an expression cannot be evaluated. The message is a sentence that says why.
struct ExpressionError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A size with its value.
struct NamedSize {
    std::string name;
    long long value = 0;
};

/// Evaluates an expression such as "rows * (cols + 1)". An expression may contain numbers, sizes, +
/// - * / ( ), ceil_div(a, b), min(a, b) and max(a, b). Whole numbers are divided as in C++. Throws
/// ExpressionError if the expression is invalid or divides by zero.
double evaluate(const std::string& expression, const std::vector<NamedSize>& sizes);

}  // namespace coalesce
