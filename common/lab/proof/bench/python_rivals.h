/// \file
/// Runs PyTorch, CuPy and Triton in a Python program. The program takes part in every round of the
/// benchmark.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child.h"
#include "lab/proof/bench/contest.h"

namespace coalesce::proof {

/// The Python program bench/rivals.py. If the program fails, the benchmark continues without
/// PyTorch, CuPy and Triton.
class PythonRivals {
public:
    /// Starts the program, unless `is_wanted` is false. The program imports its libraries while the
    /// first kernels are being verified.
    PythonRivals(const std::string& script, bool is_wanted);

    /// Creates a matrix of this shape, and verifies the rivals on it.
    void begin_size(Shape shape);
    /// Times the rivals while nothing else uses the device.
    void time_round(int launches);
    /// Returns the entries of the current size.
    const std::vector<VariantResult>& entries() const { return entries_; }
    /// Returns the versions of the available libraries, such as "torch 2.11.0".
    const std::string& versions() const { return library_versions_; }

private:
    nlohmann::json ask_script(const nlohmann::json& question);
    void skip_all_rivals(const std::string& reason);

    std::unique_ptr<Child> python_;
    std::string absence_reason_, library_versions_;
    std::vector<VariantResult> entries_;
};

}  // namespace coalesce::proof
