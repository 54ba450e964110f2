// Compares the position at which a kernel stores an element in a tile with the position from which
// it later loads the element.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_rules.h"
#include "examiner/index_sums.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// An element that a line of the kernel moves between a tile and a matrix.
struct MovedElement {
    int line = 0;           ///< the line that accesses the tile
    std::string tile = "";  ///< the tile's name
    /// both indices into the tile, as written in the source
    std::array<std::string, 2> index_texts = {};
    std::array<IndexSum, 2> index_sums = {};  ///< the same as sums
    /// row and column of the matrix, as written in the source
    std::array<std::string, 2> cell_text = {};
    std::array<IndexSum, 2> cell = {};  ///< row and column of the element in `in`
};

/// An access to an element of a tile: the tile's name, both indices, and the position in the line.
struct TileUse {
    std::string tile;
    std::array<std::string, 2> index;
    std::size_t begin = 0, end = 0;
};

std::optional<TileUse> find_tile_use(const std::string& code, const std::string& text) {
    for (const SharedArray& array : list_shared_arrays(text)) {
        const std::size_t at = find_word(code, array.name);
        if (array.lengths.size() != 2 || at == code.npos || code.find("__shared__") != code.npos)
            continue;
        const std::size_t first_bracket = at + array.name.size();
        if (first_bracket >= code.size() || code[first_bracket] != '[') continue;
        const std::size_t first_closing = find_closing_bracket(code, first_bracket);
        if (first_closing + 1 >= code.size() || code[first_closing + 1] != '[') continue;
        const std::size_t second_closing = find_closing_bracket(code, first_closing + 1);
        if (second_closing >= code.size()) continue;
        return TileUse{
            array.name,
            {trimmed(code.substr(first_bracket + 1, first_closing - first_bracket - 1)),
             trimmed(code.substr(first_closing + 2, second_closing - first_closing - 2))},
            at,
            second_closing + 1};
    }
    return std::nullopt;
}

/// The position of a vector's component: 2 for "z".
int component_number(char letter) {
    return letter == 'w' ? 3 : letter - 'x';
}

/// Finds the lines that move elements between a matrix and the tiles of a kernel.
class MovedElements {
public:
    MovedElements(const std::string& text, const Produces& task)
        : text_(text),
          source_(task.in_place ? "data" : "in"),
          target_(task.in_place ? "data" : "out"),
          is_copy_(task.kind == Produces::copy) {
        const std::vector<std::string> lines = lines_of(code_for_search(text_));
        for (std::size_t i = 0; i < lines.size(); ++i) read_line(lines, static_cast<int>(i) + 1);
    }

    std::vector<MovedElement> loads, stores;

private:
    /// An access to a matrix on a line; `line` is 0 if there is none.
    struct MatrixUse {
        int line = 0;
        MatrixIndex index = {};
    };

