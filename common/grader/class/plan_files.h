/// \file
/// What is in the files of a plan (see plan.h).
#pragma once

#include <string>
#include <vector>

#include "grader/class/plan.h"

namespace coalesce::grader {

/// The tasks of a chunk as JSON, and back. Throws codec::Error.
std::string json_of(const std::vector<PlannedTask>& tasks);
std::vector<PlannedTask> tasks_in(const std::string& json);

/// Who handed in what, as JSON, and back. Names are any bytes.
std::string json_of(const std::vector<Entry>& entries);
std::vector<Entry> entries_in(const std::string& json);

/// A result as it lies in the plan's folder, with a seal that only the assignment's key can make.
std::string sealed_result(const Assignment& assignment, const std::string& key,
                          const std::string& result);
/// The result of that key. Throws Infrastructure when the seal is broken: the file is not whole, or
/// nobody who has the key wrote it.
std::string opened_result(const Assignment& assignment, const std::string& key,
                          const std::string& sealed);

}  // namespace coalesce::grader
