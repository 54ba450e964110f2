// Diagnoses outputs with wrong values.
#include <algorithm>
#include <set>
#include <utility>

#include "base/first_found.h"
#include "harness/diagnosis.h"
#include "harness/rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

std::string tile_name(Cell cell, std::int64_t side) {
    return cell_name("tile ", {cell.row / side, cell.col / side});
}

}  // namespace

Finding Diagnosis::conclude_wrong() const {
    using DiagnosisRule = Diagnosis;
    auto finding =
        first_found({&DiagnosisRule::find_stores_to_one_line,
                     &DiagnosisRule::find_overwritten_cells, &DiagnosisRule::find_half_exchanged,
                     &DiagnosisRule::find_rule_for_pattern, &DiagnosisRule::find_wrong_batches,
                     &DiagnosisRule::find_read_outside, &DiagnosisRule::find_computed_value,
                     &DiagnosisRule::find_lost_bits, &DiagnosisRule::find_missed_edge},
                    *this);
    if (!finding && !has_too_few_bad_cells()) {
        finding = first_found(
            {&DiagnosisRule::find_whole_tiles, &DiagnosisRule::find_scrambled_cells,
             &DiagnosisRule::find_lost_component, &DiagnosisRule::find_missed_part_of_tile,
             &DiagnosisRule::find_mixed_tiles, &DiagnosisRule::find_wrong_tile},
            *this);
    }
    if (!finding) finding = find_foreign_values();
    return finding ? *finding : conclude_scattered();
}

std::optional<Finding> Diagnosis::find_read_outside() const {
    if (2 * guard_values_.count < wrong_cells_.count) return std::nullopt;
    return make_finding(Fault::read_outside, guard_values_, "the kernel read outside of its input");
}

std::optional<Finding> Diagnosis::find_foreign_values() const {
    if (2 * foreign_values_.count < wrong_cells_.count) return std::nullopt;
    return make_finding(
        Fault::value_not_of_input, foreign_values_,
        "this value does not occur in the input. Was it computed, or read from memory that "
        "was never written?" +
            std::string(comparison_.wrong == 1 ? " No other cell is wrong" : ""));
}

/// Recognizes outputs in which all values were stored to the first row or the first column. Ignores
/// the values in this row or column, because they show only which thread stored last.
std::optional<Finding> Diagnosis::find_stores_to_one_line() const {
    const bool is_row = comparison_.written_rows == 1, is_column = comparison_.written_cols == 1;
    const bool is_one_line =
        is_row != is_column && problem_.out_rows() > 1 && problem_.out_cols() > 1;
    if (!is_one_line || problem_.is_in_place()) return std::nullopt;
    return make_finding(
        Fault::line_repeated, wrong_cells_,
        is_row ? "every store goes to the first row of out: the index has no term that is "
                 "multiplied by the length of a row"
               : "every store goes to the first column of out: the index has no term for "
                 "the position within a row");
}

Finding Diagnosis::conclude_scattered() const {
    const std::string right_text = "; " + std::to_string(comparison_.right) + " of " +
                                   format_count(problem_.elements(), "cell") +
                                   (comparison_.right == 1 ? " is right" : " are right");
    if (comparison_.wrong == 1)
        return make_finding(Fault::scattered, wrong_cells_,
                            "this is the only wrong cell" + right_text);
    return make_finding(Fault::scattered, wrong_cells_,
                        "no simple mistake explains the " + std::to_string(comparison_.wrong) +
                            " wrong cells" + right_text + ". Look at the map");
}

