// A learner's whole program is compiled and linked, with the simulated GPU's runtime library.
#pragma once

#include <filesystem>

#include "kernel/source.h"
#include "kernel/verdict.h"

namespace coalesce {

/// By nvcc, or by clang where that built the course or is all there is. The program is then the file `program`
/// in `folder`. The verdict gets the compiler, what it said, how long it took, and why there is no program.
/// False: there is none.
bool build_program(const Source& source, const std::filesystem::path& folder, Verdict& verdict);

}  // namespace coalesce
