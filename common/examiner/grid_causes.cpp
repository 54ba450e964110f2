#include "examiner/rules.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "examiner/accessed_cell.h"
#include "examiner/block_places.h"
#include "examiner/expressions.h"
#include "examiner/index_value.h"
#include "examiner/line_rules.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/look.h"
#include "harness/text.h"

namespace coalesce {
namespace {

long long blocks_for(long long count, long long size) {
    return (count + size - 1) / size;
}

/// Reports whether the grid has at least one thread for each element of the matrix.
bool covers_by_threads(const LaunchShape& launch, Shape shape) {
    return launch.grid[0] * launch.block[0] >= shape.cols &&
           launch.grid[1] * launch.block[1] >= shape.rows;
}

/// Reports whether this is the grid that a `rows` x `cols` matrix needs with one thread per
/// element.
bool is_grid_for(const LaunchShape& launch, long long rows, long long cols) {
    return launch.grid[0] == blocks_for(cols, launch.block[0]) &&
           launch.grid[1] == blocks_for(rows, launch.block[1]);
}

bool fits_exchanged_grid(const LaunchShape& launch, Shape shape) {
    if (covers_by_threads(launch, shape)) return false;
    LaunchShape transposed_launch = launch;
    std::swap(transposed_launch.grid[0], transposed_launch.grid[1]);
    return is_grid_for(transposed_launch, shape.rows, shape.cols) ||
           is_grid_for(launch, shape.cols, shape.rows);
}

/// Reports whether the grid would be correct if the two sizes of the block were swapped.
bool fits_transposed_block(const LaunchShape& launch, Shape shape) {
    LaunchShape transposed_launch = launch;
    std::swap(transposed_launch.block[0], transposed_launch.block[1]);
    return !covers_by_threads(launch, shape) &&
           is_grid_for(transposed_launch, shape.rows, shape.cols);
}

std::string format_blocks_and_threads(const Trial& trial) {
    return "configure(" + std::to_string(trial.shape.rows) + ", " +
           std::to_string(trial.shape.cols) + ") gives " + trial.launch.text();
}

/// A second shape to check, because on a square matrix, many mistakes in the grid have the same
/// effect. Even the largest tiles fit into this shape several times in each direction.
constexpr Shape kTestRectangle{128, 256};

/// Returns the launch for `kTestRectangle`, or nothing if the exercise does not take that shape or
/// the launch fails.
std::optional<LaunchShape> configure_for_rectangle(const Evidence& evidence) {
    if (!evidence.exercise.accepts(kTestRectangle)) return std::nullopt;
    const Trial unchecked_trial = evidence.launch_without_checks(kTestRectangle);
    if (!unchecked_trial.is_launched) return std::nullopt;
    return unchecked_trial.launch;
}

// ---- rules based on the distances between blocks ----

/// The number of blocks that a grid needs along x and y.
struct NeededBlocks {
    long long x = 0, y = 0;

