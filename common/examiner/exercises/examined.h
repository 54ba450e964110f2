// Examines files as their exercise requires. The checks use this header, and so do the proofs that
// the checks are sound.
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
/// Returns an exercise of the course by name, such as "03_tiled" or "03_tiled hunt". Throws
/// UsageError if there is none.
const Exercise& exercise_called(const std::string& name);
/// Chooses the device that COALESCE_DEVICE names, or the simulated GPU if the variable is not set.
Device choose_device_of_environment(char** argv);
/// Examines a text in this process, and compares its costs with those of the exercise's solution.
/// Slow results are cached in the folder `cache`, unless `cache` is empty.
Verdict examined_as(const Exercise& exercise, const Source& source,
                    const std::filesystem::path& cache);

}  // namespace coalesce::exercises
