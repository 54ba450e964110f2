/// \file
/// `learn reset`: an exercise's file as it was at first. What was in it is kept.
#pragma once

#include <filesystem>
#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// Puts a text in the place of a learner's file, which is named from the course's folder on. What was in it
/// is kept in .learn/copies/`name`, and that is said. False when the file holds that text already. Throws
/// when it cannot be written; then nothing has changed.
bool replace_file(const std::filesystem::path& relative_file, const std::string& name,
                  const std::string& text);

/// Returns the exit code. Throws when the file cannot be written; then nothing has changed.
int reset(const Work& exercise);

}  // namespace coalesce::learn
