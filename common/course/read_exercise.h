// Reads what an exercise asks: of course.toml, and of an assignment that asks for something else.
#pragma once

#include <string_view>

#include "course/exercise.h"
#include "course/strict_toml.h"

namespace coalesce::course {

/// The keys that `read_asked` knows.
inline constexpr std::string_view kAsked[] = {"kernel",  "produces", "multiples",   "shapes",
                                              "counted", "limits",   "block_order", "hidden"};

/// Reads those keys that are there; what is not stays as it is. Then checks that it fits together.
void read_asked(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// The order of blocks that is asked for, where one is.
void read_block_order(const StrictToml& reader, const toml::table& table, Exercise& exercise);

/// Refuses shapes that the exercise does not take.
void check_shapes(const StrictToml& reader, int line, const Exercise& exercise,
                  const std::vector<Shape>& shapes);

}  // namespace coalesce::course
