/// \file
/// PyTorch, CuPy and Triton: a Python program beside this one that has its turn in every round.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child.h"
#include "lab/proof/bench/contest.h"

namespace coalesce::proof {

/// What bench/rivals.py answers. Anything that goes wrong there is a reason why it is absent, never
/// an error of the benchmark.
class PythonRivals {
public:
    /// Starts the program; imports go on while the first kernels are verified.
    PythonRivals(const std::string& script, bool wanted);

    /// Makes and verifies a matrix of that shape.
    void begin(Shape shape);
    /// Its turn: the device is left alone meanwhile.
    void play_round(int launches);
    /// The entries of this size.
    const std::vector<Entry>& entries() const { return entries_; }
    /// Versions of what is there: "torch 2.11.0".
    const std::string& versions() const { return versions_; }

private:
    nlohmann::json ask(const nlohmann::json& question);
    void give_up(const std::string& why);

    std::unique_ptr<Child> python_;
    std::string why_absent_, versions_;
    std::vector<Entry> entries_;
};

}  // namespace coalesce::proof
