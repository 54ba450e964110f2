// Determines how a kernel uses the bytes that its memory instructions load.
#pragma once

#include <vector>

#include "simulator/analysis/demanded_bytes.h"

namespace coalesce::simulator {

struct Kernel;

/// For each memory instruction (site) of a kernel and its callees, how the program uses the bytes
/// that the instruction loads.
class ByteUses {
public:
    explicit ByteUses(const Kernel& kernel);
    const LoadUse& load_use(u32 site) const { return load_uses_[site]; }
    const std::vector<CopiedBytes>& stored_copies(u32 site) const { return stored_copies_[site]; }

private:
    std::vector<LoadUse> load_uses_;
    std::vector<std::vector<CopiedBytes>> stored_copies_;
};

/// Returns how the kernel uses the bytes that it loads. The first call computes the result.
/// Lowering does not compute it in advance, because most kernels do not need it.
const ByteUses& byte_uses(const Kernel& kernel);

}  // namespace coalesce::simulator
