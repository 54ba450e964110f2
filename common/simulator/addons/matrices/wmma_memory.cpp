// Executes wmma.load and wmma.store, which move a fragment between memory and registers, by
// executing the loads and stores that ptxas would generate.
//
// Builds on  fragments.h; the handlers of ld, st and ldmatrix, which check, count and report each
// access.
// Accesses   As seen in the machine code of ptxas 13.0 for sm_90, for each shape:
//            - 2-byte elements are accessed in blocks of 8 x 8: each lane accesses a word, and a
//              block has eight rows of 16 bytes in memory. If memory has the transposed order,
//              movmatrix transposes the block in the registers;
//            - 1-byte and shorter elements of a and b are accessed in words in the same way if
//              index k is contiguous in memory, and otherwise byte by byte;
//            - a and b are loaded by ldmatrix if the instruction names shared memory, up to four
//              blocks at a time (two for bytes);
//            - tf32 and f64 are accessed element by element, and 4- and 8-byte accumulators in
//              pairs if a line of the fragment is a row in memory.
// Watch      Each lane uses its own address and stride operands. PTX requires them to be the same
//            in all lanes.
#include <algorithm>
#include <array>

#include "simulator/addons/matrices/whole_warp.h"
#include "simulator/code/function_code.h"
#include "simulator/execute/fragments.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/memory_handlers.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

// ---- choosing the accesses ----

/// The planned accesses to a fragment.
struct FragmentAccessPlan {
    const MatrixFragment& fragment;
    const StateSpace space;
    const bool is_line_contiguous;
    std::vector<FragmentAccess> planned_accesses = {};

    std::vector<FragmentAccess> make_plan() {
        const u32 bits = number_bits(fragment.number);
        const bool is_in_blocks =
            bits == 16 || (bits < 16 && is_line_contiguous) || fragment.number == NumberType::b1;
        const bool is_operand = fragment.part != Part::accumulator;
        if (is_in_blocks && is_operand && space == StateSpace::shared)
            add_matrix_accesses(bits == 16 ? 4 : 2);
        else if (is_in_blocks)
            add_block_accesses();
        else
            add_element_accesses(bits / 8, is_operand || !is_line_contiguous ? 1 : 2);
        return std::move(planned_accesses);
    }

    /// Adds an access in which each of the first `lanes` lanes accesses `position_of_lane(lane)`.
    template <class Place>
    void add_access(FragmentAccess access, u32 lanes, Place position_of_lane) {
        for (u32 lane = 0; lane < lanes; ++lane) access.places[lane] = position_of_lane(lane);
        planned_accesses.push_back(access);
    }

    /// Returns the position in memory of word `word` in row `row` of the block that register
    /// `index` holds.
    FragmentAccess::Place position_in_block(u32 index, u32 row, u32 word) const {
        const u32 elements_per_register = fragment.elements_of_register();
        const MatrixFragment::Place corner = fragment.place(0, index);
        const u32 first_row = is_line_contiguous ? corner.line : corner.across;
        const u32 first_element = is_line_contiguous ? corner.across : corner.line;
        return {static_cast<u16>(first_row + row),
                static_cast<u16>(first_element * 4 / elements_per_register + 4 * word)};
    }

    void add_block_accesses() {
        for (u32 index = 0; index < fragment.registers(); ++index)
            add_access({.bytes = 4, .first_register = index, .is_transposed = !is_line_contiguous},
                       kLanes, [&](u32 lane) {
                           return position_in_block(index, lane / kTileRowWords,
                                                    lane % kTileRowWords);
                       });
    }

    void add_matrix_accesses(u32 max_matrices) {
        const u32 registers = fragment.registers(),
                  matrices_per_access = std::min(registers, max_matrices);
        for (u32 index = 0; index < registers; index += matrices_per_access)
            add_access({.bytes = kTileRowBytes,
                        .first_register = index,
                        .matrix_count = matrices_per_access,
                        .is_transposed = !is_line_contiguous},
                       kTileRows * matrices_per_access, [&](u32 lane) {
                           return position_in_block(index + lane / kTileRows, lane % kTileRows, 0);
                       });
    }

