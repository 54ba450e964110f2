// Finds out how an ELF file will be loaded, without running it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/base/static_runtime.h"

namespace coalesce::simulator {

struct ElfFile {
    bool has_loader = false;  ///< true if the dynamic loader starts it (PT_INTERP)
    /// True if it has a library path of its own (DT_RPATH or DT_RUNPATH).
    bool has_run_path = false;
    bool has_device_code = false;  ///< true if it contains the device code that nvcc embeds
    StaticRuntime static_runtime = StaticRuntime::none;
    std::vector<std::string> needed;  ///< the names of the libraries that it needs (DT_NEEDED)
    std::vector<std::string> wanted;  ///< the functions and variables that it imports
    std::vector<std::string> exported_symbols;  ///< the functions and variables that it exports

    bool links_to(const std::string& library) const;
    /// Reports whether the file needs a library whose name starts with `beginning`.
    bool links_to_any(const std::string& beginning) const;
};

struct NotAnElfFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads the file at `path`. Throws NotAnElfFile if the file cannot be read or is not a valid ELF
/// file.
ElfFile read_elf(const std::string& path);

}  // namespace coalesce::simulator
