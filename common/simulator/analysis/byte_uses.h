// What becomes of the bytes that a kernel loads, by its memory instructions.
//
// Builds on  demanded_bytes.h.
#pragma once

#include <vector>

#include "simulator/analysis/demanded_bytes.h"

namespace coalesce::simulator {

struct Kernel;

/// Of a kernel and the functions that it calls, by site.
class ByteUses {
public:
    explicit ByteUses(const Kernel& kernel);
    const LoadUse& load(u32 site) const { return loads_[site]; }
    const std::vector<CopiedBytes>& store(u32 site) const { return stores_[site]; }

private:
    std::vector<LoadUse> loads_;
    std::vector<std::vector<CopiedBytes>> stores_;
};

/// Found out when it is first asked for: most launches read nothing that was not written.
const ByteUses& byte_uses(const Kernel& kernel);

}  // namespace coalesce::simulator
