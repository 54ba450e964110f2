// What an ELF file says about how it will be loaded. Reads the file; never runs it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::simulate {

struct ElfFile {
    bool has_loader = false;           ///< starts through the dynamic loader (PT_INTERP)
    bool has_run_path = false;         ///< DT_RPATH or DT_RUNPATH: looks for libraries on its own
    bool has_device_code = false;      ///< holds what nvcc embeds
    bool has_static_runtime = false;   ///< has the CUDA runtime inside, and names for its functions
    bool runtime_is_older = false;     ///< ... which is that of a CUDA before 13
    std::vector<std::string> needed;   ///< libraries it asks for by name (DT_NEEDED)
    std::vector<std::string> wanted;   ///< functions and variables that others have to bring
    std::vector<std::string> brought;  ///< ... that it has for others

    bool needs(const std::string& library) const;
};

struct NotAnElfFile : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws NotAnElfFile for anything but a well-formed program or library for 64-bit x86.
ElfFile read_elf(const std::string& path);

}  // namespace coalesce::simulate
