/// \file
/// The declaration that a learner's kernel must have, and the sizes that are passed to `configure`.
#pragma once

#include <string>
#include <vector>

#include "examiner/course/exercise.h"

namespace coalesce {

/// The name and the parameters of a kernel.
struct Signature {
    Signature() = default;
    /// Creates the signature of a kernel that takes matrices: (float* out, const float* in, int
    /// rows, int cols).
    Signature(std::string name) : kernel(std::move(name)) {}
    Signature(const char* name) : kernel(name) {}
    /// Creates the signature that an exercise requires.
    explicit Signature(const Exercise& exercise);

    std::string kernel = "transpose";
    /// The parameters for an ElementTask; empty for a kernel that takes matrices.
    std::vector<Parameter> parameters = {};
    std::vector<std::string> sizes = {"rows", "cols"};  ///< the parameters of `configure`

    std::string declaration() const;
    /// Returns the declaration of `configure`, for example "constexpr Launch configure(int rows,
    /// int cols)".
    std::string configure_declaration() const;
};

/// Returns the sizes as a parameter list, for example "int rows, int cols".
std::string declare_sizes(const std::vector<std::string>& sizes);

/// Returns the mangled name of the kernel in PTX.
std::string mangle_kernel_name(const Signature& signature);

}  // namespace coalesce
