#include "analysis/dominators.h"

#include <set>

namespace coalesce::sim {

Dominators::Dominators(const ControlFlow& flow) : before_(flow.blocks().size(), kNone) {
    std::vector<bool> known(before_.size(), false);
    if (!known.empty()) known[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 1; b < before_.size(); ++b) {
            u32 found = kNone;
            for (u32 from : flow.ways_in(b))
                if (known[from]) found = found == kNone ? from : common(found, from);
            if (found == kNone || (known[b] && before_[b] == found)) continue;
            known[b] = changed = true;
            before_[b] = found;
        }
    }
}

bool Dominators::passed(u32 earlier, u32 block) const {
    while (block != kNone && block != earlier) block = before_[block];
    return block == earlier;
}

/// The last block that lanes pass on the way to both.
u32 Dominators::common(u32 a, u32 b) const {
    std::set<u32> above;
    for (; a != kNone; a = before_[a]) above.insert(a);
    while (!above.contains(b)) b = before_[b];
    return b;
}

}  // namespace coalesce::sim
