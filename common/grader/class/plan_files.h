/// \file
/// What is in the files of a plan (see plan.h).
#pragma once

#include <string>

#include "base/codec.h"
#include "grader/class/plan.h"

namespace coalesce::grader {

// Tasks of a chunk, and who handed in what, as base/codec.h writes and reads them.
template <class Codec>
void describe(Codec& codec, PlannedTask& task) {
    fields(codec, "key", task.key, "exercise", task.exercise, "source", task.source);
}
template <class Codec>
void describe(Codec& codec, Entry& entry) {
    codec::AnyBytes student{entry.student}, details{entry.details};
    fields(codec, "student", student, "exercise", entry.exercise, "key", entry.key, "source",
           entry.source, "problem", entry.problem, "details", details);
}

/// A result as it lies in the plan's folder, with a seal that only the assignment's key can make.
std::string sealed_result(const Assignment& assignment, const std::string& key,
                          const std::string& result);
/// The result of that key. Throws Infrastructure when the seal is broken: the file is not whole, or
/// nobody who has the key wrote it.
std::string opened_result(const Assignment& assignment, const std::string& key,
                          const std::string& sealed);

}  // namespace coalesce::grader
