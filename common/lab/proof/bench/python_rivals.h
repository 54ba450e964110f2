/// \file
/// Runs PyTorch, CuPy and Triton in a Python program that takes part in every round.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child.h"
#include "lab/proof/bench/contest.h"

namespace coalesce::proof {

/// The Python program bench/rivals.py. If it fails, the benchmark continues without PyTorch, CuPy
/// and Triton.
class PythonRivals {
public:
    /// Starts the program, unless `wanted` is false. The program imports its libraries while the
    /// first kernels are being verified.
    PythonRivals(const std::string& script, bool wanted);

    /// Creates a matrix of this shape, and verifies the rivals on it.
    void begin(Shape shape);
    /// Times the rivals while nothing else uses the device.
    void time_round(int launches);
    /// Returns the entries of the current size.
    const std::vector<VariantResult>& entries() const { return entries_; }
    /// Returns the versions of the available libraries, such as "torch 2.11.0".
    const std::string& versions() const { return versions_; }

private:
    nlohmann::json ask(const nlohmann::json& question);
    void give_up(const std::string& why);

    std::unique_ptr<Child> python_;
    std::string absence_reason_, versions_;
    std::vector<VariantResult> entries_;
};

}  // namespace coalesce::proof
