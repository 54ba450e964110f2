// Finds grids and tiles that do not fit each other, from the text of the kernel and of `configure`.
#include "examiner/rules.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_rules.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

// ---- the sizes of the grid ----

GridSizes read_grid_sizes(const std::string& text) {
    static const TextPattern grid(R"(\.grid\s*=\s*\{|\bdim3\s+grid\s*[({])");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, grid)) return {};
    const std::size_t opening_position = match_end(match) - 1;
    const std::size_t closing_position = find_closing_bracket(code, opening_position);
    return {line_of_match(code, match),
            split_outside_brackets(
                code.substr(opening_position + 1, closing_position - opening_position - 1), ",")};
}

namespace {

bool names_only(const std::string& expression, const std::string& word,
                const std::string& excluded_word) {
    return contains_word(expression, word) && !contains_word(expression, excluded_word);
}

/// Looks for a kernel in which blockIdx.x counts rows, although `configure` computes the first size
/// of the grid from cols.
LineMistake find_grid_of_other_axes(const std::string& text) {
    const GridSizes grid = read_grid_sizes(text);
    if (grid.sizes.size() != 2 || !names_only(grid.sizes[0], "cols", "rows") ||
        !names_only(grid.sizes[1], "rows", "cols"))
        return {};
    static const TextPattern access(R"(\bin\s*\[)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, access)) return {};
    const int line = line_of_match(code, match);
    const MatrixIndex index = find_matrix_index(text, line, "in");
    if (index.pitch != "cols") return {};
    std::string row = expand(text, index.outer_term, line),
                col = expand(text, index.inner_term, line);
    const bool are_exchanged =
        row.find("blockIdx.x") != row.npos && row.find("blockIdx.y") == row.npos &&
        col.find("blockIdx.y") != col.npos && col.find("blockIdx.x") == col.npos;
    if (!are_exchanged) return {};
    return {grid.line,
            "in the kernel, blockIdx.x counts rows of tiles and blockIdx.y columns (line " +
                std::to_string(line) +
                "), but the first size of the grid is computed from cols, and the second from "
                "rows.",
            "Swap the two sizes of the grid; or let the kernel take rows from blockIdx.y and "
            "columns from blockIdx.x."};
}

/// Looks for an axis along which a grid has fewer blocks than a square matrix has tiles.
LineMistake find_half_a_grid(const Trial& trial, const std::string& text) {
    static const TextPattern product(R"(\bblockIdx\.([xy])\)?\s*\*\s*(\w+))");
    const std::string code = code_for_search(text);
    if (code.find("gridDim") != code.npos) return {};
    for (const TextMatch& match : find_matches(code, product)) {
        const auto side = constant_value(text, match.str(2));
        if (!side || *side < 1) continue;
        const long long tiles = (trial.shape.rows + *side - 1) / *side;
        const long long blocks = trial.launch.grid[match.str(1) == "x" ? 0 : 1];
        if (blocks >= tiles) continue;
        return {find_configure_line(text, ".grid"),
                "the grid has only " + format_count(static_cast<std::uint64_t>(blocks), "block") +
                    " along " + match.str(1) + ", but the matrix has " + std::to_string(tiles) +
                    " tiles along this axis: the tiles with blockIdx." + match.str(1) + " = " +
                    std::to_string(blocks) + " and more have no block.",
                "Launch a block for each tile, also for the tiles below the diagonal, whose blocks "
                "return at once: ceil_div(side, tile) blocks along both axes."};
    }
    return {};
}

/// Looks for a number of tiles that the kernel rounds down and `configure` rounds up, and by which
/// the kernel divides the index of the block.
LineMistake find_tiles_rounded_down(Shape shape, const std::string& text) {
    static const TextPattern quotient(R"(\b(\w+)\s*=\s*(rows|cols)\s*/\s*([A-Z]\w*)\s*;)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, quotient)) {
        const std::string name = match.str(1), extent = match.str(2), tile = match.str(3);
        const auto side = constant_value(text, tile);
        const TextPattern division(R"(\bblockIdx\.[xyz]\s*[/%]\s*)" + name + "\\b");
        const TextPattern rounded_up(R"(\bceil_div\(\s*)" + extent + R"(\s*,\s*)" + tile +
                                     R"(\s*\))");
        const int length = extent == "rows" ? shape.rows : shape.cols;
        if (!side || *side < 1 || length % *side == 0 || !contains(code, division) ||
            !contains(code, rounded_up))
            continue;
        return {line_of_match(code, match),
                add_backticks(name) + " is rounded down to " + std::to_string(length / *side) +
                    ", but `configure` launches ceil_div(" + extent + ", " + tile + ") = " +
                    std::to_string(length / *side + 1) + " blocks for these " + extent + ".",
                "Round up here too: (" + extent + " + " + tile + " - 1) / " + tile + "."};
    }
    return {};
}

/// Looks for a flat shared array that was not enlarged although its rows have become longer.
LineMistake find_array_not_enlarged(const std::string& text) {
    static const TextPattern declaration(
        R"(__shared__\s+float\s+(\w+)\s*\[\s*([A-Z]\w*)\s*\*\s*([A-Z]\w*)\s*\])");
    static const TextPattern pitch(R"(\bint\s+(\w+)\s*=\s*\w+\s*(?:\|\s*1|\+\s*\d+)\s*;)");
    const std::string code = code_for_search(text);
    TextMatch array, row;
    if (!search(code, array, declaration) || !search(code, row, pitch)) return {};
    const TextPattern use("\\b" + array.str(1) + R"(\s*\[[^\]]*\*\s*)" + row.str(1) + "\\b");
    if (!contains(code, use)) return {};
    return {line_of_match(code, array),
            add_backticks(array.str(1)) + " has " + array.str(2) + " * " + array.str(3) +
                " elements, but line " + std::to_string(line_of_match(code, row)) +
                " makes its rows longer than " + array.str(3) + ".",
            "Enlarge the array with its rows: " + array.str(2) + " * (" + array.str(3) +
                " + 1) elements."};
}

// ---- two tiles in place ----

/// An access of a line to the matrix `data`, in a kernel that works in place.
struct PlacedAccess {
    int line = 0;
    std::string index = {};
    bool is_store = false;
};

std::vector<PlacedAccess> list_accesses_in_place(const std::string& text) {
    static const TextPattern store(R"(\bdata\s*\[[^;]*\]\s*=[^=])");
    static const TextPattern load(R"(=[^=;]*\bdata\s*\[)");
    std::vector<PlacedAccess> accesses;
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        const bool is_store = contains(lines[i], store);
        if (!is_store && !contains(lines[i], load)) continue;
        accesses.push_back({line, find_matrix_index(text, line, "data").text, is_store});
    }
    return accesses;
}

/// Looks for a tile that is stored over another one before that one has been loaded.
LineMistake find_tile_overwritten(const std::string& text) {
    const std::vector<PlacedAccess> accesses = list_accesses_in_place(text);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        if (!accesses[i].is_store) continue;
        for (std::size_t j = i + 1; j < accesses.size(); ++j) {
            if (accesses[j].is_store || accesses[j].index != accesses[i].index) continue;
            return {accesses[i].line,
                    "this overwrites the elements that line " + std::to_string(accesses[j].line) +
                        " loads only afterwards: the old elements of one tile of the pair are "
                        "lost.",
                    "Load both tiles of the pair, into two shared arrays, before either of them is "
                    "stored."};
        }
    }
    return {};
}

