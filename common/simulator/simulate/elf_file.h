// Reads from an ELF file how the file will be loaded and what it needs, without running it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/base/static_runtime.h"

namespace coalesce::simulator {

struct ElfFile {
    bool has_loader = false;  ///< true if the file is started by a dynamic loader (PT_INTERP)
    /// True if the file specifies its own library path (DT_RPATH or DT_RUNPATH).
    bool has_run_path = false;
    bool has_device_code = false;  ///< true if the file contains device code from nvcc
    StaticRuntime static_runtime = StaticRuntime::none;
    /// The names of the libraries that the file needs (DT_NEEDED).
    std::vector<std::string> needed_libraries;
    /// The functions and variables that the file imports.
    std::vector<std::string> imported_symbols;
    /// The functions and variables that the file exports.
    std::vector<std::string> exported_symbols;

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
