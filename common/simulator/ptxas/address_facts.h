// What is known of the addresses that a function computes: which of them differ by a constant, and how many of
// their lowest bits are zeros.
//
// Idea   A value is a sum of unknown values, each times a factor, and a constant. Two addresses whose unknown parts are
//        equal differ by their constants, whichever registers hold them.
// Zeros  ptxas derives alignment from the instructions, and so does this: a shift by 4 leaves four zeros, a sum has as
//        many as the summand with fewer. `3 * t + t`, shifted by 2, has two: nobody sees that it is 4 * t.
//        Seen with loads of four adjacent words from addresses that are computed in 40 ways: they become one load
//        where four zeros are known, two where three are, and stay four with fewer.
// Wide   A sum of 32 bits that is extended to 64 is an unknown value: nobody knows whether it overflows. (Addresses
//        from extended `i`, `i + 1`, ... were not merged, neither of shared nor of global memory.)
// Loops  A register that a loop changes has as many zeros as its start and each of its changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Of 64 bits; of a register of 32 bits, factors and constant are those with a sign that it has room for.
struct LinearSum {
    std::vector<std::pair<u32, u64>> terms;  ///< number of an unknown value, its factor; by number
    u64 constant = 0;
};

struct KnownValue {
    LinearSum sum;
    u32 zeros = 0;                ///< lowest bits of value - offset that are zeros
    u32 offset = 0;               ///< a constant that was added last
    bool offset_is_bits = false;  ///< it was added by an `or`
};

/// Walks through a function block by block: what it says of registers holds where the walk stands.
class AddressFacts {
public:
    /// `shared`: where the function's shared variables lie.
    AddressFacts(const ptx::Function& function, const std::map<std::string, u32>& shared);

    void begin_block();
    /// Moves past an instruction of the block.
    void pass(const ptx::Instruction& instruction);
    /// At the end of a turn of a loop that is the instructions [begin, end) alone: what the turn has added to a sum from its
    /// beginning, and how many lowest bits of the sum without its constant were zeros before the first turn.
    struct Steps {
        u64 step = 0;
        u32 zeros_at_start = 0;
    };
    /// None: it does not step by a constant.
    std::optional<Steps> steps_of(const LinearSum& sum, u32 begin, u32 end) const;
    /// Of an operand in [ ], its offset included. None: a symbol that is no shared variable.
    std::optional<KnownValue> address(const ptx::Operand& operand);

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    void find_zeros();
    u32 zeros_of_result(const Instruction& instruction) const;
    u32 zeros_of(const Operand& operand) const;
    KnownValue value_of(const Operand& operand);
    KnownValue value_of_register(u32 reg);
    KnownValue written_once(u32 reg);
    KnownValue evaluate(const Instruction& instruction);
    KnownValue result_of(const Instruction& instruction);
    KnownValue extended(const Operand& operand, bool is_signed);
    u32 bytes_of(const Operand& operand) const;
    static KnownValue sum_of(KnownValue left, KnownValue right);
    KnownValue product_of(const Instruction& instruction);
    KnownValue unknown(const Instruction& instruction);
    /// `varies`: with the turn of a loop, maybe. `reg`: the register that it is the value of, if it is one's.
    KnownValue named(const std::string& name, u32 zeros, bool varies, u32 reg = kNoRegister);
    bool varies(const LinearSum& sum) const;
    static KnownValue of_constant(u64 constant);
    bool is_computed_once(const Instruction& instruction) const;
    static bool is_evaluated(const Instruction& instruction);

    const ptx::Function& function_;
    const std::map<std::string, u32>& shared_;
    std::vector<std::vector<u32>> writers_;        ///< by register: indices into the body
    std::vector<u32> zeros_;                       ///< by register
    std::vector<std::optional<KnownValue>> once_;  ///< by register that one instruction writes
    std::map<u32, KnownValue> current_;            ///< by register, in the block at hand
    static constexpr u32 kNoRegister = ~0u;
    struct Unknown {
        u32 zeros = 0, reg = kNoRegister;
        bool varies = false;
    };
    std::map<std::string, u32> numbers_;  ///< of unknown values
    std::vector<Unknown> unknown_;        ///< by number
    u32 versions_ = 0;                    ///< of registers that are written more than once
};

}  // namespace coalesce::simulator
