// Finds the instructions for which no code is emitted. Some are folded into the instructions that
// use them: the addition of a constant offset into [register+bytes], and a sign extension into
// mul.wide. Others only rename registers: extractvalue, freeze, bitcast.
#pragma once

#include <map>
#include <set>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// A product that mul.wide computes directly from half-width operands, without extending them
/// first. The second operand is either extended in the same way as the first, or is a constant that
/// fits into half the width.
struct WideProduct {
    /// The first operand without its extension, or null if the instruction is not a product of this
    /// form.
    const Value* a = nullptr;
    const Value* b = nullptr;  ///< the second operand; nullptr if it is the constant `factor`
    i64 factor = 0;
    bool is_signed = false;
};
WideProduct match_wide_product(const Instruction& product);

/// Reports whether the instruction emits no code, because the registers and constants of its
/// operands also serve as its result. See Emitter::renamed().
bool is_register_rename(const Instruction& instruction);

class FoldedInstructions {
public:
    explicit FoldedInstructions(const Function& function);
    bool is_folded(const Value* value) const { return folded_.count(value) != 0; }
    /// Returns the values that the instruction reads. A folded operand is replaced with the values
    /// that the folded instruction reads.
    std::vector<const Value*> find_read_values(const Instruction& instruction) const;
    /// Like find_read_values(), for a single operand of an instruction.
    std::vector<const Value*> find_source_values(const Value* value) const;

private:
    bool is_folded_into(const Instruction& i, const Instruction& user) const;

    std::set<const Value*> folded_;
};

}  // namespace coalesce::translator
