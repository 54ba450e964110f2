// From a report of the simulated GPU to a failure: its place, its words, with the learner's names of the matrices.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "kernel/causes.h"

namespace coalesce {

/// The first report of this check and kind; null when there is none.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// A place in the learner's file; a compiler-made line elsewhere is none to look at.
Place place_in(const Place& place, const Evidence& evidence);

/// How the exercise calls its matrices.
const char* name_of_matrix(bool is_out, const Evidence& evidence);

/// What a report of that check and kind is told as.
struct ToldAs {
    const char* check;
    const char* kind;  ///< "": any
    FailureKind failure;
    const char* headline;
    const char* next;
    bool prefers_cure = false;  ///< the report's own cure in the place of `next`, if it has one
};
/// By the first of the list that there is a report for; nothing when there is for none.
std::optional<Failure> told_as(std::initializer_list<ToldAs> list, const Trial& trial,
                               const Evidence& evidence);
Failure from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                    const Evidence& evidence, const std::string& headline, const std::string& next);

}  // namespace coalesce
