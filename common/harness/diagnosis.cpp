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

void Tally::note(std::int64_t index, Bits what, bool untouched) {
    ++count;
    if (first >= 0 && first <= index) return;
    first = index;
    held = what;
    is_untouched = untouched;
}

void Tally::merge(const Tally& other) {
    const std::uint64_t sum = count + other.count;
    if (other.first >= 0 && (first < 0 || other.first < first)) *this = other;
    count = sum;
}

Diagnosis::Diagnosis(const Comparison& comparison)
    : comparison_(comparison),
      problem_(comparison.problem),
      matrix_(problem_.for_one_matrix()),
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

void Diagnosis::record_cell(Cell out, Bits held, bool is_untouched) {
    const std::int64_t index = out.row * problem_.out_cols() + out.col;
    bad_cells_.note(index, held, is_untouched);
    record_position(out, is_untouched);
    if (is_untouched || !is_examined(index)) return;
    const ObservedCell look(problem_, pattern_, index, held, is_untouched);
    wrong_cells_.note(look);
    const ObservedCell in_matrix = look.relative_to(matrix_);
    record_value(look, in_matrix);
    record_value_change(look);
    add_to_sample(look, in_matrix);
    for (std::size_t i = 0; i < explained_.size(); ++i) {
        const Hypothesis& hypothesis = hypotheses()[i];
        const ObservedCell& seen = hypothesis.is_of_array ? look : in_matrix;
        if (hypothesis.explains(seen)) explained_[i].note(look);
    }
}

void Diagnosis::LineCounts::note(std::int64_t row, std::int64_t col) {
    ++rows[static_cast<std::size_t>(row % kPeriod)];
    ++cols[static_cast<std::size_t>(col % kPeriod)];
}

void Diagnosis::TileTallies::merge(const TileTallies& other) {
    inside += other.inside;
    wrong.merge(other.wrong);
    untransposed.merge(other.untransposed);
    same.merge(other.same);
}

void Diagnosis::LineCounts::merge(const LineCounts& other) {
    for (std::size_t i = 0; i < kPeriod; ++i) {
        rows[i] += other.rows[i];
        cols[i] += other.cols[i];
    }
}

void Diagnosis::record_position(Cell out, bool is_untouched) {
    const std::int64_t row = out.row % matrix_.out_rows();
    bad_lines_.note(row, out.col);
    if (is_untouched) untouched_lines_.note(row, out.col);
    bad_tiles_[out_tiles(kSmallestTile).number_of(out)] = true;
    for (TileTallies& tiles : tiles_) {
        tiles.inside += row < tiles.full_end.row && out.col < tiles.full_end.col;
    }
    above_diagonal_ += out.row < out.col;
    below_diagonal_ += out.row > out.col;
}

void Diagnosis::record_value(const ObservedCell& look, const ObservedCell& in_matrix) {
    if (look.contains_guard_bytes()) guard_values_.note(look);
    if (look.is_not_from_input()) foreign_values_.note(look);
    for (TileTallies& tiles : tiles_) {
        if (is_of_wrong_tile(in_matrix, tiles.side)) tiles.wrong.note(look);
        if (is_of_untransposed_tile(in_matrix, tiles.side)) tiles.untransposed.note(look);
        if (is_of_same_tile(in_matrix, tiles.side)) tiles.same.note(look);
    }
}

