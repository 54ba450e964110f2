// What is known about the addresses that a function computes: which of them differ by a constant,
// and how many of their lowest bits are zero.
//
// Idea   A value is a sum of unknown values with factors and a constant. Two addresses with equal
//        unknown parts differ by their constants, whichever registers hold them.
// Zeros  ptxas derives alignment from the instructions, and so does this analysis. A shift by 4
//        gives four zero bits, and a sum has as many as the summand with fewer. `3 * t + t`,
//        shifted by 2, has two: it is not recognized as 4 * t. This was observed with loads of four
//        adjacent words from addresses that are computed in 40 ways. They become one load if four
//        zero bits are known, two if three are, and stay four with fewer.
// Wide   A 32-bit sum that is extended to 64 bits is an unknown value, because it may overflow.
//        (Accesses with addresses from extended `i`, `i + 1`, ... were not merged, neither in
//        shared nor in global memory.)
// Loops  A register that a loop changes has as many zero bits as its initial value and each of its
//        changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// A sum with 64 bits. For a 32-bit register, factors and constant are signed numbers that fit into
/// it.
struct LinearSum {
    /// The numbers of unknown values with their factors, sorted by number.
    std::vector<std::pair<u32, u64>> terms;
    u64 constant = 0;
};

struct KnownValue {
    LinearSum sum;
    u32 zeros = 0;                ///< the number of lowest bits of value - offset that are zero
    u32 offset = 0;               ///< a constant that was added last
    bool offset_is_bits = false;  ///< whether it was added by an `or`
};

/// Goes through a function block by block. What it says about registers holds at the current
/// position.
class AddressFacts {
public:
    /// `shared` maps each shared variable of the function to its offset in shared memory.
    AddressFacts(const ptx::Function& function, const std::map<std::string, u32>& shared);

    void begin_block();
    /// Moves past an instruction of the block.
    void pass(const ptx::Instruction& instruction);
    /// How a loop changes a sum.
    struct Steps {
        u64 step = 0;  ///< one iteration adds this
        u32 zeros_at_start =
            0;  ///< lowest zero bits of the sum without its constant, before the loop
    };
    /// The loop's body is the instructions [begin, end). Returns nothing if the sum does not change by
    /// a constant.
    std::optional<Steps> steps_of(const LinearSum& sum, u32 begin, u32 end) const;
    /// Returns the value of an operand in [ ], including its offset. Returns nothing for a symbol
    /// that is not a shared variable.
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
    /// `varies` says that it may change in each iteration of the loop. `reg` is the register that
    /// has this value, if there is one.
    KnownValue named(const std::string& name, u32 zeros, bool varies, u32 reg = kNoRegister);
    bool varies(const LinearSum& sum) const;
    static KnownValue of_constant(u64 constant);
    bool is_computed_once(const Instruction& instruction) const;
    static bool is_evaluated(const Instruction& instruction);

    const ptx::Function& function_;
    const std::map<std::string, u32>& shared_;
    std::vector<std::vector<u32>> writers_;  ///< by register: indices into the body
    std::vector<u32> zeros_;                 ///< by register
    /// By register, for those that one instruction writes.
    std::vector<std::optional<KnownValue>> once_;
    std::map<u32, KnownValue> current_;  ///< by register, in the current block
    static constexpr u32 kNoRegister = ~0u;
    struct Unknown {
        u32 zeros = 0, reg = kNoRegister;
        bool varies = false;
    };
    std::map<std::string, u32> numbers_;  ///< the numbers of unknown values
    std::vector<Unknown> unknown_;        ///< by number
    /// The number of versions of registers that are written more than once.
    u32 versions_ = 0;
};

}  // namespace coalesce::simulator
