// Tables of instructions whose result in a lane depends only on the operands in that lane. The
// tables also contain the kinds of the operands.
#pragma once

#include <vector>

#include "lab/campaign/ptx/function_text.h"

namespace coalesce::campaign {

/// An instruction. The struct has no constructors, because with constructors, g++ takes 90 s to
/// compile a table of a thousand elements.
struct LaneInstruction {
    /// The kind of the instruction's destination.
    enum class Result : unsigned char { value, predicate, two_predicates };
    const char* name;  ///< such as "add.sat.s32"
    Result result;
    RegisterKind destination_kind, source_kinds[4];
    u32 source_count;
    /// Whether the instruction is selp, or setp with a predicate as its third source.
    bool ends_in_predicate = false;
    const char* last_operand = "";  ///< the truth table of lop3
    bool is_approximate = false;  ///< whether the last bit of the result may differ between devices
    /// The literal that may replace a source: 'i' for an integer, 'f' or 'd' for a floating-point
    /// number, 0 for none.
    char literal_kind = 0;
};

/// Returns all instructions, including approximate ones. The results of approximate instructions
/// may differ between devices.
const std::vector<LaneInstruction>& lane_instructions();
/// Returns the few instructions that compilers use most often.
const std::vector<LaneInstruction>& everyday_instructions();

}  // namespace coalesce::campaign
