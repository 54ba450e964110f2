// The compilers that a learner's file can be compiled with: where they are, and how they are
// called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "examiner/compiled_from.h"
#include "examiner/wrapper.h"

namespace coalesce {

/// A compiler that is there.
struct FoundCompiler {
    Compiler kind = Compiler::any;
    std::string path;      ///< of the library or program
    std::string identity;  ///< changes when another version takes its place
};

/// The only kind that will do: `kind`, or with `any` what the environment demands; `any` when it
/// demands nothing.
Compiler demanded(Compiler kind);
/// The compiler of that kind, or with `any` the first there is.
std::optional<FoundCompiler> find_compiler(Compiler kind);
/// "NVRTC 13.0", "clang 19.1.7, translated"; asks the compiler, which takes a moment.
std::string version_of(const FoundCompiler& compiler);
/// "NVRTC", "nvcc", "clang"
const char* name_of(Compiler kind);
/// How it wants to be spoken to.
Dialect dialect_of(const FoundCompiler& compiler);

/// Compiles a wrapped text for `architecture` ("compute_90").
RawOutput run_compiler(const FoundCompiler& compiler, const std::string& wrapped,
                       const std::string& architecture, int seconds);

/// The words that make a clang read a wrapped text from its standard input, and print PTX. No file is
/// written, none is read but the project's own headers, in `clang_headers()`, and no other process is
/// made: it is what the driver would call. Throws std::runtime_error when the driver does not tell.
std::vector<std::string> clang_filter_command(const std::string& clang,
                                              const std::string& architecture);
/// The folder that it needs.
std::string clang_headers();

/// NVRTC's part of the above.
RawOutput run_nvrtc(const std::string& library, const std::string& wrapped,
                    const std::string& architecture);
/// "13.0"; "" when the library cannot be loaded.
std::string nvrtc_version(const std::string& library);
/// The folder with the toolkit's headers; "" when there is none.
std::string toolkit_headers();

}  // namespace coalesce
