// See program_file.h.
//
// Idea    The loader looks into LD_LIBRARY_PATH before the system's folders. A program that carries
//         a path of its own (rpath) may look there first: for such a one our library is loaded
//         ahead of all others, and is then taken for every mention of its name.
//
// Linux only: /proc/self/exe, LD_LIBRARY_PATH.
#include "simulate/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "simulate/elf_file.h"

namespace coalesce::simulate {

namespace {

constexpr const char* kLibrary = "libcudart.so.13";

bool is_file(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

bool is_executable(const std::string& path) {
    return is_file(path) && access(path.c_str(), X_OK) == 0;
}

/// `value`, then what the variable holds already, with `separator` between.
std::string before_present(const std::string& value, const char* variable, char separator) {
    const char* present = std::getenv(variable);
    return present && *present ? value + separator + present : value;
}

std::string other_runtime(const ElfFile& elf) {
    for (const std::string& library : elf.needed) {
        if (library.starts_with("libcudart.so")) return library;
    }
    return {};
}

/// For a program that does not name the runtime itself: perhaps a library of its own does.
bool needs_runtime_indirectly(const std::string& program, const ElfFile& elf,
                              const Environment& variables) {
    return elf.has_loader && list_libraries(program, variables).find(kLibrary) != std::string::npos;
}

[[noreturn]] void refuse(const std::string& program, const ElfFile& elf) {
    const std::string other = other_runtime(elf);
    if (!other.empty()) {
        throw CanNotRun(program + " was built for " + other +
                        "; rebuild it with nvcc of CUDA 13: nvcc -cudart shared");
    }
    if (elf.has_device_code) {
        throw CanNotRun(
            program + " was built with the static CUDA runtime; rebuild with nvcc -cudart shared");
    }
    throw CanNotRun(program + " does not use the CUDA runtime (" + kLibrary +
                    "); name a program built by nvcc -cudart shared");
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (is_executable(name)) return name;
        if (is_file(name)) throw CanNotRun(name + " is not executable; chmod +x it, or build it");
        if (std::filesystem::is_directory(name)) throw CanNotRun(name + " is a folder");
        throw CanNotRun("there is no " + name + "; build it first, or correct the path");
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (is_executable(candidate)) return candidate;
    }
    if (is_file(name)) throw CanNotRun(name + " is not on the PATH; did you mean ./" + name + "?");
    throw CanNotRun("there is no program " + name + "; build it first, or give its path");
}

std::string find_library() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::filesystem::path library = self.parent_path().parent_path() / "lib" / kLibrary;
    if (!failed && is_file(library.string())) return library.string();
    // Installed it lies in a folder of its own, so that nobody takes it for NVIDIA's.
    const std::filesystem::path installed = library.parent_path() / "coalesce" / kLibrary;
    if (!failed && is_file(installed.string())) return installed.string();
    throw CanNotRun("the simulator is missing: " + library.string() +
                    "; build the project's target simulated_cudart");
}

Environment loader_variables(const std::string& program, const std::string& library) {
    ElfFile elf;
    try {
        elf = read_elf(program);
    } catch (const NotAnElfFile& error) {
        throw CanNotRun(program + " " + error.what());
    }
    const std::string folder = std::filesystem::path(library).parent_path().string();
    Environment variables{{"LD_LIBRARY_PATH", before_present(folder, "LD_LIBRARY_PATH", ':')}};
    if (!elf.needs(kLibrary) && !needs_runtime_indirectly(program, elf, variables)) {
        refuse(program, elf);
    }
    if (elf.has_run_path || !elf.needs(kLibrary)) {
        variables.emplace_back("LD_PRELOAD", before_present(library, "LD_PRELOAD", ':'));
    }
    return variables;
}

}  // namespace coalesce::simulate
