// Which registers of a function's PTX a compiler for the GPU would give registers of the machine, and how
// many words each.
//
// Idea    PTX has a register for every result. Machine code has fewer. What leaves no trace is left out. A
//         product that is only added to something is part of that addition. Of an address in shared memory
//         the lower 32 bits are enough.
// Uniform What is the same for a whole block lies in uniform registers or in the constant bank, if it can be
//         computed there: integers that are not divided.
// One     An instruction takes one constant or uniform operand as it is. A second one is brought into
//         registers first: base + index * 4 has two, and so base takes a pair where the sum is computed.
// Pairs   A result of 64 bits is a pair of registers side by side where an instruction takes or gives it
//         whole: addresses, doubles, products. Otherwise it is two registers anywhere.
// Vectors What is loaded or stored as a vector lies side by side. Where vectors are taken apart and put
//         together again, as in a transpose inside registers, both need registers at the same time.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// A constant or a uniform value that an instruction wants in a register.
struct Constant {
    u64 name = 0;  ///< the same for the same one; 0: for one instruction alone
    u32 words = 0;
    bool is_half = false;  ///< of 16 bits or fewer

    bool operator==(const Constant&) const = default;
};

/// Where an access goes to, as far as it can be told from others: two of one name and value are apart if their
/// offsets are.
struct AccessPlace {
    u64 name = 0;       ///< of a variable, or of an address that is the same for a block
    u32 value = kNone;  ///< the address, if it is in a register
    i64 offset = 0;
    u32 bytes = 0;  ///< 0: nothing is known
    bool is_variable = false;
};

/// Of a function in which each value has one name (named_by_root): values are registers.
class MachineValues {
public:
    MachineValues(const ptx::Function& function, const Registers& registers);

    /// By value: registers of 32 bits that it takes; 0 for predicates and all that is kept elsewhere.
    const std::vector<u32>& words() const { return words_; }
    /// Of 64 bits, but two registers anywhere: no instruction takes or gives both at once.
    bool is_loose(u32 value) const;
    /// Computed with 16 bits.
    bool is_half(u32 value) const;
    /// Of a pair: the value of 32 bits that it is with a sign, if one register can hold that for both.
    std::optional<u32> extended_by(u32 value) const;
    /// An instruction on 64 bits that is two of the machine on 32.
    bool is_in_halves(const ptx::Instruction& instruction) const;
    /// An operand is the result of an instruction that has become part of this one.
    bool takes_in(const ptx::Instruction& instruction, std::string_view opcode) const;
    /// 64 bits by one load.
    bool is_loaded_pair(u32 value) const;
    /// Something that is not by something that is the same for a block or a launch.
    bool divides_by_constant(const ptx::Instruction& instruction) const;
    /// Of a product of 64 bits, alone or in a sum: the steps to what is added to its upper half.
    u32 steps_of_product(const ptx::Instruction& instruction) const;
    /// What an instruction reads and writes, once each.
    std::vector<u32> read_by(const ptx::Instruction& instruction) const;
    std::vector<u32> written_by(const ptx::Instruction& instruction) const;
    /// wmma, of a matrix whose rows have a known distance.
    bool has_fixed_stride(const ptx::Instruction& instruction) const;
    /// There is no instruction of the machine for this one of the body.
    bool leaves_nothing(u32 at) const;
    /// The operands that have to be brought into registers for this instruction.
    std::vector<Constant> brought_for(const ptx::Instruction& instruction,
                                      bool in_one_lane = false) const;
    /// The parameters and other constants of the launch that an instruction takes as they are.
    std::vector<Constant> launch_constants_of(const ptx::Instruction& instruction) const;
    /// Of a small array of each thread's of words of 32 bits, filled at known places, that is kept in registers: how many. 0: there
    /// is none.
    u32 words_of_array() const;
    /// Values that lie in registers one after the other: the elements of loaded and stored vectors.
    const std::vector<std::vector<u32>>& side_by_side() const { return side_by_side_; }
    AccessPlace place_of(const ptx::Instruction& access) const;
    /// Of an asynchronous copy: where it reads global memory.
    AccessPlace source_of_copy(const ptx::Instruction& copy) const;
    bool is_written_once(u32 value) const { return writers_[value].size() == 1; }
    /// A conversion that takes the register of its source for its result.
    bool is_rounded_in_place(u32 at) const;
    /// Of `slct` and `selp`: the load of the second operand that is carried out where that is chosen alone, to
    /// where the first operand was loaded.
    std::optional<u32> chosen_load(u32 at) const;
    /// Of a load of what was loaded or stored before, with nothing between that may change it: each value, and the one
    /// that it is. None of another load.
    std::vector<std::pair<u32, u32>> known_before(u32 at) const;
    /// An atomic on one place for the whole block, of which nobody wants the result: one lane of a warp does it
    /// for all.
    bool adds_for_warp(const ptx::Instruction& instruction) const;
    /// At most one lane of a warp has this predicate so: it compares the lanes' numbers with one.
    bool holds_in_one_lane(u32 predicate, bool is) const;
    /// What must be put side by side for an instruction alone: a vector that is stored, the two values of a compare
    /// and swap, the coordinates of a texel. Not what lies so already.
    struct Vector {
        u32 words = 0;
        std::vector<u32> read;
    };
    std::vector<Vector> put_together_for(const ptx::Instruction& instruction) const;

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    u32 bytes(u32 value) const { return size_of(function_.registers[value].type); }
    u32 words_of_type(u32 value) const { return bytes(value) > 4 ? bytes(value) / 4 : 1; }
    bool is_uniform(u32 value) const;
    bool is_predicate(u32 value) const {
        return function_.registers[value].type == ptx::Type::pred;
    }
    /// Where it is written last in the text.
    u32 written_at(u32 value) const { return writers_[value].back(); }
    const Instruction& definition(u32 value) const { return function_.body[written_at(value)]; }

