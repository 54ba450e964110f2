#include "harness/diagnosis.h"

#include <algorithm>

namespace coalesce {
namespace {

/// The approximate number of wrong cells to examine closely. Examining a cell takes a microsecond.
constexpr std::uint64_t kMaxExaminedCells = 1 << 20;
/// The number of wrong cells that each thread examines at the start of its share, so that the
/// example in a message is one of the first wrong cells.
constexpr std::uint64_t kExaminedAtStart = 1024;
/// The approximate number of examined cells to store for the rules in rules.h.
constexpr std::uint64_t kMaxSampledCells = 1 << 14;

}  // namespace

void Tally::note(std::int64_t index, Bits bits, bool is_cell_untouched) {
    ++count;
    if (first >= 0 && first <= index) return;
    first = index;
    actual_bits = bits;
    is_untouched = is_cell_untouched;
}

void Tally::merge(const Tally& other) {
    const std::uint64_t total_count = count + other.count;
    if (other.first >= 0 && (first < 0 || other.first < first)) *this = other;
    count = total_count;
}

Diagnosis::Diagnosis(const Comparison& comparison)
    : comparison_(comparison),
      problem_(comparison.problem),
      matrix_(problem_.problem_of_one_matrix()),
      pattern_(problem_.element_size, problem_.seed),
      sampling_interval_(static_cast<std::uint32_t>(1 + comparison.wrong / kMaxExaminedCells)),
      explained_(hypotheses().size()),
      bad_tiles_(static_cast<std::size_t>(out_tiles(kSmallestTile).count())) {
    for (const std::int64_t side : kTileSides) {
        tiles_.push_back(
            {side, {matrix_.out_rows() / side * side, matrix_.out_cols() / side * side}});
    }
}

/// Reports whether to examine a wrong cell. Selects the first cells and a pseudorandom sample of
/// the rest, which preserves any pattern of tiles.
bool Diagnosis::is_examined(std::int64_t index) const {
    if (wrong_cells_.count < kExaminedAtStart) return true;
    return mix(static_cast<std::uint32_t>(index)) % sampling_interval_ == 0;
}

void Diagnosis::record_cell(Cell out, Bits actual_bits, bool is_untouched) {
    const std::int64_t index = out.row * problem_.out_cols() + out.col;
    bad_cells_.note(index, actual_bits, is_untouched);
    record_position(out, is_untouched);
    if (is_untouched || !is_examined(index)) return;
    const ObservedCell observed_cell(problem_, pattern_, index, actual_bits, is_untouched);
    wrong_cells_.note(observed_cell);
    const ObservedCell cell_in_matrix = observed_cell.relative_to(matrix_);
    record_value(observed_cell, cell_in_matrix);
    record_value_change(observed_cell);
    add_to_sample(observed_cell, cell_in_matrix);
    for (std::size_t i = 0; i < explained_.size(); ++i) {
        const Hypothesis& hypothesis = hypotheses()[i];
        const ObservedCell& hypothesis_cell =
            hypothesis.is_of_array ? observed_cell : cell_in_matrix;
        if (hypothesis.explains(hypothesis_cell)) explained_[i].note(observed_cell);
    }
}

void Diagnosis::LineCounts::note(std::int64_t row, std::int64_t col) {
    ++rows[static_cast<std::size_t>(row % kLinePeriod)];
    ++cols[static_cast<std::size_t>(col % kLinePeriod)];
}

void Diagnosis::TileTallies::merge(const TileTallies& other) {
    bad_in_full_tiles += other.bad_in_full_tiles;
    wrong.merge(other.wrong);
    from_untransposed_tile.merge(other.from_untransposed_tile);
    in_same_tile.merge(other.in_same_tile);
}

void Diagnosis::LineCounts::merge(const LineCounts& other) {
    for (std::size_t i = 0; i < kLinePeriod; ++i) {
        rows[i] += other.rows[i];
        cols[i] += other.cols[i];
    }
}

void Diagnosis::record_position(Cell out, bool is_untouched) {
    const std::int64_t row = out.row % matrix_.out_rows();
    bad_lines_.note(row, out.col);
    if (is_untouched) untouched_lines_.note(row, out.col);
    bad_tiles_[out_tiles(kSmallestTile).tile_index(out)] = true;
    for (TileTallies& tiles : tiles_) {
        tiles.bad_in_full_tiles += row < tiles.full_end.row && out.col < tiles.full_end.col;
    }
    above_diagonal_ += out.row < out.col;
    below_diagonal_ += out.row > out.col;
}

void Diagnosis::record_value(const ObservedCell& observed_cell,
                             const ObservedCell& cell_in_matrix) {
    if (observed_cell.contains_guard_bytes()) guard_values_.note(observed_cell);
    if (observed_cell.is_not_from_input()) foreign_values_.note(observed_cell);
    for (TileTallies& tiles : tiles_) {
        if (is_of_wrong_tile(cell_in_matrix, tiles.side)) tiles.wrong.note(observed_cell);
        if (is_of_untransposed_tile(cell_in_matrix, tiles.side))
            tiles.from_untransposed_tile.note(observed_cell);
        if (is_of_same_tile(cell_in_matrix, tiles.side)) tiles.in_same_tile.note(observed_cell);
    }
}

/// Classifies how the value in the cell differs from the expected value.
void Diagnosis::record_value_change(const ObservedCell& observed_cell) {
    if (!observed_cell.expected) return;
    const std::size_t size = problem_.element_size;
    const Bits expected_bits =
        pattern_.value_at(static_cast<std::uint64_t>(problem_.index(*observed_cell.expected)));
    value_changes_[static_cast<std::size_t>(
                       classify_change(expected_bits, observed_cell.actual_bits, size))]
        .note(observed_cell);
    // A value that occurs in the input was moved, not computed.
    if (observed_cell.source) return;
    const Bits bits_before =
        problem_.is_in_place() ? pattern_.value_at(static_cast<std::uint64_t>(observed_cell.index))
                               : pattern_.poison();
    // A sum that is a NaN can result from many different pairs of values, so do not use it as the
    // example.
    if (is_sum(observed_cell.actual_bits, expected_bits, bits_before, size) &&
        !is_nan(observed_cell.actual_bits, size))
        sum_values_.note(observed_cell);
    bool is_whole = false;
    for (const Integer type : {Integer::signed_32, Integer::unsigned_32, Integer::signed_64}) {
        if (!is_converted(observed_cell.actual_bits, expected_bits, size, type)) continue;
        converted_values_[static_cast<std::size_t>(type)].note(observed_cell);
        is_whole = !is_zero(observed_cell.actual_bits, size);
    }
    if (is_whole) nonzero_converted_values_.note(observed_cell);
}

void Diagnosis::add_to_sample(const ObservedCell& observed_cell,
                              const ObservedCell& cell_in_matrix) {
    if (observed_cell.contains_guard_bytes()) return;
    const std::uint64_t examined_count = std::min(comparison_.wrong, kMaxExaminedCells);
    const auto cells_per_sample = static_cast<std::uint32_t>(1 + examined_count / kMaxSampledCells);
    if (mix(static_cast<std::uint32_t>(observed_cell.index)) / sampling_interval_ %
            cells_per_sample !=
        0)
        return;
    ++sample_.count;
    ++array_sample_.count;
    if (observed_cell.source && problem_.batches() > 0) {
        array_sample_.cells.push_back({observed_cell.index, problem_.index(*observed_cell.source)});
    }
    if (!cell_in_matrix.source) return;
    sample_.cells.push_back({cell_in_matrix.index, matrix_.index(*cell_in_matrix.source),
                             observed_cell.index - cell_in_matrix.index});
}

void Diagnosis::merge(const Diagnosis& other) {
    const auto merge_all = [](auto& target, const auto& source) {
        for (std::size_t i = 0; i < target.size(); ++i) target[i].merge(source[i]);
    };
    merge_all(explained_, other.explained_);
    merge_all(value_changes_, other.value_changes_);
    merge_all(tiles_, other.tiles_);
    merge_all(converted_values_, other.converted_values_);
    sum_values_.merge(other.sum_values_);
    nonzero_converted_values_.merge(other.nonzero_converted_values_);
    const auto add_sample = [](Sample& target, const Sample& source) {
        target.count += source.count;
        target.cells.insert(target.cells.end(), source.cells.begin(), source.cells.end());
    };
    add_sample(sample_, other.sample_);
    add_sample(array_sample_, other.array_sample_);
    bad_cells_.merge(other.bad_cells_);
    wrong_cells_.merge(other.wrong_cells_);
    guard_values_.merge(other.guard_values_);
    foreign_values_.merge(other.foreign_values_);
    bad_lines_.merge(other.bad_lines_);
    untouched_lines_.merge(other.untouched_lines_);
    above_diagonal_ += other.above_diagonal_;
    below_diagonal_ += other.below_diagonal_;
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (other.bad_tiles_[i]) bad_tiles_[i] = true;
    }
}

