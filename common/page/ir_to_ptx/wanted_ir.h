// How clang is to optimise IR that comes here: for a page's clang, which has no back end for NVIDIA's GPUs,
// and for others, which then make the same of it.
#pragma once

#include <string>
#include <vector>

namespace coalesce::translator {

/// Words for clang -cc1. The back end, where there is one, would tell the optimiser the same: 64 bits cost
/// more than 32, branches diverge, loops are unrolled even in part.
inline const std::vector<std::string> kOptimiser = {
    // An endless loop is a learner's mistake, and no licence to leave it out. Nothing is vectorised:
    // GPUs have no such registers.
    "-O3", "-fno-finite-loops", "-mllvm", "-indvars-widen-indvars=false", "-mllvm",
    "-jump-threading-threshold=0", "-mllvm", "-unswitch-threshold=1", "-mllvm",
    "-inline-threshold=2475", "-mllvm", "-unroll-runtime", "-mllvm", "-unroll-allow-partial",
    "-mllvm", "-unroll-partial-threshold=75",
    // Names of values are read by nobody.
    "-discard-value-names", "-emit-llvm"};

/// For IR that a clang with that back end has made, unoptimised (-disable-llvm-passes): the words of a
/// second call, except for -o OUT IN, for a target that the back end has no part in.
inline std::vector<std::string> optimise_without_back_end() {
    std::vector<std::string> words = {"-cc1", "-triple", "spir64-unknown-unknown",
                                      "-x",   "ir",      "-Wno-override-module"};
    words.insert(words.end(), kOptimiser.begin(), kOptimiser.end());
    return words;
}

}  // namespace coalesce::translator
