// Parses the expressions of a kernel's text: the conditions around a line, the index of an access,
// and the definitions of the variables in it.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// Splits an expression at an operator of one character or more, outside of brackets.
std::vector<std::string> split_outside_brackets(const std::string& text,
                                                const std::string& separator);
/// Returns the expression without blanks, brackets around the whole expression, and casts to int or
/// unsigned.
std::string simplified(std::string expression);

/// A comparison such as `row + k < rows`.
struct ComparisonTerm {
    std::string left, op, right;  ///< both sides and the operator; `right` is the bound
};

/// A condition that decides whether a line is executed.
struct Condition {
    int line = 0;
    std::string text;  ///< the condition as written in the source
    bool is_exit =
        false;  ///< whether a return, break or continue follows, as in `if (...) return;`
    bool returns = false;     ///< whether that statement is a return
    bool is_in_loop = false;  ///< whether the condition is inside a loop
    bool is_empty = false;    ///< whether a semicolon follows, so that the condition has no effect
    std::vector<ComparisonTerm> comparisons = {};

    bool joins_with_or() const { return text.find("||") != std::string::npos; }
};

/// Returns the conditions of the `if` statements that decide whether a line is executed: statements
/// around the line, and earlier statements that return from the function or leave the line's loop.
std::vector<Condition> find_conditions(const std::string& text, int line);

/// The index of an access to a matrix, as in `in[(row + k) * cols + col]`.
struct MatrixIndex {
    std::string text = "";   ///< the index as written; empty if the line has no access
    std::string outer = "";  ///< the term that is multiplied by the length of a row: "row + k"
    std::string pitch = "";  ///< the length of a row: "cols"
    std::string inner = "";  ///< the term that is added: "col"
};
/// Returns the index of the first access to `matrix` on a line. If it is not the sum of a product
/// and another term, only `text` is set.
MatrixIndex find_matrix_index(const std::string& text, int line, const std::string& matrix);

/// Returns the expression with each variable replaced by the value last assigned to it before a
/// line. Repeats this for the variables in those values. Loop counters are not replaced.
std::string expand(const std::string& text, const std::string& expression, int line);
/// Returns the line of the last assignment to a variable before a line, or 0.
int find_assignment_line(const std::string& text, const std::string& variable, int line);
/// Returns the value of the last assignment to a variable before a line, or "".
std::string assigned_value(const std::string& text, const std::string& variable, int line);

}  // namespace coalesce
