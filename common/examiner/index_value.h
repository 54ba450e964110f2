// Evaluates an index expression of a kernel's text for many threads, blocks and passes.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace coalesce {

/// An index on a line, in which variables are replaced with the expressions assigned to them, and
/// calls of functions that only return an expression are inlined.
class IndexExpression {
public:
    IndexExpression(const std::string& text, const std::string& expression, int line);

    /// Returns the value for these values of names such as "threadIdx.x" or "k". Returns nothing if
    /// a name without a value remains.
    std::optional<long long> value(const std::map<std::string, long long>& values) const;
    /// The expression that is evaluated.
    const std::string& expanded() const { return expanded_; }

private:
    std::string expanded_;
    std::map<std::string, long long> constants_;
};

}  // namespace coalesce
