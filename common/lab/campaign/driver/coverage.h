// Which instructions the kernels had, and how often.
#pragma once

#include <map>
#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

class Coverage {
public:
    /// Counts the instructions of a text.
    void add(const std::string& ptx);
    /// How many different ones; the rarest of all pairs of an opcode and one of its modifiers.
    std::string summary(std::size_t rarest) const;
    /// All of them, a line each: count and name.
    std::string list() const;

private:
    std::map<std::string, u64> counts_;
};

}  // namespace coalesce::campaign
