// The parts of the examination of a program, by file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/program/witnessed_run.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

// ---- build_program.cpp: it is compiled and linked, with the simulated GPU's runtime library ----

/// Compiles the program to the file `program` in `folder`, with nvcc, or with clang if clang built the course or is
/// the only compiler. Fills in the verdict's compiler, messages and time, and the failure if there is no program.
/// Reports whether there is one.
bool build_program(const Source& source, const std::filesystem::path& folder, Verdict& verdict);

// ---- program_causes.cpp: what is wrong with it, told by one run of it ----

constexpr long long kMostThreadsOfBlock = 1024;

/// Returns why a run with this number of elements was not right and clean, or a failure of kind none. The program
/// must reverse its array, print "right", and end with 0.
Failure wrong_with(const WitnessedRun& run, int elements, const Source& source);

/// Returns a failure if the program would not notice a failed launch, otherwise one of kind none.
Failure launch_unnoticed(const WitnessedRun& run, const Source& source);

// ---- program_lines.cpp: where a call of CUDA's runtime stands in its text ----
//
// What watches the program run sees the call, and no line of the host's code.

/// Returns the line of the launch, which is the first <<< outside comments. 0: there is none.
int line_of_program_launch(const std::string& text);

/// Returns the line of copy number `number` of the run, or 0 if the text does not determine it. Copies happen in the
/// order of the text, unless a loop or a function of the program makes several of them with one call; then the line
/// is known only if the text has a single call.
int line_of_copy(const std::string& text, const WitnessedRun& run, std::size_t number);

}  // namespace coalesce
