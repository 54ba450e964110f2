// Finds the program to run, and says before it runs why it cannot work.
#pragma once

#include <stdexcept>
#include <string>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

/// One line that names the program and the next action.
struct CanNotRun : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The file that a shell would run for `name`. Throws CanNotRun.
std::string find_program(const std::string& name);

/// Our libcudart.so.13, beside this executable: bin/simulate -> lib/. Throws CanNotRun.
std::string find_library();

/// Makes sure that `program` will use the CUDA runtime, or the driver, as a shared library, and that it needs
/// nothing that cannot be simulated; returns the variables that make the loader take ours. Throws
/// CanNotRun.
Environment loader_variables(const std::string& program, const std::string& library);

}  // namespace coalesce::simulator
