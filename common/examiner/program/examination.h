// What an examination of a program consists of, file by file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/program/witnessed_run.h"
#include "examiner/source.h"
#include "examiner/verdict.h"

namespace coalesce {

// ---- build_program.cpp: it is compiled and linked, with the simulated GPU's runtime library ----

/// By nvcc, or by clang where that built the course or is all there is. The program is then the file `program`
/// in `folder`. The verdict gets the compiler, what it said, how long it took, and why there is no program.
/// False: there is none.
bool build_program(const Source& source, const std::filesystem::path& folder, Verdict& verdict);

// ---- program_causes.cpp: what is wrong with it, told by one run of it ----

constexpr long long kMostThreadsOfBlock = 1024;

/// Why a run with so many elements was not right and clean; kind `none` when it was. The program is to turn
/// its array round, to say so, and to end with 0.
Failure wrong_with(const WitnessedRun& run, int elements, const Source& source);

/// Why nobody would notice that a launch failed, in a run in which all launches did; kind `none` when it
/// was noticed.
Failure launch_unnoticed(const WitnessedRun& run, const Source& source);

// ---- program_lines.cpp: where a call of CUDA's runtime stands in its text ----
//
// What watches the program run sees the call, and no line of the host's code.

/// The line of the launch: the first <<< that is no comment. 0: there is none.
int line_of_program_launch(const std::string& text);

/// The line of a copy of the run, by its number there. 0: the text does not say which of its calls it is.
/// Copies are made in the order in which they are written down, unless a loop or a function of the
/// program's own makes several of one call; then a text with a single call still says it.
int line_of_copy(const std::string& text, const WitnessedRun& run, std::size_t number);

}  // namespace coalesce
