// Which registers of a function's PTX a compiler for the GPU would give registers of the machine, and how
// many words each.
//
// Idea    PTX has a register for every result. Machine code has fewer. A product that is only added to
//         something is part of that addition. What is the same for a whole block lies in uniform registers or
//         in the constant bank. Of an address in shared memory the lower 32 bits are enough.
// One     An instruction takes one constant or uniform operand as it is. A second one is brought into
//         registers first: base + index * 4 has two, and so base takes a pair where the sum is computed.
// Vectors What is loaded as a vector of four lies side by side. Where such vectors are taken apart and put
//         together anew, as in a transpose inside registers, both need registers at the same time.
#pragma once

#include <vector>

#include "program/value_classes.h"

namespace coalesce::sim {

/// Values have the number of their root register (Registers::root).
class MachineValues {
public:
    MachineValues(const ptx::Function& function, const Registers& registers);

    /// By value: registers of 32 bits that it takes; 0 for predicates and all that is kept elsewhere.
    const std::vector<u32>& words() const { return words_; }
    /// What an instruction reads and writes, once each.
    std::vector<u32> read_by(const ptx::Instruction& instruction) const;
    std::vector<u32> written_by(const ptx::Instruction& instruction) const;
    /// There is no instruction of the machine for this one of the body.
    bool leaves_nothing(u32 at) const;
    /// Words of each operand that has to be brought into registers for this instruction alone.
    std::vector<u32> brought_for(const ptx::Instruction& instruction) const;
    /// The elements of a vector that is stored, where they have to be put side by side for it.
    std::vector<u32> put_together_for(const ptx::Instruction& instruction) const;

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    u32 root(u32 reg) const { return registers_.root[reg]; }
    u32 bytes(u32 value) const { return size_of(function_.registers[value].type); }
    u32 words_of_type(u32 value) const { return bytes(value) > 4 ? bytes(value) / 4 : 1; }
    bool is_uniform(u32 value) const;
    bool is_predicate(u32 value) const {
        return function_.registers[value].type == ptx::Type::pred;
    }
    const Instruction& definition(u32 value) const { return function_.body[definition_[value]]; }

    void find_definitions();
    void find_narrow();
    bool stays_narrow(u32 value) const;
    void find_folded();
    bool folds(u32 value) const;
    bool all_readers_are(u32 value, std::initializer_list<std::string_view> opcodes) const;
    void find_block_numbers();
    bool is_wanted_by_threads(u32 value) const;
    void find_words();
    void find_vectors();
    void keep_together(const Instruction& load);
    void add_read(std::vector<u32>& to, u32 value) const;
    u32 constants_in(const Operand& operand) const;
    void bring_for_access(const Instruction& instruction, std::vector<u32>& words) const;

    const ptx::Function& function_;
    const Registers& registers_;
    std::vector<u32> definition_, times_written_;  ///< by value
    std::vector<std::vector<u32>> readers_;        ///< by value: indices into the body
    std::vector<bool> narrow_;  ///< of 64 bits, of which only the lower half is wanted
    std::vector<bool> folded_;  ///< part of the instructions that read it
    std::vector<bool>
        in_every_thread_;  ///< the same for a block, and yet in a register of each thread
    std::vector<u32>
        unit_;  ///< the first element of the vector that it is an element of, or itself
    std::vector<u32> words_;  ///< of the unit, at its first element
};

}  // namespace coalesce::sim
