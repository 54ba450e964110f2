// Compares a wrong float or double with the expected value, to recognize how the kernel changed the
// number. For example, the kernel lost the sign of -0.0, or converted the number to an integer.
#pragma once

#include <string>

#include "harness/problem.h"

namespace coalesce {

/// The difference between a wrong value and the expected value.
enum class ValueChange {
    nan_changed,         ///< both are NaNs, with different bits
    negative_zero_lost,  ///< 0.0 instead of -0.0
    subnormal_flushed,   ///< zero in place of a subnormal number
    sign_changed,        ///< the expected value with the opposite sign
    close,               ///< less than 1 % away from the expected value
    /// Infinity or zero with the expected sign, because the value overflowed or underflowed in a
    /// conversion.
    out_of_range,
    unrelated,  ///< none of the above
};

/// Returns the kind of difference between the two values. For elements that are not 4 or 8 bytes
/// long, the result is always `unrelated`.
ValueChange classify_change(Bits expected, Bits actual_bits, std::size_t element_size);

/// Reports whether `actual_bits` is the sum of `first_summand` and `second_summand` as floats or
/// doubles. If either is a NaN, the sum is a NaN.
bool is_sum(Bits actual_bits, Bits first_summand, Bits second_summand, std::size_t element_size);

/// Reports whether the bits represent 0 or -0 as a float or double.
bool is_zero(Bits bits, std::size_t element_size);

/// The integer types to which a kernel may convert a value.
enum class Integer { signed_32, unsigned_32, signed_64 };
/// Returns the name of a type: "int", "unsigned" or "long long".
const char* integer_type_name(Integer type);
/// Reports whether `actual_bits` is the result of converting `source` to this integer type and back
/// on a GPU. The conversion drops the fraction and clamps the value to the range of the type.
bool is_converted(Bits actual_bits, Bits source, std::size_t element_size, Integer type);

/// Returns the bits and their value as a string, such as "0x3f800000 (1)".
std::string value_text(Bits bits, std::size_t element_size);

}  // namespace coalesce
