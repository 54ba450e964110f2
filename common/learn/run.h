/// \file
/// `learn run`: runs the steps' programs and shows what they found in one table.
#pragma once

#include "learn/request.h"

namespace coalesce::learn {

/// Returns the exit code: 0, 1 when a result was wrong or missing, 2 when a program could not run.
/// Throws UsageError before anything has run.
int run(const RunRequest& request);

/// Runs the whole program that is asked for: on a GPU where one works, else under `simulate`, which shows
/// what its kernel cost. Returns its exit code. Throws UsageError.
int run_program(const RunRequest& request);

}  // namespace coalesce::learn
