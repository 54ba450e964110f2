// The instructions whose lanes work together or reach beyond registers: shuffles, votes, atomics,
// asynchronous copies, mbarriers, fences, hints. (Lane-wise arithmetic: instructions/lanes.h.
// Loads, stores, branches and barriers: the lowering knows them itself.)
//
// Idea   Each instruction is described by the function that runs it and by where that function
//        finds its operands in the Op. The lowering follows the description and knows nothing else
//        about the instruction.
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

/// Where the lowering puts an operand of the PTX text.
enum class Role : u8 {
    ignored,       ///< nowhere: `_`, a cache policy, a hint
    destination,   ///< a register that is written: Op::d
    destination2,  ///< a register that is written: Op::d2
    a,
    b,
    c,  ///< a value that is read: that slot. Immediates become uniform slots
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
    constant,            ///< an integer that is part of the instruction: Op::immediate
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
    Role pair = Role::ignored;  ///< for `d|p`: what becomes of p
    Width pair_width = Width::none;
};

/// Operands of an instruction that has more of them than an Op has room for, and whatever else its
/// handler knows of it. Op::immediate points to it: list_of(op).
struct OperandList {
    std::vector<Slot> written, read;  ///< in the order of the text
    virtual ~OperandList() = default;
};

struct FamilyInstruction {
    Handler run = nullptr;
    std::vector<OperandRole> operands = {};  ///< parallel to ptx::Instruction::operands
    /// The ways in which it touches memory: none, one or two. Each gets a Site of its own; two follow one
    /// another: op->site and op->site + 1.
    std::vector<MemoryUse> memory = {};

    u8 detail =
        0;  ///< goes to Op::detail. describe() adds the first space of `memory`: space_of(op)
    u8 count = 0;  ///< goes to Op::count

    /// A `.sync` instruction: the lanes that the value in Op::v[0] names meet here, and the handler
    /// runs with Warp::active = those of them that came.
    bool warp_sync = false;
    /// ... and it has no such operand: all lanes of the warp carry it out together (whole_warp.h).
    std::shared_ptr<MatrixOp> matrix = {};
    std::shared_ptr<OperandList> list = {};  ///< of the operands that go there
    /// Its accesses to shared memory are steps of the ledger, like those of ld and st.
    bool repeats_shared = false;
    /// The result depends on the order in which blocks run (a returned old value, a rounded sum,
    /// printing, the clock): such a launch runs on one worker.
    bool order_sensitive = false;
    /// Must run even if nobody reads its destination, and once per thread, not once per block.
    bool has_side_effects = false;
    /// The destination shows what other threads did: a loop that tests it may be waiting for them.
    bool spins_on_result = false;
};

/// Nothing when an instruction belongs to no family here, or not so.
using Description = std::optional<FamilyInstruction>;
/// `function` tells the types of the registers.
Description find_family_instruction(const ptx::Instruction& instruction,
                                    const ptx::Function& function);
/// Some instructions of this opcode have a description.
bool has_family(std::string_view opcode);

using Describe = Description(const ptx::Instruction&, const ptx::Function&);

struct FamilyRow {
    const char* opcode;
    Describe* describe;
};

/// The families of addons/matrices and addons/textures. A build without addons has none (addons/absent/).
std::span<const FamilyRow> matrix_families();
std::span<const FamilyRow> texture_families();

// ---- what handlers read from an Op that was lowered so ----

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
