#include "timing/recording.h"

#include <algorithm>

namespace coalesce::timing {

bool Instruction::has(const char* modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

}  // namespace coalesce::timing
