// Finds and runs the compilers that can compile a learner's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/compile.h"
#include "examiner/compiled_from.h"
#include "examiner/wrapper.h"

namespace coalesce {

/// An installed compiler.
struct FoundCompiler {
    Compiler kind = Compiler::any;
    std::string path;      ///< path of the library or program
    std::string identity;  ///< a string that identifies the version of the compiler
};

/// Returns `kind`. If `kind` is `any` and the environment variable COALESCE_COMPILER allows only
/// one kind, returns that kind instead.
Compiler resolve_compiler_kind(Compiler kind);
/// Finds the compiler of this kind or, for `any`, the first installed compiler. Returns nothing if
/// no such compiler is installed.
std::optional<FoundCompiler> find_compiler(Compiler kind);
/// Returns the name and version of a compiler, such as "NVRTC 13.0" or "clang 19.1.7, translated".
/// Runs the compiler, so the call takes a moment.
std::string read_version(const FoundCompiler& compiler);
/// Returns "NVRTC", "nvcc" or "clang".
const char* name_compiler_kind(Compiler kind);
/// Returns the dialect of CUDA C++ that the compiler accepts.
Dialect dialect_of(const FoundCompiler& compiler);

/// Compiles the output of wrap_source for `architecture`, such as "compute_90". Kills the compiler
/// after `seconds`. If `keeps_variables` is true, does not optimize (see CompileOptions).
RawOutput run_compiler(const FoundCompiler& compiler, const std::string& wrapped_source,
                       const std::string& architecture, int seconds, bool keeps_variables = false);

/// Returns the clang command that reads wrapped source code from stdin and prints PTX. The command
/// writes no files, reads only the headers in `clang_headers()`, and starts no other process.
/// Throws std::runtime_error if clang does not provide such a command.
std::vector<std::string> clang_filter_command(const std::string& clang,
                                              const std::string& architecture);
/// Returns the folder that contains the project's headers for clang.
std::string clang_headers();

/// Compiles wrapped source code with the NVRTC library in the file `library`.
RawOutput run_nvrtc(const std::string& library, const std::string& wrapped_source,
                    const std::string& architecture, bool keeps_variables = false);
/// Like `run_nvrtc`, but takes a fraction of the time, because it makes fewer optimizations and
/// emits no line numbers.
RawOutput run_nvrtc_quickly(const std::string& library, const std::string& source,
                            const std::string& architecture);
/// Returns the version of NVRTC, such as "13.0", or "" if the library cannot be loaded.
std::string nvrtc_version(const std::string& library);
/// Returns the folder that contains the toolkit's headers, or "" if there is none.
std::string toolkit_headers();

}  // namespace coalesce
