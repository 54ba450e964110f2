/// \file
/// `learn reset`: an exercise's file as it was at first. What was in it is kept.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// Returns the exit code. Throws when the file cannot be written; then nothing has changed.
int reset(const Work& exercise);

}  // namespace coalesce::learn
