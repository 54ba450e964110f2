// Finds the program to run, and says why it cannot work before it runs.
#pragma once

#include <stdexcept>
#include <string>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

/// Its text is one line that names the program and what to do next.
struct CanNotRun : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns the file that a shell would run for `name`. Throws CanNotRun.
std::string find_program(const std::string& name);

/// Returns the path of our libcudart.so.13. It is in lib/ if this executable is bin/simulate.
/// Throws CanNotRun.
std::string find_library();

/// Makes sure that `program` will use the CUDA runtime or the driver as a shared library, and that
/// it needs nothing that cannot be simulated. Returns the environment variables that make the
/// loader use our library. Throws CanNotRun.
Environment loader_variables(const std::string& program, const std::string& library);

}  // namespace coalesce::simulator
