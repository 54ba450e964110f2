// Parses expressions in a kernel's source: conditions of `if` statements, indices of accesses, and
// definitions of variables.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// Splits an expression at each operator `separator` outside of brackets.
std::vector<std::string> split_outside_brackets(const std::string& text,
                                                const std::string& separator);
/// Returns the expression without casts to int or unsigned, without brackets around the whole
/// expression, and without blanks.
std::string simplify_expression(std::string expression);

/// A comparison such as `row + k < rows`.
struct ComparisonTerm {
    std::string left_side, op,
        right_side;  ///< both sides and the operator; `right_side` is the bound
};

/// A condition that decides whether a line is executed.
struct Condition {
    int line = 0;
    std::string text;  ///< the condition as written in the source
    bool is_exit =
        false;  ///< whether a return, break or continue follows, as in `if (...) return;`
    bool returns = false;     ///< whether the statement that follows is a return
    bool is_in_loop = false;  ///< whether the condition is inside a loop
    /// whether a semicolon directly follows, so that the condition has no effect
    bool is_empty = false;
    std::vector<ComparisonTerm> comparisons = {};
    /// The line on which the comparisons are made. This line differs from `line` if the result of
    /// the comparisons is stored in a variable, as in `bool inside = row < rows; ... if (inside)`.
    int comparison_line = 0;

    bool joins_with_or() const { return text.find("||") != std::string::npos; }
};

/// Returns the conditions that decide whether a line is executed. These are the conditions of the
/// `if` statements around the line, and of earlier `if` statements that leave the function or the
/// loop.
std::vector<Condition> find_conditions(const std::string& text, int line);

/// Returns the conditions of the `if` statements whose `else` branch contains a line.
std::vector<Condition> find_conditions_of_else(const std::string& text, int line);

/// The index of an access to a matrix, as in `in[(row + k) * cols + col]`.
struct MatrixIndex {
    std::string text = "";        ///< the index as written; empty if the line has no access
    std::string outer_term = "";  ///< the term that is multiplied by the length of a row: "row + k"
    std::string pitch = "";       ///< the length of a row: "cols"
    std::string inner_term = "";  ///< the term that is added: "col"
};
/// Returns the index of the first access to `matrix` on a line. If the index is not the sum of a
/// product and another term, only `text` is set.
MatrixIndex find_matrix_index(const std::string& text, int line, const std::string& matrix);

/// Returns the expression with each variable replaced by its last value before line `line`.
/// Variables in that value are replaced too, but loop counters are not.
std::string expand(const std::string& text, const std::string& expression, int line);
/// Returns the line of the last assignment to a variable before line `line`, or 0 if there is none.
int find_assignment_line(const std::string& text, const std::string& variable, int line);
/// Returns the value of the last assignment to a variable before line `line`, or "" if there is
/// none.
std::string assigned_value(const std::string& text, const std::string& variable, int line);

}  // namespace coalesce
