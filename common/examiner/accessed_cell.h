// Computes from the text of a kernel which cell of a matrix an access reaches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examiner/index_value.h"
#include "examiner/launch_shape.h"
#include "examiner/source_lines.h"
#include "harness/problem.h"

namespace coalesce {

/// The header of a loop such as `for (int k = threadIdx.y; k < TILE_DIM; k += 8)`.
struct LoopHeader {
    int line = 0;
    std::string counter = "", start = "", end = "";
    std::string step = "1";
    bool is_inclusive = false;  ///< whether the counter may equal `end`
};

/// Returns the header of a loop, or nothing if it has an unusual form.
std::optional<LoopHeader> read_header(const std::string& text, const Loop& loop);
/// Returns the loops around a line, the outermost first. Returns nothing if one of them has an
/// unusual header, or changes a variable in its body.
std::optional<std::vector<LoopHeader>> read_loops_around(const std::string& text, int line);

/// Names of built-in variables and counters, with their values.
using NamedNumbers = std::map<std::string, long long>;

/// Returns the sizes of the grid and of a block: the values of gridDim.x, blockDim.x and so on.
NamedNumbers launch_sizes(const LaunchShape& launch);
/// Returns the values of the built-in variables in the first thread of the first block.
NamedNumbers first_thread_values(const LaunchShape& launch);

/// Evaluates the index of an access for any thread, block and pass.
class AccessedCell {
public:
    /// The length of the rows with which indices are evaluated. It is larger than any tile, so that
    /// the row and the column of an element can be told apart.
    static constexpr long long kRowLength = 4096;

    AccessedCell(const std::string& text, int line, const std::string& index,
                 const LaunchShape& launch, std::vector<LoopHeader> loops);

    const std::vector<LoopHeader>& loops() const { return loops_; }
    /// Reports whether the index depends on a side of the matrix.
    bool depends_on_matrix() const;

    /// Returns how far the cell moves if `name` has this value instead of 0.
    std::optional<Cell> step_of(const std::string& name, long long value = 1) const;
    /// Returns how far the cell moves from the first pass of a loop to a later one.
    std::optional<Cell> step_of_loop(const LoopHeader& loop, long long passes) const;
    /// Returns the number of passes that a thread makes in a loop. `names` has the values that
    /// differ from those of the first thread.
    std::optional<long long> count_passes(const LoopHeader& loop,
                                          const NamedNumbers& names = {}) const;
    std::optional<long long> start_value(const LoopHeader& loop) const;
    std::optional<long long> step_value(const LoopHeader& loop) const;
    /// Returns the accessed cell. `names` has the values that differ from those of the first thread,
    /// and `passes` the number of the pass of each loop that is not in its first pass.
    std::optional<Cell> cell_at(const NamedNumbers& names, const NamedNumbers& passes) const;

private:
    /// The parts of a loop's header.
    struct LoopValues {
        IndexExpression start, end, step;
    };

    const LoopValues& values_of(const LoopHeader& loop) const;
    NamedNumbers with_first_values(NamedNumbers names) const;

    const IndexExpression index_;
    const std::vector<LoopHeader> loops_;
    std::vector<LoopValues> loop_values_;
    NamedNumbers first_values_;
};

}  // namespace coalesce