    void add_element_accesses(u32 bytes, u32 count) {
        for (u32 index = 0; index < fragment.registers(); index += count)
            for (u32 element = 0; element < fragment.elements_of_register(); ++element)
                add_access(
                    {.bytes = bytes, .count = count, .first_register = index, .byte = element},
                    kLanes, [&](u32 lane) -> FragmentAccess::Place {
                        const MatrixFragment::Place place = fragment.place(lane, index);
                        const u32 across = place.across + element;
                        const u32 row = is_line_contiguous ? place.line : across;
                        const u32 column = is_line_contiguous ? across : place.line;
                        return {static_cast<u16>(row), static_cast<u16>(column * bytes)};
                    });
    }
};

// ---- executing the accesses ----

/// The address and the row stride of a matrix in memory, for each lane.
struct MatrixInMemory {
    std::array<u64, kLanes> lane_addresses, row_bytes;

    /// Op::a contains the address, and Op::b the stride in elements unless the instruction uses the
    /// default stride.
    MatrixInMemory(const Warp& w, const Op* op, const MatrixFragment& fragment) {
        const u32 bits = fragment.number == NumberType::b1 ? 1 : number_bits(fragment.number);
        const u32 default_stride = op->matrix->default_stride;
        for (u32 l = 0; l < kLanes; ++l) {
            lane_addresses[l] = w.lanes<u64>(op->a)[l];
            row_bytes[l] = u64{default_stride ? default_stride : w.lanes<u32>(op->b)[l]} * bits / 8;
        }
    }
    void find_addresses(const FragmentAccess& access, u64* addresses) const {
        for (u32 l = 0; l < kLanes; ++l)
            addresses[l] =
                lane_addresses[l] + access.places[l].row * row_bytes[l] + access.places[l].byte;
    }
};

/// Returns an operation that executes one of the planned accesses.
Op make_access_op(const Op* op) {
    Op access_op = *op;
    access_op.a = op->matrix->address_slot;
    access_op.b = op->matrix->address_slot;  // receives the converted generic addresses
    access_op.site = op->matrix->site;
    access_op.immediate = 0;
    access_op.detail = 0;
    access_op.matrix = nullptr;
    return access_op;
}

Handler choose_access_handler(const Warp& w, const MatrixOp& matrix, const FragmentAccess& access,
                              bool is_store) {
    const Kernel::Code& code = *w.block->launch->code;
    return memory_handler({.space = matrix.space,
                           .is_store = is_store,
                           .bytes = access.bytes,
                           .count = access.count,
                           .is_plain = code.is_plain && !code.is_recorded});
}

bool load_access(Warp& w, const Op* op, const FragmentAccess& access) {
    const MatrixOp& matrix = *op->matrix;
    const std::vector<Slot>& slots = matrix.d.slots;
    Op access_op = make_access_op(op);
    if (access.matrix_count) {
        Slot* const to[] = {&access_op.d, &access_op.d2, &access_op.b, &access_op.c};
        for (u32 k = 0; k < access.matrix_count; ++k) *to[k] = slots[access.first_register + k];
        access_op.count = static_cast<u8>(access.matrix_count);
        return matrix_load_handler(access.is_transposed)(w, &access_op) != nullptr;
    }
    for (u32 k = 0; k < access.count; ++k) access_op.v[k] = slots[access.first_register + k];
    if (access.bytes == 1) access_op.v[0] = matrix.value_slot;
    if (!choose_access_handler(w, matrix, access, false)(w, &access_op)) return false;
    u32* lanes = w.lanes<u32>(slots[access.first_register]);
    if (access.is_transposed) transpose_matrix(lanes);
    if (access.bytes == 1) {
        const u32 shift = 8 * access.byte;
        for (int l = 0; l < kLanes; ++l)
            lanes[l] = (lanes[l] & ~(0xffu << shift)) | w.lanes<u32>(matrix.value_slot)[l] << shift;
    }
    return true;
}

bool store_access(Warp& w, const Op* op, const FragmentAccess& access) {
    const MatrixOp& matrix = *op->matrix;
    Op access_op = make_access_op(op);
    for (u32 k = 0; k < access.count; ++k)
        access_op.v[k] = matrix.c.slots[access.first_register + k];
    if (access.is_transposed) {
        u32* transposed_lanes = w.lanes<u32>(matrix.value_slot);
        std::copy_n(w.lanes<u32>(access_op.v[0]), kLanes, transposed_lanes);
        transpose_matrix(transposed_lanes);
        access_op.v[0] = matrix.value_slot;
    }
    return choose_access_handler(w, matrix, access, true)(w, &access_op) != nullptr;
}

