// Declares the steps of a program's examination, grouped by the file that implements them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/program/witnessed_run.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

// ---- build_program.cpp: compile the program, and link it with the simulated GPU's runtime library
// ----

/// Compiles the program to the file `program` in `folder`. Uses nvcc, or clang if the course was
/// built with clang or nvcc is not installed. Sets the verdict's compiler, messages and compile
/// time, and adds a failure if the program cannot be built. Reports whether the program was built.
bool build_program(const Source& source, const std::filesystem::path& folder, Verdict& verdict);

// ---- program_causes.cpp: determine what is wrong with the program in one run ----

constexpr long long kMaxThreadsPerBlock = 1024;

/// Returns the failure of a run with this number of elements, or a failure of kind none. The
/// program must reverse its array, print "right" and exit with code 0, and the simulator's checks
/// must find nothing.
Failure find_failure_of_run(const RecordedRun& run, int elements, const Source& source);

/// Returns a failure if the program did not notice that its launch failed. Otherwise the failure's
/// kind is none.
Failure find_unnoticed_launch_failure(const RecordedRun& run, const Source& source);

// ---- program_mistakes.cpp: find a mistake that the program's text shows by itself ----

/// A mistake in a line of the program; `line` is 0 if there is none.
struct ProgramMistake {
    int line = 0;
    std::string headline, next;
};

/// Returns the mistake that explains a wrong result, or the one that explains a crash.
ProgramMistake find_program_mistake(const std::string& text, bool has_crashed);

// ---- program_lines.cpp: find the line of a CUDA runtime call in the program's text ----
//
// The witness records the calls of the running program, but does not know their lines in the host
// code.

/// Returns the line of the launch, which is the first <<< outside comments, or 0 if there is none.
int find_launch_line(const std::string& text);

/// Returns the line of copy number `number` in the run, or 0 if the text does not determine the
/// line. Copies usually happen in the order in which they appear in the text. If a loop or a
/// function makes several copies with one call, the line is known only if the text contains a
/// single call.
int find_copy_line(const std::string& text, const RecordedRun& run, std::size_t number);

}  // namespace coalesce
