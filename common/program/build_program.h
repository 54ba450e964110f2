// A learner's whole program is compiled and linked, with the simulated GPU's runtime library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/compile.h"

namespace coalesce {

/// What came of it.
struct BuiltProgram {
    std::filesystem::path file;     ///< the program, when all went well
    std::string compiler;           ///< "nvcc 13.0.88", "clang 19.1.7"
    std::vector<Message> messages;  ///< all, in the order of the lines
    Failure failure;                ///< why there is no program

    bool ok() const { return failure.kind == FailureKind::none; }
};

/// By nvcc, or by clang where that built the course or is all there is. The files are in `folder`.
BuiltProgram build_program(const Source& source, const std::filesystem::path& folder);

}  // namespace coalesce
