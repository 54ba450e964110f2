// The table of the instructions that all lanes of a warp execute together, on matrices.
#include "simulator/addons/matrices/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> matrix_families() {
    static constexpr FamilyRow families[] = {
        {"ldmatrix", describe_matrix_access},  // 8x8 matrices from shared memory to registers
        {"stmatrix", describe_matrix_access},  // ... and from registers to shared memory
        {"movmatrix", describe_matrix_move},   // d = an 8x8 matrix, transposed
        {"mma", describe_mma},                 // d = a * b + c, of matrices
        {"wmma", describe_wmma},               // the same, with layouts that the GPU chooses
    };
    return families;
}

}  // namespace coalesce::simulator
