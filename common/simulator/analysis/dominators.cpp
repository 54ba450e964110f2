#include "analysis/dominators.h"

#include <set>

namespace coalesce::sim {

Dominators::Dominators(const std::vector<BasicBlock>& blocks) : before_(blocks.size(), kNone) {
    std::vector<std::vector<u32>> ways_in(blocks.size());
    for (u32 b = 0; b < blocks.size(); ++b)
        for (u32 next : blocks[b].next) ways_in[next].push_back(b);
    std::vector<bool> known(blocks.size(), false);
    if (!blocks.empty()) known[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 1; b < blocks.size(); ++b) {
            u32 found = kNone;
            for (u32 from : ways_in[b])
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