/// Looks for tiles that are filled and read with the same two indices, so that they are not
/// transposed.
LineMistake find_equal_indices(const std::string& text) {
    static const TextPattern fill(
        R"(\b(\w+)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*=\s*(?:data|in)\s*\[)");
    static const TextPattern read(
        R"(\b(?:data|out)\s*\[[^;=]*\]\s*=\s*(\w+)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<TextMatch> fills = find_matches(code, fill), reads = find_matches(code, read);
    if (fills.empty() || reads.empty()) return {};
    const std::string first = trimmed(fills[0].str(2)), second = trimmed(fills[0].str(3));
    const auto is_same = [&](const TextMatch& match) {
        return trimmed(match.str(2)) == first && trimmed(match.str(3)) == second;
    };
    // In a swizzled tile, the indices cannot be swapped.
    const int first_fill = line_of_match(code, fills[0]);
    const bool is_swizzled = expand(text, first, first_fill).find_first_of("^%") != first.npos ||
                             expand(text, second, first_fill).find_first_of("^%") != first.npos;
    if (first == second || is_swizzled || !std::ranges::all_of(fills, is_same) ||
        !std::ranges::all_of(reads, is_same))
        return {};
    const std::string indices = add_backticks("[" + first + "][" + second + "]");
    const int fill_line = line_of_match(code, fills[0]), read_line = line_of_match(code, reads[0]);
    const bool fills_rows =
        expand(text, second, fill_line).find("threadIdx.x") != std::string::npos;
    const bool is_one_tile = list_shared_arrays(text).size() == 1;
    const std::string tiles = is_one_tile ? "the tile" : "the tiles";
    const std::string fills_text = tiles + (is_one_tile ? " is" : " are") +
                                   " filled with the indices " + indices,
                      reads_text = "read with the same indices";
    const std::string sentence =
        fills_rows
            ? fills_text + " on line " + std::to_string(fill_line) + ", and " + reads_text + " here"
            : fills_text + " here, and " + reads_text + " on line " + std::to_string(read_line);
    return {fills_rows ? read_line : fill_line,
            sentence + ": each element keeps its place within the tile.",
            std::string("Swap the two indices in all lines that ") +
                (fills_rows ? "read " : "fill ") + tiles + ", and only there."};
}

// ---- stacks of matrices ----

/// Looks for a kernel that transposes a stack of matrices as if it were one matrix.
LineMistake find_stack_as_one(const Trial& trial, const std::string& text) {
    const std::string code = code_for_search(text);
    const std::size_t kernel = code.find("__global__");
    const std::size_t end = code.find("configure", kernel == code.npos ? 0 : kernel);
    if (kernel == code.npos || trial.launch.grid[2] > 1) return {};
    const std::string body = code.substr(kernel, end == code.npos ? code.npos : end - kernel);
    const std::size_t open = body.find('{');
    if (open == body.npos || contains_word(body, "MATRIX_ROWS") ||
        body.find("blockIdx.z") != body.npos)
        return {};
    const TextPattern store(R"(\bout\s*\[[^\]]*\*\s*rows\b)");
    TextMatch match;
    if (!search(body, match, store)) return {};
    return {line_number_at(code, kernel + match_offset(match)),
            "the whole stack is transposed as one matrix with `rows` rows, but it consists of "
            "matrices with MATRIX_ROWS rows, each of which must be transposed by itself.",
            "Let the blocks along z count the matrices: move `in` and `out` by blockIdx.z * "
            "MATRIX_ROWS * cols, use MATRIX_ROWS instead of `rows` in the kernel, and set the "
            "third size of the grid to rows / MATRIX_ROWS."};
}

bool is_unwritten(const Failure& failure) {
    return failure.fault == Fault::never_written || failure.fault == Fault::grid_too_small ||
           failure.fault == Fault::ragged_edge_missed || failure.fault == Fault::tile_not_moved ||
           failure.fault == Fault::edge_wrong;
}

}  // namespace

