#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "examiner/accessed_cell.h"
#include "examiner/expressions.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// The cells of a block's tile that the threads of the block access.
struct Coverage {
    long long rows = 0, cols = 0;  ///< sides of the tile
    std::set<std::pair<long long, long long>> cells = {};
    bool leaves_tile = false;  ///< whether a thread accesses a cell beyond the tile

    /// Returns the columns that are accessed in a row of the tile.
    std::set<long long> columns_of(long long row) const {
        std::set<long long> columns;
        for (auto at = cells.lower_bound({row, 0}); at != cells.end() && at->first == row; ++at)
            columns.insert(at->second);
        return columns;
    }
};

/// Returns the sides of the tile of a block, which are the distances between neighbouring blocks.
/// Returns nothing if the blocks do not lie side by side along both axes.
std::optional<Coverage> measure_tile(const AccessedCell& access, const LaunchShape& launch) {
    constexpr long long largest_side = 128;
    if (launch.grid[0] < 2 || launch.grid[1] < 2) return std::nullopt;
    const auto x = access.step_of("blockIdx.x"), y = access.step_of("blockIdx.y");
    if (!x || !y) return std::nullopt;
    const bool is_x_row = x->row > 0 && x->col == 0 && y->row == 0;
    const bool is_y_row = y->row > 0 && y->col == 0 && x->row == 0;
    if (!is_x_row && !is_y_row) return std::nullopt;
    const Coverage tile{.rows = is_x_row ? x->row : y->row, .cols = is_x_row ? y->col : x->col};
    if (tile.cols < 1 || tile.rows > largest_side || tile.cols > largest_side) return std::nullopt;
    return tile;
}

/// Adds the cells that one thread accesses in all passes of its loops. Returns false if the text
/// does not tell them.
bool add_thread(Coverage& tile, const AccessedCell& access, const NamedNumbers& thread, int width) {
    constexpr long long most_passes = 64;
    bool is_known = true;
    const std::function<void(std::size_t, NamedNumbers)> add = [&](std::size_t depth,
                                                                   const NamedNumbers& passes) {
        if (!is_known) return;
        if (depth < access.loops().size()) {
            const LoopHeader& loop = access.loops()[depth];
            const auto count = access.count_passes(loop, thread);
            is_known = count && *count <= most_passes;
            for (long long pass = 0; is_known && pass < *count; ++pass) {
                NamedNumbers inner_passes = passes;
                inner_passes[loop.counter] = pass;
                add(depth + 1, inner_passes);
            }
            return;
        }
        const auto cell = access.cell_at(thread, passes);
        is_known = cell.has_value();
        if (!is_known) return;
        for (int i = 0; i < width; ++i) {
            tile.leaves_tile |= cell->row >= tile.rows || cell->col + i >= tile.cols;
            tile.cells.insert({cell->row, cell->col + i});
        }
    };
    add(0, {});
    return is_known;
}

/// Returns the cells that the first block accesses.
std::optional<Coverage> measure_coverage(const AccessedCell& access, const LaunchShape& launch,
                                         int width) {
    auto tile = measure_tile(access, launch);
    if (!tile || launch.threads() > 1024 || launch.block[2] > 1 || access.loops().size() > 2)
        return std::nullopt;
    for (long long y = 0; y < launch.block[1]; ++y) {
        for (long long x = 0; x < launch.block[0]; ++x) {
            const NamedNumbers thread = {{"threadIdx.x", x}, {"threadIdx.y", y}};
            if (!add_thread(*tile, access, thread, width)) return std::nullopt;
        }
    }
    return tile;
}

std::string format_columns(const std::set<long long>& columns) {
    if (columns.empty()) return "none";
    const long long first = *columns.begin(), last = *columns.rbegin();
    const bool is_run = last - first + 1 == static_cast<long long>(columns.size());
    return is_run ? "columns " + std::to_string(first) + " to " + std::to_string(last)
                  : std::to_string(columns.size()) + " columns";
}

