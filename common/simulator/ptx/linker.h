// Joins the modules of several source files (nvcc -rdc=true) into one, as nvlink does with their
// machine code.
//
// Idea   All files use the same names for what is .visible, .weak or .common, and an .extern
//        declaration takes the definition of another file. A name that is local to its file is
//        changed if another file has the same name. So everything after the linker finds each
//        definition by its name alone.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

struct LinkError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Joins one or more modules. Throws LinkError if two files define the same name and neither
/// definition is weak. A name that no file defines remains a declaration; this matters only to a
/// kernel that uses it.
std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules);

}  // namespace coalesce::simulator::ptx
