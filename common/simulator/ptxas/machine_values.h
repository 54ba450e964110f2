// Determines which PTX registers of a function get registers in the machine code, and how many
// 32-bit words they occupy.
//
// Idea     PTX has a register for every result. Machine code needs fewer registers. Instructions
//          without effect are removed, a product that is only used as an addend becomes part of the
//          addition, and an address in shared memory needs only its lower 32 bits.
// Uniform  Values that are the same for a whole block are in uniform registers or in the constant
//          bank, if the uniform unit can compute them. The uniform unit can compute with integers,
//          but cannot divide.
// One      An instruction can use one constant or uniform operand directly. A second such operand
//          must be loaded into registers first. For example, base + index * 4 contains two such
//          operands, so base takes a pair of registers where the sum is computed.
// Pairs    A 64-bit result is a pair of adjacent registers if an instruction reads or writes it as
//          a whole, as for addresses, doubles and products. The two halves of any other 64-bit
//          result may be in any two registers.
// Vectors  The elements of a loaded or stored vector are in adjacent registers. If the elements of
//          a vector are rearranged into another vector, as in a transpose in registers, both
//          vectors need registers at the same time.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// A constant or uniform value that an instruction needs in a register.
struct Constant {
    /// A number that is the same for equal constants. 0 if the constant is used only once.
    u64 name = 0;
    u32 words = 0;                  ///< the number of 32-bit words
    bool is_half_register = false;  ///< true if the constant has at most 16 bits

    bool operator==(const Constant&) const = default;
};

/// The address of a memory access. Two accesses have the same address if their `name`, `value` and
/// `offset` are equal.
struct AccessAddress {
    /// A number for a variable, or for an address that is the same for the whole block.
    u64 name = 0;
    /// The value that contains the address; kNone if no register of the thread contains it.
    u32 value = kNone;
    i64 offset = 0;
    u32 bytes = 0;  ///< the size of the access; 0 if unknown
    bool is_variable = false;
};

/// The values of a function that replace_registers_by_roots() has returned. Each register of such a
/// function stands for one value.
class MachineValues {
public:
    MachineValues(const ptx::Function& function, const Registers& registers);

    /// Returns, for each value, the number of 32-bit registers that it occupies. The number is 0
    /// for predicates, and for values that are not in the thread's registers.
    const std::vector<u32>& words() const { return words_of_values_; }
    /// Reports whether the value occupies two registers that need not be adjacent. No instruction
    /// reads or writes all 64 bits of such a value at once.
    bool is_loose(u32 value) const;
    /// Reports whether the value occupies only half of a register: the value has fewer than 32
    /// bits, and is computed by a conversion, a `min` or a `max`.
    bool is_half_register(u32 value) const;
    /// Returns the 32-bit value of which `value` is the sign extension, if both values can share a
    /// register. Otherwise returns nothing.
    std::optional<u32> find_extended_value(u32 value) const;
    /// Reports whether a 64-bit instruction becomes two 32-bit machine instructions.
    bool is_in_halves(const ptx::Instruction& instruction) const;
    /// Reports whether ptxas folds the computation of an operand into `instruction`. `opcode` is
    /// the opcode of the instruction that computes the operand. For example, a multiplication is
    /// folded into the addition that uses the product.
    bool has_folded_operand(const ptx::Instruction& instruction, std::string_view opcode) const;
    /// Reports whether one instruction loads all 64 bits of the value.
    bool is_loaded_pair(u32 value) const;
    /// Reports whether the instruction is a division whose dividend varies, but whose divisor is
    /// constant in a block or a launch.
    bool divides_by_constant(const ptx::Instruction& instruction) const;
    /// Returns the number of additional machine instructions for the upper half of a 64-bit product
    /// that this instruction computes. The product may be the result of the instruction, or a
    /// summand of the result, if ptxas adds it in the same instruction. Returns 0 for all other
    /// instructions.
    u32 count_product_steps(const ptx::Instruction& instruction) const;
    /// Returns the values that an instruction reads (find_read_values) or writes
    /// (find_written_values), without duplicates.
    std::vector<u32> find_read_values(const ptx::Instruction& instruction) const;
    std::vector<u32> find_written_values(const ptx::Instruction& instruction) const;
    /// Reports whether the instruction is a wmma load or store of a matrix whose row stride is
    /// constant.
    bool has_fixed_stride(const ptx::Instruction& instruction) const;
    /// Reports whether instruction `at` of the body produces no machine instruction.
    bool produces_no_code(u32 at) const;
    /// Returns the constants that must be loaded into registers for this instruction.
    /// `runs_in_one_lane` is true if at most one lane of a warp executes the instruction.
    std::vector<Constant> find_constants_to_load(const ptx::Instruction& instruction,
                                                 bool runs_in_one_lane = false) const;
    /// Returns the kernel parameters and other constants of the launch that the instruction uses
    /// directly as operands.
    std::vector<Constant> find_launch_constants(const ptx::Instruction& instruction) const;
    /// Returns the size in words of the local array that ptxas keeps in registers, or 0 if there is
    /// none. Such an array is small, consists of 32-bit words, and is written only at constant
    /// indices.
    u32 count_array_words() const;
    /// Returns the groups of values that need consecutive registers. Each group consists of the
    /// elements of a loaded or stored vector.
    const std::vector<std::vector<u32>>& consecutive_values() const { return consecutive_values_; }
    AccessAddress find_address(const ptx::Instruction& access) const;
    /// Returns the address in global memory that an asynchronous copy reads.
    AccessAddress find_copy_source(const ptx::Instruction& copy) const;
    bool is_written_once(u32 value) const { return writers_[value].size() == 1; }
    /// Reports whether instruction `at` of the body is a conversion whose result takes the register
    /// of its source.
    bool is_rounded_in_place(u32 at) const;
    /// Returns the load of the second operand of a `slct` or `selp`, if ptxas makes this load
    /// conditional. The load then runs only when this operand is selected, and writes to the
    /// register of the first operand.
    std::optional<u32> find_conditional_load(u32 at) const;
    /// Finds the values that instruction `at` loads although they are already in registers. Returns
    /// pairs: the loaded value, and the equal value that an earlier instruction has loaded or
    /// stored. Returns an empty list if the memory may have changed since then.
    std::vector<std::pair<u32, u32>> find_known_values(u32 at) const;
    /// Reports whether one lane of a warp executes the atomic for all lanes. This is the case if
    /// the old value is not used and the address is the same for the whole block.
    bool adds_once_per_warp(const ptx::Instruction& instruction) const;
    /// Reports whether the predicate equals `expected_value` in at most one lane of a warp, for
    /// example because it compares threadIdx.x with a constant.
    bool is_true_in_one_lane(u32 predicate, bool expected_value) const;
    /// Values that must be moved to adjacent registers for a single instruction. Examples are a
    /// stored vector, the two values of a compare-and-swap, and the coordinates of a texel. Values
    /// that are already adjacent are not listed, because they need no move.
    struct Vector {
        u32 words = 0;
        std::vector<u32> read_values;
    };
    std::vector<Vector> find_vectors_to_assemble(const ptx::Instruction& instruction) const;

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    u32 bytes(u32 value) const { return size_of(function_.registers[value].type); }
    u32 count_words(u32 value) const { return bytes(value) > 4 ? bytes(value) / 4 : 1; }
    bool is_uniform(u32 value) const;
    bool is_predicate(u32 value) const {
        return function_.registers[value].type == ptx::Type::pred;
    }
    /// Returns the index of the last instruction that writes the value.
    u32 last_writer_of(u32 value) const { return writers_[value].back(); }
    const Instruction& definition(u32 value) const { return function_.body[last_writer_of(value)]; }