/// Looks for a mistake that predicts the value of each wrong cell. Returns the mistake that
/// explains the most cells, if it explains nearly all of them.
std::optional<Finding> Diagnosis::find_rule_for_pattern() const {
    if (has_too_few_bad_cells()) return std::nullopt;
    // A hypothesis need not explain cells at the edge that contain the bytes of a guard band.
    const std::uint64_t cells_to_explain = wrong_cells_.count - guard_values_.count;
    const std::size_t best_hypothesis = find_best_hypothesis();
    const Explanation rule = find_best_rule();
    const double rule_share = fraction_of(rule.explained_count, rule.applicable_count);
    std::optional<Finding> finding;
    const double hypothesis_share =
        fraction_of(explained_[best_hypothesis].count, cells_to_explain);
    // If a rule and a hypothesis explain the same number of wrong cells, prefer the one that does
    // not predict errors in correct cells.
    const bool prefers_rule =
        rule_share > hypothesis_share ||
        (rule_share == hypothesis_share && rule.fault == Fault::neighbour_repeated &&
         !fits_right_cells(hypotheses()[best_hypothesis]));
    if (prefers_rule) {
        if (!is_nearly_all(rule.explained_count, rule.applicable_count)) return std::nullopt;
        // If the distance is a whole number of tiles, describe it as a distance between tiles.
        if (auto tiles = rule.fault == Fault::shifted ? find_whole_tiles() : std::nullopt)
            return tiles;
        if (rule.fault == Fault::shifted && is_of_component()) {
            finding = make_finding(rule);
            finding->fault = Fault::scrambled_in_tile;
            finding->sentence +=
                describe_exceptions() + ". Does one component of a vector use a different index?";
            return finding;
        }
        finding = make_finding(rule);
        const bool applies_to_all_cells =
            rule.fault != Fault::neighbours_exchanged && rule.fault != Fault::neighbour_repeated;
        if (applies_to_all_cells &&
            2 * comparison_.right > static_cast<std::uint64_t>(problem_.elements())) {
            finding->sentence += describe_exceptions();
        }
    } else if (is_nearly_all(explained_[best_hypothesis].count, cells_to_explain)) {
        const Hypothesis& hypothesis = hypotheses()[best_hypothesis];
        finding = make_finding(hypothesis.fault, explained_[best_hypothesis], hypothesis.meaning);
        if (!fits_right_cells(hypothesis)) {
            if (auto part = find_partial_exchange(hypothesis.fault)) return part;
            finding->sentence += describe_exceptions();
        }
    }
    return finding;
}

/// Recognizes outputs in which the same few elements of every piece of 4 x 4 are not exchanged with
/// their mirror images, although the other elements of the piece are.
std::optional<Finding> Diagnosis::find_partial_exchange(Fault fault) const {
    constexpr std::int64_t side = 4;
    if (fault != Fault::tile_not_transposed || comparison_.untouched > 0) return std::nullopt;
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (const SampledCell& cell : sample_.cells) {
        const std::int64_t row = cell.index / matrix_.out_cols() % side,
                           col = cell.index % matrix_.out_cols() % side;
        places.insert({std::min(row, col), std::max(row, col)});
    }
    const std::uint64_t pieces = static_cast<std::uint64_t>(matrix_.elements() / (side * side));
    const bool fits_pieces = comparison_.wrong == 2 * places.size() * pieces;
    if (places.empty() || places.size() > 3 || !fits_pieces) return std::nullopt;
    std::string text;
    for (const auto& [row, col] : places) {
        const std::string low = std::to_string(row), high = std::to_string(col);
        text += (text.empty() ? "(" : "; and (") + low + "," + high + ") and (" + high + "," + low +
                ")";
    }
    return make_finding(Fault::scrambled_in_tile, wrong_cells_,
                        "in each piece of 4 x 4, the elements " + text +
                            " are not exchanged with each other; all others are");
}

/// Recognizes batches whose matrices were stored to, or read from, the wrong position.
std::optional<Finding> Diagnosis::find_wrong_batches() const {
    // If whole matrices are stored to, or read from, the wrong position, they still fill the whole
    // output. Unwritten cells are the sign of a different mistake, for example that all blocks
    // store to the same matrix.
    if (has_too_few_bad_cells() || comparison_.untouched > 0) return std::nullopt;
    const Explanation finding = explain_by_batches(problem_, array_sample_);
    if (!is_nearly_all(finding.explained_count, finding.applicable_count)) return std::nullopt;
    return make_finding(finding);
}

