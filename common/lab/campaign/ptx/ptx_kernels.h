// Kernels straight in PTX: control flow and combinations of instructions that no compiler makes.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

struct PtxOptions {
    /// Only what gives the same bits on every device: for kernels that are run on a GPU as well. Nor what the
    /// compiler in NVIDIA's driver (580) gets wrong even when it does not optimise: `@p set` and `@p testp`,
    /// which write where p does not hold, and a store of a part of a register that holds an f16 or f64, which
    /// converts it (F2I in the machine code).
    bool same_everywhere = false;
};

/// One text that keeps to the contract: the same for the same seed, always.
std::string generate_ptx(u64 seed, const PtxOptions& options = {});

/// "add.s32", "ld.global.v4.b32" ...: every opcode with its modifiers that a text has, once for each time.
/// (Of what the generator can make, lane_instructions() lists those that work lane by lane.)
std::vector<std::string> instructions_of(const std::string& text);

}  // namespace coalesce::campaign
