// Options that make clang's optimizer generate IR suited to the translator. The clang in a page
// needs these options, because it has no back end for NVIDIA's GPUs.
#pragma once

#include <string>
#include <vector>

namespace coalesce::translator {

/// Options for clang -cc1, which tell the optimizer about GPUs. For example, 64-bit operations cost
/// more than 32-bit ones, and branches may diverge.
inline const std::vector<std::string> kOptimizerOptions = {
    // Keep infinite loops, so that a loop that never ends can be reported as the learner's mistake.
    // Do not vectorize, because GPUs have no vector registers.
    "-O3", "-fno-finite-loops", "-mllvm", "-indvars-widen-indvars=false", "-mllvm",
    "-jump-threading-threshold=0", "-mllvm", "-unswitch-threshold=1", "-mllvm",
    "-inline-threshold=2475", "-mllvm", "-unroll-runtime", "-mllvm", "-unroll-allow-partial",
    "-mllvm", "-unroll-partial-threshold=75",
    // The names of values are never used.
    "-discard-value-names", "-emit-llvm"};

/// Options that replace kOptimizerOptions for code whose variables must all stay in memory.
inline const std::vector<std::string> kDebuggerOptions = {"-O0", "-fno-finite-loops",
                                                          "-discard-value-names", "-emit-llvm"};

/// Returns the options for the second run of a clang that has the NVPTX back end. The first run
/// writes unoptimized IR. The second run optimizes this IR for another target, so that the NVPTX
/// back end does not influence the optimizer.
inline std::vector<std::string> optimise_without_back_end() {
    std::vector<std::string> words = {"-cc1", "-triple", "spir64-unknown-unknown",
                                      "-x",   "ir",      "-Wno-override-module"};
    words.insert(words.end(), kOptimizerOptions.begin(), kOptimizerOptions.end());
    return words;
}

}  // namespace coalesce::translator
