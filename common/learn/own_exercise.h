/// \file
/// The command `learn exercise`: creates a user's own exercise, and checks that an exercise is
/// sound. The files of the exercise are in solutions/x_NAME and exercises/x_NAME.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::learn {

/// The arguments of `learn exercise new`. The command asks for missing arguments.
struct NewExerciseArguments {
    std::string name = "";   ///< name of the exercise, such as "histogram" for x_histogram
    std::string title = "";  ///< such as "Histogram"
    std::string sizes = "";  ///< names of the sizes, such as "n bins"
    std::vector<std::string> arguments = {};  ///< declarations, as in exercise.toml
    std::string element = "";  ///< value of an element: an expression, or statements that return it
    std::string tolerance = "bits";
};

/// Creates a new exercise, including a solution that uses one thread per element. Returns the exit
/// code. Throws UsageError if an option is missing or invalid.
int new_exercise(NewExerciseArguments options);

/// The arguments of `learn exercise verify`.
struct VerifyExerciseArguments {
    std::string name = "";
    bool has_mutants = true;  ///< whether to try mutants of the solution
};

/// Checks that an exercise is sound. The solution must pass, the skeleton must fail, and the
/// kernels in right/ and wrong/ must get the expected verdicts. Also tries mutants of the solution,
/// writes the skeleton again, and proposes limits on the costs. Returns 1 if the exercise is not
/// sound.
int verify_exercise(const VerifyExerciseArguments& options, char** argv);

/// Like `verify_exercise`, but looks for the exercise's folders below `root`, and uses the current
/// device.
int verify_exercise_in(const std::string& root, const VerifyExerciseArguments& options);

/// Returns a JavaScript file with the data of all exercises below `root` that have no page in the
/// book. `book_folder` is the folder of the built book. If a record cannot be read, the file
/// contains the error message.
std::string own_exercises_script(const std::filesystem::path& root,
                                 const std::filesystem::path& book_folder);

}  // namespace coalesce::learn
