// Describes instructions whose lanes work together or that access more than registers: shuffles,
// votes, atomics, asynchronous copies, mbarriers, fences, hints. (Lane-wise arithmetic is in
// instructions/lanes.h. The lowering handles loads, stores, branches and barriers itself.)
//
// Idea   The description of an instruction says which handler executes it, and in which fields of
//        the Op the handler finds the operands. The lowering needs no other information about the
//        instruction.
// Read next  families.cpp contains the table; warp_ops.cpp, atomics.cpp and others contain the
//            handlers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/code/kernel.h"
#include "simulator/code/width.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The field of the Op in which an operand of a PTX instruction is stored.
enum class Role : u8 {
    ignored,       ///< not stored: `_`, a cache policy or a hint
    destination,   ///< a written register: Op::d
    destination2,  ///< a written register: Op::d2
    a,
    b,
    c,  ///< a, b and c: a source value, in Op::a, b or c; immediates become uniform slots
    v0,
    /// [base + offset]: the base is in Op::a as 64-bit lanes, and the offset in Op::immediate. A
    /// 32-bit base is zero-extended. A symbol stands for its address in its state space.
    address,
    /// A second [base + offset]: the base is in Op::b as 64-bit lanes. Op::immediate then contains
    /// the offsets of both addresses, which first_offset(op) and second_offset(op) return.
    address2,
    address_a,  ///< the sum base + offset, as 64-bit lanes in Op::a
    address_b,  ///< the sum base + offset, as 64-bit lanes in Op::b
    address_c,  ///< the sum base + offset, as 64-bit lanes in Op::c
    /// [map, {x, y, ...}]: the address of the map is in Op::b as 64-bit lanes, and up to five
    /// coordinates are in Op::v[0] to v[3] and Op::d2.
    tensor,
    vector_destination,  ///< a vector that is written; its elements are in Op::d, d2, b and c
    vector_source,       ///< a vector that is read; its elements are in Op::v[0], v[1], ...
    members,             ///< a source value, in Op::members
    constant,            ///< an integer constant, in Op::immediate
    /// A register, or a vector {x, y, ...}, that the instruction writes. The slots are added to
    /// OperandList::written_slots of FamilyInstruction::list. Elements that are not predicates have
    /// the width OperandRole::width.
    list_written,
    /// Like list_written, except for an operand that the instruction reads: the slots are added to
    /// OperandList::read_slots. For an operand [base, {x, ...}], the slot of the address `base`
    /// comes first, followed by the slots of the elements.
    list_read,
    /// A register, or a vector {x, y, ...}, that the instruction writes: fragment d of
    /// FamilyInstruction::matrix.
    fragment_d,
    fragment_a,  ///< fragments a, b and c of FamilyInstruction::matrix, which the instruction reads
    fragment_b,
    fragment_c,
};

struct OperandRole {
    Role role = Role::ignored;
    Width width = Width::none;       ///< the width of the slot, or of each element of a vector
    Role pair_role = Role::ignored;  ///< the role of the second part, p, of an operand `d|p`
    Width pair_width = Width::none;
};

/// The operands of an instruction that do not fit into its Op, and other data for the Op's handler.
/// operand_list(op) returns the OperandList of an Op.
struct OperandList {
    /// The slots of the written operands and of the read operands, in PTX order.
    std::vector<Slot> written_slots, read_slots;
    virtual ~OperandList() = default;
};

struct FamilyInstruction {
    Handler run = nullptr;
    /// The roles of the operands, parallel to ptx::Instruction::operands.
    std::vector<OperandRole> operands = {};
    /// The instruction's memory accesses, at most two. Each access has its own Site: op->site for
    /// the first access, and op->site + 1 for the second.
    std::vector<MemoryUse> memory_uses = {};

    /// The value of Op::detail. describe() adds the state space of the first memory access to this
    /// value, and space_of(op) returns that state space.
    u8 detail = 0;
    u8 count = 0;  ///< the value of Op::count

    /// True for a `.sync` instruction whose lanes wait for each other. Op::v[0] is the mask of
    /// these lanes. If `matrix` is set, Op::v[0] is not used, because all lanes wait. The handler
    /// runs with Warp::active set to the lanes that have arrived.
    bool is_warp_sync = false;
    /// The matrix operation that all lanes of the warp execute together (whole_warp.h). Null for
    /// other instructions.
    std::shared_ptr<MatrixOp> matrix = {};
    /// The operands with the roles list_written and list_read.
    std::shared_ptr<OperandList> list = {};
    /// True if the SharedLedger can record the instruction's accesses to shared memory, as it does
    /// for ld and st.
    bool has_repeatable_shared_steps = false;
    /// True if the result depends on the order in which blocks run, as with printing or the clock.
    /// The launch then runs on one worker.
    bool is_order_sensitive = false;
    /// True if every thread must execute the instruction, even if its result is not used.
    bool has_side_effects = false;
    /// True if the destination depends on other threads. A loop that tests the destination may then
    /// be waiting for another thread.
    bool spins_on_result = false;
};

/// The description of an instruction. Has no value if the instruction belongs to no family or has
/// an unsupported form.
using Description = std::optional<FamilyInstruction>;
/// Finds the description of an instruction. `function` provides the types of its registers.
Description find_family_instruction(const ptx::Instruction& instruction,
                                    const ptx::Function& function);
/// Reports whether any instruction with this opcode has a description.
bool has_family(std::string_view opcode);

using DescribeFunction = Description(const ptx::Instruction&, const ptx::Function&);

struct FamilyRow {
    const char* opcode;
    DescribeFunction* describe;
};

/// matrix_families and texture_families return the families of addons/matrices and addons/textures.
/// In a build without addons, both lists are empty (addons/absent/).
std::span<const FamilyRow> matrix_families();
std::span<const FamilyRow> texture_families();

// ---- used by handlers: access to fields of Ops that were created from descriptions ----

inline ptx::StateSpace space_of(const Op* op) {
    return static_cast<ptx::StateSpace>(op->detail & 7);
}

template <class List>
const List& operand_list(const Op* op) {
    return *static_cast<const List*>(reinterpret_cast<const OperandList*>(op->immediate));
}

constexpr i64 pack_offsets(i64 first_offset, i64 second_offset) {
    return static_cast<i64>(static_cast<u64>(second_offset) << 32 | static_cast<u32>(first_offset));
}
inline i64 first_offset(const Op* op) {
    return static_cast<i32>(op->immediate);
}
inline i64 second_offset(const Op* op) {
    return op->immediate >> 32;
}

}  // namespace coalesce::simulator
