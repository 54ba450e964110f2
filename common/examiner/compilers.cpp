#include "examiner/compilers.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "examiner/cache.h"
#include "examiner/clang_ir.h"

#ifndef COALESCE_CUDA_ROOT
#    define COALESCE_CUDA_ROOT "/usr/local/cuda"
#endif

namespace coalesce {
namespace {

namespace fs = std::filesystem;

/// Returns the folders to search for the CUDA toolkit, most likely first.
std::vector<std::string> toolkit_roots() {
    std::vector<std::string> roots;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* value = std::getenv(name); value && *value) roots.push_back(value);
    }
    roots.insert(roots.end(), {COALESCE_CUDA_ROOT, "/usr/local/cuda", "/usr/local/cuda-13",
                               "/usr/local/cuda-13.0", "/usr/local/cuda-13.1", "/opt/cuda",
                               "/usr/lib/cuda", "/usr"});
    return roots;
}

bool is_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string find_nvrtc() {
    for (const std::string& root : toolkit_roots()) {
        for (const char* folder : {"/lib64/", "/lib/", "/lib/x86_64-linux-gnu/"}) {
            const std::string file = root + folder + "libnvrtc.so.13";
            if (is_file(file)) return file;
        }
    }
    return "";
}

/// Finds a compiler by running the script that ./learn and CMake also use. Returns its path, or ""
/// if there is none.
std::string find_compiler_by_script(const std::vector<std::string>& words) {
    std::vector<std::string> command = {COALESCE_FIND_COMPILER};
    command.insert(command.end(), words.begin(), words.end());
    const ProcessResult process_result = run_child(command, 20);
    if (process_result.exit_code != 0) return "";
    // The last line of the output is the path. The lines before it list compilers that are too old.
    return lines_of(trimmed(process_result.output)).back();
}

/// The oldest and newest versions of clang whose LLVM IR the translator supports.
constexpr const char *kOldestClangWithIr = "17", *kNewestClangWithIr = "22";

/// Returns the architecture to pass to clang, for example "sm_80" for "compute_90". Old versions of
/// clang support nothing newer than sm_80, and the course needs nothing newer. Devices also run
/// code built for older architectures.
std::string clang_architecture(const std::string& architecture) {
    constexpr int newest_version = 80;
    const std::size_t underscore_position = architecture.find('_');
    const int number = std::atoi(architecture.c_str() + underscore_position + 1);
    return "sm_" + std::to_string(std::min(number, newest_version));
}

std::vector<std::string> nvcc_command(const std::string& nvcc, const std::string& architecture,
                                      bool keeps_variables) {
    return {nvcc,
            "-ptx",
            "-std=c++20",
            keeps_variables ? "-G" : "-lineinfo",
            "--expt-relaxed-constexpr",
            "-arch=" + architecture,
            "-o",
            "kernel.ptx",
            "input.cu"};
}

/// Splits a line printed by `clang -###` into words. Each word is in quotes, and a backslash
/// precedes every quote or backslash within a word.
std::vector<std::string> split_quoted_words(const std::string& line) {
    std::vector<std::string> words;
    bool is_inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            is_inside = !is_inside;
            if (is_inside) words.emplace_back();
        } else if (is_inside) {
            if (line[i] == '\\' && i + 1 < line.size()) ++i;
            words.back() += line[i];
        }
    }
    return words;
}

/// Returns the command that compiles a kernel to PTX. The command uses the project's headers,
/// because clang may be too old for the toolkit's headers. The command does not use this computer's
/// C++ library, so that all computers accept the same includes. `extra_arguments` contains further
/// options and the names of the input and the output.
std::vector<std::string> clang_command(const std::string& clang, const std::string& architecture,
                                       const std::vector<std::string>& extra_arguments) {
    std::vector<std::string> words = {
        clang, "-x", "cuda", "-std=c++20", "-O3",
        // Keep infinite loops, which C++ allows clang to remove. They are mistakes that the learner
        // must see.
        "-fno-finite-loops", "-Wunused-variable", "-S", "--cuda-device-only", "-nocudainc",
        "-nocudalib", "-nostdinc", "-nostdinc++", "-isystem", clang_headers(), "-isystem",
        clang_headers() + "/c_library", "-fdeclspec", "-include", "cuda_runtime.h",
        "-gline-tables-only",
        // NVIDIA's compilers reject initializers that are not in the order of the members, so let
        // clang reject them too.
        "-Werror=reorder-init-list", "-Wno-unknown-cuda-version", "-Xclang",
        "-target-sdk-version=11.5", "-Xclang", "-target-feature", "-Xclang", "+ptx70",
        "--cuda-gpu-arch=" + clang_architecture(architecture), "-fno-color-diagnostics",
        "-fno-caret-diagnostics"};
    words.insert(words.end(), extra_arguments.begin(), extra_arguments.end());
    return words;
}

