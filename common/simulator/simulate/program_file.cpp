// Implements program_file.h.
//
// Idea    The loader searches LD_LIBRARY_PATH before the system's folders. A program with its own
//         library path (rpath) may search that path first. For such a program, the simulator's
//         library is preloaded, and the loader then uses it for every reference to its name. The
//         library is also preloaded for a program with a static runtime, because it replaces the
//         functions of that runtime (cudart/static_runtime.cpp).
#include "simulator/simulate/program_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/child.h"
#include "simulator/base/subjects.h"
#include "simulator/simulate/elf_file.h"
#include "simulator/simulate/explain_missing.h"

namespace coalesce::simulator {

namespace {

constexpr const char* kRuntimeLibrary = "libcudart.so.13";
constexpr const char* kOlderRuntimeLibrary = "libcudart.so.12";  // built from cudart12/calls.cpp
constexpr const char* kDriverLibrary = "libcuda.so.1";
constexpr const char* kCublasLibraries[] = {"libcublas.so.13", "libcublas.so.12"};
constexpr const char* kCompilerLibraryPrefix = "libnvrtc.so.";

bool is_file(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

std::string find_other_runtime(const ElfFile& elf) {
    for (const std::string& library : elf.needed_libraries) {
        if (library.starts_with("libcudart.so")) return library;
    }
    return {};
}

/// The CUDA interfaces that a program or one of its own libraries uses.
struct CudaUses {
    bool uses_runtime = false, uses_driver = false;
    bool uses_older_runtime = false;  ///< whether it uses the CUDA 12 runtime

    bool uses_any() const { return uses_runtime || uses_driver || uses_older_runtime; }
};

/// Returns the libraries that the dynamic loader would load for the program, as text with one
/// library per line. Does not run the program.
std::string list_libraries(const std::string& program, const Environment& variables) {
    Command command{.program = program, .environment = {"LD_TRACE_LOADED_OBJECTS=1"}};
    for (const auto& [name, value] : variables) command.environment.push_back(name + "=" + value);
    return run_to_end(command).output;
}

CudaUses find_uses(const std::string& program, const ElfFile& elf, const Environment& variables) {
    const CudaUses uses{elf.links_to(kRuntimeLibrary), elf.links_to(kDriverLibrary),
                        elf.links_to(kOlderRuntimeLibrary)};
    if (uses.uses_any() || !elf.has_loader) return uses;
    const std::string library_names = list_libraries(program, variables);
    const auto lists_library = [&](const char* library) {
        return library_names.find(library) != std::string::npos;
    };
    return {lists_library(kRuntimeLibrary), lists_library(kDriverLibrary),
            lists_library(kOlderRuntimeLibrary)};
}

/// Throws CanNotRun if the program contains kernels, but no runtime that can be replaced by the
/// simulator's.
void refuse_unknown_runtime(const std::string& program, const ElfFile& elf) {
    const std::string other_runtime = find_other_runtime(elf);
    if (!other_runtime.empty()) {
        throw CanNotRun(program + " was built for " + other_runtime + "; " +
                        simulator::subjects::other_version.alternative);
    }
    if (elf.has_device_code) {
        throw CanNotRun(program +
                        " was built with the static CUDA runtime, and its symbols were stripped; " +
                        simulator::subjects::static_runtime.alternative);
    }
}

/// Reports whether the file is a script that names its interpreter.
bool is_script(const std::string& path) {
    char begin[2] = {};
    return std::ifstream(path).read(begin, 2) && begin[0] == '#' && begin[1] == '!';
}

/// Returns the functions that the simulator's replacement for `library` exports, or nothing if
/// there is no replacement.
std::vector<std::string> find_replacement_exports(const std::string& library,
                                                  const std::string& folder) {
    const std::string path = folder + "/" + library;
    return is_file(path) ? read_elf(path).exported_symbols : std::vector<std::string>{};
}

/// Throws an error if the program uses a library that cannot run. Without this check, the program
/// would continue without the library's results. The message names the first missing function. If a
/// library has a partial replacement, the program is rejected only if it needs functions that the
/// replacement lacks.
void refuse_libraries(const std::string& program, const ElfFile& elf, const std::string& folder) {
    for (const std::string& library : elf.needed_libraries) {
        const std::vector<std::string> exported_symbols = find_replacement_exports(library, folder);
        for (const std::string& symbol : elf.imported_symbols) {
            if (std::find(exported_symbols.begin(), exported_symbols.end(), symbol) !=
                exported_symbols.end())
                continue;
            const std::string problem = find_library_problem(library, symbol);
            if (!problem.empty()) throw CanNotRun(program + " " + problem);
        }
    }
}

}  // namespace

std::string find_program(const std::string& name) {
    const bool is_path = name.find('/') != std::string::npos;
    const std::string program_path = coalesce::find_program(name);
    if (!program_path.empty()) return is_path ? name : program_path;
    if (is_path) {
        if (is_file(name))
            throw CanNotRun(name + " is not executable; run chmod +x on it, or build it");
        if (std::filesystem::is_directory(name)) throw CanNotRun(name + " is a folder");
        throw CanNotRun("there is no " + name + "; build it first, or correct the path");
    }
    if (is_file(name)) throw CanNotRun(name + " is not on the PATH; did you mean ./" + name + "?");
    throw CanNotRun("there is no program " + name + "; build it first, or give its path");
}

std::string find_library() {
    std::error_code error;
    const std::filesystem::path own_path = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path library =
        own_path.parent_path().parent_path() / "lib" / kRuntimeLibrary;
    if (!error && is_file(library.string())) return library.string();
    // An installed replacement library has its own folder, so that no program accidentally uses it
    // instead of NVIDIA's library.
    const std::filesystem::path installed = library.parent_path() / "coalesce" / kRuntimeLibrary;
    if (!error && is_file(installed.string())) return installed.string();
    throw CanNotRun("the simulator is missing: " + library.string() +
                    "; build the project's target simulated_cudart");
}

namespace {

/// Returns the simulator's libraries that must be preloaded.
std::string preloaded_libraries(const ElfFile& elf, const CudaUses& uses,
                                const std::string& library) {
    const std::filesystem::path folder = std::filesystem::path(library).parent_path();
    std::string preload_list = library;
    const auto add_library = [&](const std::filesystem::path& file) {
        preload_list += ":" + file.string();
    };
    if (uses.uses_older_runtime) add_library(folder / kOlderRuntimeLibrary);
    if (uses.uses_driver || elf.links_to_any(kCompilerLibraryPrefix))
        add_library(folder / "driver" / kDriverLibrary);
    for (const char* cublas : kCublasLibraries)
        if (elf.links_to(cublas)) add_library(folder / "driver" / cublas);
    const std::string preloaded = environment_variable_or("LD_PRELOAD", "");
    return preloaded.empty() ? preload_list : preload_list + ":" + preloaded;
}

/// Throws CanNotRun unless cudart/static_runtime.cpp can replace the runtime that the program
/// contains.
void check_static_runtime(const std::string& program, const ElfFile& elf) {
#ifndef __x86_64__
    // A static runtime is replaced by writing x86-64 instructions into the program.
    throw CanNotRun(program +
                    " contains the static CUDA runtime, which the simulator supports only on "
                    "x86-64; build it with -cudart shared");
#endif
    if (elf.static_runtime == StaticRuntime::cuda11)
        throw CanNotRun(program + " was built with the static runtime of an older CUDA; " +
                        simulator::subjects::other_version.alternative);
}

/// Returns the environment variables for a program that does not use CUDA itself, but may start
/// programs that do. These programs inherit the variables.
Environment launcher_variables(Environment variables, const std::string& library) {
    variables.emplace_back("COALESCE_SIM_LAUNCHER", "1");
    variables.emplace_back("COALESCE_SIM_STATIC_RUNTIME", "any");
    variables.emplace_back("LD_PRELOAD", preloaded_libraries({}, {}, library));
    return variables;
}

ElfFile read_program(const std::string& program) {
    try {
        return read_elf(program);
    } catch (const NotAnElfFile& error) {
        throw CanNotRun(program + " " + error.what());
    }
}

}  // namespace

Environment loader_variables(const std::string& program, const std::string& library) {
    const std::filesystem::path folder = std::filesystem::path(library).parent_path();
    const std::filesystem::path driver_folder = folder / "driver";
    const std::string folders = folder.string() + ":" + driver_folder.string();
    Environment variables{{"LD_LIBRARY_PATH", prepend_to_library_path(folders)}};
    if (is_script(program)) return launcher_variables(variables, library);
    const ElfFile elf = read_program(program);
    const CudaUses uses = find_uses(program, elf, variables);
    const bool has_own_runtime = elf.static_runtime != StaticRuntime::none &&
                                 !elf.links_to(kRuntimeLibrary) &&
                                 !elf.links_to(kOlderRuntimeLibrary);
    if (has_own_runtime) check_static_runtime(program, elf);
    for (const auto& [used, file] :
         {std::pair{uses.uses_driver, driver_folder / kDriverLibrary},
          std::pair{uses.uses_older_runtime, folder / kOlderRuntimeLibrary}}) {
        if (used && !is_file(file.string()))
            throw CanNotRun("the simulator is missing: " + file.string() +
                            "; build the project's target simulate");
    }
    refuse_libraries(program, elf, driver_folder.string());
    if (!uses.uses_any() && !has_own_runtime) {
        refuse_unknown_runtime(program, elf);
        return launcher_variables(variables, library);
    }
    if (has_own_runtime) {
        const bool is_older = elf.static_runtime == StaticRuntime::cuda12;
        variables.emplace_back("COALESCE_SIM_STATIC_RUNTIME",
                               is_older ? kOlderRuntimeLibrary : kRuntimeLibrary);
    }
    const bool is_named = elf.links_to(kRuntimeLibrary) || elf.links_to(kOlderRuntimeLibrary) ||
                          elf.links_to(kDriverLibrary);
    const bool uses_compiler =
        elf.links_to_any(kCompilerLibraryPrefix);  // see driver/nvrtc_images.cpp
    if (has_own_runtime || elf.has_run_path || !is_named || uses_compiler)
        variables.emplace_back("LD_PRELOAD", preloaded_libraries(elf, uses, library));
    return variables;
}

}  // namespace coalesce::simulator
