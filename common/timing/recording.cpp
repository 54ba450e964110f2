#include "timing/recording.h"

#include <algorithm>

namespace coalesce::timing {

bool Instruction::has(const char* modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

bool are_blocks_uneven(const Recording& recording) {
    std::uint64_t min_steps = ~std::uint64_t{0}, max_steps = 0;
    for (const RecordedBlock& block : recording.recorded_blocks) {
        std::uint64_t block_steps = 0;
        for (const WarpPath& path : block.warps) block_steps += path.executed_steps;
        min_steps = std::min(min_steps, block_steps);
        max_steps = std::max(max_steps, block_steps);
    }
    return max_steps > min_steps + min_steps / 2;
}

}  // namespace coalesce::timing
