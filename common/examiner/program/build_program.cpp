#include "examiner/program/examination.h"

#include <algorithm>
#include <optional>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "examiner/compilers.h"
#include "examiner/messages.h"
#include "examiner/safe_text.h"
#include "examiner/stretch.h"
#include "examiner/wrapper.h"
#include "harness/text.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

// The compiler's time limit in seconds. nvcc takes two seconds on an idle computer.
constexpr int kCompileSeconds = 40;

// Returns a compiler that can also compile host code.
std::optional<FoundCompiler> find_host_compiler() {
    const auto host_compiler = find_compiler(Compiler::any);
    if (host_compiler && host_compiler->kind == Compiler::clang) return host_compiler;
    if (auto nvcc = find_compiler(Compiler::nvcc)) return nvcc;
    if (resolve_compiler_kind(Compiler::any) == Compiler::any)
        return find_compiler(Compiler::clang);
    return std::nullopt;
}

std::vector<std::string> build_command(const FoundCompiler& compiler) {
    if (compiler.kind == Compiler::nvcc) {
        return {compiler.path, "-std=c++20", "-cudart", "shared",    "-arch=compute_90",
                "-lineinfo",   "-o",         "program", "program.cu"};
    }
    return {COALESCE_CUDA_CLANG,
            "--clang=" + compiler.path,
            "--cudart=" COALESCE_CUDART_FOLDER,
            "--no-run-path",
            "-Wunused-variable",
            "-o",
            "program",
            "program.cu"};
}

// Returns the last lines of the output. They contain errors that do not refer to a line of the
// file, such as linker errors.
std::string find_end(const std::string& output) {
    constexpr std::size_t max_lines = 6;
    const std::vector<std::string> lines = lines_of(output);
    return escape_lines(
        {lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), max_lines)),
         lines.end()});
}

Failure does_not_compile(const std::vector<Message>& messages, const Source& source,
                         const std::string& output) {
    Failure failure{
        .kind = FailureKind::does_not_compile,
        .headline = "the program cannot be linked, because a function or variable is missing.",
        .place = {source.name, 0, 0},
        .details = find_end(output),
        .advice = "Does the file define main, and every function that it calls?"};
    bool is_first = true;
    for (const Message& message : messages) {
        if (message.severity != Severity::error) continue;
        if (is_first) {
            failure.headline = end_sentence("does not compile: " + message.text);
            failure.place = message.place;
            failure.details.clear();
            failure.advice = "Begin with the first message; later ones may have the same cause.";
        }
        is_first = false;
        failure.details += message.to_string_with_caret(source.text);
    }
    return failure;
}

}  // namespace

bool build_program(const Source& source, const fs::path& folder, Verdict& verdict) {
    const ScopedTimer timer(verdict.milliseconds.compile);
    const auto compiler = find_host_compiler();
    if (!compiler) {
        verdict.fail(
            {.kind = FailureKind::no_compiler,
             .headline =
                 "the program cannot be compiled, because neither nvcc nor clang was found.",
             .advice = "Run ./learn, which installs missing packages."});
        return false;
    }
    verdict.compiler = read_version(*compiler);
    // The #line directive makes messages and reports refer to the learner's lines.
    write_file(folder / "program.cu",
               "#line 1 \"" + std::string(kLearnerFile) + "\"\n" + source.text);
    const ProcessResult process_result =
        run_child(build_command(*compiler), kCompileSeconds, {}, folder);
    verdict.messages = read_messages(process_result.output, source.text, source.name).messages;
    if (process_result.timed_out) {
        verdict.fail({.kind = FailureKind::compile_time_out,
                      .headline = "the compiler was still running after " +
                                  format_count(kCompileSeconds, "second") + ".",
                      .place = {source.name, 0, 0},
                      .advice = "Try again; is the computer very busy?"});
    } else if (process_result.exit_code != 0) {
        verdict.fail(does_not_compile(verdict.messages, source, process_result.output));
    }
    return verdict.failures.empty();
}

}  // namespace coalesce
