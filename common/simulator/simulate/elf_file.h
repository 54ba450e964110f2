// Reads from an ELF file how it will be loaded. The file itself is never run.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::simulator {

/// The CUDA runtime that a program contains, if the names of the runtime's functions are still
/// there.
enum class StaticRuntime {
    none,
    cuda11,  ///< 11 or older
    cuda12,
    cuda13,
};

struct ElfFile {
    bool has_loader = false;  ///< whether the dynamic loader starts it (PT_INTERP)
    /// Whether it looks for libraries in folders of its own (DT_RPATH or DT_RUNPATH).
    bool has_run_path = false;
    bool has_device_code = false;  ///< whether it contains what nvcc embeds
    StaticRuntime static_runtime = StaticRuntime::none;
    std::vector<std::string> needed;   ///< the libraries that it needs, by name (DT_NEEDED)
    std::vector<std::string> wanted;   ///< the functions and variables that others must provide
    std::vector<std::string> brought;  ///< the functions and variables that it provides for others

    bool needs(const std::string& library) const;
    /// Returns whether it needs a library whose name begins like this.
    bool needs_any(const std::string& beginning) const;
};

struct NotAnElfFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws NotAnElfFile if the file is not a well-formed program or library for 64-bit x86.
ElfFile read_elf(const std::string& path);

}  // namespace coalesce::simulator
