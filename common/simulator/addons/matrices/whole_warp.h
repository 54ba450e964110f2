// Instructions that all 32 lanes of a warp carry out together: ldmatrix, stmatrix, movmatrix, mma, wmma.
#pragma once

#include "simulator/execute/describe.h"
#include "simulator/execute/fragments.h"

namespace coalesce::simulator {

/// Describes an instruction for which all lanes of the warp meet. The text must say so, too: there are no others. So
/// many of the last operands may be missing.
Description describe_for_whole_warp(const ptx::Instruction& instruction, FamilyInstruction made,
                                    std::size_t optional = 0);

/// Whether all lanes are here. Where some have ended, or never were, what the instruction does is undefined: that is
/// reported, and ends the launch.
bool is_whole_warp(Warp& w, const Op* op);

/// An 8x8 matrix of 2-byte elements, in a register of the warp: rows become columns.
void transpose_matrix(u32* lanes);

/// ldmatrix of Op::count matrices from shared memory, for a warp that is whole: Op::a has the rows' addresses, Op::d,
/// d2, b and c get a matrix each.
Handler matrix_load_handler(bool transposed);

/// Whether wmma has a part with these elements in the shape.
bool is_wmma(std::string_view shape, Part part, Number number);
/// Whether an operand has as many registers as the fragment; see there for wmma.
bool has_registers_of(const ptx::Operand& operand, const MatrixFragment& fragment, bool wmma);
inline Width width_of_elements(Number number) {
    return bits_of(number) == 64 ? Width::w64 : Width::w32;
}

/// wmma.load and wmma.store.
Description describe_fragment_access(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
