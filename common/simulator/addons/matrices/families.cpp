// Lists the matrix instructions, which all lanes of a warp execute together.
#include "simulator/addons/matrices/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> matrix_families() {
    static constexpr FamilyRow families[] = {
        {"ldmatrix", describe_matrix_access},  // load 8x8 matrices from shared memory
        {"stmatrix", describe_matrix_access},  // store 8x8 matrices from registers to shared memory
        {"movmatrix", describe_matrix_move},   // transpose an 8x8 matrix in registers
        {"mma", describe_mma},                 // multiply and add matrices: d = a * b + c
        {"wmma", describe_wmma},               // like mma, with layouts that the GPU chooses
    };
    return families;
}

}  // namespace coalesce::simulator
