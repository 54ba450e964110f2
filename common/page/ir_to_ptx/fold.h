// Which instructions make no code of their own. Those that use them do their work as well: an
// addition of constant bytes lies in [register+bytes], a sign extension in mul.wide. Or they only
// give other names to registers: extractvalue, freeze, bitcast.
#pragma once

#include <map>
#include <set>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

/// The operand is sign- or zero-extended from half the width, and multiplied by a number that fits:
/// mul.wide does both.
struct WideProduct {
    const Value* a = nullptr;  ///< of half the width; nullptr: it is no such product
    const Value* b = nullptr;  ///< nullptr: `factor`
    i64 factor = 0;
    bool is_signed = false;
};
WideProduct wide_product(const Instruction& product);

/// Its parts are registers, or constants, that its operands have already: see Emitter::renamed().
bool only_renames(const Instruction& instruction);

class Folding {
public:
    explicit Folding(const Function& function);
    bool folded(const Value* value) const { return folded_.count(value) != 0; }
    /// What the instruction reads, where folded operands give way to what they read themselves.
    std::vector<const Value*> reads(const Instruction& instruction) const;
    /// The same of one operand.
    std::vector<const Value*> sources(const Value* value) const;

private:
    bool is_folded_into(const Instruction& i, const Instruction& user) const;

    std::set<const Value*> folded_;
};

}  // namespace coalesce::translator
