// Executes ldmatrix, stmatrix and movmatrix, which move 8x8 matrices of 2-byte elements between
// shared memory and the registers of a warp.
//
// Layout  Lane 4r + k holds elements 2k and 2k + 1 of row r, in one register per matrix. With
//         .trans it holds these elements of column r. Lanes 8m to 8m + 7 supply the addresses of
//         the eight rows of matrix m, which have 16 bytes each.
// Idea    To shared memory, these instructions are 16-byte accesses by the lanes that supply
//         addresses. shared_access.h checks, counts and reports them like any other accesses. An
//         AccessShape maps each row to the lanes and registers that contain it.
// Count   A matrix is one pass of eight rows, which takes one wavefront unless two rows need
//         different words of the same bank. Rows that are 128 bytes apart therefore have an 8-way
//         conflict. It is unknown whether the hardware serves rows at the same address in pairs, as
//         it does for ld. The simulator does not.
#include "simulator/addons/matrices/whole_warp.h"

#include <array>
#include <cstdio>
#include <utility>

#include "simulator/code/function_code.h"
#include "simulator/execute/fragments.h"
#include "simulator/execute/shared_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

/// Returns the lanes that supply addresses.
Mask addressing_lanes(const Op* op) {
    return mask_of_first_lanes(kTileRows * op->count);
}

/// Returns the register that receives the matrix to which the lane's row belongs.
Slot destination_slot(const Op* op, int lane) {
    const Slot slots[] = {op->d, op->d2, op->b, op->c};
    return slots[static_cast<u32>(lane) / kTileRows];
}
Slot stored_slot(const Op* op, int lane) {
    return op->v[static_cast<u32>(lane) / kTileRows];
}

/// The position in the registers of one byte of a row: the lane, and the byte within that lane's
/// register.
struct BytePosition {
    u32 lane, byte;
};
template <bool Transposed>
BytePosition find_byte_position(u32 row, u32 byte) {
    if constexpr (!Transposed) return {row * kTileRowWords + byte / 4, byte % 4};
    const u32 column = byte / 2;
    return {column * kTileRowWords + row / 2, row % 2 * 2 + byte % 2};
}

/// The AccessShape that maps each byte of a row to the lane and the register that contain it.
template <bool Transposed>
struct MatrixRows {
    static constexpr u32 kBytes = kTileRowBytes, kCount = 1, kTotal = kTileRowBytes;

    static void load(Warp& w, const Op* op, int lane, const u8* from) {
        u32* lanes = w.lanes<u32>(destination_slot(op, lane));
        for_each_pair(lane, lanes, [&](u32 k, u8* pair) { std::memcpy(pair, from + k, 2); });
    }
    static void store(const Warp& w, const Op* op, int lane, u8* to) {
        u32* lanes = w.lanes<u32>(stored_slot(op, lane));
        for_each_pair(lane, lanes, [&](u32 k, const u8* pair) { std::memcpy(to + k, pair, 2); });
    }
    /// Calls `body` for each pair of bytes in the lane's row. Its arguments are the pair's offset
    /// in the row, and a pointer to the pair in the registers.
    template <class Body>
    static void for_each_pair(int lane, u32* lanes, Body body) {
        auto* bytes = reinterpret_cast<u8*>(lanes);
        for (u32 k = 0; k < kTileRowBytes; k += 2) {
            const BytePosition position =
                find_byte_position<Transposed>(static_cast<u32>(lane) % kTileRows, k);
            body(k, bytes + 4 * position.lane + position.byte);
        }
    }
    static void load_all(Warp& w, const Op* op, const u8* from) {
        for (int l = 0; l < kLanes; ++l) load(w, op, l, from + static_cast<u32>(l) * kTileRowBytes);
    }
    static void store_all(const Warp& w, const Op* op, u8* to) {
        for (int l = 0; l < kLanes; ++l) store(w, op, l, to + static_cast<u32>(l) * kTileRowBytes);
    }
};