    MatrixUse matrix_on(int line, const std::string& matrix) const {
        MatrixUse use{line, find_matrix_index(text_, line, matrix)};
        int products = 0;
        for (const std::string& term : split_outside_brackets(use.index.text, "+"))
            products += contains_word(term, "rows") || contains_word(term, "cols") ||
                        contains_word(term, "side") || contains_word(term, "MATRIX_ROWS");
        if (use.index.pitch.empty() || products != 1) use.line = 0;
        return use;
    }
    void read_line(const std::vector<std::string>& lines, int line) {
        static const TextPattern component(R"(\b([a-z]\w*)\.([xyzw])\b)");
        static const TextPattern name_declaration(R"(^\s*([a-z]\w*)\s*;)");
        static const TextPattern scalar_declaration(R"(\bfloat\s+([a-z]\w*)\s*=\s*$)");
        const std::string& code = lines[static_cast<std::size_t>(line) - 1];
        const auto use = find_tile_use(code, text_);
        if (!use) return;
        const std::size_t equals = code.find(" = ");
        if (equals == code.npos) return;
        const std::string left_side = code.substr(0, equals), right_side = code.substr(equals + 3);
        if (use->begin < equals) {
            TextMatch match;
            if (right_side.find(source_ + "[") != right_side.npos) {
                add(loads, *use, line, matrix_on(line, source_), 0, false);
            } else if (search(right_side, match, component)) {
                add(loads, *use, line, matrix_of_vector(lines, match.str(1), line),
                    component_number(match.str(2).front()), false);
            } else if (search(right_side, match, name_declaration)) {
                add(loads, *use, line, matrix_of_vector(lines, match.str(1), line), 0, false);
            }
            return;
        }
        TextMatch match;
        const std::string trimmed_left = trimmed(left_side);
        if (left_side.find(target_ + "[") != left_side.npos) {
            add(stores, *use, line, matrix_on(line, target_), 0, true);
        } else if (search(trimmed_left, match, component)) {
            add(stores, *use, line, matrix_that_takes(lines, match.str(1), line),
                component_number(match.str(2).front()), true);
        } else {
            const std::string left_side_and_equals = left_side + " =";
            if (search(left_side_and_equals, match, scalar_declaration))
                add(stores, *use, line, matrix_that_takes(lines, match.str(1), line), 0, true);
        }
    }
    /// Returns the last access before the given line that loads the variable from the matrix.
    MatrixUse matrix_of_vector(const std::vector<std::string>& lines, const std::string& name,
                               int line) const {
        const TextPattern load("\\b" + name + R"(\s*=[^=].*\b)" + source_ + R"(\[)");
        for (int number = line - 1; number > 0; --number) {
            if (contains(lines[static_cast<std::size_t>(number) - 1], load))
                return matrix_on(number, source_);
        }
        return {};
    }
    /// Returns the first access after the given line that stores the variable to the matrix.
    MatrixUse matrix_that_takes(const std::vector<std::string>& lines, const std::string& name,
                                int line) const {
        const TextPattern store("\\b" + target_ + R"(\[.*=\s*)" + name + R"(\s*;)");
        for (std::size_t next_index = static_cast<std::size_t>(line); next_index < lines.size();
             ++next_index) {
            if (contains(lines[next_index], store))
                return matrix_on(static_cast<int>(next_index) + 1, target_);
        }
        return {};
    }
    void add(std::vector<MovedElement>& moved_elements, const TileUse& use, int line,
             const MatrixUse& matrix, int component, bool is_store) const {
        if (matrix.line == 0) return;
        const auto outer_term = IndexSum::parse(text_, matrix.index.outer_term, matrix.line),
                   inner_term = IndexSum::parse(text_, matrix.index.inner_term, matrix.line),
                   first_sum = IndexSum::parse(text_, use.index[0], line),
                   second_sum = IndexSum::parse(text_, use.index[1], line);
        if (!outer_term || !inner_term || !first_sum || !second_sum) return;
        MovedElement move{line, use.tile, use.index, {*first_sum, *second_sum}};
        move.cell = {*outer_term, inner_term->add_constant(component)};
        move.cell_text = {matrix.index.outer_term, matrix.index.inner_term};
        if (component > 0) move.cell_text[1] += " + " + std::to_string(component);
        // Element (row, col) of the output is element (col, row) of the input.
        if (is_store && !is_copy_) {
            std::swap(move.cell[0], move.cell[1]);
            std::swap(move.cell_text[0], move.cell_text[1]);
        }
        moved_elements.push_back(move);
    }

    const std::string& text_;
    const std::string source_, target_;
    const bool is_copy_;
};

/// The cell of the matrix that is in element (0, 0) of a tile. The first index of the tile
/// corresponds to the row of the cell, and the second to the column. In a transposed tile, it is
/// the other way round.
struct TileOrigin {
    std::array<IndexSum, 2> cell;
    bool is_transposed = false;
};

TileOrigin origin_of(const MovedElement& move, bool is_transposed) {
    return {{move.cell[0] - move.index_sums[is_transposed ? 1 : 0],
             move.cell[1] - move.index_sums[is_transposed ? 0 : 1]},
            is_transposed};
}

bool varies(const IndexSum& sum, const std::string& text, int line) {
    return !sum.varying_names(text, line).empty() && !sum.is_zero_with_constants(text);
}