template <bool Store>
const Op* run_accesses(Warp& w, const Op* op) {
    if (!is_whole_warp(w, op)) return nullptr;
    const MatrixOp& matrix = *op->matrix;
    const MatrixFragment& fragment = Store ? matrix.c : matrix.d;
    const MatrixInMemory matrix_in_memory(w, op, fragment);
    for (const FragmentAccess& access : matrix.accesses) {
        matrix_in_memory.find_addresses(access, w.lanes<u64>(matrix.address_slot));
        if (!(Store ? store_access(w, op, access) : load_access(w, op, access))) return nullptr;
    }
    for (u32 k = fragment.registers(); !Store && k < fragment.slots.size(); ++k)
        std::copy_n(w.lanes<u32>(fragment.slots[k % fragment.registers()]), kLanes,
                    w.lanes<u32>(fragment.slots[k]));
    return op + 1;
}

// ---- the supported instructions ----

/// Returns the number of elements per row in memory, for a matrix without padding.
u32 default_stride(const MatrixFragment& fragment, bool is_line_contiguous) {
    const u32 elements = is_line_contiguous ? fragment.elements_per_line : fragment.lines;
    return fragment.number == NumberType::b1 ? 32 * elements : elements;
}

}  // namespace

// wmma.load.{a,b,c}.sync.aligned.{row,col}.SHAPE{.space}.TYPE {d, ...}, [a]{, stride}
// wmma.store.d.sync.aligned.{row,col}.SHAPE{.space}.TYPE [a], {c, ...}{, stride}
Description describe_fragment_access(const ptx::Instruction& i) {
    const bool is_store = i.has("store"), is_row_major = i.has("row");
    if (i.operands.size() < 2 || (!is_store && !i.has("load")) || is_row_major == i.has("col"))
        return std::nullopt;
    const Part part = i.has("a") ? Part::a : i.has("b") ? Part::b : Part::accumulator;
    const auto shape =
        std::find_if(i.modifiers.begin(), i.modifiers.end(),
                     [](const std::string& m) { return parse_matrix_shape(m).m != 0; });
    const StateSpace space = find_space(i);
    if (shape == i.modifiers.end() || space == StateSpace::local || space == StateSpace::constant ||
        !is_wmma_shape(*shape, part, parse_number_type(i.modifiers.back())) ||
        (is_store && part != Part::accumulator))
        return std::nullopt;

    const MatrixFragment fragment(part, parse_number_type(i.modifiers.back()),
                                  parse_matrix_shape(*shape));
    const bool lines_are_rows =
        part == Part::accumulator ? !fragment.is_transposed : part == Part::a;
    const bool is_line_contiguous = is_row_major == lines_are_rows;
    const bool is_short = number_bits(fragment.number) == 4 || fragment.number == NumberType::b1;
    if ((is_short && !is_line_contiguous) ||
        !matches_fragment(i.operands[is_store ? 1 : 0], fragment, true))
        return std::nullopt;

    std::vector<OperandRole> roles = {{Role::fragment_d, element_width(fragment.number)},
                                      {Role::address_a, Width::w64},
                                      {Role::b, Width::w32}};
    if (is_store) {
        std::swap(roles[0], roles[1]);
        roles[1].role = Role::fragment_c;
    }
    MatrixOp op;
    op.shape = parse_matrix_shape(*shape);
    op.space = space;
    (is_store ? op.c : op.d) = fragment;
    op.accesses = FragmentAccessPlan{fragment, space, is_line_contiguous}.make_plan();
    op.default_stride = i.operands.size() == 2 ? default_stride(fragment, is_line_contiguous) : 0;
    const u32 bytes = op.accesses[0].bytes;
    return describe_for_whole_warp(i,
                                   {.run = is_store ? run_accesses<true> : run_accesses<false>,
                                    .operands = std::move(roles),
                                    .memory_uses = {{.space = space,
                                                     .is_load = !is_store,
                                                     .is_store = is_store,
                                                     .bytes_per_lane = bytes}},
                                    .matrix = std::make_shared<MatrixOp>(std::move(op))},
                                   1);
}

}  // namespace coalesce::simulator