/// Describes which part of the tile is accessed. The sentence ends in a full stop.
std::string describe_part(const Coverage& tile) {
    std::set<long long> rows;
    for (const auto& cell : tile.cells) rows.insert(cell.first);
    const std::set<long long> columns = tile.columns_of(*rows.begin());
    const bool are_equal =
        std::ranges::all_of(rows, [&](long long row) { return tile.columns_of(row) == columns; });
    const bool has_all_rows = static_cast<long long>(rows.size()) == tile.rows;
    if (are_equal && has_all_rows) return "only " + format_columns(columns) + " of each row.";
    if (are_equal)
        return "only " + std::to_string(rows.size()) + " of its " + std::to_string(tile.rows) +
               " rows.";
    const long long second = std::min(*rows.begin() + 1, tile.rows - 1);
    return format_columns(columns) + " of row " + std::to_string(*rows.begin()) + ", " +
           format_columns(tile.columns_of(second)) + " of row " + std::to_string(second) +
           ", and so on.";
}

/// The quotient and the remainder with which a kernel assigns rows and columns to its threads.
struct Division {
    int line = 0;
    std::string quotient = "", remainder = "";  ///< the divisors, such as "8"
};

/// Finds the line before an access that divides a thread's number or a loop's counter.
Division find_division(const std::string& text, int line) {
    static const TextPattern quotient(R"(\b(\w+(?:\.[xy])?)\s*/\s*(\w+))"),
        remainder(R"(\b(\w+(?:\.[xy])?)\s*%\s*(\w+))");
    for (int at = line; at > 0; --at) {
        const std::string code = code_on_line(text, at);
        if (code.find("__global__") != code.npos) break;
        TextMatch divided, reduced;
        if (code.find("for") != code.npos || !search(code, reduced, remainder)) continue;
        for (int other = at; other >= std::max(1, at - 1); --other) {
            const std::string other_code = code_on_line(text, other);
            if (search(other_code, divided, quotient) && divided.str(1) == reduced.str(1))
                return {at, divided.str(2), reduced.str(2)};
        }
        return {at, "", reduced.str(2)};
    }
    return {};
}

}  // namespace

LineMistake find_uncovered_cells(const std::string& text, const std::string& matrix, int line,
                                 const LaunchShape& launch) {
    const MatrixIndex index = find_matrix_index(text, line, matrix);
    const auto loops = read_loops_around(text, line);
    if (index.inner_term.empty() || !loops || launch.grid[2] > 1 ||
        find_pointer_advance_line(text, matrix) > 0)
        return {};
    const int width = vector_width(code_on_line(text, line));
    const AccessedCell access(text, line, index.text, launch, *loops);
    const auto tile = measure_coverage(access, launch, width);
    if (!tile || tile->cells.empty() || tile->leaves_tile) return {};
    const auto count = static_cast<long long>(tile->cells.size()), whole = tile->rows * tile->cols;
    if (count == whole) return {};
    const Division division = find_division(text, line);
    // Without a division, other rules explain which loop or which factor is wrong.
    if (division.line == 0) return {};
    const std::string sides = std::to_string(tile->rows) + " x " + std::to_string(tile->cols);
    const long long needed = tile->cols / width;
    const auto differs = [&](const std::string& divisor) {
        const auto value = constant_value(text, divisor);
        return value && *value != needed;
    };
    std::string advice =
        "Let the threads of a block reach every element of the tile: work out the row and the "
        "column for the threads that should reach the others.";
    if (differs(division.quotient) || differs(division.remainder)) {
        advice = "A row of the tile has " + std::to_string(tile->cols) + " elements, so it takes " +
                 std::to_string(needed) + " threads" +
                 (width > 1 ? " with " + std::to_string(width) + " elements each" : "") +
                 ": divide by " + std::to_string(needed) + " for the row, and take the remainder " +
                 "modulo " + std::to_string(needed) + " for the column.";
    }
    return {division.line,
            "the threads of a block reach only " + std::to_string(count) + " of the " +
                std::to_string(whole) + " elements of its tile (" + sides + ") of " +
                add_backticks(matrix) + ": " + describe_part(*tile),
            advice};
}

}  // namespace coalesce