/// Calls `body` for every byte of the rows in `rows`, a mask of consecutive lanes that begins with
/// lane 0. The arguments are the row's lane, the byte's offset in the row, the lane whose register
/// contains the byte, and the byte's offset in that lane's registers.
template <bool Transposed, class Body>
void for_each_byte(Mask rows, Body body) {
    for (u32 lane = 0; lane < kLanes && (rows >> lane & 1); ++lane)
        for (u32 byte = 0; byte < kTileRowBytes; ++byte) {
            const BytePosition position = find_byte_position<Transposed>(lane % kTileRows, byte);
            body(lane, byte, position.lane, lane / kTileRows * 4 + position.byte);
        }
}

}  // namespace

/// Converts masks of uninitialized bytes between two layouts: one mask per row, in the lane that
/// supplies the row's address, and one mask per lane, for the lane's registers.
template <bool Transposed>
struct SharedShapeRules<MatrixRows<Transposed>> {
    static constexpr SharedAccessKind kLoad = SharedAccessKind::matrix,
                                      kStore = SharedAccessKind::matrix;

    static bool find_stored_undefined(Warp& w, const Op* op, u32* undefined_bytes) {
        u32 register_masks[kLanes];
        const Mask rows = std::exchange(w.active, kAllLanes);
        const bool has_undefined = find_undefined_in_store(w, op, register_masks);
        w.active = rows;
        std::fill_n(undefined_bytes, kLanes, 0);
        if (has_undefined)
            for_each_byte<Transposed>(
                rows, [&](u32 row, u32 byte, u32 lane, u32 byte_in_registers) {
                    undefined_bytes[row] |= (register_masks[lane] >> byte_in_registers & 1) << byte;
                });
        return has_undefined;
    }
    /// Marks the uninitialized bytes of loaded registers. If `undefined` is null, all loaded bytes
    /// are initialized.
    static void mark_loaded_undefined(Warp& w, const Op* op, const u32* undefined_bytes) {
        u32 register_masks[kLanes] = {};
        const Mask rows = std::exchange(w.active, kAllLanes);
        if (undefined_bytes)
            for_each_byte<Transposed>(rows, [&](u32 row, u32 byte, u32 lane, u32 moved) {
                register_masks[lane] |= (undefined_bytes[row] >> byte & 1) << moved;
            });
        note_undefined(w, op, register_masks);
        w.active = rows;
    }
};

namespace {

/// Executes the memory access, in which only the lanes that supply addresses are active. `Op::a`
/// contains the addresses, and `Op::count` is the number of matrices.
template <bool Transposed, bool Store>
const Op* move_rows(Warp& w, const Op* op) {
    using Shape = MatrixRows<Transposed>;
    const Kernel::Code& code = *w.block->launch->code;
    w.active = addressing_lanes(op);
    const Op* next_op = w.block->cluster ? access_in_cluster<Shape, Store, true>(w, op)
                        : code.is_plain && !code.is_recorded
                            ? access_in_plain_mode<Shape, Store>(w, op)
                            : access_shared<Shape, Store>(w, op);
    w.active = kAllLanes;
    return next_op;
}

/// Replaces generic addresses in `access` with addresses in shared memory, which are stored in
/// `MatrixOp::addresses`. If an address is outside shared memory, ends the launch and returns
/// false.
bool resolve_shared_addresses(Warp& w, const Op* op, Op& access) {
    access.a = op->matrix->address_slot;
    access.immediate = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 address = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
        if ((addressing_lanes(op) >> l & 1) &&
            find_space_of_address(address) != StateSpace::shared) {
            return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                                 "The address of a matrix row is outside of shared memory.", l,
                                 address);
        }
        w.lanes<u64>(access.a)[l] = address_in_space(address);
    }
    return true;
}

template <bool Transposed, bool Store>
const Op* move_matrices(Warp& w, const Op* op) {
    if (!is_whole_warp(w, op)) return nullptr;
    Op access = *op;
    access.site = op->matrix->site;
    if (op->matrix->space == StateSpace::generic && !resolve_shared_addresses(w, op, access))
        return nullptr;
    return move_rows<Transposed, Store>(w, &access) ? op + 1 : nullptr;
}

/// Executes movmatrix: stores the transpose of Op::a in Op::d.
const Op* run_movmatrix(Warp& w, const Op* op) {
    if (!is_whole_warp(w, op)) return nullptr;
    u32* d = w.lanes<u32>(op->d);
    std::copy_n(w.lanes<u32>(op->a), kLanes, d);
    transpose_matrix(d);
    return op + 1;
}

}  // namespace

// ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared}.b16 {d, ...}, [a]
// stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared}.b16 [a], {b, ...}
Description describe_matrix_access(const ptx::Instruction& i, const ptx::Function&) {
    const bool is_store = i.opcode == "stmatrix", is_transposed = i.has("trans");
    const u32 count = i.has("x1") ? 1 : i.has("x2") ? 2 : i.has("x4") ? 4 : 0;
    const StateSpace space = find_space(i);
    if (count == 0 || i.operands.size() != 2 || !i.has("m8n8") || !i.has("b16"))
        return std::nullopt;
    if (space != StateSpace::shared && space != StateSpace::generic) return std::nullopt;
    const ptx::Operand& registers = i.operands[is_store ? 1 : 0];
    const bool is_single = registers.kind == ptx::Operand::Kind::reg && count == 1;
    if (!is_single && registers.elements.size() != count) return std::nullopt;

    const OperandRole address = {Role::address, Width::w64},
                      loaded_role = {is_single ? Role::destination : Role::vector_destination,
                                     Width::w32},
                      stored_role = {is_single ? Role::v0 : Role::vector_source, Width::w32};
    const auto matrix = std::make_shared<MatrixOp>();
    matrix->space = space;
    const Handler load_handler =
        is_transposed ? move_matrices<true, false> : move_matrices<false, false>;
    const Handler store_handler =
        is_transposed ? move_matrices<true, true> : move_matrices<false, true>;
    return describe_for_whole_warp(i, {.run = is_store ? store_handler : load_handler,
                                       .operands = is_store ? std::vector{address, stored_role}
                                                            : std::vector{loaded_role, address},
                                       .memory_uses = {{.space = space,
                                                        .is_load = !is_store,
                                                        .is_store = is_store,
                                                        .bytes_per_lane = kTileRowBytes}},
                                       .count = static_cast<u8>(count),
                                       .matrix = matrix,
                                       .has_repeatable_shared_steps = true});
}

Handler matrix_load_handler(bool is_transposed) {
    return is_transposed ? move_rows<true, false> : move_rows<false, false>;
}

void transpose_matrix(u32* lanes) {
    std::array<u16, kTileRows * kTileRows> elements;
    std::memcpy(elements.data(), lanes, sizeof elements);
    std::array<u16, kTileRows * kTileRows> transposed_elements;
    for (u32 row = 0; row < kTileRows; ++row)
        for (u32 column = 0; column < kTileRows; ++column)
            transposed_elements[column * kTileRows + row] = elements[row * kTileRows + column];
    std::memcpy(lanes, transposed_elements.data(), sizeof transposed_elements);
}

Description describe_for_whole_warp(const ptx::Instruction& instruction,
                                    FamilyInstruction family_instruction, std::size_t optional) {
    if (!instruction.has("sync") || !instruction.has("aligned")) return std::nullopt;
    if (!family_instruction.matrix) family_instruction.matrix = std::make_shared<MatrixOp>();
    family_instruction.is_warp_sync = true;
    family_instruction.has_side_effects = true;  // a lane's result depends on the other lanes
    const std::size_t count = family_instruction.operands.size();
    return describe(instruction, std::move(family_instruction), count - optional, count);
}

bool is_whole_warp(Warp& w, const Op* op) {
    if (w.active == kAllLanes) return true;
    char text[200];
    std::snprintf(text, sizeof text,
                  "All 32 lanes of a warp must execute this instruction together, but lanes 0x%08x "
                  "do not: they have exited, wait elsewhere, or are not part of the block.",
                  ~w.active);
    return w.fail_launch(op, Status::illegal_instruction, "synccheck", "incomplete warp", text,
                         w.first_active());
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
Description describe_matrix_move(const ptx::Instruction& i, const ptx::Function&) {
    if (!i.has("m8n8") || !i.has("trans") || !i.has("b16")) return std::nullopt;
    return describe_for_whole_warp(
        i, {.run = run_movmatrix,
            .operands = {{Role::destination, Width::w32}, {Role::a, Width::w32}}});
}

}  // namespace coalesce::simulator
