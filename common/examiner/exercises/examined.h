// Files examined as their exercise asks: by the checks, and by the proofs that these are sound.
#pragma once

#include <filesystem>
#include <string>

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/verdict.h"
#include "harness/device.h"

namespace coalesce::exercises {

/// The course's folder.
std::filesystem::path repository();
/// The exercise of that name in the course: "03_tiled", "03_tiled hunt". Throws UsageError.
const Exercise& exercise_called(const std::string& name);
/// The device that COALESCE_DEVICE names; the simulated one when it names none.
Device choose_device_of_environment(char** argv);
/// Examines a text in this process, beside the exercise's solution. What is slow to make is kept in the folder
/// `cache`; "": nowhere.
Verdict examined_as(const Exercise& exercise, const Source& source,
                    const std::filesystem::path& cache);

}  // namespace coalesce::exercises
