// Reads the hints of an exercise, or the hints that all exercises share.
#pragma once

#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/course/strict_toml.h"

namespace coalesce::course {

/// Whether the first hint of a list applies to every failure, or names the failures it applies to.
enum class FirstHint { is_general, names_failures };

/// Reads the levels of a hint, and removes line breaks at the end of each level. If
/// `applies_to_all` is true, a missing level is an error.
void read_levels(const StrictToml& reader, const toml::table& table, bool applies_to_all,
                 const std::string& table_name, Hint& hint);

/// Reads the [[hint]] tables. The first hint of an exercise is general: it defines every level and
/// names no failures. Each hint in course.toml names the failures that it applies to.
std::vector<Hint> read_hints(const StrictToml& reader, const toml::table& table,
                             FirstHint hint_mode, const std::string& table_name);

}  // namespace coalesce::course
