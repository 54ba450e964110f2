// Counts which instructions occurred in the kernels.
#pragma once

#include <map>
#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

class Coverage {
public:
    /// Counts the instructions of a PTX text.
    void add(const std::string& ptx);
    /// Returns the number of different instructions, and the `rarest` least frequent pairs of an
    /// opcode and a modifier.
    std::string summary(std::size_t rarest) const;
    /// Returns one line per instruction, with its count and name.
    std::string list() const;

private:
    std::map<std::string, u64> counts_;
};

}  // namespace coalesce::campaign
