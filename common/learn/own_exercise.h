/// \file
/// The command `learn exercise`: makes an exercise of your own, and proves that it is sound. The
/// files of the exercise are in solutions/x_NAME and exercises/x_NAME.
#pragma once

#include <string>
#include <vector>

namespace coalesce::learn {

/// The arguments of `learn exercise new`. The command asks for those that are missing.
struct NewExercise {
    std::string name = "";                    ///< "histogram"; the folder is x_histogram
    std::string title = "";                   ///< "Histogram"
    std::string sizes = "";                   ///< "n bins"
    std::vector<std::string> arguments = {};  ///< as the record declares them
    std::string element = "";                 ///< an expression, or statements that end in a return
    std::string tolerance = "bits";
};

/// Makes the folders of a new exercise: the record, the reference, a solution with one thread for
/// each element, and the skeleton. Returns the exit code. Throws UsageError.
int new_exercise(NewExercise words);

/// The arguments of `learn exercise verify`.
struct VerifyExercise {
    std::string name = "";
    bool has_mutants = true;  ///< whether to try mutants of the solution
};

/// Proves that an exercise is sound: the solution passes, the skeleton fails, and the kernels in
/// right/ and wrong/ get the expected verdicts. Also plants mistakes in the solution and lists
/// those that pass, writes the skeleton again, and proposes limits. Returns the exit code, which is
/// 1 if something is wrong with the exercise. `argv` is the command line of this process, which may
/// restart itself to load the simulator.
int verify_exercise(const VerifyExercise& words, char** argv);

/// Does the same for an exercise whose folders are below `root`, without choosing a device.
int verify_exercise_in(const std::string& root, const VerifyExercise& words);

}  // namespace coalesce::learn
