// Counts how often each instruction occurs in the kernels.
#pragma once

#include <map>
#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

class InstructionCoverage {
public:
    /// Counts the instructions in a PTX module.
    void add(const std::string& ptx);
    /// Summarizes how many instructions occurred at least 100 times and how many never occurred.
    /// Also lists the least frequent pairs of opcode and modifier, up to `max_listed_pairs` of
    /// them.
    std::string summary(std::size_t max_listed_pairs) const;
    /// Returns one line per instruction, with its count and name.
    std::string list() const;

private:
    std::map<std::string, u64> count_by_instruction_;
};

}  // namespace coalesce::campaign
