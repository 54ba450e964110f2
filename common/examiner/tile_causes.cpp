// Long: all rules use the lines that choose a tile, which are found first.
#include "examiner/rules.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_value.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The line that computes the row or the column of a block's tile.
struct TileChoice {
    std::string name = "";   ///< the variable, such as "tile_col"; empty if there is no such line
    std::string value = "";  ///< its value, such as "(block / gridDim.y + tile_row) % gridDim.x"
    int line = 0;
    /// Whether the kernel also assigns the variable on other lines, for example in an `else`
    /// branch.
    bool has_others = false;
};

/// Reports whether a condition is true for this launch. Returns nothing unless the condition only
/// compares the sides of the matrix or of the grid.
std::optional<bool> holds_for_launch(const Condition& condition, const Trial& trial) {
    if (condition.comparisons.size() != 1) return std::nullopt;
    const auto value = [&](const std::string& name) -> long long {
        if (name == "rows") return trial.shape.rows;
        if (name == "cols") return trial.shape.cols;
        if (name == "gridDim.x") return trial.launch.grid[0];
        return name == "gridDim.y" ? trial.launch.grid[1] : -1;
    };
    const ComparisonTerm& term = condition.comparisons.front();
    const long long left_side = value(term.left_side), right_side = value(term.right_side);
    if (left_side < 0 || right_side < 0) return std::nullopt;
    if (term.op == "==") return left_side == right_side;
    if (term.op == "!=") return left_side != right_side;
    if (term.op == "<") return left_side < right_side;
    if (term.op == "<=") return left_side <= right_side;
    return term.op == ">" ? left_side > right_side : left_side >= right_side;
}

/// Reports whether a line is in a branch that this launch does not take.
bool is_skipped(const std::string& text, int line, const Trial& trial) {
    const auto matches_any_condition = [&](const std::vector<Condition>& conditions,
                                           bool expected_result) {
        return std::ranges::any_of(conditions, [&](const Condition& condition) {
            return !condition.is_exit && holds_for_launch(condition, trial) == expected_result;
        });
    };
    return matches_any_condition(find_conditions(text, line), false) ||
           matches_any_condition(find_conditions_of_else(text, line), true);
}

/// Returns the variable that is multiplied by the side of a tile to compute the coordinate `axis`
/// ("row" or "col"), as in `int row = tile_row * TILE_DIM + threadIdx.y`.
/// Leaves out lines that the launch of `trial`, if there is one, does not execute.
TileChoice find_tile_choice(const std::string& text, const std::string& axis,
                            const Trial* trial = nullptr) {
    const std::string code = code_for_search(text);
    const TextPattern use("\\b" + axis + R"(\s*=\s*([a-z]\w*)\s*\*\s*TILE_DIM)");
    TextMatch inner_match;
    if (!search(code, inner_match, use)) return {};
    TileChoice choice{.name = inner_match.str(1)};
    bool has_definition = false;
    const TextPattern definition("\\b" + choice.name + R"(\s*=([^=;][^;]*);)");
    for (const TextMatch& match : find_matches(code, definition)) {
        const int line = line_of_match(code, match);
        if (line >= line_of_match(code, inner_match)) break;
        choice.has_others |= has_definition;
        has_definition = true;
        if (choice.line == 0 && (!trial || !is_skipped(text, line, *trial))) {
            choice.value = trimmed(match.str(1));
            choice.line = line;
        }
    }
    return choice.line > 0 ? choice : TileChoice{};
}

