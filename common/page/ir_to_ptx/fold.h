// Finds the instructions for which no code is emitted. Some of them are folded into the
// instructions that use them: for example, a sum with a constant becomes a part of the address
// [register+bytes]. Others, such as bitcast, only rename registers.
#pragma once

#include <map>
#include <set>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// A product that mul.wide computes directly from two operands of half the width. The second
/// operand is extended like the first, or is a constant that fits into half the width.
struct WideProduct {
    /// The first operand without its extension. Null if the instruction is not a product of this
    /// form.
    const Value* a = nullptr;
    const Value* b = nullptr;  ///< the second operand; nullptr if it is the constant `factor`
    i64 factor = 0;
    bool is_signed = false;
};
WideProduct match_wide_product(const Instruction& product);

/// Reports whether no code is emitted for the instruction because its result is already in the
/// registers of its operands. See Emitter::list_renamed_registers().
bool is_register_rename(const Instruction& instruction);

class FoldedInstructions {
public:
    explicit FoldedInstructions(const Function& function);
    bool is_folded(const Value* value) const { return folded_.count(value) != 0; }
    /// Returns the values that the instruction reads. If an operand is folded into the instruction,
    /// the list contains the values that the folded operand reads instead.
    std::vector<const Value*> find_read_values(const Instruction& instruction) const;
    /// Like find_read_values(), for a single operand of an instruction.
    std::vector<const Value*> find_source_values(const Value* value) const;

private:
    bool is_folded_into(const Instruction& i, const Instruction& user) const;

    std::set<const Value*> folded_;
};

}  // namespace coalesce::translator
