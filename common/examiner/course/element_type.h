/// \file
/// The types that the elements of an exercise's arrays can have: scalars from char to double,
/// including half and bfloat16, and vectors of two to four such scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace coalesce {

/// The representation of a single component.
enum class Scalar { signed_integer, unsigned_integer, floating, bfloat16 };

/// The type of an element.
struct ElementType {
    std::string name;                  ///< the type's name in CUDA C++: "unsigned int", "float4"
    Scalar scalar = Scalar::floating;  ///< representation of each component
    std::size_t scalar_bytes = 4;      ///< size of each component in bytes
    int components = 1;                ///< 1 for a scalar; otherwise the length of the vector

    std::size_t bytes() const { return scalar_bytes * static_cast<std::size_t>(components); }
    bool is_integer() const {
        return scalar == Scalar::signed_integer || scalar == Scalar::unsigned_integer;
    }
    /// Returns the precision of a component in bits. For an integer, the precision is the size. For
    /// a floating-point number, the precision is the length of the mantissa, with its implicit bit.
    int precision_bits() const;

    /// Reads the component at `source`.
    double read_value(const void* source) const;
    /// Writes `value` to `target`, after rounding the value to the component type and clamping it
    /// to the range of that type.
    void write_value(double value, void* target) const;
    /// Returns the distance between two components, counted in representable values (ulps).
    double distance_in_ulps(const void* left_value, const void* right_value) const;
    /// Formats an element: "0.125", "-3", "(1, 2, 3, 4)".
    std::string format_element(const void* source) const;
};

/// Returns the type that CUDA C++ calls `name`, or nothing.
std::optional<ElementType> find_element_type(const std::string& name);
/// Examples of type names, for messages about an unknown type.
constexpr const char* kElementTypeExamples =
    "float, double, int, unsigned, long long, unsigned char, __half, __nv_bfloat16, float4, ...";

}  // namespace coalesce
