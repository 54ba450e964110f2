// Why a kernel touches what is not its own: an index, a check of the bounds, an array that is too small.
#pragma once

#include <optional>
#include <string>

#include "kernel/causes.h"

namespace coalesce {

/// What memcheck says of the launch; nothing when it says nothing.
std::optional<Failure> memory_error(const Trial& trial, const Evidence& evidence);

/// An access outside of a matrix: of all its causes the one that fits.
Failure outside(const Trial& trial, const Place& place, const std::string& details,
                const Evidence& evidence);

/// Outside of an array in registers there is nothing to report either: the compiler leaves out what such an
/// access would have done, or does something else.
std::optional<Failure> local_array_left(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
