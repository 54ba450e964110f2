// Instructions whose lanes work together or access more than registers: shuffles, votes, atomics,
// asynchronous copies, mbarriers, fences, hints. (Lane-wise arithmetic is in instructions/lanes.h.
// The lowering itself handles loads, stores, branches and barriers.)
//
// Idea   Each instruction is described by the function that executes it and the places in the Op
//        where this function finds its operands. The lowering follows the description, and knows
//        nothing else about the instruction.
// Read next  families.cpp has the table; warp_ops.cpp, atomics.cpp, ... the handlers.
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

/// The place for an operand of the PTX text.
enum class Role : u8 {
    ignored,       ///< none, for `_`, a cache policy or a hint
    destination,   ///< a written register: Op::d
    destination2,  ///< a written register: Op::d2
    a,
    b,
    c,  ///< a value that is read, in this slot; immediates become uniform slots
    v0,
    address,    ///< [base + offset]: base as 64-bit lanes in Op::a, offset in Op::immediate.
                ///< A 32-bit base is zero-extended; a symbol is its address in the space
    address2,   ///< a second [base + offset]: base as 64-bit lanes in Op::b. The instruction then
                ///< has its offsets packed: first_offset(op), second_offset(op)
    address_a,  ///< [base + offset], whole, as 64-bit lanes: Op::a
    address_b,  ///< ... Op::b
    address_c,  ///< ... Op::c
    tensor,     ///< [map, {x, y, ...}]: the map's address as 64-bit lanes in Op::b, up to five
                ///< coordinates in Op::v[0] to v[3] and Op::d2
    vector_destination,  ///< {x, y, ...}, written: Op::d, d2, b, c in this order
    vector_source,       ///< {x, y, ...}, read: Op::v[0], v[1], ...
    members,             ///< a value that is read: Op::members
    constant,            ///< an integer constant of the instruction: Op::immediate
    list_written,        ///< {x, y, ...} or x, of any length: FamilyInstruction::list. Elements of
    list_read,           ///< `width`, or predicates; the base of [base, {x, ...}] is an address
    fragment_d,          ///< {x, y, ...} or x, of any length: the registers of a fragment of
    fragment_a,          ///< FamilyInstruction::matrix. d is written, the others are read
    fragment_b,
    fragment_c,
};

struct OperandRole {
    Role role = Role::ignored;
    Width width = Width::none;  ///< of the slot, or of each element of a vector
    Role pair = Role::ignored;  ///< for `d|p`, the role of p
    Width pair_width = Width::none;
};

/// The operands of an instruction that do not fit into an Op, and other data for its handler.
/// Op::immediate points to it: list_of(op).
struct OperandList {
    std::vector<Slot> written, read;  ///< in the order of the text
    virtual ~OperandList() = default;
};

struct FamilyInstruction {
    Handler run = nullptr;
    std::vector<OperandRole> operands = {};  ///< parallel to ptx::Instruction::operands
    /// Its memory accesses: none, one or two. Each gets its own Site. Two have consecutive numbers:
    /// op->site and op->site + 1.
    std::vector<MemoryUse> memory = {};

    /// Becomes Op::detail. describe() adds the first space of `memory`: space_of(op).
    u8 detail = 0;
    u8 count = 0;  ///< becomes Op::count

    /// Whether it is a `.sync` instruction: the lanes named by the value in Op::v[0] meet here, and
    /// the handler runs with Warp::active = those of them that arrived.
    bool warp_sync = false;
    /// For a `.sync` instruction without such an operand, which all lanes of the warp execute
    /// together (whole_warp.h).
    std::shared_ptr<MatrixOp> matrix = {};
    std::shared_ptr<OperandList> list = {};  ///< for the operands that are stored there
    /// Whether its accesses to shared memory are steps of the ledger, like those of ld and st.
    bool repeats_shared = false;
    /// Whether the result depends on the order in which blocks run (a returned old value, a rounded
    /// sum, printing, the clock). Such a launch runs on one worker.
    bool order_sensitive = false;
    /// Whether it must run even if its destination is not used, and once per thread instead of once
    /// per block.
    bool has_side_effects = false;
    /// Whether the destination shows what other threads did, so that a loop that tests it may be
    /// waiting for them.
    bool spins_on_result = false;
};

/// Empty if an instruction belongs to no family, or has an unsupported form.
using Description = std::optional<FamilyInstruction>;
/// `function` has the types of the registers.
Description find_family_instruction(const ptx::Instruction& instruction,
                                    const ptx::Function& function);
/// Reports whether some instructions with this opcode have a description.
bool has_family(std::string_view opcode);

using Describe = Description(const ptx::Instruction&, const ptx::Function&);

struct FamilyRow {
    const char* opcode;
    Describe* describe;
};

/// The families of addons/matrices and addons/textures. Both lists are empty in a build without addons
/// (addons/absent/).
std::span<const FamilyRow> matrix_families();
std::span<const FamilyRow> texture_families();

// ---- for handlers: fields of Ops that were lowered in this way ----

inline ptx::StateSpace space_of(const Op* op) {
    return static_cast<ptx::StateSpace>(op->detail & 7);
}

template <class List>
const List& list_of(const Op* op) {
    return *static_cast<const List*>(reinterpret_cast<const OperandList*>(op->immediate));
}

constexpr i64 pack_offsets(i64 first, i64 second) {
    return static_cast<i64>(static_cast<u64>(second) << 32 | static_cast<u32>(first));
}
inline i64 first_offset(const Op* op) {
    return static_cast<i32>(op->immediate);
}
inline i64 second_offset(const Op* op) {
    return op->immediate >> 32;
}

}  // namespace coalesce::simulator
