// What an ELF file says about how it will be loaded. Reads the file; never runs it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::simulator {

/// The CUDA runtime that a program has inside, with names for its functions.
enum class StaticRuntime {
    none,
    cuda11,  ///< or an older one
    cuda12,
    cuda13,
};

struct ElfFile {
    bool has_loader = false;       ///< starts through the dynamic loader (PT_INTERP)
    bool has_run_path = false;     ///< DT_RPATH or DT_RUNPATH: looks for libraries on its own
    bool has_device_code = false;  ///< holds what nvcc embeds
    StaticRuntime static_runtime = StaticRuntime::none;
    std::vector<std::string> needed;   ///< libraries it asks for by name (DT_NEEDED)
    std::vector<std::string> wanted;   ///< functions and variables that others have to bring
    std::vector<std::string> brought;  ///< ... that it has for others

    bool needs(const std::string& library) const;
    /// The same of a library whose name begins like this.
    bool needs_any(const std::string& beginning) const;
};

struct NotAnElfFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws NotAnElfFile for anything but a well-formed program or library for 64-bit x86.
ElfFile read_elf(const std::string& path);

}  // namespace coalesce::simulator
