// The instructions that depend on their own lane alone, with the kinds of their operands.
#pragma once

#include <vector>

#include "lab/campaign/ptx/function_text.h"

namespace coalesce::campaign {

/// A plain one: g++ takes a minute and a half over a table of a thousand that call anything.
struct LaneInstruction {
    /// What stands where the destination stands.
    enum class Result : unsigned char { value, predicate, two_predicates };
    const char* name;  ///< "add.sat.s32"
    Result result;
    Kind to, from[4];
    u32 sources;
    bool ends_in_predicate = false;  ///< selp, and setp with a third source
    const char* last = "";           ///< lop3's table
    bool approximate = false;        ///< another device may give another last bit
    /// What a literal may stand for a source: 0 none, 'i' a whole number, 'f' and 'd' a float.
    char literal = 0;
};

/// All that were compared with hardware, and those that could not be.
const std::vector<LaneInstruction>& lane_instructions();
/// The few that compilers use all the time.
const std::vector<LaneInstruction>& everyday_instructions();

}  // namespace coalesce::campaign
