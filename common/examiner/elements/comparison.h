/// \file
/// Compares the outputs of a kernel with the reference's outputs, element by element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examiner/course/element_task.h"
#include "harness/cell_map.h"

namespace coalesce {

/// The comparison of one output.
struct OutputComparison {
    std::string name;
    ElementType type;
    Tolerance tolerance;
    std::vector<std::int64_t> extents;
    std::string actual_bytes, expected_bytes;  ///< the bytes of all elements
    std::vector<CellState> states = {};        ///< state of each element
    std::int64_t wrong_count = 0;  ///< number of elements that were written with a wrong value
    /// Number of elements that should have been written, but still have their initial bits.
    std::int64_t untouched_count = 0;

    std::int64_t count() const { return static_cast<std::int64_t>(states.size()); }
    std::int64_t count_bad() const { return wrong_count + untouched_count; }
    /// Returns the indices of the wrong and the untouched elements, in ascending order.
    std::vector<std::int64_t> bad_elements() const;
    /// Returns the bytes of an element. `array_bytes` is the array: either `actual_bytes` or
    /// `expected_bytes`.
    const char* element(const std::string& array_bytes, std::int64_t index) const {
        return array_bytes.data() + static_cast<std::size_t>(index) * type.bytes();
    }
    /// Reports whether `element_bytes` equals `expected_element` within the tolerance.
    bool is_equal(const char* element_bytes, const char* expected_element) const;
    /// Returns the largest error of a wrong element, as a multiple of the tolerance. Returns
    /// infinity if the tolerance is zero or if an element is NaN.
    double worst_error() const;
    /// Returns the name of an element: "out(3)", or "out(3,5)" if the output has two extents.
    std::string element_name(std::int64_t index) const;
    /// Formats the value of an element. `array_bytes` is the array: either `actual_bytes` or
    /// `expected_bytes`.
    std::string format_value(const std::string& array_bytes, std::int64_t index) const {
        return type.format_element(element(array_bytes, index));
    }
};

/// The result of comparing all arrays of a launch.
struct ElementComparison {
    std::vector<OutputComparison> outputs;
    std::vector<std::string> changed_inputs;  ///< names of the inputs that the kernel changed
    /// Names of the arrays with out-of-bounds writes before the first element.
    std::vector<std::string> overrun_before;
    /// Names of the arrays with out-of-bounds writes after the last element.
    std::vector<std::string> overrun_after;

    bool is_right() const;
    /// Returns the first output with a wrong or an untouched element, or nullptr.
    const OutputComparison* first_wrong_output() const;
};

/// Compares an output with the expected bytes. `initial` contains the bytes before the launch. A
/// wrong element that still has its initial bytes counts as untouched.
OutputComparison compare_output(const ElementTask& task, const Parameter& output, Shape shape,
                                const std::string& initial, const std::string& actual_bytes,
                                const std::string& expected_bytes);

}  // namespace coalesce
