// Why threads of a block see each other's half-done work: copies that are under way, barriers, races, a tile that
// nobody filled.
#pragma once

#include <optional>

#include "kernel/causes.h"

namespace coalesce {

/// Shared memory is used where an asynchronous copy is still writing.
std::optional<Failure> copy_error(const Trial& trial, const Evidence& evidence);

/// Barriers, warp operations, and threads that do not wait for each other.
std::optional<Failure> barrier_error(const Trial& trial, const Evidence& evidence);

/// An array without __shared__ gives no report: other threads' elements are just not in it.
std::optional<Failure> tile_of_one_thread(const Trial& trial, const Evidence& evidence);

/// What is read was never written.
std::optional<Failure> uninitialised(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
