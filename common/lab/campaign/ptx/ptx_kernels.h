// Generates kernels directly in PTX, with control flow and combinations of instructions that no
// compiler produces.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

struct PtxOptions {
    /// Restricts the kernel to instructions that give the same bits on every device, so that it can
    /// run on a GPU. Also avoids two bugs of the compiler in NVIDIA's driver (580), which occur
    /// even without optimization: `@p set` and `@p testp` write even if p is false, and a store of
    /// part of a register that contains an f16 or f64 converts the value (F2I in the machine code).
    bool is_portable = false;
};

/// Returns the text of a kernel that satisfies the contract. The same seed always produces the same
/// text.
std::string generate_ptx(u64 seed, const PtxOptions& options = {});

/// Returns every opcode in a text with its modifiers, such as "add.s32" or "ld.global.v4.b32", once
/// per occurrence. (lane_instructions() lists the per-lane instructions that the generator can
/// emit.)
std::vector<std::string> list_opcodes(const std::string& text);

}  // namespace coalesce::campaign
