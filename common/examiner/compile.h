/// \file
/// Compiles a learner's file to PTX, with a few lines of our own before and after it.
///
/// The lines before the file define `Launch` and `ceil_div`, so that the file needs no includes.
/// The lines after the file define a single-thread kernel that evaluates `configure` on the device.
/// The arguments of `configure` are the sizes of the exercise, usually rows and cols. None of the
/// file's host code ever runs. Messages mention only the learner's file and its lines.
///
///     Compiled compiled = compile(read_source("exercises/02_naive/kernel.cu"), {});
///     if (!compiled.is_ok()) std::puts(compiled.failure.headline.c_str());
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "examiner/signature.h"
#include "examiner/source.h"

namespace coalesce {

/// The severity of a compiler message.
enum class Severity { error, warning, note };

/// A compiler message about a place in the learner's file.
struct Message {
    Severity severity = Severity::error;
    Place place;       ///< file, line and, if known, column
    std::string text;  ///< the text of the message, such as "identifier "x" is undefined"

    /// Returns "kernel.cu:3: error: ...", followed by the source line with a caret below it.
    /// `source` is the text of the learner's file.
    std::string to_string_with_caret(const std::string& source) const;
};

/// The kinds of compilers.
enum class Compiler {
    /// the first of nvrtc, nvcc and clang that is installed; clang comes first if the course was
    /// built with clang
    any,
    nvrtc,    ///< the fastest compiler: libnvrtc, loaded into this process
    nvcc,     ///< `nvcc -ptx`
    clang,    ///< clang with the project's headers
    clang_ir  ///< clang emits LLVM IR, and our translator converts it to PTX, as in a web page
};

/// The options of a compilation.
struct CompileOptions {
    /// The name and the parameters of the __global__ function that the file must define.
    Signature kernel = {};
    /// The virtual architecture to compile for. `native_architecture()` returns the device's
    /// architecture.
    std::string architecture = "compute_90";
    /// The cache folder. An empty path disables caching.
    std::filesystem::path cache = {};
    Compiler compiler = Compiler::any;
    /// Time limit in seconds, after which nvcc and clang are killed.
    int seconds = 20;
    /// Whether to compile without optimization, as for a debugger. The PTX then says where each
    /// variable is stored, but the costs of the kernel are meaningless.
    bool keeps_variables = false;
};

/// The result of a compilation.
struct Compiled {
    std::string file;                                   ///< the file's name in messages
    std::string kernel;                                 ///< name of the kernel's function
    std::vector<std::string> sizes = {"rows", "cols"};  ///< the parameters of `configure`
    std::string ptx;    ///< the PTX, or "" if the file did not compile
    std::string entry;  ///< the name of the kernel in the PTX
    /// the compiler's name and version: "NVRTC 13.0", "nvcc 13.0.88" or "clang 19.1.7, translated"
    std::string compiler;
    bool is_from_cache = false;
    /// the compiler's messages about the file, in the compiler's order
    std::vector<Message> messages;
    Failure failure;  ///< the reason why there is no PTX; its kind is `none` on success

    /// Reports whether the file was compiled.
    bool is_ok() const { return failure.kind == FailureKind::none; }
};

/// Compiles a file. Errors in the file are returned in Compiled::failure, never thrown.
Compiled compile(const Source& source, const CompileOptions& options);

/// The name of the generated kernel that evaluates `configure`. The kernel takes `long long*
/// result` and the sizes. The kernel writes seven numbers to `result`: the grid's x, y and z, the
/// block's x, y and z, and the bytes of shared memory.
extern const char* const kConfigureEntry;

/// Returns the name, version and path of the compiler that `compile` would use, for example "NVRTC
/// 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)", or "" if there is none.
std::string describe_compiler(Compiler compiler = Compiler::any);

/// Returns a string that identifies the compiler that `compile` would use, for cache keys.
std::string compiler_identity(Compiler compiler = Compiler::any);

}  // namespace coalesce
