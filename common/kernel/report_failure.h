// From a report of the simulated GPU to a failure: its place, its words, with the learner's names of the matrices.
#pragma once

#include <string>

#include "kernel/causes.h"

namespace coalesce {

/// The first report of this check and kind; null when there is none.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// A place in the learner's file; a compiler-made line elsewhere is none to look at.
Place place_in(const Place& place, const Evidence& evidence);

/// How the exercise calls its matrices.
const char* name_of_matrix(bool is_out, const Evidence& evidence);

Failure from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                    const Evidence& evidence, const std::string& headline, const std::string& next);

}  // namespace coalesce
