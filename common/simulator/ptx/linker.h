// Links the modules of several source files (nvcc -rdc=true) into one module, as nvlink links their
// machine code.
//
// Idea   A .visible, .weak or .common name refers to the same object in all files. An .extern
//        declaration refers to the definition in another file. If a name is local to its file and
//        another file uses the same name, the local name is changed. After linking, every
//        definition can therefore be found by its name alone.
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

/// Links one or more modules. Throws LinkError if two modules define the same name and neither
/// definition is weak. A name that no module defines is no error here, but kernels that use the
/// name cannot be launched.
std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules);

}  // namespace coalesce::simulator::ptx
