// Describes fragments: how tensor core instructions distribute a matrix over the registers of a
// warp.
//
// Layout  A fragment consists of blocks. A block has 8 lines of 4 words of 32 bits (or doubles).
//         Lane 4 * l + w contains word w of line l of every block, each in a separate register. The
//         lines of matrix a are its rows, and the lines of matrix b are its columns. The elements
//         in a word are neighbours along dimension k (a row of a, or a column of b). The lines of
//         an accumulator are its rows, and each lane contains two adjacent elements of a line. The
//         PTX manual shows this layout for mma, but does not document the layout for wmma. We use
//         the layout of mma for wmma too, because it agrees with the loads that ptxas generates for
//         wmma. If a is m8 and b is n32, the accumulator is stored transposed.
// Copies  f16 fragments of wmma have eight registers for every shape. If a matrix is smaller, the
//         remaining registers repeat the first ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// The size of a tile, which is the unit in which matrices are moved. A tile has 8 rows of 16 bytes
/// (4 words) each, and each lane moves one word of a tile.
constexpr u32 kTileRows = 8, kTileRowBytes = 16, kTileRowWords = 4;

/// The type of a matrix element. A b1 element is a word of 32 bits.
enum class NumberType : u8 { none, f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };
NumberType parse_number_type(std::string_view name);
u32 number_bits(NumberType number);

struct MatrixShape {
    u32 m = 0, n = 0, k = 0;
};
/// Parses "m16n8k16". Returns an empty shape for any other name.
MatrixShape parse_matrix_shape(const std::string& name);

enum class Part : u8 { a, b, accumulator };

struct MatrixFragment {
    Part part = Part::a;
    NumberType number = NumberType::none;
    u32 lines = 0;               ///< the rows of a, the columns of b, or the rows of an accumulator
    u32 elements_per_line = 0;   ///< the number of elements per line
    bool is_transposed = false;  ///< true for an accumulator that is stored column by column
    std::vector<Slot> slots;

    MatrixFragment() = default;
    MatrixFragment(Part part, NumberType number, MatrixShape shape);

    u32 elements_of_register() const {
        return number_bits(number) < 32 ? 32 / number_bits(number) : 1;
    }
    /// Returns the number of registers per lane that contain different elements. The remaining
    /// registers in `slots` repeat these elements.
    u32 registers() const { return lines * elements_per_line / (kLanes * elements_of_register()); }

    struct Place {
        u32 line, across;
    };
    /// Returns the position of the first element in a lane's register. The register's other
    /// elements are the next elements of the same line.
    Place place(u32 lane, u32 index) const;
};

/// One of the memory accesses by which a fragment is loaded or stored. It corresponds to one ld, st
/// or ldmatrix.
struct FragmentAccess {
    /// The size of a moved element in bytes, and the number of elements per lane. The elements of a
    /// lane are in consecutive registers.
    u32 bytes = 0, count = 1;
    u32 first_register = 0;  ///< the index of the first register of the access
    u32 byte = 0;            ///< the offset of the moved bytes within the register
    /// The number of 8x8 matrices whose rows the access moves, or 0 for an access that moves single
    /// elements.
    u32 matrix_count = 0;
    bool is_transposed = false;  ///< true if the 8x8 matrices are stored transposed in memory
    struct Place {
        u16 row, byte;
    } places[kLanes] = {};  ///< where each lane's bytes are in the matrix
};

/// An instruction whose operands are fragments. Loads write `d`, and stores read `c`.
struct MatrixOp {
    MatrixShape shape;
    MatrixFragment d, a, b, c;
    bool saturates = false;  ///< for integers, true to clamp results to the range of s32
    bool uses_and = false;   ///< for b1, true to use AND instead of XOR
    Slot address_slot,
        value_slot;  ///< for loads and stores: temporary slots with 64-bit and 32-bit lanes
    ptx::StateSpace space = ptx::StateSpace::generic;  ///< for loads and stores, the state space
    std::vector<FragmentAccess> accesses;              ///< the memory accesses of a load or store
    /// For loads and stores, the site of the memory accesses. Op::site cannot store it, because Ops
    /// at which lanes wait for each other use Op::site to count instructions.
    u32 site = 0;
    u32 default_stride = 0;  ///< for loads and stores, the stride; 0 if the stride is in Op::b
};

}  // namespace coalesce::simulator
