// Whether what a warp asks of global memory is under way together, or one after the other.
#pragma once

#include <optional>

#include "course/exercise.h"
#include "kernel/verdict.h"

namespace coalesce {

/// Loads that wait for each other, where the text says why: a barrier between them, or a store.
/// A loop that the compiler left as it is waits as well, and is nothing that a lesson asks about.
std::optional<Failure> loads_not_overlapped(const Verdict& verdict, const Limits& limits);

/// Asynchronous copies that are all waited for before a tile is read, where the lesson asks for some
/// that arrive meanwhile.
std::optional<Failure> copies_not_overlapped(const Verdict& verdict, const Limits& limits);

/// No asynchronous copies at all, where the lesson asks for some.
std::optional<Failure> copies_not_async(const Verdict& verdict, const Limits& limits);

}  // namespace coalesce