/// Converts the result of a child process to the output of a compiler.
RawOutput to_raw_output(const ProcessResult& process_result, int seconds) {
    return {.is_good = process_result.exit_code == 0,
            .has_timed_out = process_result.timed_out,
            .seconds = seconds,
            .output = process_result.output};
}

RawOutput run_command(const std::vector<std::string>& command, const std::string& wrapped_source,
                      int seconds) {
    const TemporaryFolder folder;
    write_file(folder.path / "input.cu", wrapped_source);
    RawOutput result = to_raw_output(run_child(command, seconds, {}, folder.path), seconds);
    if (result.is_good) result.ptx = read_if_exists(folder.path / "kernel.ptx").value_or("");
    result.is_good = !result.ptx.empty();
    return result;
}

RawOutput run_clang_for_ir(const std::string& clang, const std::string& wrapped_source, int seconds,
                           bool keeps_variables) {
    const ClangRequest request = clang_ir_request_for_wrapped(wrapped_source, keeps_variables);
    const TemporaryFolder folder;
    write_file(folder.path / request.input, request.text);
    fs::create_directory_symlink(COALESCE_CUDA_HEADERS, folder.path / request.headers);
    RawOutput result;
    std::string output_text;
    for (const std::vector<std::string>& step : commands_with_back_end(request)) {
        std::vector<std::string> command{clang};
        command.insert(command.end(), step.begin(), step.end());
        result = to_raw_output(run_child(command, seconds, {}, folder.path), seconds);
        output_text += result.output;
        if (!result.is_good) break;
    }
    result.output = output_text;
    if (result.is_good) result.ir = read_if_exists(folder.path / request.output).value_or("");
    result.is_good = !result.ir.empty();
    return result;
}

/// Returns the compilers to try, in order. If the environment variable COALESCE_COMPILER is set,
/// only compilers of that kind are tried. Otherwise the compiler that built the course comes first.
std::vector<Compiler> compilers_to_try() {
    const char* environment_value = std::getenv("COALESCE_COMPILER");
    const std::string requested_name = environment_value ? environment_value : "";
    if (requested_name == "clang") return {Compiler::clang};
    if (requested_name == "clang_ir") return {Compiler::clang_ir};
    if (requested_name == "nvcc") return {Compiler::nvrtc, Compiler::nvcc};
    if (std::string(COALESCE_BUILT_BY) == "clang") {
        return {Compiler::clang, Compiler::nvrtc, Compiler::nvcc};
    }
    return {Compiler::nvrtc, Compiler::nvcc, Compiler::clang};
}

std::string find_compiler_path(Compiler kind) {
    switch (kind) {
        case Compiler::nvrtc: return find_nvrtc();
        case Compiler::nvcc: return find_compiler_by_script({"nvcc", COALESCE_CUDA_ROOT});
        case Compiler::clang: return find_compiler_by_script({"clang"});
        case Compiler::clang_ir:
            return find_compiler_by_script({"clang", kOldestClangWithIr, kNewestClangWithIr});
        case Compiler::any: break;
    }
    return "";
}

/// Returns the version number that the program prints for `--version`.
std::string read_printed_version(const std::string& program) {
    const std::string version_text = run_child({program, "--version"}, 20).output;
    std::smatch match;
    static const std::regex nvcc(R"(\bV(\d+\.\d+\.\d+))"),
        other_version(R"(version (\d+\.\d+[.\d]*))");
    if (std::regex_search(version_text, match, nvcc) ||
        std::regex_search(version_text, match, other_version)) {
        return match[1];
    }
    return "of an unknown version";
}

}  // namespace

