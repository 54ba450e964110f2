// Expands index expressions into sums, so that rules can check whether two indices grow by the same
// amount.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coalesce {

/// An integer expression, expanded into a sum of products, such as `2 * threadIdx.x + k`.
/// Constants, loop counters and CUDA's built-in variables keep their names; all other variables are
/// replaced with their values. A quotient or a remainder counts as a single name.
class IndexSum {
public:
    /// Parses an expression that occurs on a line of the source `text`. Returns nothing if a sum
    /// cannot represent the expression, for example if it calls a function or indexes an array.
    static std::optional<IndexSum> parse(const std::string& text, const std::string& expression,
                                         int line);

    IndexSum operator+(const IndexSum& other_sum) const { return add_multiple(other_sum, 1); }
    IndexSum operator-(const IndexSum& other_sum) const { return add_multiple(other_sum, -1); }
    bool operator==(const IndexSum&) const = default;

    IndexSum add_constant(long long number) const;
    bool is_zero() const { return terms_.empty(); }
    /// Reports whether the sum consists only of numbers and named constants.
    bool is_constant() const;
    /// Returns the constant term of the sum, or 0 if it has none.
    long long constant() const;
    /// Returns the factor of the term that consists of this name alone, or 0 if there is none.
    long long factor_of(const std::string& name) const;
    /// Reports whether no term has a negative factor. A sum of indices without such a term is never
    /// negative.
    bool has_no_negative_term() const;
    /// Returns the sum of the terms that do not contain a name.
    IndexSum without(const std::string& name) const;
    /// Returns the names whose values differ between the threads of a block or the iterations of a
    /// loop.
    std::vector<std::string> varying_names(const std::string& text, int line) const;
    /// Reports whether the sum is zero when named constants are replaced with their values.
    bool is_zero_with_constants(const std::string& text) const;
    /// Reports whether every term is a multiple of `number` when named constants are replaced with
    /// their values.
    bool is_multiple_of(const std::string& text, long long number) const;
    /// Formats the sum as C++, such as "threadIdx.x * 4 + 1".
    std::string format() const;

private:
    friend class IndexSumParser;
    /// the names in a term, sorted; empty for the constant term
    using Product = std::vector<std::string>;

    IndexSum add_multiple(const IndexSum& other_sum, long long factor) const;
    IndexSum multiply(const IndexSum& other_sum) const;

    std::map<Product, long long> terms_;
};

}  // namespace coalesce