LineMistake find_stack_counted_twice(const std::string& text) {
    const GridSizes grid = read_grid_sizes(text);
    if (grid.sizes.size() != 3 || !constant_value(text, "MATRIX_ROWS") ||
        !contains_word(grid.sizes[2], "rows"))
        return {};
    for (const std::size_t axis : {0U, 1U}) {
        if (!contains_word(grid.sizes[axis], "rows") ||
            contains_word(grid.sizes[axis], "MATRIX_ROWS"))
            continue;
        return {grid.line,
                "the " + std::string(axis == 0 ? "first" : "second") +
                    " size of the grid covers the `rows` rows of the whole stack, but the third "
                    "size counts the matrices already: most blocks have nothing to do.",
                "Let this size cover the rows of one matrix: MATRIX_ROWS instead of rows."};
    }
    return {};
}

bool explain_by_layout(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const Produces task = evidence.exercise.task();
    const bool is_wrong = failure.kind == FailureKind::wrong_result;
    const bool is_data_wrong = is_wrong || failure.kind == FailureKind::out_of_bounds ||
                               failure.kind == FailureKind::no_bounds_check ||
                               failure.kind == FailureKind::race_between_blocks;
    LineMistake mistake =
        is_data_wrong ? find_tiles_rounded_down(trial.shape, text) : LineMistake{};
    if (failure.kind == FailureKind::outside_shared_memory) {
        mistake = find_array_not_enlarged(text);
    } else if (mistake.line > 0) {
        // The blocks take the wrong tiles, whatever the symptom.
    } else if (task.in_place && is_wrong) {
        const bool is_kept = failure.fault == Fault::tile_not_transposed;
        mistake = first_mistake(
            [&] { return is_unwritten(failure) ? find_half_a_grid(trial, text) : LineMistake{}; },
            [&] { return find_tile_overwritten(text); },
            [&] { return is_kept ? find_equal_indices(text) : LineMistake{}; });
    } else if (task.kind == Produces::permuted && is_wrong) {
        mistake = find_stack_as_one(trial, text);
    } else if (task.kind == Produces::transpose && is_wrong &&
               failure.fault == Fault::tile_not_transposed) {
        mistake = find_equal_indices(text);
    } else if (task.kind == Produces::transpose && is_wrong && is_unwritten(failure) &&
               trial.launch.grid[0] != trial.launch.grid[1]) {
        mistake = find_grid_of_other_axes(text);
    }
    if (mistake.line == 0) return false;
    blame_line(failure, mistake.line, mistake.sentence, mistake.advice);
    return true;
}

}  // namespace coalesce