    void find_definitions();
    void find_uniform_values();
    bool is_computed_for_block(const Instruction& instruction) const;
    bool is_added_by_threads(u32 product) const;
    void find_narrow_values();
    bool stays_narrow(u32 value) const;
    void find_folded_values();
    bool keeps_lower_bits(u32 value) const;
    bool is_base_plus_constant(u32 value) const;
    bool can_include_shift(const Instruction& addition, u32 shifted_value) const;
    bool is_combined_with_thread_values(u32 value) const;
    bool is_foldable(u32 value) const;
    bool is_folded_into_sum(u32 product) const;
    bool is_negated_operand(u32 value) const;
    bool is_part_of_logic(u32 value) const;
    bool is_sum(const Instruction& instruction) const;
    bool is_part_of_sum(u32 value) const;
    bool has_only_readers(u32 value, std::initializer_list<std::string_view> opcodes) const;
    void find_addresses_of_blocks();
    void mark_per_thread(u32 address);
    void find_block_numbers();
    bool is_read_by_threads(u32 value) const;
    bool have_same_address(const Instruction& earlier_access, const Instruction& load) const;
    std::vector<u32> find_moved_values(const Instruction& access) const;
    void find_word_counts();
    void drop_unneeded_elements();
    std::vector<Operand> find_loaded_elements(const Instruction& load) const;
    void find_packed_values();
    void find_vectors();
    std::vector<std::vector<Operand>> find_texel_pairs(const Instruction& instruction) const;
    bool is_stored_in_vectors(const Operand& element) const;
    bool is_loaded_as_vector(const std::vector<Operand>& operands) const;
    Vector assemble_vector(const Instruction& instruction,
                           const std::vector<Operand>& operands) const;
    std::vector<Constant> find_constants_for_texel(const Instruction& instruction) const;
    std::vector<u32> find_consecutive_values(const std::vector<Operand>& operands) const;
    void add_read_value(std::vector<u32>& to, u32 value) const;
    std::vector<bool> find_unknown_addresses() const;
    bool is_zero(u32 value) const;
    u32 find_base_value(u32 value) const;
    void find_base(u32 value, AccessAddress& place) const;
    u32 count_constants(const Operand& operand) const;
    Constant find_uniform_factor(const Operand& operand) const;
    Constant find_address_to_load(const Instruction& instruction) const;
    std::vector<Constant> find_constants_for_access(const Instruction& instruction,
                                                    bool is_in_one_lane) const;
    bool differs_by_lane(u32 value) const;
    u32 find_varying_summand(const Instruction& instruction) const;

    const ptx::Function& function_;
    const Registers& registers_;
    /// For each instruction of the body, whether it produces a machine instruction.
    std::vector<bool> needed_instructions_;
    /// The instructions that produce machine instructions. A copy between two registers with the
    /// same root produces none.
    std::vector<const Instruction*> machine_instructions_;
    std::vector<std::vector<u32>> readers_;  ///< for each value, the instructions that read it
    std::vector<std::vector<u32>> writers_;  ///< for each value, the instructions that write it
    /// For each value, true if it is constant or computed once per block.
    std::vector<bool> is_uniform_;
    std::vector<bool> is_narrow_;  ///< for each value, true if only the lower half is used
    /// For each value, true if its definition is merged into the instructions that read it.
    std::vector<bool> is_folded_;
    /// For each value, true if every thread keeps the value in a register, although it is the same
    /// for a whole block.
    std::vector<bool> is_per_thread_;
    /// For each value, its number of 32-bit registers (see words()).
    std::vector<u32> words_of_values_;
    std::vector<std::vector<u32>> consecutive_values_;
};

}  // namespace coalesce::simulator
