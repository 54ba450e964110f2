// Declares the steps that examine a learner's program, grouped by implementation file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/program/witnessed_run.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

// ---- build_program.cpp: compile the program and link it with the simulated GPU ----

/// Compiles the program to the file `program` in `folder`. Uses nvcc if it is installed and the
/// course was not built with clang; otherwise uses clang. Records the result in the verdict.
/// Returns true if the program was built.
bool build_program(const Source& source, const std::filesystem::path& folder, Verdict& verdict);

// ---- program_causes.cpp: find the cause when a run of the program fails ----

constexpr long long kMaxThreadsPerBlock = 1024;

/// Returns the failure of a run on `elements` elements, or a failure of kind `none`. In a correct
/// run, the program reverses the array, prints "right" and exits with code 0, and the simulator's
/// checks report nothing.
Failure find_failure_of_run(const RecordedRun& run, int elements, const Source& source);

/// Returns a failure if the program ignored the error of a failed launch. Otherwise returns a
/// failure of kind `none`.
Failure find_unnoticed_launch_failure(const RecordedRun& run, const Source& source);

// ---- program_mistakes.cpp: find mistakes in the program's text ----

/// A mistake in the program, and its line. If there is no mistake, `line` is 0.
struct ProgramMistake {
    int line = 0;
    std::string headline, advice;
};

/// Returns the mistake in `text` that explains why the program crashed or, if `has_crashed` is
/// false, why its result is wrong.
ProgramMistake find_program_mistake(const std::string& text, bool has_crashed);

// ---- program_lines.cpp: find the line of a CUDA runtime call in the program's text ----
//
// The witness library records the calls that the running program makes, but not the lines that make
// them.

/// Returns the line of the first launch (the first <<< outside comments), or 0 if there is none.
int find_launch_line(const std::string& text);

/// Returns the line of the call that made copy `number` of the run, counted from 0. If the text
/// contains several copy calls, each is assumed to have made one copy, in the order of the text.
/// Returns 0 if the recorded copies contradict this assumption.
int find_copy_line(const std::string& text, const RecordedRun& run, std::size_t number);

}  // namespace coalesce