Finding Diagnosis::make_finding(Fault fault, const Tally& example, const std::string& meaning,
                                const std::string& guess) const {
    const ObservedCell observed_cell(problem_, pattern_, example.first, example.actual_bits,
                                     example.is_untouched);
    return {fault, observed_cell.text() + ": " + meaning, guess};
}

Finding Diagnosis::conclude() const {
    return comparison_.wrong == 0 ? conclude_untouched() : conclude_wrong();
}

Finding Diagnosis::make_finding(const Explanation& explanation) const {
    const auto [index, source, matrix_offset] = explanation.example;
    Tally example;
    example.note(matrix_offset + index,
                 pattern_.value_at(static_cast<std::uint64_t>(matrix_offset + source)), false);
    return make_finding(explanation.fault, example, explanation.meaning);
}

/// Reports whether there are too few bad cells to show a pattern. A mistake in a kernel affects
/// many threads, so a pattern among a few cells would be due to chance.
bool Diagnosis::has_too_few_bad_cells() const {
    return bad_cells_.count < 2 ||
           64 * bad_cells_.count < static_cast<std::uint64_t>(problem_.elements());
}

/// Returns the number of matrices in the output.
std::uint64_t Diagnosis::count_matrices() const {
    return static_cast<std::uint64_t>(problem_.elements() / matrix_.elements());
}