/// Returns a note if the mistake should have made more cells wrong than it did, and "" otherwise.
std::string Diagnosis::describe_exceptions() const {
    const BadLines lines = bad_lines();
    if (!lines.text.empty()) return ". This does not apply everywhere: " + lines.text;
    return ". This does not apply everywhere: " + std::to_string(comparison_.right) + " of " +
           format_count(problem_.elements(), "cell") +
           (comparison_.right == 1 ? " is right" : " are right");
}

/// Returns the hypothesis that explains the most wrong cells. If several explain the same number,
/// prefers the first that also predicts the number of wrong cells.
std::size_t Diagnosis::find_best_hypothesis() const {
    const auto has_smaller_count = [](const Tally& a, const Tally& b) { return a.count < b.count; };
    const auto most_explained =
        std::max_element(explained_.begin(), explained_.end(), has_smaller_count);
    const auto best_index = static_cast<std::size_t>(most_explained - explained_.begin());
    if (!is_nearly_all(most_explained->count, wrong_cells_.count - guard_values_.count))
        return best_index;
    for (std::size_t i = best_index; i < explained_.size(); ++i) {
        if (explained_[i].count == most_explained->count && fits_right_cells(hypotheses()[i]))
            return i;
    }
    return best_index;
}

/// Reports whether the number of wrong cells is close to the number that the mistake would cause. A
/// correct cell that the mistake would have changed is evidence against the mistake.
bool Diagnosis::fits_right_cells(const Hypothesis& hypothesis) const {
    const double bad_fraction =
        fraction_of(bad_cells_.count, static_cast<std::uint64_t>(problem_.elements()));
    return fraction_of_cells_made_wrong(hypothesis) < 1.25 * bad_fraction;
}

/// Returns the fraction of the output's cells that the mistake would make wrong.
double Diagnosis::fraction_of_cells_made_wrong(const Hypothesis& hypothesis) const {
    constexpr std::int64_t max_tries = 4096;
    const std::int64_t sampling_step = 1 + problem_.elements() / max_tries;
    std::uint64_t tried_count = 0, wrong_count = 0;
    for (std::int64_t i = 0; i < problem_.elements(); i += sampling_step, ++tried_count) {
        const auto expected_cell = problem_.source_of(problem_.out_cell(i));
        if (!expected_cell) continue;
        const Bits actual_bits =
            pattern_.value_at(static_cast<std::uint64_t>(problem_.index(*expected_cell)));
        const ObservedCell observed_cell(problem_, pattern_, i, actual_bits, false);
        const ObservedCell hypothesis_cell =
            hypothesis.is_of_array ? observed_cell : observed_cell.relative_to(matrix_);
        wrong_count += !hypothesis.explains(hypothesis_cell);
    }
    return fraction_of(wrong_count, tried_count);
}

/// Returns the rule in rules.h that explains the most wrong cells.
Explanation Diagnosis::find_best_rule() const {
    // A wrong pitch moves nearly all cells, so consider it only if at most half of the cells are
    // correct.
    const bool may_be_pitch =
        2 * comparison_.right <= static_cast<std::uint64_t>(problem_.elements());
    const Explanation pitch_explanation =
        may_be_pitch ? explain_by_pitch(matrix_, sample_) : Explanation{};
    const Explanation component_explanation = explain_by_components(matrix_, sample_);
    Explanation best_explanation = explain_by_shift(matrix_, sample_);
    const bool explain_equally_well = best_explanation.explained_count > 0 &&
                                      !is_better(best_explanation, pitch_explanation) &&
                                      !is_better(pitch_explanation, best_explanation);
    if (explain_equally_well) best_explanation.meaning += "; or " + pitch_explanation.meaning;
    if (is_better(pitch_explanation, best_explanation)) best_explanation = pitch_explanation;
    // If all components of a vector are shifted by the same distance, prefer the simpler
    // explanation, which is a constant distance.
    const bool prefers_components = component_explanation.explained_count > 0 &&
                                    !is_better(best_explanation, component_explanation);
    return prefers_components ? component_explanation : best_explanation;
}

