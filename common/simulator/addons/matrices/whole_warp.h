// Declares functions for the instructions that all 32 lanes of a warp execute together: ldmatrix,
// stmatrix, movmatrix, mma and wmma.
#pragma once

#include "simulator/execute/describe.h"
#include "simulator/execute/fragments.h"

namespace coalesce::simulator {

/// Describes an instruction that all lanes of the warp execute together. The instruction must have
/// .sync and .aligned, as PTX requires. Its last `optional` operands may be missing.
Description describe_for_whole_warp(const ptx::Instruction& instruction,
                                    FamilyInstruction family_instruction, std::size_t optional = 0);

/// Returns true if all 32 lanes are active. Otherwise reports an error, ends the launch and returns
/// false, because PTX does not define what the instruction does if some lanes are inactive.
bool is_whole_warp(Warp& w, const Op* op);

/// Transposes an 8x8 matrix of 2-byte elements. `lanes` contains the values of one register in the
/// 32 lanes of a warp.
void transpose_matrix(u32* lanes);

/// Returns the handler of ldmatrix, which loads `Op::count` matrices from shared memory. Op::a
/// contains the addresses of the rows, and Op::d, d2, b and c receive one matrix each.
Handler matrix_load_handler(bool is_transposed);

/// Reports whether wmma supports fragment `part` with this matrix shape and element type.
bool is_wmma_shape(std::string_view shape, Part part, NumberType number);
/// Reports whether the operand has as many registers as the fragment needs. `is_wmma` is true for a
/// wmma instruction, whose fragments may need more registers than those of mma (fragments.h).
bool matches_fragment(const ptx::Operand& operand, const MatrixFragment& fragment, bool is_wmma);
inline Width element_width(NumberType number) {
    return number_bits(number) == 64 ? Width::w64 : Width::w32;
}

/// Describes wmma.load and wmma.store.
Description describe_fragment_access(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