bool is_fixed(const TileOrigin& origin, const std::string& text, int line) {
    return !varies(origin.cell[0], text, line) && !varies(origin.cell[1], text, line);
}

/// Returns the origin for the orientation in which all threads and iterations have the same origin.
/// If there is no such orientation, returns the origin without a transpose.
TileOrigin best_origin(const MovedElement& move, const std::string& text) {
    const TileOrigin plain_origin = origin_of(move, false),
                     transposed_origin = origin_of(move, true);
    return !is_fixed(plain_origin, text, move.line) && is_fixed(transposed_origin, text, move.line)
               ? transposed_origin
               : plain_origin;
}

bool blame_load(Failure& failure, const MovedElement& load, const std::string& text) {
    const TileOrigin origin = best_origin(load, text);
    for (const std::size_t axis : {0U, 1U}) {
        const std::vector<std::string> names = origin.cell[axis].varying_names(text, load.line);
        if (names.empty() || origin.cell[axis].is_zero_with_constants(text)) continue;
        const std::string axis_noun = axis == 0 ? "row " : "column ";
        blame_line(
            failure, load.line,
            "this puts " + axis_noun + add_backticks(load.cell_text[axis]) +
                " of the matrix into " + axis_noun + add_backticks(load.index_texts[axis]) +
                " of " + add_backticks(load.tile) + ", but only one of the two goes up with " +
                names.front() + ", or they go up by different amounts.",
            "From one " + std::string(names.front().starts_with("threadIdx") ? "thread" : "pass") +
                " to the next, both must grow by the same amount: compare how " + names.front() +
                " occurs in each.");
        return true;
    }
    return false;
}

/// Blames a loop counter that moves a store along different axes in the tile and in the matrix.
/// Returns false if there is none.
bool blame_counter_on_other_axis(Failure& failure, const MovedElement& store,
                                 const TileOrigin& origin, const std::string& text) {
    for (const Loop& loop : find_loops(text)) {
        const bool is_around = store.line >= loop.first_line && store.line <= loop.last_line;
        if (!is_around || loop.counter.empty()) continue;
        for (const std::size_t axis : {0U, 1U}) {
            // The axis of the matrix along which this index of the tile moves.
            const std::size_t index = origin.is_transposed ? 1 - axis : axis;
            const bool moves_tile = store.index_sums[index].factor_of(loop.counter) != 0 &&
                                    store.index_sums[1 - index].factor_of(loop.counter) == 0;
            const bool moves_other_axis = store.cell[axis].factor_of(loop.counter) == 0 &&
                                          store.cell[1 - axis].factor_of(loop.counter) != 0;
            if (!moves_tile || !moves_other_axis) continue;
            blame_line(failure, store.line,
                       add_backticks(loop.counter) +
                           " moves along different axes: it is added to " + "the tile's index " +
                           add_backticks(store.index_texts[index]) + ", which follows " +
                           add_backticks(store.cell_text[axis]) +
                           " in the matrix, but in the matrix it is part of " +
                           add_backticks(store.cell_text[1 - axis]) + ".",
                       "Add " + add_backticks(loop.counter) + " to " +
                           add_backticks(store.cell_text[axis]) +
                           ", in the index of the matrix "
                           "and in the condition.");
            return true;
        }
    }
    return false;
}

/// Reports whether an index stays below the length of the array for every pass and thread that
/// appears in it.
bool stays_in_tile(const IndexSum& index, long long length, const LaunchShape& launch,
                   const std::string& text, int line) {
    long long largest = index.constant();
    for (const std::size_t axis : {0U, 1U}) {
        largest +=
            index.factor_of(std::string("threadIdx.") + "xy"[axis]) * (launch.block[axis] - 1);
    }
    for (const Loop& loop : find_loops(text)) {
        if (line < loop.first_line || line > loop.last_line || loop.counter.empty()) continue;
        const std::set<long long> values = values_of_index(text, loop.counter, line);
        if (!values.empty()) largest += index.factor_of(loop.counter) * *values.rbegin();
    }
    return largest < length;
}