const char* name_compiler_kind(Compiler kind) {
    switch (kind) {
        case Compiler::nvrtc: return "NVRTC";
        case Compiler::nvcc: return "nvcc";
        case Compiler::clang:
        case Compiler::clang_ir: return "clang";
        case Compiler::any: break;
    }
    return "any compiler";
}

Compiler resolve_compiler_kind(Compiler kind) {
    const std::vector<Compiler> candidates = compilers_to_try();
    return kind == Compiler::any && candidates.size() == 1 ? candidates.front() : kind;
}

std::optional<FoundCompiler> find_compiler(Compiler kind) {
    if (kind == Compiler::any) {
        for (const Compiler compiler : compilers_to_try()) {
            if (auto compiler_found = find_compiler(compiler)) return compiler_found;
        }
        return std::nullopt;
    }
    const std::string path = find_compiler_path(kind);
    if (path.empty()) return std::nullopt;
    std::string identity = std::string(name_compiler_kind(kind)) + " " + file_fingerprint(path);
    // For clang_ir, the translator in this program affects the result, so the identity includes
    // this program.
    if (kind == Compiler::clang_ir) identity += " " + file_fingerprint("/proc/self/exe");
    return FoundCompiler{kind, path, identity};
}

std::string read_version(const FoundCompiler& compiler) {
    const std::string number = compiler.kind == Compiler::nvrtc
                                   ? nvrtc_version(compiler.path)
                                   : read_printed_version(compiler.path);
    if (compiler.kind == Compiler::clang_ir) return add_translator_name(number);
    return std::string(name_compiler_kind(compiler.kind)) + " " + number;
}

Dialect dialect_of(const FoundCompiler& compiler) {
    const bool is_clang = compiler.kind == Compiler::clang || compiler.kind == Compiler::clang_ir;
    return is_clang ? Dialect::bare_clang : Dialect::nvidia;
}

RawOutput run_compiler(const FoundCompiler& compiler, const std::string& wrapped_source,
                       const std::string& architecture, int seconds, bool keeps_variables) {
    if (compiler.kind == Compiler::nvrtc)
        return run_nvrtc(compiler.path, wrapped_source, architecture, keeps_variables);
    auto command =
        compiler.kind == Compiler::nvcc
            ? nvcc_command(compiler.path, architecture, keeps_variables)
            : clang_command(compiler.path, architecture, {"-o", "kernel.ptx", "input.cu"});
    if (compiler.kind == Compiler::clang && keeps_variables) {
        // If several optimization levels are given, clang uses the last one.
        command.insert(command.end(), {"-O0", "-g"});
    }
    try {
        if (compiler.kind == Compiler::clang_ir) {
            return run_clang_for_ir(compiler.path, wrapped_source, seconds, keeps_variables);
        }
        return run_command(command, wrapped_source, seconds);
    } catch (const std::exception& error) {  // Writing the source can fail, for example because the
                                             // disk is full.
        RawOutput result;
        result.output = error.what();
        return result;
    }
}

std::vector<std::string> clang_filter_command(const std::string& clang,
                                              const std::string& architecture) {
    const auto command =
        clang_command(clang, architecture,
                      {"-fuse-cuid=none", "-ffile-compilation-dir=/", "-###", "-o", "-", "-"});
    const std::string output = run_child(command, 20).output;
    for (const std::string& line : lines_of(output)) {
        std::vector<std::string> words = split_quoted_words(line);
        if (words.size() > 2 && words[1] == "-cc1") return words;
    }
    throw std::runtime_error(clang +
                             " does not show how it compiles CUDA; name another compiler in "
                             "COALESCE_CLANG (clang 14 or newer). Its output:\n" +
                             output);
}

std::string clang_headers() {
    return COALESCE_CUDA_HEADERS;
}

std::string toolkit_headers() {
    for (const std::string& root : toolkit_roots()) {
        if (is_file(root + "/include/cuda_fp16.h")) return root + "/include";
    }
    return "";
}

}  // namespace coalesce