    bool is_covered_by(const LaunchShape& launch) const {
        return launch.grid[0] >= x && launch.grid[1] >= y;
    }
    bool is_transpose_of(const LaunchShape& launch) const {
        return launch.grid[0] == y && launch.grid[1] == x;
    }
    bool equals_grid_of(const LaunchShape& launch) const {
        return launch.grid[0] == x && launch.grid[1] == y;
    }
};

/// Returns the number of blocks that the grid needs along one axis. Returns 0 unless consecutive
/// blocks along this axis process consecutive groups of rows or of columns.
long long needed_blocks_along(Cell step, Shape shape) {
    if (step.row == 0 && step.col > 0) return blocks_for(shape.cols, step.col);
    if (step.col == 0 && step.row > 0) return blocks_for(shape.rows, step.row);
    return 0;
}

std::optional<NeededBlocks> count_needed_blocks(const BlockOrigins& origins, Shape shape) {
    const Cell x = origins.step_x(), y = origins.step_y();
    const NeededBlocks block_counts{needed_blocks_along(x, shape), needed_blocks_along(y, shape)};
    const bool are_axes_separate = (x.row == 0) != (y.row == 0);
    if (block_counts.x == 0 || block_counts.y == 0 || !are_axes_separate) return std::nullopt;
    return block_counts;
}

/// Reports whether the kernel stored more cells than its blocks would cover with one tile each. If
/// so, each block must process several tiles.
bool processes_several_tiles(const Trial& trial, const BlockOrigins& origins) {
    const auto covered_cells = [](long long blocks, Cell step) {
        return blocks * (step.row + step.col);
    };
    const long long cells = covered_cells(trial.launch.grid[0], origins.step_x()) *
                            covered_cells(trial.launch.grid[1], origins.step_y());
    return !trial.comparison || static_cast<long long>(trial.comparison->right) > cells;
}

/// Returns the cells at which the blocks start, if both the matrix and the grid are
/// two-dimensional.
std::optional<BlockOrigins> find_origins_if_2d(Shape shape, const LaunchShape& launch,
                                               const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (task.kind == Produces::permuted || task.in_place || launch.grid[2] > 1) return std::nullopt;
    return find_block_origins(shape, launch, evidence.relaunch);
}

/// The exchanges with which the grid would cover the matrix.
struct GridSwaps {
    bool sizes = false;  ///< the two sizes of the grid
    bool sides = false;  ///< rows and cols in the two sizes, without their divisors
};

/// Returns the swaps with which a grid with one thread per element covers the matrix.
GridSwaps swaps_for(const LaunchShape& launch, Shape shape) {
    LaunchShape swapped_launch = launch;
    std::swap(swapped_launch.grid[0], swapped_launch.grid[1]);
    return {.sizes = is_grid_for(swapped_launch, shape.rows, shape.cols),
            .sides = is_grid_for(launch, shape.cols, shape.rows)};
}

Failure explain_exchanged_grid(const Trial& trial, const Evidence& evidence,
                               const GridSwaps& swaps) {
    const std::string swapped = swaps.sizes && swaps.sides
                                    ? "rows and cols, or the two sizes of the grid,"
                                : swaps.sides ? "rows and cols, but not their divisors,"
                                              : "the two sizes of the grid";
    return {
        .kind = FailureKind::grid_exchanged,
        .headline =
            "the grid does not cover the matrix, but it would if " + swapped + " were swapped.",
        .place = {evidence.source.name, find_configure_line(evidence.source.text, ".grid"), 0},
        .shape = trial.shape,
        .details = wrap(format_blocks_and_threads(trial) + "."),
        .advice = "The grid's first size must cover the columns, and its second size the rows."};
}

/// Notes in the failure that the kernel and its launch use blockIdx.x for different axes.
void explain_exchanged_indices(Failure& failure, const BlockOrigins& origins,
                               const GridSwaps& swaps, const Evidence& evidence) {
    const int mixed_line = find_line_with_mixed_axes(evidence.source.text);
    failure.headline =
        "blockIdx.x chooses rows in the kernel, but the grid's first size is the number of blocks "
        "for the columns. The grid would cover the matrix if its two sizes, or blockIdx.x and "
        "blockIdx.y, were swapped.";
    failure.details += wrap(origins.text());
    failure.advice =
        swaps.sides || mixed_line > 0
            ? "Use blockIdx.x for the column and blockIdx.y for the row, as the grid assumes."
            : "Swap the two sizes of the grid, with their divisors.";
    if (mixed_line > 0) failure.place.line = mixed_line;
}

/// Returns the first line of the kernel that uses blockIdx.x.
int find_block_index_line(const std::string& text) {
    static const TextPattern index(R"(\bblockIdx\.x\b)");
    return find_line_in_kernel(text, index);
}

/// Notes in the failure that the kernel uses blockIdx.x for columns, although configure computes the
/// grid's x size from rows.
void explain_exchanged_columns(Failure& failure, const Evidence& evidence) {
    const int line = find_block_index_line(evidence.source.text);
    if (line == 0) return;
    failure.details +=
        wrap("In the kernel, blockIdx.x counts columns (line " + std::to_string(line) + ").");
    failure.advice += " Or, if the grid was given, swap blockIdx.x and blockIdx.y in the kernel.";
}

/// Reports whether the lanes of a warp load elements that lie further apart than the exercise
/// permits.
bool exceeds_load_limit(const Trial& trial, const Evidence& evidence) {
    const double limit = evidence.exercise.limits.load;
    const Counters counters = evidence.launch_without_checks(trial.shape).counters;
    return limit > 0 && !evidence.exercise.is_hunt &&
           static_cast<double>(counters.load_sectors) >
               2 * limit * static_cast<double>(counters.load_requests);
}

/// Notes in the failure that the kernel uses blockIdx.x for rows, although configure computes the
/// grid's x size from cols.
void explain_exchanged_sides(Failure& failure, const BlockOrigins& origins, const Trial& trial,
                             const Evidence& evidence) {
    failure.headline =
        "in the kernel, blockIdx.x counts rows, " + std::to_string(origins.step_x().row) +
        " per block, and blockIdx.y counts columns, " + std::to_string(origins.step_y().col) +
        " per block, but the grid's first size covers the columns, and its second size the rows.";
    failure.advice =
        "blockIdx.x counts rows here: in configure, compute the grid's first size from rows, and "
        "its second size from cols.";
    const int line = find_block_index_line(evidence.source.text);
    if (line == 0 || !exceeds_load_limit(trial, evidence)) return;
    failure.place.line = line;
    failure.advice =
        "Let the kernel take the column from blockIdx.x and threadIdx.x, and the row from "
        "blockIdx.y and threadIdx.y: then the lanes of a warp also read neighbouring elements.";
}

/// Notes in the failure that configure divides rows by the number of columns in a block, and cols
/// by the number of rows.
void explain_exchanged_divisors(Failure& failure, const BlockOrigins& origins) {
    const std::string rows = std::to_string(origins.step_x().row),
                      cols = std::to_string(origins.step_y().col);
    failure.headline = "in the kernel, a block covers " + rows + " rows and " + cols +
                       " columns, but the grid divides rows by " + cols + " and cols by " + rows +
                       ".";
    failure.advice = "Swap the two divisors: in configure, divide rows by " + rows +
                     " and cols by " + cols + ".";
}

std::optional<Failure> find_exchanged_grid_by_origins(const BlockOrigins& origins,
                                                      const LaunchShape& launch, const Trial& trial,
                                                      const Evidence& evidence) {
    const auto block_counts = count_needed_blocks(origins, kTestRectangle);
    const auto transposed_blocks =
        count_needed_blocks(origins, {kTestRectangle.cols, kTestRectangle.rows});
    if (!block_counts || block_counts->is_covered_by(launch)) return std::nullopt;
    const bool is_transposed = block_counts->is_transpose_of(launch);
    const GridSwaps swaps{.sizes = is_transposed,
                          .sides = transposed_blocks->equals_grid_of(launch)};
    const long long rows = origins.step_x().row, cols = origins.step_y().col;
    if (rows > 0 && rows != cols && launch.grid[0] == blocks_for(kTestRectangle.rows, cols) &&
        launch.grid[1] == blocks_for(kTestRectangle.cols, rows)) {
        Failure failure = explain_exchanged_grid(trial, evidence, swaps);
        explain_exchanged_divisors(failure, origins);
        return failure;
    }
    if (!is_transposed && !transposed_blocks->equals_grid_of(launch)) return std::nullopt;
    Failure failure = explain_exchanged_grid(trial, evidence, swaps);
    if (rows > 0 && is_transposed) explain_exchanged_indices(failure, origins, swaps, evidence);
    if (rows > 0 && !is_transposed) explain_exchanged_sides(failure, origins, trial, evidence);
    if (rows == 0) explain_exchanged_columns(failure, evidence);
    return failure;
}

// ---- explanations of the individual mistakes ----

/// Returns the second half of a sentence that says that some cells remain unwritten although there
/// are enough threads. This half names possible reasons.
std::string explain_unwritten_cells(const LaunchShape& launch,
                                    const std::optional<BlockOrigins>& origins) {
    if (!origins)
        return ", but some threads store the same cells, or are stopped by a bounds check.";
    const auto& block = launch.block;
    if (origins->step_x() == Cell{0, block[0]} && origins->step_y() == Cell{block[1], 0}) {
        return ", and the blocks lie side by side. A bounds check may stop threads, or several "
               "threads may store the same cell.";
    }
    return ", in blocks of " + format_product(block[0], block[1]) +
           " threads. Is the distance between two blocks equal to the size of a block?";
}

/// Notes in the failure that the grid is large enough, so that the learner looks elsewhere for the
/// mistake.
void explain_grid_is_large_enough(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const auto origins = find_origins_if_2d(trial.shape, trial.launch, evidence);
    failure.headline +=
        " There are enough threads for all cells" + explain_unwritten_cells(trial.launch, origins);
    failure.details += wrap(format_blocks_and_threads(trial) + ".");
    if (origins) failure.details += wrap(origins->text());
    failure.advice =
        "Work out row and col for the first thread of blocks (1, 0) and (0, 1), and for threads "
        "(1, 0) and (0, 1) of a block. Does each thread store its own cell?";
    if (const int line = find_line_with_mixed_axes(evidence.source.text); line > 0) {
        failure.place.line = line;
    }
}

/// Explains a size of the grid whose divisor is larger than the number of rows or columns that a
/// block covers. Returns false if there is no such size.
bool explain_divisor(Failure& failure, const Trial& trial, const std::string& text) {
    static const TextPattern quotient(R"(^\s*ceil_div\s*\(\s*(rows|cols)\s*,\s*(.+)\)\s*$)");
    static const TextPattern load(R"(\bin\s*\[)");
    const GridSizes grid = read_grid_sizes(text);
    const int line = find_line_in_kernel(text, load);
    const auto loops = read_loops_around(text, line);
    const MatrixIndex index = find_matrix_index(text, line, "in");
    if (line == 0 || !loops || index.inner_term.empty()) return false;
    const AccessedCell access(text, line, index.text, trial.launch, *loops);
    for (const std::size_t axis : {0U, 1U}) {
        const auto step = access.step_of(std::string("blockIdx.") + "xy"[axis]);
        TextMatch match;
        if (!step || (step->row != 0 && step->col != 0) || grid.sizes.size() <= axis ||
            !search(grid.sizes[axis], match, quotient) ||
            match.str(1) != (step->row > 0 ? "rows" : "cols"))
            continue;
        const long long covered = step->row + step->col;
        const auto divisor = IndexExpression(text, match.str(2), grid.line).value({});
        if (covered < 1 || !divisor || *divisor <= covered) continue;
        const std::string side = match.str(1), count = std::to_string(covered),
                          noun = side == "rows" ? " rows" : " columns";
        const std::string observation = first_sentence(failure.headline);
        failure.details = wrap(observation) + failure.details;
        failure.headline = "neighbouring blocks begin " + count + noun +
                           " apart in the kernel, but the grid has only one block for every " +
                           std::to_string(*divisor) + noun + ".";
        failure.place.line = grid.line;
        failure.advice = "In configure, divide " + side + " by " + count + ".";
        return true;
    }
    return false;
}

/// Reports whether all threads store the same number of elements and no element is stored twice. If
/// so, the remaining cells can be written only by additional blocks.
bool stores_each_element_once(const Trial& unchecked_trial, std::uint64_t correct_elements) {
    const auto threads = static_cast<std::uint64_t>(unchecked_trial.launch.blocks()) *
                         static_cast<std::uint64_t>(unchecked_trial.launch.threads());
    constexpr std::uint64_t floats_in_sector = 8;
    return threads > 0 && correct_elements > 0 && correct_elements % threads == 0 &&
           unchecked_trial.counters.store_sectors * floats_in_sector == correct_elements;
}

bool explain_grid_too_small(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Trial unchecked_trial = evidence.launch_without_checks(trial.shape);
    if (!unchecked_trial.comparison ||
        !stores_each_element_once(unchecked_trial, unchecked_trial.comparison->right))
        return false;
    const auto stores = trace_block_stores(trial.shape, trial.launch, evidence.relaunch);
    if (stores && stores->idle_blocks > 0) return false;
    failure.headline += " The grid is too small.";
    failure.place.line = find_configure_line(evidence.source.text, ".grid");
    failure.details +=
        wrap(format_blocks_and_threads(trial) +
             "; all of these threads store, and no two of them store the same cell.");
    explain_divisor(failure, trial, evidence.source.text);
    return true;
}

/// Reports whether the kernel uses the same grid for every matrix, and whether its blocks store no
/// more elements of this matrix than of smaller matrices, which they transposed correctly.
bool is_fixed_grid_too_small(const Trial& trial, const Evidence& evidence) {
    const Exercise& exercise = evidence.exercise;
    const auto is_smaller = [&](Shape shape) {
        return 1LL * shape.rows * shape.cols < static_cast<long long>(trial.elements());
    };
    if (!evidence.was_correct_on_whole_tiles || covers_by_threads(trial.launch, trial.shape) ||
        !std::all_of(exercise.shapes.begin(), exercise.shapes.end(), is_smaller)) {
        return false;
    }
    const Shape first_shape = exercise.shapes.front();
    for (const Shape shape : {first_shape, exercise.counted_shape}) {
        const Trial unchecked_trial = evidence.launch_without_checks(shape);
        if (!unchecked_trial.is_launched || unchecked_trial.launch.grid != trial.launch.grid)
            return false;
    }
    // If blocks loop over several tiles, a small grid is intentional, not a mistake.
    return count_first_warp_stores(trial.shape, evidence.relaunch) <=
           count_first_warp_stores(first_shape, evidence.relaunch);
}

bool explain_fixed_grid(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (!is_fixed_grid_too_small(trial, evidence)) return false;
    const Shape first_shape = evidence.exercise.shapes.front();
    failure.fault = Fault::grid_too_small;
    failure.headline += " configure returns the same launch, " + trial.launch.text() + ", for " +
                        format_product(first_shape.rows, first_shape.cols) + " and for " +
                        format_product(trial.shape.rows, trial.shape.cols) + ".";
    failure.advice =
        "Compute the grid from rows and cols with ceil_div, or make each block loop over further "
        "tiles until all are done.";
    failure.place.line = find_configure_line(evidence.source.text, ".grid");
    return true;
}

bool explain_transposed_block(Failure& failure, const LaunchShape& wide_launch, const Trial& trial,
                              const Evidence& evidence) {
    if (!fits_transposed_block(wide_launch, kTestRectangle) ||
        !fits_transposed_block(trial.launch, trial.shape)) {
        return false;
    }
    const auto& block = trial.launch.block;
    failure.fault = Fault::grid_too_small;
    failure.headline += " The grid fits blocks of " + format_product(block[1], block[0]) +
                        " threads, but the blocks have " + format_product(block[0], block[1]) + ".";
    failure.details += wrap(format_blocks_and_threads(trial) + ".");
    failure.advice = "Write the two sizes of .block in the same order as the divisors in .grid.";
    failure.place.line = find_configure_line(evidence.source.text, ".block");
    return true;
}

bool explain_grid_with_too_few_blocks(Failure& failure, const LaunchShape& wide_launch,
                                      const Trial& trial, const Evidence& evidence) {
    const auto origins = find_origins_if_2d(kTestRectangle, wide_launch, evidence);
    if (!origins) return false;
    const auto block_counts = count_needed_blocks(*origins, trial.shape);
    if (!block_counts || block_counts->is_covered_by(trial.launch) ||
        processes_several_tiles(trial, *origins))
        return false;
    failure.fault = Fault::grid_too_small;
    failure.advice = advice_for_fault(failure.fault, evidence.exercise.task());
    failure.headline += " The grid is too small: the matrix needs " +
                        format_product(block_counts->x, block_counts->y) + " blocks.";
    failure.details += wrap(origins->text() + " " + format_blocks_and_threads(trial) + ".");
    failure.place.line = find_configure_line(evidence.source.text, ".grid");
    explain_divisor(failure, trial, evidence.source.text);
    return true;
}

std::string cell_text(std::int64_t element, const Trial& trial, const Evidence& evidence) {
    const Problem problem{
        .rows = trial.shape.rows, .cols = trial.shape.cols, .produces = evidence.exercise.task()};
    return cell_name(problem.is_in_place() ? "data" : "out", problem.out_cell(element));
}

/// Notes in the failure that two blocks store the same cells, and that other cells are therefore
/// not stored at all.
void explain_store_conflict(Failure& failure, const StoreConflict& conflict, const Trial& trial,
                            const Evidence& evidence) {
    const std::string threads_text = conflict.first_block.text() + " and " +
                                     conflict.second_block.text() + " store " +
                                     cell_text(conflict.element, trial, evidence);
    failure.details += wrap(format_blocks_and_threads(trial) + ".");
    if (const auto origins = find_origins_if_2d(trial.shape, trial.launch, evidence)) {
        failure.details += wrap(origins->text());
    }
    // If the kernel was correct on other shapes, a wrong number of blocks is the cause.
    if (evidence.was_correct_on_whole_tiles || failure.fault == Fault::never_written) {
        failure.fault = Fault::never_written;
        failure.headline += " Both " + threads_text + ".";
        failure.advice =
            "Write down which tile each block processes here, and compare the number of blocks "
            "with the number of tiles.";
        return;
    }
    failure.details += wrap(failure.headline);
    failure.kind = FailureKind::race_between_blocks;
    failure.fault = Fault::none;
    failure.headline = "both " + threads_text + ", and other cells have no block that stores them.";
    failure.advice =
        "Work out which cells each of the two blocks stores. Does every index depend on blockIdx, "
        "and is the distance between two blocks equal to the size of a block?";
}

/// If only a square of the output was written, determines whether blocks processed tiles outside
/// the matrix. If they did, the written square ends at the edge of a tile. If the kernel has
/// swapped bounds instead, the square ends at the shorter side of the matrix. Returns false if
/// there is no sign of such tiles.
bool explain_tiles_outside(Failure& failure, const BlockStores& stores, const Evidence& evidence) {
    if (failure.fault != Fault::bounds_exchanged || stores.idle_blocks == 0 ||
        !evidence.exercise.accepts(kRaggedShape)) {
        return false;
    }
    const Trial unchecked_trial = evidence.launch_without_checks(kRaggedShape);
    if (!unchecked_trial.comparison || unchecked_trial.comparison->wrong > 0 ||
        unchecked_trial.comparison->is_right() ||
        unchecked_trial.comparison->fault() == Fault::bounds_exchanged) {
        return false;
    }
    failure.fault = Fault::never_written;
    const bool is_single_block = stores.idle_blocks == 1;
    failure.headline +=
        " " + format_count(static_cast<std::uint64_t>(stores.idle_blocks), "block") +
        (is_single_block ? " stores nothing: " : " store nothing; the first of them is ") +
        stores.first_idle_block->text() +
        (is_single_block ? ". Does it process a tile outside of the matrix?"
                         : ". Do they process tiles outside of the matrix?");
    failure.advice = advice_for_fault(failure.fault, evidence.exercise.task());
    return true;
}

/// Explains unwritten cells by the cells that each block stores. Returns false if there is no such
/// explanation.
bool explain_by_block_stores(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (!trial.comparison || trial.comparison->wrong > 0) return false;
    const auto stores = trace_block_stores(trial.shape, trial.launch, evidence.relaunch);
    if (!stores) return false;
    if (!stores->conflict) return explain_tiles_outside(failure, *stores, evidence);
    explain_store_conflict(failure, *stores->conflict, trial, evidence);
    return true;
}

/// Reports whether configure computes the grid's second size from the matrix.
bool has_second_size(const std::string& text) {
    const GridSizes grid = read_grid_sizes(text);
    return grid.sizes.size() > 1 &&
           (contains_word(grid.sizes[1], "rows") || contains_word(grid.sizes[1], "cols"));
}

/// Explains a one-dimensional launch of a kernel that uses indices along two axes. Returns false
/// for all other launches.
bool explain_flat_launch(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string code = code_for_search(evidence.source.text);
    const auto wide_launch = configure_for_rectangle(evidence);
    if (!wide_launch) return false;
    const bool is_block_flat = wide_launch->block[1] == 1 && code.find("threadIdx.y") != code.npos;
    const bool uses_size = code.find("gridDim.y") != code.npos;
    // A grid with a second size that is small is not flat.
    const bool is_grid_flat = wide_launch->grid[1] == 1 && !has_second_size(evidence.source.text) &&
                              (uses_size || code.find("blockIdx.y") != code.npos);
    if (!is_block_flat && !is_grid_flat) return false;
    if (!is_block_flat && uses_size) {
        failure.headline += " configure gives " + trial.launch.text() +
                            ", so gridDim.y, which the kernel uses, is 1.";
        failure.place.line = find_configure_line(evidence.source.text, ".grid");
        failure.advice =
            "In configure, give the grid two sizes; or let the kernel compute the number of rows "
            "of tiles from rows, with ceil_div.";
        return true;
    }
    const std::string index = is_block_flat ? "threadIdx.y" : "blockIdx.y";
    const auto& sizes = is_block_flat ? trial.launch.block : trial.launch.grid;
    failure.headline +=
        " configure gives " + std::string(is_block_flat ? "a block of " : "a grid of ") +
        format_product(sizes[0], sizes[1]) + (is_block_flat ? " threads" : " blocks") + ", so " +
        index + ", which the kernel uses, is always 0.";
    failure.place.line =
        find_configure_line(evidence.source.text, is_block_flat ? ".block" : ".grid");
    failure.advice =
        "In configure, set both sizes: the size along x for one axis of the matrix, and the size "
        "along y for the other axis.";
    return true;
}

bool explain_too_few_blocks(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (const auto wide_launch = configure_for_rectangle(evidence)) {
        if (explain_transposed_block(failure, *wide_launch, trial, evidence) ||
            explain_grid_with_too_few_blocks(failure, *wide_launch, trial, evidence)) {
            return true;
        }
    }
    return failure.fault == Fault::grid_too_small &&
           explain_grid_too_small(failure, trial, evidence);
}

}  // namespace

std::optional<Failure> find_exchanged_grid(const Trial& trial, const Evidence& evidence) {
    const bool is_square = trial.shape.rows == trial.shape.cols;
    const bool is_by_threads = fits_exchanged_grid(trial.launch, trial.shape);
    const auto launch = configure_for_rectangle(evidence);
    // The number of threads says nothing about a kernel in which blockIdx.x counts rows.
    const auto origins = launch ? find_origins_if_2d(kTestRectangle, *launch, evidence)
                                : std::optional<BlockOrigins>();
    if (origins && origins->step_x().row > 0)
        return find_exchanged_grid_by_origins(*origins, *launch, trial, evidence);
    if (is_by_threads && !is_square) {
        return explain_exchanged_grid(trial, evidence, swaps_for(trial.launch, trial.shape));
    }
    if (!launch) return std::nullopt;
    if (is_by_threads && fits_exchanged_grid(*launch, kTestRectangle)) {
        return explain_exchanged_grid(trial, evidence, swaps_for(*launch, kTestRectangle));
    }
    if (!origins) return std::nullopt;
    return find_exchanged_grid_by_origins(*origins, *launch, trial, evidence);
}

bool explain_by_launch(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (explain_flat_launch(failure, trial, evidence) ||
        explain_fixed_grid(failure, trial, evidence) ||
        explain_by_block_stores(failure, trial, evidence)) {
        return true;
    }
    if (!covers_by_threads(trial.launch, trial.shape)) {
        return explain_too_few_blocks(failure, trial, evidence);
    }
    if (failure.fault != Fault::grid_too_small && failure.fault != Fault::part_of_each_tile) {
        return false;
    }
    explain_grid_is_large_enough(failure, trial, evidence);
    return true;
}

}  // namespace coalesce
