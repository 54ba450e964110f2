// Generates kernels directly in PTX, with control flow and combinations of instructions that no
// compiler produces.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

struct PtxOptions {
    /// Restricts the kernel to instructions that give the same bits on every device, so that it can
    /// run on a GPU. Also avoids two bugs of the compiler in NVIDIA's driver 580: `@p set` and `@p
    /// testp` write even if p is false, and storing a part of a register with an f16 or f64
    /// converts the value.
    bool is_portable = false;
};

/// Returns the text of a kernel that satisfies the contract (contract.h). The same seed always
/// produces the same text.
std::string generate_ptx(u64 seed, const PtxOptions& options = {});

/// Returns each opcode in `text` with its modifiers, such as "ld.global.v4.b32". The list may
/// contain duplicates.
std::vector<std::string> list_opcodes(const std::string& text);

}  // namespace coalesce::campaign