/// Recognizes values that were computed from the correct values, for example by adding the old
/// output.
std::optional<Finding> Diagnosis::find_computed_value() const {
    const Tally& nan_changes = value_changes_[static_cast<std::size_t>(ValueChange::nan_changed)];
    // Require more sums than could occur by chance.
    if (10 * sum_values_.count >= wrong_cells_.count &&
        is_nearly_all(sum_values_.count + nan_changes.count, wrong_cells_.count)) {
        return make_finding(
            Fault::value_added, sum_values_,
            std::string("the value is the sum of the expected value and the old value in ") +
                out_matrix() + ". Was the value added (+=) instead of assigned (=)?");
    }
    std::size_t best_type = 0;
    for (std::size_t i = 1; i < converted_values_.size(); ++i) {
        if (converted_values_[i].count > converted_values_[best_type].count) best_type = i;
    }
    // Cells that contain zero prove nothing by themselves, so also require cells with other values.
    const bool has_evidence =
        20 * nonzero_converted_values_.count >= wrong_cells_.count && !has_too_few_bad_cells();
    if (!has_evidence || !is_nearly_all(converted_values_[best_type].count, wrong_cells_.count))
        return std::nullopt;
    return make_finding(Fault::value_converted, nonzero_converted_values_,
                        std::string("the value seems to have been converted to ") +
                            integer_type_name(static_cast<Integer>(best_type)) +
                            ", which drops the fraction and clamps large values");
}

/// Recognizes values that are nearly correct, because a conversion or a computation changed only
/// some of their bits.
std::optional<Finding> Diagnosis::find_lost_bits() const {
    const auto find_tally = [&](ValueChange change) -> const Tally& {
        return value_changes_[static_cast<std::size_t>(change)];
    };
    const Tally &nan_changes = find_tally(ValueChange::nan_changed),
                &zero_changes = find_tally(ValueChange::negative_zero_lost),
                &subnormal_changes = find_tally(ValueChange::subnormal_flushed),
                &small_changes = find_tally(ValueChange::close),
                &range_changes = find_tally(ValueChange::out_of_range),
                &sign_changes = find_tally(ValueChange::sign_changed);
    const std::uint64_t special_count =
        nan_changes.count + zero_changes.count + subnormal_changes.count;
    if (is_nearly_all(special_count, wrong_cells_.count)) {
        const std::string advice = ". Copy the bits, without any arithmetic";
        if (subnormal_changes.count >= nan_changes.count &&
            subnormal_changes.count >= zero_changes.count) {
            return make_finding(Fault::subnormal_flushed, subnormal_changes,
                                "subnormal numbers became zero" + advice);
        }
        if (nan_changes.count >= zero_changes.count) {
            return make_finding(Fault::nan_changed, nan_changes,
                                "NaNs were replaced by other NaNs" + advice);
        }
        return make_finding(Fault::negative_zero_lost, zero_changes, "-0.0 became 0.0" + advice);
    }
    if (2 * sign_changes.count >= wrong_cells_.count &&
        is_nearly_all(sign_changes.count + nan_changes.count + zero_changes.count,
                      wrong_cells_.count)) {
        return make_finding(Fault::value_not_of_input, sign_changes,
                            "the value has the wrong sign. Is any arithmetic done with the value?");
    }
    const bool is_rounded = is_nearly_all(special_count + small_changes.count + range_changes.count,
                                          wrong_cells_.count) &&
                            20 * small_changes.count >= wrong_cells_.count;
    if (!is_rounded) return std::nullopt;
    return make_finding(
        Fault::value_rounded, small_changes,
        "the value is nearly right, as if it had been converted to a type with fewer bits");
}

// ---- tiles ----

/// Reports whether every tile of `side` x `side` cells that contains a bad cell consists almost
/// entirely of bad cells.
bool Diagnosis::has_whole_tiles(std::int64_t side) const {
    return 100 * bad_cells_.count >= 97 * cells_of_bad_tiles(side);
}

