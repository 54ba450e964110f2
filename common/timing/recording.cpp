#include "timing/recording.h"

#include <algorithm>

namespace coalesce::timing {

bool Instruction::has(const char* modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

bool are_blocks_uneven(const Recording& recording) {
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (const RecordedBlock& block : recording.recorded) {
        std::uint64_t steps = 0;
        for (const WarpPath& path : block.warps) steps += path.executed;
        least = std::min(least, steps);
        most = std::max(most, steps);
    }
    return most > least + least / 2;
}

}  // namespace coalesce::timing
