// Determines how a kernel uses the bytes that its memory instructions load.
#pragma once

#include <vector>

#include "simulator/analysis/demanded_bytes.h"

namespace coalesce::simulator {

struct Kernel;

/// The uses of loaded bytes, for each site in a kernel and in the functions that it calls.
class ByteUses {
public:
    explicit ByteUses(const Kernel& kernel);
    const LoadUse& load(u32 site) const { return loads_[site]; }
    const std::vector<CopiedBytes>& store(u32 site) const { return stores_[site]; }

private:
    std::vector<LoadUse> loads_;
    std::vector<std::vector<CopiedBytes>> stores_;
};

/// Returns the uses of loaded bytes. The uses are computed only when they are first needed, because
/// most launches never read uninitialized memory and so never need them.
const ByteUses& byte_uses(const Kernel& kernel);

}  // namespace coalesce::simulator
