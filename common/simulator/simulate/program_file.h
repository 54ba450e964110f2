// Finds the program to run and, before starting it, checks that the simulator supports everything
// the program needs.
#pragma once

#include <stdexcept>
#include <string>

#include "simulator/simulate/child.h"

namespace coalesce::simulator {

/// An error with a one-line message that names the program and says what the user can do.
struct CanNotRun : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns the path of the file that a shell would run for `name`. Throws CanNotRun if there is no
/// such file.
std::string find_program(const std::string& name);

/// Returns the path of our libcudart.so.13. The library is in lib/ or lib/coalesce/, next to the
/// folder bin/ that contains this executable. Throws CanNotRun if the library is missing.
std::string find_library();

/// Returns the environment variables that make the loader use our library. These variables are also
/// returned for a script, because it may start programs that use CUDA. Throws CanNotRun if
/// `program` needs something that the simulator does not support.
Environment loader_variables(const std::string& program, const std::string& library);

}  // namespace coalesce::simulator
