/// \file
/// Random patterns in which a warp moves small matrices: with ldmatrix and stmatrix, and with
/// wmma's loads and stores. Comparing them with the hardware's counters shows whether the
/// simulator's rules are correct.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/proof/validate/access_pattern.h"

namespace coalesce::proof {

/// The kind of fragment that a wmma instruction loads or stores: its role (a, b or the sums), its
/// element type and its layout.
enum class FragmentKind {
    a_of_halves_by_rows,
    a_of_halves_by_columns,
    b_of_halves_by_rows,
    a_of_bytes_by_rows,
    a_of_bytes_by_columns,
    sums_of_floats_by_rows,
    sums_of_floats_by_columns,
    sums_of_halves_by_columns,
    a_of_tf32_by_rows,
};

constexpr FragmentKind last_of(FragmentKind) {
    return FragmentKind::a_of_tf32_by_rows;
}

/// A launch whose warps load or store small matrices.
struct MatrixPattern {
    enum class Kind {
        load_matrices,
        store_matrices,
        load_shared,
        load_global,
        store_shared,
        store_global
    };
    Kind kind = Kind::load_matrices;
    unsigned block_x = 32, blocks = 1;
    // The number of matrices that an ldmatrix or stmatrix moves. Of this member and the following
    // ones, only `matrices`, `is_transposed` and `rows` apply to these instructions.
    int matrices = 4;
    bool is_transposed = false;
    AccessFormula rows;  ///< how the lanes access rows of 16 bytes in shared memory
    // The fragment that a wmma instruction loads or stores. For wmma, only `fragment` and `stride`
    // apply.
    FragmentKind fragment = FragmentKind::a_of_halves_by_rows;
    unsigned stride = 16;  ///< distance between rows, in elements

    bool is_fragment() const { return kind != Kind::load_matrices && kind != Kind::store_matrices; }
    std::string text() const;
    std::string kernel() const;
};

/// Returns `count` patterns. The same seed gives the same patterns on every machine.
std::vector<MatrixPattern> random_matrix_patterns(int count, std::uint64_t seed);

/// Launches the pattern. Both buffers are in device memory and kPatternBytes long.
void launch(const MatrixPattern& pattern, void* out, const void* in);

}  // namespace coalesce::proof
