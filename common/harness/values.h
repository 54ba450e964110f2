// What became of a number: only for elements that are floats or doubles.
#pragma once

#include <string>

#include "harness/problem.h"

namespace coalesce {

/// How a value that is not the expected one relates to it.
enum class ValueChange {
    nan_changed,         ///< both are NaNs
    negative_zero_lost,  ///< 0.0 instead of -0.0
    subnormal_flushed,   ///< zero instead of a subnormal number
    sign_changed,        ///< the same except for its sign
    close,               ///< within one part in a hundred
    lost_range,          ///< infinity or a zero of the same sign: too large or small on the way
    unrelated,           ///< none of these
};

/// For elements of 4 and 8 bytes; unrelated for others.
ValueChange change_of(Bits expected, Bits held, std::size_t element_size);

/// Whether it is the sum of the two, as floats or doubles; a NaN is one when either is.
bool is_sum(Bits held, Bits one, Bits other, std::size_t element_size);

/// Whether it is a float or a double that is 0 or -0.
bool is_zero(Bits bits, std::size_t element_size);

/// The integers that a number may be turned into on its way.
enum class Integer { signed_32, unsigned_32, signed_64 };
/// "int", "unsigned" or "long long".
const char* name_of(Integer type);
/// What the GPU makes of a number that becomes such an integer and a number again: the fraction is
/// cut off, and what is too large becomes the largest.
bool is_converted(Bits held, Bits from, std::size_t element_size, Integer type);

/// "0x3f800000 (1)": the bits, and the number that they are.
std::string value_text(Bits bits, std::size_t element_size);

}  // namespace coalesce
