// Compares index expressions as sums, so that rules can tell whether two indices move on alike.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coalesce {

/// An integer expression as a sum of products, such as `2 * threadIdx.x + k`. Names of constants,
/// loop counters and CUDA's built-in variables remain; all other variables are replaced by their
/// values. A quotient, a remainder or a call counts as a single name.
class IndexSum {
public:
    /// Parses an expression as it is used on a line. Returns nothing if the text is not such an
    /// expression, or if one of its variables changes in a way that the text does not show.
    static std::optional<IndexSum> parse(const std::string& text, const std::string& expression,
                                         int line);

    IndexSum operator+(const IndexSum& other) const { return combined(other, 1); }
    IndexSum operator-(const IndexSum& other) const { return combined(other, -1); }
    bool operator==(const IndexSum&) const = default;

    /// Returns the same sum with one more in its constant term.
    IndexSum plus(long long number) const;
    bool is_zero() const { return terms_.empty(); }
    /// Reports whether the sum consists of numbers and named constants.
    bool is_constant() const;
    /// Returns the constant term, which has no names.
    long long constant() const;
    /// Returns the names that differ between the threads of a block or the passes of a loop.
    std::vector<std::string> varying_names(const std::string& text, int line) const;
    /// Reports whether the sum is zero once constants are replaced by their values.
    bool is_zero_with_constants(const std::string& text) const;
    /// Formats the sum as C++, such as "threadIdx.x * 4 + 1".
    std::string format() const;

private:
    friend class IndexSumParser;
    using Product = std::vector<std::string>;  ///< sorted names; empty for the constant term

    IndexSum combined(const IndexSum& other, long long factor) const;
    IndexSum multiplied(const IndexSum& other) const;

    std::map<Product, long long> terms_;
};

}  // namespace coalesce
