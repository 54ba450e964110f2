// IR -> PTX -> the simulated GPU -> values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::translator::tests {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

struct Launch {
    unsigned threads = 1;
    std::size_t words = 1;  ///< of `out` that are looked at
    unsigned dynamic_shared = 0;
};

/// What kernel @k(ptr %out, ptr %in) leaves in out[0...], words of 64 bits that are 0 before; in[]
/// begins with `input`. Whatever goes wrong, or is reported by the simulator's checks, is thrown.
std::vector<u64> run(const std::string& ir, const std::vector<u64>& input = {}, Launch launch = {});

/// A module with this kernel @k; `rest`: other functions and variables.
std::string kernel(const std::string& body, const std::string& rest = "");

/// How many instructions of the PTX begin so: "ld.global".
std::size_t count(const std::string& ptx, const std::string& opcode);

}  // namespace coalesce::translator::tests