/// Returns, for each tile of `side` x `side` cells, whether it contains a bad cell. `side` must be
/// a multiple of kSmallestTile.
std::vector<bool> Diagnosis::bad_tiles(std::int64_t side) const {
    const TileGrid small_grid = out_tiles(kSmallestTile), large_grid = out_tiles(side);
    std::vector<bool> is_bad_tile(static_cast<std::size_t>(large_grid.count()));
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (!bad_tiles_[i]) continue;
        const auto tile_number = static_cast<std::int64_t>(i);
        is_bad_tile[large_grid.tile_index({tile_number / small_grid.tiles().col * kSmallestTile,
                                           tile_number % small_grid.tiles().col * kSmallestTile})] =
            true;
    }
    return is_bad_tile;
}

std::uint64_t Diagnosis::cells_of_bad_tiles(std::int64_t side) const {
    const std::vector<bool> bad = bad_tiles(side);
    const TileGrid grid = out_tiles(side);
    std::uint64_t cell_count = 0;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        if (!bad[i]) continue;
        const auto tile_number = static_cast<std::int64_t>(i);
        cell_count += grid.cell_count(tile_number);
        // In an in-place transpose, a cell on the diagonal stays where it is, so it is correct even
        // if the kernel does nothing.
        const std::int64_t row = tile_number / grid.tiles().col,
                           col = tile_number % grid.tiles().col;
        if (problem_.is_in_place() && row == col) {
            cell_count -= static_cast<std::uint64_t>(std::min(side, grid.rows - row * side));
        }
    }
    return cell_count;
}

}  // namespace coalesce
