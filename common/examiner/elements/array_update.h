/// \file
/// Statements that change an element of an array, such as `sums[t] += x`.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// An element of an array as written in the source.
struct ElementText {
    std::string array, index;  ///< "sums" and "t", or "tile" and "y][x"
    bool operator==(const ElementText&) const = default;

    std::string text() const { return array + "[" + index + "]"; }
};

/// A statement that computes the new value of an element from its old value.
struct ArrayUpdate {
    ElementText changed = {};
    /// The other elements of the same array from which the new value is computed.
    std::vector<ElementText> others = {};
    bool is_addition = false;  ///< whether the statement adds to the element

    explicit operator bool() const { return !changed.array.empty(); }
};

/// Returns all elements of arrays that occur in a line of code, in order. Elements in the index of
/// another element are not listed.
std::vector<ElementText> list_elements(const std::string& code);
/// Returns the first statement on a line of code that changes an element, or an empty update.
ArrayUpdate find_array_update(const std::string& code);

}  // namespace coalesce