/// Recognizes outputs with correct and wrong cells in the same tiles. The output does not show the
/// reason, but the order in which warps ran may be the cause.
std::optional<Finding> Diagnosis::find_mixed_tiles() const {
    std::uint64_t wrong_tile_count = 0;
    for (const TileTallies& tiles : tiles_)
        wrong_tile_count = std::max(wrong_tile_count, tiles.wrong.count);
    // The order of warps within a block cannot explain tiles that are entirely bad.
    const bool is_mixed = !has_whole_tiles(32);
    if (!is_mixed || !is_nearly_all(wrong_tile_count + foreign_values_.count, wrong_cells_.count))
        return std::nullopt;
    const std::string meaning = "right and wrong cells are side by side in the same tiles";
    // A wrong order of the warps leaves no cell unwritten.
    return make_finding(
        Fault::mixed_in_tile, wrong_cells_,
        comparison_.untouched > 0
            ? meaning + ", and other cells are never written"
            : meaning +
                  ", without a pattern. Perhaps threads read a tile before all of it is "
                  "written");
}

/// Reports whether the bad rows (or columns) are the same ones in each group of two or four.
bool Diagnosis::is_of_component() const {
    const std::size_t period = bad_lines().period;
    return period == 2 || period == 4;
}

/// Recognizes outputs in which, in every group of two or four rows (or columns), some rows hold
/// values that are not in the input: a vector component was lost. A loop that is too short is not
/// the cause, because it would leave these cells unwritten.
std::optional<Finding> Diagnosis::find_lost_component() const {
    const bool are_foreign =
        comparison_.untouched == 0 && is_nearly_all(foreign_values_.count, wrong_cells_.count);
    if (!is_of_component() || !are_foreign) return std::nullopt;
    return make_finding(
        Fault::component_lost, foreign_values_,
        bad_lines().text +
            ", and the values in these cells do not occur in the input. A component of a "
            "vector is lost: is each component set before the vector is used?");
}

/// Recognizes outputs in which some rows (or columns) of each tile are unwritten, and the others
/// contain values from elsewhere in the same tile. This happens if the kernel stores several rows
/// to the same position.
std::optional<Finding> Diagnosis::find_overwritten_cells() const {
    if (comparison_.untouched < comparison_.wrong || problem_.is_in_place()) return std::nullopt;
    const BadLines lines = find_bad_lines(untouched_lines_, false);
    const auto tiles = std::find_if(tiles_.begin(), tiles_.end(), [&](const TileTallies& tallies) {
        return tallies.side == static_cast<std::int64_t>(lines.period);
    });
    if (lines.text.empty() || tiles == tiles_.end()) return std::nullopt;
    if (!is_nearly_all(tiles->in_same_tile.count, wrong_cells_.count)) return std::nullopt;
    return make_finding(
        Fault::part_of_each_tile, tiles->in_same_tile,
        lines.text +
            ", and the others hold values from elsewhere in their tile. Does a loop store to the "
            "same element in each iteration, because its variable is missing from the index?");
}

std::optional<Finding> Diagnosis::find_scrambled_cells() const {
    for (const TileTallies& tiles : tiles_) {
        const bool is_whole = tiles.side >= std::max(matrix_.rows, matrix_.cols);
        if (tiles.side > 64 || is_whole ||
            !is_nearly_all(tiles.in_same_tile.count, wrong_cells_.count))
            continue;
        return make_finding(
            Fault::scrambled_in_tile, tiles.in_same_tile,
            "the tile (" + size_text(tiles.side) +
                ") is right, but the position within it is wrong. Is the tile read with the "
                "same layout with which it was written?");
    }
    return std::nullopt;
}

