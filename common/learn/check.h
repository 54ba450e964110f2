/// \file
/// `learn check`: reports whether a kernel is correct, passes all checks and stays within the cost
/// limits. Otherwise, prints what is wrong and what to do next.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/session.h"
#include "learn/verdict_text.h"

namespace coalesce::learn {

/// The arguments of `learn check`.
struct CheckArguments {
    /// name of the exercise, such as "03" or "all"; "" for the next exercise
    std::string exercise;
    bool is_hunt = false;
    std::string file;  ///< a file to check instead of the exercise's own; "" for none
    /// The device: "sim", "gpu" or "auto". "auto" means the simulated GPU, plus a measurement if a
    /// real GPU works.
    std::string device = "auto";
    /// time limit of the examination, in seconds
    int seconds = 60;
    bool prints_json = false;
    bool has_full_map = false;  ///< whether to draw the whole map of right and wrong cells
    bool uses_llvm_ir = false;  ///< whether to compile through LLVM IR, as the pages of the book do
    bool uses_grader_rules = false;  ///< whether to reject PTX that the grader would reject
};

/// Runs the command. Returns 0 if the kernel passed, 1 if it did not, and 2 if it could not be
/// examined.
int check(Session& session, const CheckArguments& arguments);

/// Updates `record` with the result of checking the exercise's own file.
void update_record(Record& record, const LearnerExercise& exercise, const CheckResult& result);
/// Stores the result of checking the exercise's own file, and returns the new state.
State record_check(Session& session, const LearnerExercise& exercise, const CheckResult& result);
/// Collects the text that is printed about a kernel that passed. `record` must outlive the result,
/// because the result points to the record.
PassedText collect_passed_text(const Session& session, const LearnerExercise& exercise,
                               const Record& record);

}  // namespace coalesce::learn
