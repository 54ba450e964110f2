/// \file
/// The elements of shared arrays, as the simulator's reports and the lines of a kernel name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/expressions.h"
#include "examiner/simulated.h"
#include "examiner/source_lines.h"

namespace coalesce {

/// An element of a shared array.
struct SharedElement {
    SharedArray array;
    std::vector<long long> indices = {};  ///< one index for each dimension

    /// Returns, for example, "tile[0][3]".
    std::string text() const;
    /// Reports whether the array has two dimensions, and the element is the first or the last one
    /// along both.
    bool is_corner() const;
};

/// Returns the element at which a report's access begins. Returns nothing if the text does not
/// reveal which element that is.
std::optional<SharedElement> find_shared_element(const simulated::Report& report,
                                                 const std::string& text);
/// Returns the lines that store to an array.
std::vector<int> list_store_lines(const std::string& text, const std::string& array);
/// Returns the condition of the first `if` around a line whose text contains one of the names.
std::optional<Condition> find_condition_on(const std::vector<std::string>& names,
                                           const std::string& text, int line);

}  // namespace coalesce
