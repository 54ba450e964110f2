// Joins the modules of several source files (nvcc -rdc=true) into one, as nvlink does with their machine code.
//
// Idea   All files share one namespace for what is .visible, .weak or .common; an .extern declaration takes the
//        definition of another file. A name that is local to its file is renamed apart where another file has the
//        same name, so that everything after the linker finds each definition by its name alone.
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

/// Takes at least one module. Throws LinkError where two files define the same name and neither definition is weak.
/// A name that no file defines stays a declaration: it matters only to a kernel that uses it.
std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules);

}  // namespace coalesce::simulator::ptx
