// Determines which addresses in a function differ by a constant, and how many low bits of each
// address are zero.
//
// Idea   A value is represented as a sum: a constant, and unknown values that are each multiplied
//        by a factor. Two addresses with the same unknown values differ only by their constants,
//        even if they are in different registers.
// Zeros  ptxas derives alignment from the instructions, and so does this analysis. A shift by 4
//        gives four zero bits. A sum has as many zero bits as the summand that has fewer of them.
//        `3 * t + t`, shifted by 2, has two zero bits, because ptxas does not recognize the sum as
//        4 * t. These rules were observed with loads of four adjacent words from addresses that are
//        computed in 40 ways. If four zero bits are known, the four loads become one load. If three
//        are known, they become two loads. If fewer are known, they stay separate.
// Wide   A 32-bit sum that is extended to 64 bits is treated as an unknown value, because the sum
//        may overflow. (ptxas did not merge accesses whose addresses are extended from `i`, `i + 1`
//        and so on, in either shared or global memory.)
// Loops  If a loop changes a register, a low bit of the register counts as zero only if it is zero
//        in the initial value and in the amount of each change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// A sum of 64-bit terms. For a 32-bit register, the factors and the constant are sign-extended
/// from 32 bits.
struct LinearSum {
    /// The terms in sorted order. Each term is the index of an unknown value, and the factor of
    /// this value.
    std::vector<std::pair<u32, u64>> terms;
    u64 constant = 0;
};

struct KnownValue {
    LinearSum sum;
    u32 low_zero_bits = 0;         ///< the number of low zero bits of (value - offset)
    u32 offset = 0;                ///< the constant that was added last
    bool is_offset_by_or = false;  ///< true if an `or` added the offset, in bits that were 0 before
};

/// Tracks values through a function, block by block. All queries refer to the current position.
class AddressFacts {
public:
    /// `shared` maps each shared variable of the function to its offset in shared memory.
    AddressFacts(const ptx::Function& function, const std::map<std::string, u32>& shared);

    void begin_block();
    /// Moves the current position past the next instruction of the block.
    void pass_instruction(const ptx::Instruction& instruction);
    /// The change of a sum from one iteration of a loop to the next.
    struct LoopChange {
        u64 change_per_iteration = 0;  ///< the amount by which the sum grows in one iteration
        /// The minimum number of low zero bits that the sum, without its constant, has before the
        /// loop.
        u32 zero_bits_at_start = 0;
    };
    /// Returns how `sum` changes in the loop that consists of the instructions [begin, end).
    /// Returns nothing if the change is not a constant.
    std::optional<LoopChange> find_loop_change(const LinearSum& sum, u32 begin, u32 end) const;
    /// Returns the value of an address operand, including the operand's offset. Returns nothing if
    /// the operand is a symbol other than a shared variable.
    std::optional<KnownValue> evaluate_address(const ptx::Operand& operand);

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    void find_low_zero_bits();
    u32 count_zero_bits_of_result(const Instruction& instruction) const;
    u32 count_zero_bits(const Operand& operand) const;
    KnownValue evaluate_operand(const Operand& operand);
    KnownValue evaluate_register(u32 reg);
    KnownValue evaluate_single_writer(u32 reg);
    KnownValue evaluate_instruction(const Instruction& instruction);
    KnownValue evaluate_exact_result(const Instruction& instruction);
    KnownValue extend_operand(const Operand& operand, bool is_signed);
    u32 operand_bytes(const Operand& operand) const;
    static KnownValue add_known_values(KnownValue left, KnownValue right);
    KnownValue multiply_known_values(const Instruction& instruction);
    KnownValue find_unknown_result(const Instruction& instruction);
    /// Returns the unknown value with this name. Adds the value if it does not exist yet. `zeros`
    /// is its number of low zero bits. `varies` is true if the value may change between iterations
    /// of a loop. `reg` is the register that contains the value, or kNoRegister.
    KnownValue find_or_add_unknown(const std::string& name, u32 zeros, bool varies,
                                   u32 reg = kNoRegister);
    bool varies(const LinearSum& sum) const;
    static KnownValue make_constant(u64 constant);
    bool is_computed_once(const Instruction& instruction) const;
    static bool is_evaluated(const Instruction& instruction);

    const ptx::Function& function_;
    const std::map<std::string, u32>& shared_;
    std::vector<std::vector<u32>> writers_;  ///< for each register, the instructions that write it
    std::vector<u32> low_zero_bits_;         ///< for each register, its number of low zero bits
    /// The value of each register written by only one instruction.
    std::vector<std::optional<KnownValue>> single_writer_values_;
    /// For each register, its value in the current block.
    std::map<u32, KnownValue> current_values_;
    static constexpr u32 kNoRegister = ~0u;
    struct UnknownValue {
        u32 low_zero_bits = 0, reg = kNoRegister;
        bool varies = false;
    };
    /// Maps the name of an unknown value to its index.
    std::map<std::string, u32> unknown_indices_;
    std::vector<UnknownValue> unknown_values_;  ///< the unknown values, by index
    /// The number of names "version N" that have been given to unknown values so far.
    u32 version_count_ = 0;
};

}  // namespace coalesce::simulator
