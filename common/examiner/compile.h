/// \file
/// A learner's file becomes PTX: the file alone, with a few lines of our own before and after it.
///
/// Before it stand `Launch` and `ceil_div`, which it uses without including anything; behind it a
/// kernel of one thread that evaluates `configure(rows, cols)` on the device. No host code of the
/// file ever runs. Messages name the file and its own lines; our lines are never seen.
///
///     Compiled compiled = compile(read_source("exercises/02_naive/kernel.cu"), {});
///     if (!compiled.ok()) std::puts(compiled.failure.text().c_str());
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "examiner/source.h"

namespace coalesce {

/// How bad what a compiler says is.
enum class Severity { error, warning, note };

/// What a compiler says about a place in the learner's file.
struct Message {
    Severity severity = Severity::error;  ///< how bad
    Place place;                          ///< file, line and, where the compiler tells, column
    std::string text;                     ///< "identifier "x" is undefined"

    /// "kernel.cu:3: error: ..." with the source line and a caret below it.
    std::string shown(const std::string& source) const;
};

/// Which compiler.
enum class Compiler {
    any,      ///< the first of the following three that is there, in this order
    nvrtc,    ///< libnvrtc, in this process: the fastest
    nvcc,     ///< `nvcc -ptx`
    clang,    ///< clang with the project's headers
    clang_ir  ///< clang makes LLVM IR, and our translator makes PTX of it, as in a page
};

/// How a file is compiled.
struct CompileOptions {
    /// The __global__ function that the file must have, of (float*, const float*, int, int).
    std::string kernel = "transpose";
    /// The virtual architecture that the PTX is for; `native_architecture()` is the device's.
    std::string architecture = "compute_90";
    /// Where results are kept from one time to the next, by content; "": nowhere.
    std::filesystem::path cache = {};
    /// Which compiler.
    Compiler compiler = Compiler::any;
    /// nvcc and clang are ended after that many seconds.
    int seconds = 20;
};

/// What came of a file.
struct Compiled {
    std::string file;               ///< as messages name it
    std::string kernel;             ///< the function's name
    std::string ptx;                ///< "" when it did not compile
    std::string entry;              ///< the kernel's name in the PTX
    std::string compiler;           ///< "NVRTC 13.0", "nvcc 13.0.88", "clang 19.1.7, translated"
    bool is_from_cache = false;     ///< it was compiled before
    std::vector<Message> messages;  ///< all, in the order of the lines
    Failure failure;                ///< why there is no PTX

    /// Whether there is PTX.
    bool ok() const { return failure.kind == FailureKind::none; }
};

/// Compiles. Never throws for what is wrong with the file: see Compiled::failure.
Compiled compile(const Source& source, const CompileOptions& options);

/// The name in PTX of the kernel that evaluates `configure`: it takes (long long* result, int rows,
/// int cols) and writes grid x, y, z, block x, y, z and the bytes of shared memory.
extern const char* const kConfigureEntry;

/// What compile would use: "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)", or "" when there is
/// no compiler at all. For `doctor`.
std::string compiler_found(Compiler compiler = Compiler::any);

/// Changes when `compile` would use another compiler: for caches.
std::string compiler_identity(Compiler compiler = Compiler::any);

}  // namespace coalesce