bool blame_store(Failure& failure, const MovedElement& store, const TileOrigin& origin,
                 const LaunchShape& launch, const std::string& text) {
    if (blame_counter_on_other_axis(failure, store, origin, text)) return true;
    const SharedArray tile = find_shared_array(text, store.line);
    for (const std::size_t axis : {0U, 1U}) {
        const std::size_t index = origin.is_transposed ? 1 - axis : axis;
        const bool is_inside = tile.lengths.size() != 2 ||
                               stays_in_tile(store.cell[axis] - origin.cell[axis],
                                             tile.lengths[index], launch, text, store.line);
        if (!is_inside) return false;
    }
    std::array<std::string, 2> expected_origin;
    for (const std::size_t axis : {0U, 1U})
        expected_origin[origin.is_transposed ? 1 - axis : axis] =
            (store.cell[axis] - origin.cell[axis]).format();
    const auto name = [&](const std::array<std::string, 2>& index) {
        return add_backticks(store.tile + "[" + index[0] + "][" + index[1] + "]");
    };
    blame_line(
        failure, store.line,
        "this reads " + name(store.index_texts) + ", but the element that is stored here, row " +
            add_backticks(store.cell_text[0]) + " and column " + add_backticks(store.cell_text[1]) +
            ", was put at " + name(expected_origin) + ".",
        "The index of the tile and the index of the matrix must refer to the same element. "
        "Which of the two is wrong?");
    return true;
}

/// Reports whether the store would be correct if the two indices of the tile were exchanged. Other
/// rules explain a tile that is not transposed at all.
bool is_exchange(const MovedElement& store, const TileOrigin& origin) {
    return store.cell[0] - store.index_sums[origin.is_transposed ? 0 : 1] == origin.cell[0] &&
           store.cell[1] - store.index_sums[origin.is_transposed ? 1 : 0] == origin.cell[1];
}

/// Reports whether the store would be correct if it took its element from the other tile.
bool takes_element_of(const MovedElement& store, const MovedElement& load,
                      const std::string& text) {
    const TileOrigin origin = best_origin(load, text);
    const TileOrigin store_origin = origin_of(store, origin.is_transposed);
    return (store_origin.cell[0] - origin.cell[0]).is_zero_with_constants(text) &&
           (store_origin.cell[1] - origin.cell[1]).is_zero_with_constants(text);
}

bool blame_other_tile(Failure& failure, const MovedElement& store, const MovedElement& load) {
    blame_line(failure, store.line,
               "this stores elements of " + add_backticks(store.tile) +
                   ", but those that belong here are in " + add_backticks(load.tile) + ".",
               "Store each of the two tiles where the other one was.");
    return true;
}

/// Blames a kernel that stores a tile at a position in the matrix that does not match the position
/// from which it loaded the tile. Always returns true.
bool blame_origin(Failure& failure, const MovedElement& load, const MovedElement& store,
                  const IndexSum& loaded_sum, const IndexSum& stored_sum, std::size_t axis,
                  const std::string& text) {
    const std::string axis_noun = axis == 0 ? "row " : "column ";
    // The index of a tile's first element is the block's index times the tile's side. A line with
    // any other expression is wrong.
    static const TextPattern tile_origin_pattern(R"(\w+(?:\.\w)? \* TILE_DIM(?: - \w+)?)");
    TextMatch match;
    const std::string origin_text = loaded_sum.format();
    const bool is_load = !match_whole(origin_text, match, tile_origin_pattern);
    const MovedElement& wrong_move = is_load ? load : store;
    const int assignment_line = find_assignment_line(
        text, split_outside_brackets(wrong_move.cell_text[axis], "+").front(), wrong_move.line);
    blame_line(failure, assignment_line > 0 ? assignment_line : wrong_move.line,
               "the tile is loaded beginning at " + axis_noun + add_backticks(origin_text) +
                   " of the matrix, but stored as if it began at " + axis_noun +
                   add_backticks(stored_sum.format()) + ".",
               "Both halves of the kernel must use the same tile: where does this tile begin?");
    return true;
}

