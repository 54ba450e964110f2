#include "grader/sandbox/places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/child.h"
#include "base/files.h"
#include "examiner/compilers.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/protocol.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

/// Finds a file called `name` in the folder of this program, in one of its parent folders, or in a
/// subfolder `bin` of any of these. Throws std::runtime_error if there is none.
fs::path find_in_parents(const std::string& description, const std::string& name,
                         bool (*is_match)(const fs::path& file)) {
    for (fs::path folder = program_folder();; folder = folder.parent_path()) {
        for (const fs::path& file : {folder / name, folder / "bin" / name}) {
            if (is_match(file)) return file;
        }
        if (folder == folder.root_path()) break;
    }
    throw std::runtime_error(description + " was not found near " + program_folder().string() +
                             ": build it (./learn build)");
}

bool is_program(const fs::path& file) {
    return access(file.c_str(), X_OK) == 0;
}

bool is_simulator(const fs::path& file) {
    return read_if_exists(file).value_or("").find("coalesceSimulatorVersion") != std::string::npos;
}

/// Returns the folder of clang and its libraries. Returns "" if they are in /usr/lib, where
/// distributions put them.
std::string clang_folder() {
    std::error_code error;
    const auto clang = find_compiler(Compiler::clang);
    const fs::path resolved_path = clang ? fs::canonical(clang->path, error) : fs::path();
    if (resolved_path.empty() || resolved_path.string().starts_with("/usr/lib/")) return "";
    const fs::path parent_folder = resolved_path.parent_path().parent_path();
    return (parent_folder == "/usr" ? resolved_path : parent_folder).string();
}

}  // namespace

std::string bubblewrap_program() {
    for (const char* program : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
        if (is_program(program)) return program;
    }
    return "";
}

Compiler grading_compiler() {
    const std::string name = environment_variable_or("COALESCE_COMPILER", COALESCE_BUILT_BY);
    if (name == "clang") return Compiler::clang;
    if (name == "nvcc") return Compiler::nvrtc;
    throw std::runtime_error("COALESCE_COMPILER is " + name +
                             ", but grading supports only nvcc and clang");
}

std::string toolkit_folder() {
    if (grading_compiler() == Compiler::clang) return "";
    const auto compiler = find_compiler(Compiler::nvrtc);
    // The compiler's path ends in lib64/libnvrtc.so.13, so the toolkit is two folders up.
    return compiler ? fs::path(compiler->path).parent_path().parent_path().lexically_normal() : "";
}

std::vector<std::string> compiler_environment(const std::string& simulator) {
    const Compiler compiler_kind = grading_compiler();
    const auto compiler = find_compiler(compiler_kind);
    const bool is_clang = compiler_kind == Compiler::clang;
    // The simulator's folder comes first, so that its libcudart is loaded instead of NVIDIA's. The
    // jail program reads these variables too.
    std::vector<std::string> variables = {
        "LD_LIBRARY_PATH=" + simulator,
        std::string("COALESCE_COMPILER=") + (is_clang ? "clang" : "nvcc")};
    if (is_clang) {
        std::string clang_variable = std::string(kClangVariable) + "=";
        if (compiler) {
            variables.push_back("COALESCE_CLANG=" + compiler->path);
            const std::string clang = fs::canonical(compiler->path);
            for (const std::string& command_word :
                 clang_filter_command(clang, CompileOptions{}.architecture)) {
                clang_variable += command_word + kWordSeparator;
            }
            variables.push_back(kClangNameVariable + ("=" + read_version(*compiler)));
        }
        variables.push_back(clang_variable);
    } else if (compiler) {
        // NVRTC loads a second library from its own folder, but by name only. Add that folder to
        // the search path.
        variables[0] += ":" + fs::path(compiler->path).parent_path().lexically_normal().string();
        variables.push_back("CUDA_HOME=" + toolkit_folder());
    }
    return variables;
}

std::vector<std::string> readable_paths() {
    std::vector<std::string> paths;
    const auto add = [&](const std::string& path) {
        std::error_code error;
        const bool is_new = std::find(paths.begin(), paths.end(), path) == paths.end();
        if (!path.empty() && is_new && fs::exists(fs::symlink_status(path, error))) {
            paths.push_back(path);
        }
    };
    add("/usr/lib");
    add("/usr/lib64");
    add("/lib");
    add("/lib64");
    const std::string toolkit = toolkit_folder();
    std::error_code error;
    if (grading_compiler() == Compiler::clang) {
        add(clang_headers());
        add(clang_folder());
    }
    if (toolkit == "/usr" || toolkit == "/usr/lib") {
        // The toolkit comes from the distribution. Its headers are in /usr/include, and its
        // libraries are in folders that were added above.
        add("/usr/include");
    } else if (!toolkit.empty()) {
        const std::string resolved_path = fs::canonical(toolkit, error).string();
        add(resolved_path);
        add(toolkit);
    }
    return paths;
}

std::filesystem::path jail_program() {
    if (const char* programs_folder = std::getenv("COALESCE_GRADER_PROGRAMS")) {
        return fs::absolute(fs::path(programs_folder) / "jail");
    }
    return find_in_parents("the program grader/jail", "grader/jail", is_program);
}

std::filesystem::path simulator_folder() {
    return find_in_parents("the simulated GPU (lib/libcudart.so.13)", "lib/libcudart.so.13",
                           is_simulator)
        .parent_path();
}

}  // namespace coalesce::grader