/// Classifies how the value in the cell differs from the expected value.
void Diagnosis::record_value_change(const ObservedCell& look) {
    if (!look.expected) return;
    const std::size_t size = problem_.element_size;
    const Bits right =
        pattern_.value_at(static_cast<std::uint64_t>(problem_.index(*look.expected)));
    value_changes_[static_cast<std::size_t>(classify_change(right, look.held, size))].note(look);
    // A value that occurs in the input was moved, not computed.
    if (look.source) return;
    const Bits before = problem_.is_in_place()
                            ? pattern_.value_at(static_cast<std::uint64_t>(look.index))
                            : pattern_.poison();
    // A sum that is a NaN can result from many different pairs of values, so do not use it as the
    // example.
    if (is_sum(look.held, right, before, size) && !is_nan(look.held, size)) sum_values_.note(look);
    bool is_whole = false;
    for (const Integer type : {Integer::signed_32, Integer::unsigned_32, Integer::signed_64}) {
        if (!is_converted(look.held, right, size, type)) continue;
        converted_values_[static_cast<std::size_t>(type)].note(look);
        is_whole = !is_zero(look.held, size);
    }
    if (is_whole) nonzero_converted_values_.note(look);
}

void Diagnosis::add_to_sample(const ObservedCell& look, const ObservedCell& in_matrix) {
    if (look.contains_guard_bytes()) return;
    const std::uint64_t close = std::min(comparison_.wrong, kMaxExaminedCells);
    const auto one_in = static_cast<std::uint32_t>(1 + close / kMaxSampledCells);
    if (mix(static_cast<std::uint32_t>(look.index)) / sampling_interval_ % one_in != 0) return;
    ++sample_.count;
    ++array_sample_.count;
    if (look.source && problem_.batches() > 0) {
        array_sample_.cells.push_back({look.index, problem_.index(*look.source)});
    }
    if (!in_matrix.source) return;
    sample_.cells.push_back(
        {in_matrix.index, matrix_.index(*in_matrix.source), look.index - in_matrix.index});
}

void Diagnosis::merge(const Diagnosis& other) {
    const auto merge_all = [](auto& mine, const auto& theirs) {
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i].merge(theirs[i]);
    };
    merge_all(explained_, other.explained_);
    merge_all(value_changes_, other.value_changes_);
    merge_all(tiles_, other.tiles_);
    merge_all(converted_values_, other.converted_values_);
    sum_values_.merge(other.sum_values_);
    nonzero_converted_values_.merge(other.nonzero_converted_values_);
    const auto add_sample = [](Sample& mine, const Sample& theirs) {
        mine.count += theirs.count;
        mine.cells.insert(mine.cells.end(), theirs.cells.begin(), theirs.cells.end());
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
    const ObservedCell look(problem_, pattern_, example.first, example.held, example.is_untouched);
    return {fault, look.text() + ": " + meaning, guess};
}

Finding Diagnosis::conclude() const {
    return comparison_.wrong == 0 ? conclude_untouched() : conclude_wrong();
}

Finding Diagnosis::make_finding(const Explanation& explanation) const {
    const auto [index, source, before] = explanation.example;
    Tally example;
    example.note(before + index, pattern_.value_at(static_cast<std::uint64_t>(before + source)),
                 false);
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
    const TileGrid small = out_tiles(kSmallestTile), large = out_tiles(side);
    std::vector<bool> bad(static_cast<std::size_t>(large.count()));
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (!bad_tiles_[i]) continue;
        const auto number = static_cast<std::int64_t>(i);
        bad[large.number_of({number / small.tiles().col * kSmallestTile,
                             number % small.tiles().col * kSmallestTile})] = true;
    }
    return bad;
}

std::uint64_t Diagnosis::cells_of_bad_tiles(std::int64_t side) const {
    const std::vector<bool> bad = bad_tiles(side);
    const TileGrid grid = out_tiles(side);
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        if (!bad[i]) continue;
        const auto number = static_cast<std::int64_t>(i);
        cells += grid.cell_count(number);
        // In an in-place transpose, a cell on the diagonal stays where it is, so it is correct even
        // if the kernel does nothing.
        const std::int64_t row = number / grid.tiles().col, col = number % grid.tiles().col;
        if (problem_.is_in_place() && row == col) {
            cells -= static_cast<std::uint64_t>(std::min(side, grid.rows - row * side));
        }
    }
    return cells;
}

}  // namespace coalesce