/// Returns the text with blockDim replaced by the size of a block, so that `blockDim.x *
/// blockIdx.x` is the same sum as `32 * blockIdx.x`.
std::string substitute_block_size(std::string text, const LaunchShape& launch) {
    for (const std::size_t axis : {0U, 1U, 2U}) {
        const std::string name = std::string("blockDim.") + "xyz"[axis];
        const std::string size = std::to_string(launch.block[axis]);
        for (std::size_t at = find_word(text, name); at != text.npos; at = find_word(text, name))
            text.replace(at, name.size(), size);
    }
    return text;
}

}  // namespace

bool explain_other_element(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string text = substitute_block_size(evidence.source.text, trial.launch);
    const Produces task = evidence.exercise.task();
    const bool is_permuted = task.kind == Produces::permuted;
    if (task.kind != Produces::copy && task.kind != Produces::transpose && !is_permuted)
        return false;
    const MovedElements moved_elements(text, task);
    // A tile that is filled twice holds other elements the second time.
    const std::vector<MovedElement>& loads = moved_elements.loads;
    if (task.in_place && loads.size() > 1 && loads[0].tile == loads[1].tile) return false;
    for (const MovedElement& load : moved_elements.loads) {
        const TileOrigin origin = best_origin(load, text);
        if (!is_fixed(origin, text, load.line)) return blame_load(failure, load, text);
        for (const std::size_t axis : {0U, 1U}) {
            // An origin such as `tile_col - 1`: the first column of the tile stays empty.
            if (origin.cell[axis].constant() >= 0) continue;
            const std::string axis_noun = axis == 0 ? "row" : "column";
            const long long empty = -origin.cell[axis].constant();
            blame_line(failure, load.line,
                       "this puts " + axis_noun + " " + add_backticks(load.cell_text[axis]) +
                           " into " + axis_noun + " " + add_backticks(load.index_texts[axis]) +
                           " of " + add_backticks(load.tile) + ": that is " +
                           std::to_string(empty) + " too far, and the first " + axis_noun +
                           " of the tile stays empty.",
                       "Begin with index 0, which is the first " + axis_noun + " of the tile.");
            return true;
        }
    }
    for (const MovedElement& store : moved_elements.stores) {
        const auto load =
            std::ranges::find(moved_elements.loads, store.tile,
                              [](const MovedElement& element) { return element.tile; });
        if (load == moved_elements.loads.end()) continue;
        const TileOrigin origin = best_origin(*load, text);
        const TileOrigin store_origin = origin_of(store, origin.is_transposed);
        // A tile that is never transposed is a different mistake from a single store that does not
        // transpose the tile.
        const bool is_only_one =
            std::ranges::any_of(moved_elements.stores, [&](const MovedElement& element) {
                const auto same_tile =
                    std::ranges::find(moved_elements.loads, element.tile, &MovedElement::tile);
                return same_tile != moved_elements.loads.end() &&
                       !is_exchange(element, best_origin(*same_tile, text));
            });
        if (is_exchange(store, origin) && !(task.in_place && is_only_one)) continue;
        for (const std::size_t axis : {0U, 1U}) {
            const IndexSum origin_distance = store_origin.cell[axis] - origin.cell[axis];
            if (origin_distance.is_zero_with_constants(text)) continue;
            // Matrices of a stack begin at different rows of `in` and `out`.
            if (is_permuted && !varies(store_origin.cell[axis], text, store.line)) continue;
            for (const MovedElement& other_load : moved_elements.loads) {
                if (other_load.tile != store.tile && takes_element_of(store, other_load, text))
                    return blame_other_tile(failure, store, other_load);
            }
            if (!varies(store_origin.cell[axis], text, store.line) &&
                !origin_distance.is_constant())
                return blame_origin(failure, *load, store, origin.cell[axis],
                                    store_origin.cell[axis], axis, text);
            return blame_store(failure, store, origin, trial.launch, text);
        }
    }
    return false;
}

}  // namespace coalesce
