// Translates IR to PTX, runs the kernel on the simulated GPU, and returns the values that the
// kernel stores.
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
    std::size_t words = 1;  ///< the number of words of `out` to return
    unsigned dynamic_shared = 0;
};

/// Runs the kernel @k(ptr %out, ptr %in), and returns the first words of out[], which initially
/// contains zeros. in[] starts with `input`. Throws on every error, and on every report of the
/// simulator's checks.
std::vector<u64> run(const std::string& ir, const std::vector<u64>& input = {}, Launch launch = {});

/// Returns a module that contains a kernel @k with the given body, and the functions and variables
/// in `rest`.
std::string kernel(const std::string& body, const std::string& rest = "");

/// Returns the number of instructions in the PTX that start with `opcode`, such as "ld.global".
std::size_t count(const std::string& ptx, const std::string& opcode);

}  // namespace coalesce::translator::tests
