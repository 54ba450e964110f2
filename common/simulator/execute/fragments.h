// Fragments: how the tensor cores' instructions spread a matrix over the registers of a warp.
//
// Layout  Everything is built of blocks of 8 lines, of which each has 4 words of 32 bits (or 4 doubles): lane
//         4 * line + word has a word of each block, in a register of its own. The lines of a are its rows, those of
//         b its columns, and what follows one another in a word are steps of k. An accumulator's lines are its
//         rows, and each lane has two neighbours of a line. That is what the PTX manual draws for mma.
//         The layout of wmma's fragments is the machine's own affair. The same blocks serve here, and that agrees
//         with the loads that ptxas makes of wmma: where a is m8 and b n32, an accumulator is kept turned.
// Copies  wmma's fragments of f16 have eight registers, whatever the shape: what a smaller matrix leaves over repeats
//         the first ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// Matrices are moved in pieces of 8 rows of 16 bytes, of which each lane has a word.
constexpr u32 kTileRows = 8, kTileRowBytes = 16, kTileRowWords = 4;

/// What the elements are. Of b1, an element here is 32 of them.
enum class Number : u8 { none, f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };
Number number_named(std::string_view name);
u32 bits_of(Number number);

struct MatrixShape {
    u32 m = 0, n = 0, k = 0;
};
/// "m16n8k16"; nothing in any other name.
MatrixShape shape_named(const std::string& name);

enum class Part : u8 { a, b, accumulator };

struct MatrixFragment {
    Part part = Part::a;
    Number number = Number::none;
    u32 lines = 0;        ///< rows of a, columns of b, rows of an accumulator
    u32 across = 0;       ///< elements of a line
    bool turned = false;  ///< an accumulator whose lines are its columns
    std::vector<Slot> slots;

    MatrixFragment() = default;
    MatrixFragment(Part part, Number number, MatrixShape shape);

    u32 elements_of_register() const { return bits_of(number) < 32 ? 32 / bits_of(number) : 1; }
    /// Registers of a lane, without copies.
    u32 registers() const { return lines * across / (kLanes * elements_of_register()); }

    struct Place {
        u32 line, across;
    };
    /// Where the first element of a lane's register is; those behind it follow in its line.
    Place place(u32 lane, u32 index) const;
};

/// One access to memory of many that load or store a fragment: as ld, st or ldmatrix would make it.
struct FragmentAccess {
    u32 bytes = 0,
        count = 1;     ///< of an element; elements of a lane, in registers that follow each other
    u32 first = 0;     ///< the first of these registers
    u32 byte = 0;      ///< ... and which byte of it is moved
    u32 matrices = 0;  ///< rows of so many 8x8 matrices, in place of elements
    bool turned = false;  ///< 8x8 elements lie in memory the other way round
    struct Place {
        u16 row, byte;
    } places[kLanes] = {};  ///< of each lane, in the matrix as it lies in memory
};

/// An instruction on fragments. What loads one has it in `d`, what stores one in `c`.
struct MatrixOp {
    MatrixShape shape;
    MatrixFragment d, a, b, c;
    bool saturates = false;  ///< integers: at the ends of s32
    bool and_bits = false;   ///< b1: and, in place of exclusive or
    Slot addresses, value;   ///< loads and stores: 64-bit and 32-bit lanes to work with
    ptx::StateSpace space = ptx::StateSpace::generic;  ///< of loads and stores
    std::vector<FragmentAccess> accesses;              ///< likewise
    u32 site = 0;            ///< likewise: Op::site counts instructions, where lanes meet
    u32 default_stride = 0;  ///< likewise; 0: Op::b has it
};

}  // namespace coalesce::simulator
