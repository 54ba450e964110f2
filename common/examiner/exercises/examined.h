// Examines files against the requirements of their exercises. The checks and the tests of the
// checks use these functions.
#pragma once

#include <filesystem>
#include <string>

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/verdict.h"
#include "harness/device.h"

namespace coalesce::exercises {

/// Returns the course's folder.
std::filesystem::path repository();
/// Returns the exercise of the course with this name, such as "03_tiled" or "03_tiled hunt". Throws
/// UsageError if there is none.
const Exercise& require_exercise(const std::string& name);
/// Selects the device named by COALESCE_DEVICE, or the simulated GPU if the variable is not set.
/// `argv` is the command line of this process.
Device choose_device_from_environment(char** argv);
/// Examines a source in this process, and compares its costs with the costs of the exercise's
/// solution. If `cache` is not "", results that take long to compute are cached in this folder. If
/// COALESCE_AS_GRADED is set in the environment, PTX that the grader would reject is rejected here
/// too.
Verdict examine_source(const Exercise& exercise, const Source& source,
                       const std::filesystem::path& cache);

}  // namespace coalesce::exercises