/// Recognizes outputs in which whole tiles are in the wrong position. If several tile sizes fit,
/// prefers one for which a simple rule describes the moves.
std::optional<Finding> Diagnosis::find_whole_tiles() const {
    if (problem_.is_permuted()) return std::nullopt;
    std::optional<Finding> finding;
    for (const TileTallies& tiles : tiles_) {
        const bool is_transposed = is_nearly_all(tiles.wrong.count, wrong_cells_.count);
        if (tiles.side < kSmallestTile || !has_whole_tiles(tiles.side)) continue;
        if (!is_transposed &&
            !is_nearly_all(tiles.from_untransposed_tile.count, wrong_cells_.count))
            continue;
        const std::string rule = describe_tile_moves(tiles.side);
        if (finding && rule.empty()) continue;
        const Tally& example = is_transposed ? tiles.wrong : tiles.from_untransposed_tile;
        const bool has_rule = !rule.empty();
        finding = make_finding(
            Fault::wrong_tile, example,
            describe_tiles(example, tiles.side, is_transposed) + (has_rule ? ": " : ". ") +
                (has_rule ? rule : "Look at how the kernel computes tiles from block indices"));
        if (has_rule) break;
    }
    return finding;
}

/// Describes misplaced tiles, such as "6 of 12 tiles (32 x 32) are not in place, but whole: ...".
std::string Diagnosis::describe_tiles(const Tally& example, std::int64_t side,
                                      bool is_transposed) const {
    const std::vector<bool> bad = bad_tiles(side);
    const auto count = static_cast<std::uint64_t>(std::count(bad.begin(), bad.end(), true));
    const ObservedCell observed_cell(problem_, pattern_, example.first, example.actual_bits, false);
    std::string text = std::to_string(count) + " of " +
                       format_count(out_tiles(side).count(), "tile") + " (" + size_text(side) +
                       ") " + (count == 1 ? "is" : "are") +
                       (is_transposed ? " intact, but in the wrong place: "
                                      : " in the wrong place and not transposed: ");
    text += tile_name(observed_cell.out, side) + " of " + out_matrix() + " holds " +
            tile_name(*observed_cell.source, side) + " of " +
            (problem_.is_in_place() ? "data" : "in") + " where " +
            tile_name(*observed_cell.expected, side) + " belongs";
    return text;
}

/// Returns a rule that predicts, for each position of the output, which tile it contains.
std::string Diagnosis::describe_tile_moves(std::int64_t side) const {
    const TileGrid in{problem_.rows, problem_.cols, side}, out = out_tiles(side);
    std::vector<bool> skips_tile = bad_tiles(side);
    std::vector<TileMove> moves;
    const auto find_tile = [&](Cell cell) { return Cell{cell.row / side, cell.col / side}; };
    for (std::int64_t i = 0; i < out.count(); ++i) {
        const Cell first_cell{i / out.tiles().col * side, i % out.tiles().col * side};
        const auto expected_cell = problem_.source_of(first_cell);
        if (skips_tile[static_cast<std::size_t>(i)] || !expected_cell) continue;
        moves.push_back({find_tile(*expected_cell), find_tile(*expected_cell)});
    }
    skips_tile.flip();
    for (const SampledCell& sampled_cell : sample_.cells) {
        const Cell cell = problem_.out_cell(sampled_cell.index);
        const auto expected_cell = problem_.source_of(cell);
        if (skips_tile[out.tile_index(cell)] || !expected_cell) continue;
        skips_tile[out.tile_index(cell)] = true;
        moves.push_back(
            {find_tile(*expected_cell), find_tile(problem_.in_cell(sampled_cell.source))});
    }
    return find_move_rule(in.tiles(), moves);
}

/// Recognizes values from the wrong tile, for tiles that are too small to be examined one by one.
std::optional<Finding> Diagnosis::find_wrong_tile() const {
    for (const TileTallies& tiles : tiles_) {
        if (!is_nearly_all(tiles.wrong.count, wrong_cells_.count)) continue;
        return make_finding(
            Fault::wrong_tile, tiles.wrong,
            "the position within the tile (" + size_text(tiles.side) +
                ") is right, but the tile is wrong. Look at how the kernel computes tiles "
                "from block indices");
    }
    return std::nullopt;
}

}  // namespace coalesce
