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
    close,               ///< within one part in a hundred
    lost_range,          ///< infinity or a zero of the same sign: too large or small on the way
    unrelated,           ///< none of these
};

/// For elements of 4 and 8 bytes; unrelated for others.
ValueChange change_of(Bits expected, Bits held, std::size_t element_size);

/// "0x3f800000 (1)": the bits, and the number that they are.
std::string value_text(Bits bits, std::size_t element_size);

}  // namespace coalesce
