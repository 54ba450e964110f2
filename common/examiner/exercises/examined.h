// Examines files as their exercise asks. The checks use it, and the proofs that the checks are sound.
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
/// Returns the exercise "03_tiled" or "03_tiled hunt" of the course. Throws UsageError.
const Exercise& exercise_called(const std::string& name);
/// Chooses the device that COALESCE_DEVICE names, or the simulated one if it is not set.
Device choose_device_of_environment(char** argv);
/// Examines a text in this process, and compares it with the exercise's solution. Slow results are cached in the
/// folder `cache`, unless it is "".
Verdict examined_as(const Exercise& exercise, const Source& source,
                    const std::filesystem::path& cache);

}  // namespace coalesce::exercises