/// Returns the line that computes a block's linear index, as in `int block = blockIdx.y * gridDim.x
/// + ...`.
TileChoice find_block_number(const std::string& text) {
    static const TextPattern definition(R"(\bint\s+(block)\s*=([^=;][^;]*);)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, definition)) return {};
    return {match.str(1), trimmed(match.str(2)), line_of_match(code, match)};
}

/// The size of the grid along the axis of a tile coordinate, and along the other axis.
struct GridAxes {
    std::string matching_extent, other_extent;  ///< for rows: "gridDim.y" and "gridDim.x"
};

LineMistake find_wrong_size(const TileChoice& choice, const GridAxes& size,
                            const std::string& unit) {
    if (choice.value.find("blockDim") != choice.value.npos) {
        return {choice.line,
                "blockDim counts the threads of a block, but the number of tiles is needed here.",
                "Use gridDim: it counts blocks, and each block has one tile."};
    }
    static const TextPattern sizes(R"([%/]\s*(rows|cols|TILE_DIM)\b)");
    TextMatch match;
    if (search(choice.value, match, sizes)) {
        return {choice.line,
                add_backticks(match.str(1)) + " counts elements, but " +
                    add_backticks(choice.name) + " counts tiles.",
                "Use gridDim, which counts the tiles along each axis."};
    }
    static const TextPattern product_pattern(R"(\*\s*TILE_DIM\b)");
    if (contains(choice.value, product_pattern)) {
        return {choice.line,
                add_backticks(choice.name) +
                    " is multiplied by TILE_DIM here, and once more where "
                    "the block's first element is computed.",
                "Make " + add_backticks(choice.name) + " count tiles: remove TILE_DIM."};
    }
    const std::string modulo_text = "% " + size.other_extent;
    if (choice.value.ends_with(modulo_text)) {
        return {choice.line,
                add_backticks(choice.name) + " is a remainder modulo " + size.other_extent +
                    ", but there are " + size.matching_extent + " " + unit + " of tiles.",
                "Take the remainder modulo " + size.matching_extent + "."};
    }
    return {};
}

/// Looks for a tile index that can exceed the number of tiles, because the kernel does not reduce
/// it with %.
LineMistake find_missing_remainder(const TileChoice& choice, const GridAxes& size,
                                   const std::string& text) {
    const std::string& value = choice.value;
    const auto is_sum_of_terms = [](const std::string& expression) {
        return split_outside_brackets(expression, "+").size() > 1;
    };
    const std::vector<std::string> parts = split_outside_brackets(value, "%");
    const bool ends_in_remainder =
        parts.size() > 1 && !is_sum_of_terms(parts.back()) && !is_sum_of_terms(parts.front());
    if (value.find("min(") != value.npos) {
        return {choice.line,
                "with min, several blocks process the last tile; the index must wrap around to the "
                "first tile instead.",
                "Take the remainder modulo " + size.matching_extent + "."};
    }
    const bool is_corrected =
        text.find(choice.name + " -=") != text.npos || text.find(choice.name + " %=") != text.npos;
    if (ends_in_remainder || !is_sum_of_terms(value) || is_corrected) return {};
    return {
        choice.line,
        add_backticks(choice.name) + " = " + add_backticks(value) +
            " goes beyond the last tile, because the whole sum is not reduced modulo the number of "
            "tiles.",
        "Put the sum in parentheses, and take its remainder modulo the number of tiles, " +
            size.matching_extent + "."};
}

LineMistake find_difference(const TileChoice& choice, const GridAxes& size) {
    static const TextPattern difference(R"(-\s*\w+\s*\)\s*%)");
    if (!contains(choice.value, difference)) return {};
    const bool is_signed = choice.value.find("int(") != choice.value.npos;
    return {choice.line,
            "the difference in " + add_backticks(choice.value) +
                (is_signed ? " can be negative, and then its remainder is not the index of a tile."
                           : " is unsigned: where it would be negative, it wraps around at 2^32, "
                             "and the remainder modulo " +
                                 size.matching_extent + " is the index of another tile."),
            "Add the two terms instead of subtracting one from the other."};
}

/// Looks for a block's linear index that is divided by one number for the remainder and by another
/// for the quotient.
LineMistake find_unequal_divisors(const TileChoice& row, const TileChoice& col) {
    static const TextPattern remainder(R"(\b(block)\s*%\s*(gridDim\.[xy]))");
    static const TextPattern quotient(R"(\b(block)\s*/\s*(gridDim\.[xy]))");
    for (const bool is_row : {true, false}) {
        const TileChoice& this_choice = is_row ? row : col;
        const TileChoice& other_choice = is_row ? col : row;
        TextMatch remainder_match, quotient_match;
        if (!search(this_choice.value, remainder_match, remainder) ||
            !search(other_choice.value, quotient_match, quotient))
            continue;
        if (remainder_match.str(2) == quotient_match.str(2)) continue;
        const bool is_remainder_right =
            remainder_match.str(2) == (is_row ? "gridDim.y" : "gridDim.x");
        return {
            other_choice.line,
            add_backticks(this_choice.name) + " repeats every " + remainder_match.str(2) +
                " blocks, but " + add_backticks(other_choice.name) + " changes every " +
                quotient_match.str(2) +
                " blocks. If the two numbers differ, some tiles are taken twice and others never.",
            "Divide the block's index by the same size as on line " +
                std::to_string(this_choice.line) +
                (is_remainder_right ? ", " + remainder_match.str(2) + "."
                                    : ", or use the other size on both lines.")};
    }
    return {};
}

/// Looks for a tile row that is set to blockIdx.x, or a tile column that is set to blockIdx.y.
LineMistake find_other_axis(const TileChoice& choice, const GridAxes& size,
                            const std::string& unit) {
    const std::string other_index =
        size.matching_extent == "gridDim.y" ? "blockIdx.x" : "blockIdx.y";
    if (choice.value != other_index || choice.has_others) return {};
    return {choice.line,
            add_backticks(choice.name) + " is " + other_index + ", which goes up to " +
                size.other_extent + " - 1, but there are " + size.matching_extent + " " + unit +
                " of tiles.",
            "Number the blocks along both axes first, and compute the row and the column of a tile "
            "from that number; or make " +
                add_backticks(choice.name) + " go up to " + size.matching_extent + " - 1."};
}

/// Looks for a row and a column of tiles that both wrap around, so that the pairs repeat before all
/// tiles were taken.
LineMistake find_repeated_pairs(const TileChoice& row, const TileChoice& col) {
    static const TextPattern remainder(R"(^(\w+(?:\.x)?)\s*%\s*gridDim\.[xy]$)");
    static const TextPattern sum(R"(^\(blockIdx\.[xy] \+ blockIdx\.[xy]\) % gridDim\.[xy]$)");
    TextMatch row_match, col_match;
    const bool is_row_remainder = search(row.value, row_match, remainder);
    if (is_row_remainder && search(col.value, col_match, remainder) &&
        row_match.str(1) == col_match.str(1)) {
        return {col.line,
                add_backticks(row.name) + " and " + add_backticks(col.name) +
                    " are both remainders of " + row_match.str(1) +
                    ": the pair repeats as soon as both wrap around together, so some tiles are "
                    "taken several times and others never.",
                "One of the two must change only when the other has gone through all of its "
                "values: use the quotient, " +
                    row_match.str(1) + " / gridDim.y."};
    }
    if (is_row_remainder && row_match.str(1) == "blockIdx.x" && contains(col.value, sum)) {
        return {row.line,
                add_backticks(row.name) +
                    " is the same for blockIdx.x and blockIdx.x + gridDim.y, "
                    "so the pairs of row and column repeat where the grid is wider than tall.",
                "Number the blocks along both axes, and take the remainder and the quotient of "
                "that number by the same size."};
    }
    if (col.value.find('^') != col.value.npos && col.value.find('%') != col.value.npos) {
        return {col.line,
                "^ permutes the columns only if their number is a power of two: otherwise the "
                "result goes beyond the last column, and its remainder repeats another one.",
                "Shift the column by addition: (... + " + row.name + ") % gridDim.x."};
    }
    return {};
}

LineMistake find_tile_mistake(const TileChoice& row, const TileChoice& col,
                              const std::string& text) {
    const GridAxes rows{"gridDim.y", "gridDim.x"}, cols{"gridDim.x", "gridDim.y"};
    for (const bool is_row : {true, false}) {
        const TileChoice& choice = is_row ? row : col;
        const GridAxes& size = is_row ? rows : cols;
        if (choice.line == 0 || !choice.has_others) continue;
        const TextPattern wrapped("\\b" + choice.name + R"(\s*(?:=[^=;]*%|%=)\s*)" +
                                  size.other_extent + R"(\s*;)");
        const std::string code = code_for_search(text);
        TextMatch match;
        if (!search(code, match, wrapped)) continue;
        return {line_of_match(code, match),
                add_backticks(choice.name) + " is a remainder modulo " + size.other_extent +
                    ", but there are " + size.matching_extent + (is_row ? " rows" : " columns") +
                    " of tiles.",
                "Take the remainder modulo " + size.matching_extent + "."};
    }
    const TileChoice number = find_block_number(text);
    if (number.value.find("blockDim") != number.value.npos) {
        return {number.line,
                "blockDim counts the threads of a block, but a row of the grid has gridDim.x "
                "blocks: different blocks get the same index.",
                "Number the blocks with gridDim.x."};
    }
    static const TextPattern other_width(R"(blockIdx\.y\s*\*\s*gridDim\.y)");
    if (contains(number.value, other_width)) {
        return {number.line,
                "a row of the grid has gridDim.x blocks, but this multiplies blockIdx.y by "
                "gridDim.y: different blocks get the same index.",
                "Number the blocks with gridDim.x."};
    }
    for (const bool is_row : {true, false}) {
        const TileChoice& this_choice = is_row ? row : col;
        if (this_choice.line == 0) continue;
        const GridAxes& size = is_row ? rows : cols;
        const std::string unit = is_row ? "rows" : "columns";
        for (const LineMistake& mistake :
             {find_wrong_size(this_choice, size, unit), find_other_axis(this_choice, size, unit),
              find_difference(this_choice, size)}) {
            if (mistake.line > 0) return mistake;
        }
    }
    if (row.line > 0 && col.line > 0) {
        if (auto mistake = find_repeated_pairs(row, col); mistake.line > 0) return mistake;
        if (auto divisor_mistake = find_unequal_divisors(row, col); divisor_mistake.line > 0)
            return divisor_mistake;
    }
    if (const LineMistake mistake = find_missing_remainder(col, cols, text);
        col.line > 0 && mistake.line > 0 && text.find("GPUS") == text.npos)
        return mistake;
    return {};
}

/// Returns the mistake in the code that chooses a block's tile among the tiles of one GPU.
LineMistake find_tile_of_peer_mistake(const TileChoice& col) {
    static const TextPattern first_tile(R"(\bpeer\s*\*\s*([\w.]+))");
    static const TextPattern own_tile(R"(blockIdx\.x\s*([%/])\s*(\w+(?:\.\w)?))");
    TextMatch tile_match, own_match;
    if (!search(col.value, tile_match, first_tile)) {
        return {col.line,
                add_backticks(col.name) +
                    " does not use `peer`: the tiles of a GPU begin "
                    "at peer * tiles_across.",
                "Add the peer's first tile."};
    }
    if (tile_match.str(1) != "tiles_across") {
        return {col.line,
                "the tiles of GPU `peer` begin at peer * tiles_across, not at peer * " +
                    tile_match.str(1) + ".",
                "Multiply `peer` by tiles_across, the number of columns of tiles per GPU."};
    }
    if (search(col.value, own_match, own_tile) &&
        (own_match.str(1) == "%" || own_match.str(2) != "GPUS")) {
        return {col.line,
                "`peer` changes with every block, and repeats after GPUS blocks. The tile must "
                "stay the same for these GPUS blocks, but " +
                    add_backticks(own_match.str()) + " does not.",
                "Count the rounds through the GPUs: blockIdx.x / GPUS."};
    }
    return {};
}

/// Returns the mistake in the code that chooses a block's GPU and its tile.
LineMistake find_peer_mistake(const TileChoice& col, const std::string& text) {
    static const TextPattern peer(R"(\bint\s+peer\s*=\s*([^;]*);)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, peer)) return {};
    const int line = line_of_match(code, match);
    const std::string chosen_index = trimmed(match.str(1));
    if (chosen_index.find("blockIdx.x") == chosen_index.npos) {
        return {
            line,
            "`peer` does not depend on blockIdx.x, so neighbouring blocks all store to the same "
            "GPU.",
            "Make neighbouring blocks store to different GPUs: compute `peer` from blockIdx.x."};
    }
    if (chosen_index.find("blockIdx.x /") != chosen_index.npos &&
        col.value.find("blockIdx.x /") != col.value.npos) {
        return {line,
                "`peer` and " + add_backticks(col.name) +
                    " both change only every few blocks, so neighbouring blocks take the same "
                    "tile.",
                "Make neighbouring blocks store to different GPUs: `peer` must change from block "
                "to block."};
    }
    const std::vector<std::string> parts = split_outside_brackets(chosen_index, "%");
    const bool has_sum = split_outside_brackets(parts.front(), "+").size() > 1;
    if (parts.size() == 1 || (has_sum && parts.size() > 1)) {
        return {line,
                "`peer` = " + add_backticks(chosen_index) +
                    " goes beyond the last GPU, because the whole sum is not reduced modulo GPUS.",
                "Put the sum in parentheses, and take its remainder modulo GPUS."};
    }
    if (parts.back() != "GPUS") {
        return {line,
                "`peer` is a remainder modulo " + add_backticks(parts.back()) +
                    ", but it must be an index from 0 to GPUS - 1.",
                "Take the remainder modulo GPUS."};
    }
    if (chosen_index.find('-') != chosen_index.npos &&
        chosen_index.find("int(") != chosen_index.npos) {
        return {line,
                "the difference in " + add_backticks(chosen_index) +
                    " can be negative, and then its remainder is not the index of a GPU.",
                "Add the GPU's index instead of subtracting it."};
    }
    return find_tile_of_peer_mistake(col);
}

bool may_be_tile_choice(const Failure& failure) {
    return failure.kind == FailureKind::race_between_blocks ||
           failure.kind == FailureKind::out_of_bounds ||
           failure.kind == FailureKind::no_bounds_check ||
           (failure.kind == FailureKind::wrong_result &&
            has_trait(failure.fault, trait::may_be_launch | trait::may_be_any_index));
}

/// Names of built-in variables, with their values in one block of a launch.
std::map<std::string, long long> values_in_block(const Trial& trial, long long x, long long y) {
    return {{"blockIdx.x", x},
            {"blockIdx.y", y},
            {"gridDim.x", trial.launch.grid[0]},
            {"gridDim.y", trial.launch.grid[1]},
            {"rows", trial.shape.rows},
            {"cols", trial.shape.cols}};
}

/// Looks for a tile column that the kernel reduces by a single subtraction, although the grid of
/// the launch requires several subtractions.
LineMistake find_single_subtraction(const TileChoice& col, const Trial& trial,
                                    const std::string& text) {
    if (col.line == 0) return {};
    const TextPattern subtraction("\\b" + col.name + R"(\s*-=\s*(\w+(?:\.x)?)\s*;)");
    const std::string code = code_for_search(text);
    const auto& grid = trial.launch.grid;
    TextMatch match;
    if (!search(code, match, subtraction) || grid[1] <= grid[0] + 1) return {};
    const int line = line_of_match(code, match);
    const std::string width = match.str(1);
    if (IndexExpression(text, width, line).value(values_in_block(trial, 0, 0)) != grid[0])
        return {};
    return {line,
            "with " + std::to_string(grid[1]) + " rows and " + std::to_string(grid[0]) +
                " columns of tiles, one subtraction is not enough: " + add_backticks(col.name) +
                " stays beyond the last column.",
            "Take the remainder modulo " + width + " instead."};
}

/// The tile that the text of a kernel assigns to a block.
struct AssignedTile {
    long long x = 0, y = 0;      ///< the block
    long long row = 0, col = 0;  ///< its tile
};

/// Returns the tiles of all blocks, or nothing if the text does not tell them.
std::vector<AssignedTile> list_assigned_tiles(const TileChoice& row, const TileChoice& col,
                                              const Trial& trial, const std::string& text) {
    constexpr long long most_blocks = 256;
    const auto& grid = trial.launch.grid;
    if (row.line == 0 || col.line == 0 || row.has_others || col.has_others ||
        grid[0] * grid[1] > most_blocks || grid[2] > 1)
        return {};
    for (const TileChoice* choice : {&row, &col}) {
        const TextPattern update("\\b" + choice->name + R"(\s*(?:[-+%/^]=|\+\+|--))");
        if (contains(code_for_search(text), update)) return {};
    }
    const IndexExpression row_value(text, row.value, row.line),
        col_value(text, col.value, col.line);
    std::vector<AssignedTile> tiles;
    for (long long y = 0; y < grid[1]; ++y) {
        for (long long x = 0; x < grid[0]; ++x) {
            const auto values = values_in_block(trial, x, y);
            const auto tile_row = row_value.value(values), tile_col = col_value.value(values);
            if (!tile_row || !tile_col) return {};
            tiles.push_back({x, y, *tile_row, *tile_col});
        }
    }
    return tiles;
}

std::string block_text(const AssignedTile& tile) {
    return "block (" + std::to_string(tile.x) + ", " + std::to_string(tile.y) + ")";
}

/// Looks for a block whose tile lies beyond the last column of tiles, and for two blocks with the
/// same tile, by computing the tiles of all blocks.
LineMistake find_wrong_assignment(const TileChoice& row, const TileChoice& col, const Trial& trial,
                                  const std::string& text) {
    const auto side = constant_value(text, "TILE_DIM");
    if (!side || *side < 1) return {};
    const long long tile_cols = (trial.shape.cols + *side - 1) / *side;
    const std::vector<AssignedTile> tiles = list_assigned_tiles(row, col, trial, text);
    const auto outside = std::ranges::find_if(
        tiles, [&](const AssignedTile& tile) { return tile.col >= tile_cols; });
    if (outside != tiles.end()) {
        const bool is_xor = col.value.find('^') != col.value.npos;
        return {col.line,
                std::string(is_xor ? "`^` can lead beyond the last column of tiles: " : "") +
                    "in " + block_text(*outside) + ", " + add_backticks(col.name) + " is " +
                    std::to_string(outside->col) + ", but the columns of tiles are 0 to " +
                    std::to_string(tile_cols - 1) + ".",
                is_xor ? "Add " + row.name + " instead, and take the sum modulo gridDim.x."
                       : "Take the result modulo gridDim.x."};
    }
    for (std::size_t i = 1; i < tiles.size(); ++i) {
        const auto same = std::find_if(
            tiles.begin(), tiles.begin() + static_cast<long>(i), [&](const AssignedTile& tile) {
                return tile.row == tiles[i].row && tile.col == tiles[i].col;
            });
        if (same == tiles.begin() + static_cast<long>(i)) continue;
        static const TextPattern remainder(R"(^(\w+)\s*%\s*(gridDim\.y)$)");
        TextMatch match;
        if (!search(row.value, match, remainder) || !contains_word(col.value, match.str(1)) ||
            col.value.find('/') != col.value.npos)
            return {};
        return {col.line,
                "both " + block_text(*same) + " and " + block_text(tiles[i]) + " take the tile " +
                    row.name + " = " + std::to_string(same->row) + ", " + col.name + " = " +
                    std::to_string(same->col) + ": both follow from remainders of " +
                    add_backticks(match.str(1)) + ", so the pairs repeat.",
                "Use the quotient " + match.str(1) + " / gridDim.y instead of " + match.str(1) +
                    " in " + add_backticks(col.name) + "."};
    }
    return {};
}

/// Sets the failure's line to the one that chooses a block's tile, and advises the learner to check
/// the choice.
void point_at_choice(Failure& failure, const TileChoice& row, const TileChoice& col,
                     const std::string& text) {
    failure.place.line = std::max(row.line, col.line);
    for (const TileChoice* this_choice : {&row, &col}) {
        const std::size_t modulo_position = text.find(this_choice->name + " %= ");
        if (this_choice->line > 0 && modulo_position != text.npos)
            failure.place.line = line_number_at(text, modulo_position);
    }
    // Remove the explanation that was guessed from the pattern of the cells, because the variable
    // names in its formulas differ from the kernel's.
    const std::size_t guess_position = failure.headline.find(std::string(" ") + kPatternResults);
    const std::size_t end = failure.headline.find(" Both block", guess_position);
    if (guess_position != std::string::npos) {
        failure.headline.erase(guess_position,
                               end == std::string::npos ? end : end - guess_position);
    }
    std::string choice;
    for (const TileChoice* this_choice : {&row, &col}) {
        if (this_choice->line == 0) continue;
        choice += (choice.empty() ? "" : " and ") + add_backticks(this_choice->name) + " (line " +
                  std::to_string(this_choice->line) + ")";
    }
    const bool names_blocks = failure.headline.find("oth block") != std::string::npos;
    failure.advice =
        "Work out " + choice +
        (names_blocks ? " for the two blocks named above: how should their tiles differ?"
                      : " for the first blocks of the grid: every tile must be processed once.");
}

/// Returns a line that computes a coordinate from blockIdx although an earlier line has already
/// computed the block's tile. Returns 0 if there is no such line.
int find_forgotten_choice(const std::string& text, const TileChoice& choice,
                          const std::string& axis) {
    const std::string code = code_for_search(text);
    const TextPattern coordinate_pattern("\\b" + axis + R"(\s*=\s*blockIdx\.[xy]\s*\*\s*TILE_DIM)");
    TextMatch match;
    return choice.line > 0 && search(code, match, coordinate_pattern) ? line_of_match(code, match)
                                                                      : 0;
}

/// Explains a failure by the tiles that the blocks of lesson 16 take. Returns false in other
/// lessons, and if no line explains these tiles.
bool explain_by_turn(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const LineMistake mistake = find_turn_mistake(failure, trial, evidence);
    if (mistake.line == 0) return false;
    failure.details = wrap(first_sentence(failure.headline)) + failure.details;
    blame(failure, mistake);
    return true;
}

}  // namespace

LineMistake find_wrong_grid_width(const LaunchShape& launch, Shape shape, const std::string& text) {
    const auto gpus = constant_value(text, "GPUS"), side = constant_value(text, "TILE_DIM");
    const long long across = launch.grid[0];
    if (!gpus || *gpus < 2) return {};
    const std::string width = "the grid is " + std::to_string(across) + " blocks wide, ";
    if (across % *gpus != 0) {
        return {
            find_configure_line(text, ".grid"),
            width + "which is not a multiple of " + std::to_string(*gpus) +
                ", the number of GPUs, so " +
                (code_for_search(text).find("gridDim.x / GPUS") == std::string::npos
                     ? "some tiles get no block."
                     : "gridDim.x / GPUS rounds down, and some tiles get no block, or two."),
            "Round up the number of tiles for each GPU, then multiply it by the number of GPUs."};
    }
    if (!side || *side < 1) return {};
    const long long tiles = (shape.cols + *side - 1) / *side;
    if (across < 2 * ((tiles + *gpus - 1) / *gpus * *gpus)) return {};
    return {find_configure_line(text, ".grid"),
            width + "but the matrix is only " + std::to_string(tiles) +
                " tiles wide: many blocks have no tile.",
            "Launch one block for each tile: divide cols by TILE_DIM, and round the quotient up to "
            "a multiple of the number of GPUs."};
}

int find_tile_choice_line(const std::string& text) {
    const TileChoice row = find_tile_choice(text, "row"), col = find_tile_choice(text, "col");
    const TileChoice number = find_block_number(text);
    if (number.line > 0 && number.value != "blockIdx.y * gridDim.x + blockIdx.x")
        return number.line;
    static const TextPattern peer(R"(\bint\s+peer\s*=)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (search(code, match, peer) && col.value == "peer * tiles_across + blockIdx.x / GPUS")
        return line_of_match(code, match);
    const bool uses_block_number = contains_word(row.value, "block");
    return uses_block_number && row.value != "block % gridDim.y" ? row.line
                                                                 : std::max(row.line, col.line);
}

void explain_wrong_order(Failure& failure, const std::string& text) {
    static const TextPattern tiles(
        R"(tile row (\d+), column (\d+), but .*tile row (\d+), column (\d+))");
    const TileChoice row = find_tile_choice(text, "row"), col = find_tile_choice(text, "col");
    TextMatch match;
    if (row.line == 0 || col.line == 0 || row.has_others || col.has_others ||
        !search(failure.headline, match, tiles))
        return;
    if (match.str(1) != match.str(3) && row.value == "blockIdx.y") {
        failure.place.line = row.line;
        failure.details += wrap(add_backticks(row.name) +
                                " is blockIdx.y: neighbouring blocks take the same row of tiles.");
        failure.advice =
            "The result is correct, but the order is not. Number the blocks with blockIdx.y * "
            "gridDim.x + blockIdx.x: " +
            add_backticks(row.name) +
            " is the number modulo gridDim.y, and the column the quotient plus " +
            add_backticks(row.name) + ", modulo gridDim.x.";
        return;
    }
    const std::string value = expand(text, col.value, col.line);
    if (match.str(1) == match.str(3) && !contains_word(col.value, row.name) &&
        value.find('%') == value.npos) {
        failure.place.line = col.line;
        failure.details += wrap(add_backticks(col.name) + " does not depend on " +
                                add_backticks(row.name) + ", so no row of tiles is shifted.");
        failure.advice =
            "The result is correct, but the order is not. Shift each row of tiles "
            "sideways by its index: add " +
            add_backticks(row.name) + " to the quotient, and take the sum modulo gridDim.x.";
    }
}

bool explain_by_tile_choice(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (!may_be_tile_choice(failure)) return false;
    const TileChoice row = find_tile_choice(text, "row", &trial),
                     col = find_tile_choice(text, "col", &trial);
    const int grid = find_configure_line(text, ".grid"),
              block = find_configure_line(text, ".block");
    const bool is_launch_line = failure.place.line == grid || failure.place.line == block;
    if (row.line == 0 && col.line == 0) return explain_by_turn(failure, trial, evidence);
    LineMistake mistake;
    if (is_launch_line) {
        if (evidence.exercise.block_order != "in-turn") return false;
        mistake = find_peer_mistake(col, text);
        if (mistake.line == 0) return false;
    }
    for (const std::string axis : {"row", "col"}) {
        const TileChoice& choice = axis == "row" ? row : col;
        if (const int line = find_forgotten_choice(text, choice, axis); line > 0) {
            mistake = {
                line,
                add_backticks(axis) +
                    " is computed from blockIdx here, but the block has "
                    "read the tile " +
                    add_backticks(choice.name) + ".",
                "Store the tile that was read: use " + add_backticks(choice.name) + " here too."};
        }
    }
    if (mistake.line == 0 && evidence.exercise.block_order == "in-turn")
        mistake = find_peer_mistake(col, text);
    if (mistake.line == 0 && evidence.exercise.block_order == "in-turn")
        mistake = find_wrong_grid_width(trial.launch, trial.shape, text);
    if (mistake.line == 0) mistake = find_tile_mistake(row, col, text);
    if (mistake.line == 0) mistake = find_single_subtraction(col, trial, text);
    if (mistake.line == 0) mistake = find_turn_mistake(failure, trial, evidence);
    if (mistake.line == 0 && evidence.exercise.block_order != "in-turn")
        mistake = find_wrong_assignment(row, col, trial, text);
    if (mistake.line == 0) {
        // The choice of tiles can be wrong only if some tiles are missing, or if two blocks race
        // for one tile. If a tile is in the wrong position, its choice was correct.
        const bool is_missed = failure.kind == FailureKind::race_between_blocks ||
                               has_trait(failure.fault, trait::may_be_launch);
        // A kernel that fails only on a larger matrix has a grid that is too small.
        const bool is_larger = std::ranges::count(evidence.exercise.shapes, trial.shape) == 0;
        if (!is_missed || is_larger) return false;
        point_at_choice(failure, row, col, text);
        return true;
    }
    if (failure.kind != FailureKind::no_bounds_check && failure.kind != FailureKind::out_of_bounds)
        failure.details = wrap(first_sentence(failure.headline)) + failure.details;
    blame(failure, mistake);
    return true;
}

}  // namespace coalesce
