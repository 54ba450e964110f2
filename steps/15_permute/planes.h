// Reduces a permutation of axes to matrices, and computes the address of each matrix.
#pragma once

#include "harness/harness.h"

//! [planes]
// `batches[0]` x `batches[1]` matrices of `rows` x `cols`. Steps and pitches are counted in floats.
struct Planes {
    int rows = 1, cols = 1;
    long long in_pitch = 1, out_pitch = 1;  // from one row to the next, in `in` and in `out`
    int batches[2] = {1, 1};
    long long in_step[2] = {}, out_step[2] = {};  // from one matrix to the next, along either axis

    __host__ __device__ unsigned matrices() const { return unsigned(batches[0]) * batches[1]; }
    // Return how many tiles of length `tile` cover a column (down) and a row (across).
    __host__ __device__ unsigned down(int tile) const { return (rows + tile - 1) / tile; }
    __host__ __device__ unsigned across(int tile) const { return (cols + tile - 1) / tile; }
};
//! [planes]

// Moves both pointers to matrix number `matrix`.
__device__ inline void go_to_matrix(float*& out, const float*& in, const Planes& planes,
                                    unsigned matrix) {
    unsigned first = matrix / planes.batches[1], second = matrix % planes.batches[1];
    in += first * planes.in_step[0] + second * planes.in_step[1];
    out += first * planes.out_step[0] + second * planes.out_step[1];
}

//! [merge]
// Drops axes of length 1, and merges axes that follow each other in `in` and in `out`.
inline Permutation merged(const Permutation& from) {
    Permutation to;
    int new_axis[4] = {-1, -1, -1, -1};  // new number of each axis of `in` that is left
    for (int k = 0, last = -2; k < from.rank; ++k) {
        int axis = from.order[k];
        if (from.extents[axis] == 1) continue;
        bool follows = last >= 0;
        for (int between = last + 1; between < axis; ++between) {
            follows = follows && from.extents[between] == 1;
        }
        if (follows && last < axis) {
            to.extents[to.order[to.rank - 1]] *= from.extents[axis];
        } else {
            to.order[to.rank++] = axis;
            to.extents[axis] = from.extents[axis];
        }
        last = axis;
    }
    // Number the axes that are left in their order in `in`.
    Permutation numbered{.rank = to.rank};
    for (int axis = 0, number = 0; axis < 4; ++axis) {
        for (int k = 0; k < to.rank; ++k) {
            if (to.order[k] != axis) continue;
            numbered.extents[number] = to.extents[axis];
            new_axis[axis] = number++;
        }
    }
    for (int k = 0; k < to.rank; ++k) numbered.order[k] = new_axis[to.order[k]];
    return numbered;
}
//! [merge]

//! [reduce]
// Returns the matrices to which a permutation reduces: the two axes of a tile, and up to two axes
// that count the matrices. The last axis of `out` numbers the rows, and the last axis of `in`
// numbers the columns. If these are the same axis, the axis before it in `out` numbers the rows.
inline Planes planes_of(const Permutation& axes) {
    long long in_step[4], out_step[4];  // of each axis of `in`
    for (long long k = axes.rank - 1, step = 1; k >= 0; --k) {
        in_step[k] = step;
        step *= axes.extents[k];
    }
    for (long long k = axes.rank - 1, step = 1; k >= 0; --k) {
        out_step[axes.order[k]] = step;
        step *= axes.extents[axes.order[k]];
    }
    Planes planes;
    if (axes.rank == 0) return planes;
    const int col = axes.rank - 1;
    int row = axes.order[axes.rank - 1];
    planes.cols = axes.extents[col];
    if (row == col && axes.rank == 1) return planes;
    const bool is_copy = row == col;
    if (is_copy) row = axes.order[axes.rank - 2];
    planes.rows = axes.extents[row];
    planes.in_pitch = in_step[row];
    planes.out_pitch = is_copy ? out_step[row] : out_step[col];
    // The last of the other axes changes fastest from block to block.
    for (int k = axes.rank - 1, which = 1; k >= 0; --k) {
        const int axis = axes.order[k];
        if (axis == row || axis == col) continue;
        planes.batches[which] = axes.extents[axis];
        planes.in_step[which] = in_step[axis];
        planes.out_step[which] = out_step[axis];
        --which;
    }
    return planes;
}
//! [reduce]

// Reports whether all rows begin at multiples of 16 bytes.
inline bool is_multiple_of_4(const Planes& planes) {
    for (int k = 0; k < 2; ++k) {
        if (planes.in_step[k] % 4 != 0 || planes.out_step[k] % 4 != 0) return false;
    }
    return planes.cols % 4 == 0 && planes.in_pitch % 4 == 0 && planes.out_pitch % 4 == 0;
}