    void find_wanted();
    void find_definitions();
    void find_uniform();
    bool is_computed_for_block(const Instruction& instruction) const;
    bool is_added_by_threads(u32 product) const;
    void find_narrow();
    bool stays_narrow(u32 value) const;
    void find_folded();
    bool keeps_lower_bits(u32 value) const;
    bool is_offset(u32 value) const;
    bool has_room(const Instruction& add, u32 shifted) const;
    bool joins_threads(u32 value) const;
    bool folds(u32 value) const;
    bool joins_sum(u32 product) const;
    bool is_negated_operand(u32 value) const;
    bool is_part_of_logic(u32 value) const;
    bool is_sum(const Instruction& instruction) const;
    bool is_part_of_sum(u32 value) const;
    bool all_readers_are(u32 value, std::initializer_list<std::string_view> opcodes) const;
    void find_addresses_of_blocks();
    void compute_in_threads(u32 address);
    void find_block_numbers();
    bool is_wanted_by_threads(u32 value) const;
    bool go_to_one_place(const Instruction& before, const Instruction& load) const;
    std::vector<u32> moved_by(const Instruction& access) const;
    void find_words();
    void leave_out_unwanted_elements();
    std::vector<Operand> loaded_elements(const Instruction& load) const;
    void find_packed();
    void find_vectors();
    std::vector<std::vector<Operand>> pairs_of_texel(const Instruction& instruction) const;
    bool is_stored_in_vectors(const Operand& element) const;
    bool is_loaded_so(const std::vector<Operand>& operands) const;
    Vector put_together(const Instruction& instruction, const std::vector<Operand>& operands) const;
    std::vector<Constant> brought_for_texel(const Instruction& instruction) const;
    std::vector<u32> side_by_side_in(const std::vector<Operand>& operands) const;
    void add_read(std::vector<u32>& to, u32 value) const;
    std::vector<bool> unknown_places() const;
    bool is_zero(u32 value) const;
    u32 base_of(u32 value) const;
    void find_base(u32 value, AccessPlace& place) const;
    u32 constants_in(const Operand& operand) const;
    Constant uniform_factor(const Operand& operand) const;
    Constant address_for_block(const Instruction& instruction) const;
    std::vector<Constant> brought_for_access(const Instruction& instruction,
                                             bool in_one_lane) const;
    bool differs_by_lane(u32 value) const;
    u32 varying_summand(const Instruction& instruction) const;

    const ptx::Function& function_;
    const Registers& registers_;
    std::vector<bool> wanted_;  ///< by instruction of the body: there is one of the machine for it
    std::vector<const Instruction*> carried_out_;  ///< of the body: wanted, and no copy
    std::vector<std::vector<u32>> readers_;        ///< by value: indices into the body
    std::vector<std::vector<u32>> writers_;        ///< likewise
    std::vector<bool> uniform_;                    ///< computed for a whole block, or a constant
    std::vector<bool> narrow_;  ///< of 64 bits, of which only the lower half is wanted
    std::vector<bool> folded_;  ///< part of the instructions that read it
    std::vector<bool>
        in_every_thread_;     ///< the same for a block, and yet in a register of each thread
    std::vector<u32> words_;  ///< by value
    std::vector<std::vector<u32>> side_by_side_;
};

}  // namespace coalesce::simulator
