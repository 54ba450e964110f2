// Finds mistakes that the kernel's text shows, whatever their symptom.
// Long: the rules are short, and explain_by_lines() lists them in the order in which they are
// tried.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_rules.h"
#include "examiner/index_sums.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

// ---- units ----

/// Finds a matrix index that contains sizeof.
LineMistake find_sizeof_in_index(const std::string& code) {
    static const TextPattern matrix(R"(\b(?:in|out|data)\s*\[)");
    for (const TextMatch& one : find_matches(code, matrix)) {
        const std::size_t open = match_end(one) - 1;
        const std::string index = code.substr(open, find_closing_bracket(code, open) - open);
        if (index.find("sizeof") == index.npos) continue;
        return {line_number_at(code, open),
                "this index is multiplied by a number of bytes, but an index counts elements.",
                "Drop sizeof: in[i] is element i, whatever its size."};
    }
    return {};
}

/// Finds an index that multiplies the block's offset by the thread's index instead of adding them.
LineMistake find_multiplied_thread(const std::string& code) {
    static const TextPattern product(
        R"((blockIdx\.[xyz]\s*\*\s*(?:blockDim\.[xyz]|[A-Z]\w*))\s*\*\s*(threadIdx\.[xyz]))");
    TextMatch found;
    if (!search(code, found, product)) return {};
    return {line_of(code, found),
            in_backticks(found.str()) +
                " multiplies the index of the block's first element by the thread's index.",
            "Add " + found.str(2) + " to " + found.str(1) + "."};
}

LineMistake find_exchanged_quotient(const std::string& code) {
    static const TextPattern call(R"(ceil_div\(\s*([A-Z]\w*[^,()]*),\s*(rows|cols)\s*\))");
    TextMatch found;
    if (!search(code, found, call)) return {};
    return {line_of(code, found),
            "the arguments of " + in_backticks(found.str()) +
                " are swapped: the result is the number of matrices that fit into a tile.",
            "Divide the side of the matrix by the side of the tile: ceil_div(" + found.str(2) +
                ", " + trimmed(found.str(1)) + ")."};
}

// ---- loops ----

/// Finds a variable that advances in each iteration of a loop, and to which the loop's counter is
/// also added.
LineMistake find_moved_twice(const std::string& text) {
    static const TextPattern change(R"(^\s*(row|col|in|out)\s*\+=\s*([^;]+);)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (const Loop& loop : find_loops(text)) {
        if (loop.counter.empty() || loop.last_line <= loop.first_line) continue;
        const int last = std::min(loop.last_line, static_cast<int>(lines.size()));
        std::string body;
        for (int line = loop.first_line + 1; line <= last; ++line)
            body += lines[static_cast<std::size_t>(line) - 1] + "\n";
        for (int line = loop.first_line + 1; line < last; ++line) {
            TextMatch found;
            if (!search(lines[static_cast<std::size_t>(line) - 1], found, change)) continue;
            const std::string name = found.str(1), by = trimmed(found.str(2));
            const bool is_pointer = name == "in" || name == "out";
            const bool adds_counter = contains_word(by, loop.counter);
            const bool is_added = body.find(name + " + " + loop.counter) != body.npos;
            if (!adds_counter && (is_pointer || !is_added)) continue;
            return {line,
                    in_backticks(name) + " advances by " + in_backticks(by) + " in each pass, " +
                        (adds_counter
                             ? "but " + loop.counter +
                                   " already counts from the start of the loop, so earlier steps "
                                   "are added again."
                             : "and " + loop.counter + " is added to it as well."),
                    "Leave " + in_backticks(name) + " unchanged, and add " + loop.counter +
                        (is_pointer ? " in the index." : " to it where it is used.")};
        }
    }
    return {};
}

/// Finds a store whose index does not use the counter of the loop around the store.
LineMistake find_unused_counter(const std::string& text, int store_line) {
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = innermost_loop(loops, store_line);
    if (!loop || loop->counter.empty()) return {};
    for (int line = loop->first_line + 1; line <= loop->last_line; ++line) {
        const std::string code = code_on_line(text, line);
        if (line != store_line && contains_word(code, loop->counter) &&
            code.find("if") == code.npos)
            return {};
    }
    const std::string code = code_on_line(text, store_line);
    const std::string head = code_on_line(text, loop->first_line);
    if (contains_word(code, loop->counter) || head.find(loop->counter) == head.npos) return {};
    return {store_line,
            "each pass of the loop stores the same element: " + in_backticks(loop->counter) +
                " is missing from the indices.",
            "Add " + in_backticks(loop->counter) +
                " to the index of the tile, and to the row or the column along which the loop "
                "advances."};
}

// ---- lists of components ----

LineMistake find_odd_component_in_list(const std::string& code) {
    static const TextPattern list(R"(=\s*\{\s*(\w+\.[xyzw](?:\s*,\s*\w+\.[xyzw]){1,3})\s*\})");
    for (const TextMatch& one : find_matches(code, list)) {
        const std::vector<std::string> parts = split_outside_brackets(one.str(1), ",");
        std::set<std::string> seen;
        std::string repeated;
        for (const std::string& part : parts) {
            if (!seen.insert(part).second) repeated = part;
        }
        if (!repeated.empty()) {
            return {line_of(code, one),
                    in_backticks(repeated) +
                        " occurs twice in this list, and another element is "
                        "missing.",
                    "Take one element from each of the vectors that were loaded."};
        }
        const auto component = [](const std::string& part) { return part.back(); };
        const auto count = [&](char letter) {
            return std::ranges::count(parts, letter, component);
        };
        const std::set<char> letters = [&] {
            std::set<char> all;
            for (const std::string& part : parts) all.insert(part.back());
            return all;
        }();
        if (letters.size() != 2 || parts.size() < 3) continue;
        for (const std::string& part : parts) {
            if (count(part.back()) != 1) continue;
            return {line_of(code, one),
                    in_backticks(part) + " is a different component from the others in this list.",
                    "Take the same component of each vector: these elements are vertically "
                    "adjacent."};
        }
    }
    return {};
}

/// Finds vectors that one thread should load from consecutive rows, but loads from other rows.
LineMistake find_rows_apart(const std::string& text) {
    static const TextPattern load(R"(float4\s+\w+\s*=.*\bin\[\(row\s*\+\s*(\d{1,3})\)\s*\*)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int before = -1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch found;
        if (!search(lines[i], found, load)) {
            before = -1;
            continue;
        }
        const int offset = std::stoi(found.str(1));
        if (before >= 0 && offset != before + 1) {
            const bool is_same = offset == before;
            return {static_cast<int>(i) + 1,
                    is_same ? "this loads the same row as the line before it, so row + " +
                                  std::to_string(before + 1) + " is left out."
                            : "this row is " + std::to_string(offset - before) +
                                  " rows after the previous one, but a thread needs "
                                  "consecutive rows.",
                    "Load the rows `row` to `row + 3`, in this order."};
        }
        before = offset;
    }
    return {};
}

// ---- arrays that are filled but not read, or that are read in a different way ----

LineMistake find_unread_tile(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<SharedArray> arrays = list_shared_arrays(text);
    if (arrays.size() < 2) return {};
    for (const SharedArray& array : arrays) {
        int stored = 0;
        bool is_read = false;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::size_t at = find_word(lines[i], array.name);
            if (at == lines[i].npos || lines[i].find("__shared__") != lines[i].npos) continue;
            const std::size_t equals = lines[i].find(" = ");
            const bool is_store = equals != std::string::npos && at < equals &&
                                  lines[i].compare(at + array.name.size(), 1, "[") == 0;
            if (is_store) stored = static_cast<int>(i) + 1;
            is_read |= !is_store || find_word(lines[i], array.name, equals) != std::string::npos;
        }
        if (stored == 0 || is_read) continue;
        static const TextPattern again(R"(\bdata\s*\[[^;=]*=\s*data\s*\[)");
        static const TextPattern store(R"(\bdata\s*\[[^;=]*=\s*([a-z]\w*)\s*\[)");
        std::set<std::string> sources;
        for (std::size_t i = static_cast<std::size_t>(stored); i < lines.size(); ++i) {
            TextMatch found;
            if (contains(lines[i], again)) {
                return {static_cast<int>(i) + 1,
                        "this reads `data` again while other threads overwrite it: the elements "
                        "that were read before the barrier are in " +
                            in_backticks(array.name) + ".",
                        "Take the element from the tile, whose contents no longer change."};
            }
            if (!search(lines[i], found, store) || sources.insert(found.str(1)).second) continue;
            return {static_cast<int>(i) + 1,
                    "this stores elements of " + in_backticks(found.str(1)) +
                        " for the second time, and nothing stores the elements of " +
                        in_backticks(array.name) + ".",
                    "Store each of the two tiles where the other one was."};
        }
        return {stored,
                in_backticks(array.name) +
                    " is filled here, but nothing reads it: its elements "
                    "are never stored.",
                "Store this tile too, transposed, where its elements belong."};
    }
    return {};
}

/// How a line computes an index of an array: by multiplying by `pitch`, or by calling `function`.
struct IndexForm {
    int line = 0;
    std::string pitch, function;
};

std::vector<IndexForm> index_forms(const std::string& text, const std::string& array) {
    static const TextPattern call(R"(^\s*([a-z]\w*)\s*\()");
    static const TextPattern product(R"(\*\s*(\([^()]*\)|[A-Za-z]\w*)\s*(?:\+|$))");
    const TextPattern use("\\b" + array + R"(\s*\[)");
    const std::string code = code_for_search(text);
    std::vector<IndexForm> forms;
    for (const TextMatch& one : find_matches(code, use)) {
        const std::size_t open = match_end(one) - 1;
        const std::size_t close = find_closing_bracket(code, open);
        const std::string index = trimmed(code.substr(open + 1, close - open - 1));
        IndexForm form{line_number_at(code, open), "", ""};
        if (code_on_line(text, form.line).find("__shared__") != std::string::npos) continue;
        TextMatch found;
        if (search(index, found, call)) {
            form.function = found.str(1);
        } else if (search(index, found, product)) {
            form.pitch = simplified(found.str(1));
        } else {
            continue;
        }
        forms.push_back(form);
    }
    return forms;
}

/// Finds a flat tile that is filled in one layout and read in another.
LineMistake find_other_layout(const std::string& text) {
    for (const SharedArray& array : list_shared_arrays(text)) {
        if (array.lengths.size() > 1) continue;
        const std::vector<IndexForm> forms = index_forms(text, array.name);
        if (forms.size() < 2) continue;
        const IndexForm& first = forms.front();
        for (const IndexForm& one : forms) {
            if (one.function.empty() != first.function.empty()) {
                const IndexForm& plain = one.function.empty() ? one : first;
                const IndexForm& called = one.function.empty() ? first : one;
                return {plain.line,
                        "this computes the index of " + in_backticks(array.name) + " without " +
                            called.function + "(), but line " + std::to_string(called.line) +
                            " uses that function: the two lines access different elements.",
                        "Use " + called.function + "() wherever the tile is accessed."};
            }
            const auto value = [&](const IndexForm& form) {
                return constant_value(text, form.pitch);
            };
            const bool is_same =
                one.pitch == first.pitch || (value(one) && value(one) == value(first));
            if (one.function.empty() && !is_same) {
                // The pitch that most lines use is taken to be correct. With only two lines, either
                // may be wrong.
                const auto uses = [&](const IndexForm& form) {
                    return std::ranges::count(forms, form.pitch, &IndexForm::pitch);
                };
                const IndexForm& odd = uses(one) <= uses(first) ? one : first;
                const IndexForm& usual = uses(one) <= uses(first) ? first : one;
                return {odd.line,
                        "rows of " + in_backticks(array.name) + " are " + in_backticks(odd.pitch) +
                            " elements apart here, but " + in_backticks(usual.pitch) + " on line " +
                            std::to_string(usual.line) +
                            ": the two lines access different elements.",
                        "Use the same distance between rows on every line, and make the array "
                        "large enough for it."};
            }
        }
    }
    return {};
}

// ---- conditions ----

/// Finds a condition that is checked before its variables get their final values.
LineMistake find_early_condition(const std::string& text, int access_line) {
    static const TextPattern name(R"(\b[a-z]\w*\b)");
    for (const Condition& condition : find_conditions(text, access_line)) {
        if (condition.is_exit || condition.line == access_line) continue;
        for (const ComparisonTerm& term : condition.comparisons) {
            for (const TextMatch& one : find_matches(term.left, name)) {
                const int set = find_assignment_line(text, one.str(), access_line);
                if (set <= condition.line) continue;
                return {condition.line,
                        "this condition checks the old value of " + in_backticks(one.str()) +
                            "; the new value is computed only on line " + std::to_string(set) + ".",
                        "Compute the indices first, and check them afterwards."};
            }
        }
    }
    return {};
}

/// Finds a condition that excludes valid elements because it compares a row with a column, or
/// requires an index greater than 0.
LineMistake find_condition_that_excludes(const std::string& text, int access_line) {
    for (const Condition& condition : find_conditions(text, access_line)) {
        if (condition.is_exit) continue;
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool is_above_zero =
                term.op == ">" && term.right == "0" && term.left.find("Idx") == term.left.npos;
            if (is_above_zero) {
                return {condition.line,
                        in_backticks(term.left + " > 0") + " excludes " + in_backticks(term.left) +
                            " = 0, which is a valid index.",
                        "Use >=."};
            }
            const bool is_pair = (term.left == "row" && term.right == "col") ||
                                 (term.left == "col" && term.right == "row");
            if (!is_pair || term.op == "!=") continue;
            return {condition.line,
                    in_backticks(term.left + " " + term.op + " " + term.right) +
                        " excludes elements of the matrix, such as those on the diagonal.",
                    "`out` is a different matrix from `in`: store every element once, and swap "
                    "nothing."};
        }
    }
    return {};
}

/// Finds an index that may be negative and that no condition compares with 0.
LineMistake find_negative_index(const std::string& text, int access_line,
                                const std::string& matrix) {
    const MatrixIndex index = find_matrix_index(text, access_line, matrix);
    if (index.pitch.empty()) return {};
    const std::vector<Condition> conditions = find_conditions(text, access_line);
    for (const std::string& part : {index.inner, index.outer}) {
        const bool is_name = part.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == part.npos;
        const int set = is_name ? find_assignment_line(text, part, access_line) : 0;
        if (set == 0) continue;
        const std::string value = assigned_value(text, part, access_line);
        const bool subtracts = split_outside_brackets(value, "-").size() > 1;
        const bool is_checked = std::ranges::any_of(conditions, [&](const Condition& condition) {
            return std::ranges::any_of(condition.comparisons, [&](const ComparisonTerm& term) {
                return contains_word(term.left, part) && (term.right == "0" || term.right == "-1");
            });
        });
        if (!subtracts || is_checked || conditions.empty()) continue;
        return {conditions.back().line,
                in_backticks(part) + " (line " + std::to_string(set) +
                    ") can be negative, and nothing compares it with 0.",
                "Check both ends: " + part + " >= 0 as well."};
    }
    return {};
}

/// Finds copies that always copy a whole row of the tile, even if the tile extends beyond the edge
/// of the matrix.
LineMistake find_whole_row_copied(const std::string& text) {
    static const TextPattern call(R"(\bload_row\s*\([^;]*\bTILE_DIM\s*\*[^;]*;)");
    const std::string code = code_for_search(text);
    TextMatch found;
    if (!search(code, found, call)) return {};
    return {line_of(code, found),
            "each copy has the length of a whole row of the tile, even where the matrix ends "
            "before the tile does.",
            "Copy bytes_of_row bytes, which is the part of the row that is inside the matrix."};
}

/// Finds an mbarrier that is used before it is initialized.
LineMistake find_late_init(const std::string& text) {
    static const TextPattern expect(R"(\bexpect\s*\()");
    static const TextPattern init(R"(\binit\s*\()");
    const int used = find_line_in_kernel(text, expect),
              initialized = find_line_in_kernel(text, init);
    if (used == 0 || initialized <= used) return {};
    return {used,
            "expect() is called before init() on line " + std::to_string(initialized) +
                ": the mbarrier does not exist yet.",
            "Initialize the mbarrier first."};
}

// ---- stores that are moved back to a sector boundary ----

/// Finds mistakes in the computation of the phase: the number of elements by which a store is moved
/// back so that it begins at a sector boundary.
LineMistake find_phase_mistake(const std::string& text) {
    static const TextPattern phase(R"(\bint\s+(\w+)\s*=\s*([^;]*)%\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    const auto sector = constant_value(text, "SECTOR");
    TextMatch found;
    if (!sector || !search(code, found, phase)) return {};
    const std::string name = found.str(1), by = found.str(3);
    if (const auto value = constant_value(text, by); value && *value != *sector) {
        return {line_of(code, found),
                in_backticks(name) + " is a remainder modulo " + by + ", but a sector has " +
                    std::to_string(*sector) + " elements.",
                "Take the remainder modulo SECTOR, which is the offset within a sector."};
    }
    if (found.str(2).find("threadIdx.x") != std::string::npos) {
        return {line_of(code, found),
                in_backticks(name) +
                    " depends on threadIdx.x, so each lane begins earlier by a different number of "
                    "elements.",
                "Move the accesses of all lanes of a warp back by the same number of elements: "
                "compute this number from the index of the warp's first element."};
    }
    return {};
}

/// Finds a grid that is too small because it ignores LEAD, the number of rows by which blocks begin
/// before their tile.
LineMistake find_grid_without_lead(const std::string& text) {
    const int grid = find_configure_line(text, ".grid");
    if (!constant_value(text, "LEAD") || contains_word(code_on_line(text, grid), "LEAD")) return {};
    return {grid,
            "blocks begin their stores up to LEAD rows above their tile, so the last rows may need "
            "one more tile, for which the grid has no block.",
            "Cover rows + LEAD rows: ceil_div(rows + LEAD, TILE_DIM)."};
}

// ---- pairs of tiles ----

LineMistake find_pair_condition(const std::string& code) {
    static const TextPattern only(
        R"(if\s*\(\s*blockIdx\.[xy]\s*!=\s*blockIdx\.[xy]\s*\)\s*\{?\s*return)");
    static const TextPattern same(R"(if\s*\([^;{]*\b(row\s*==\s*col|col\s*==\s*row)\b)");
    TextMatch found;
    if (search(code, found, only)) {
        return {line_of(code, found),
                "only the blocks on the diagonal continue here, so all pairs of tiles stay as they "
                "are.",
                "Make one block of each pair return, not both: compare with >, not with !=."};
    }
    if (search(code, found, same)) {
        return {line_of(code, found, 1),
                in_backticks(found.str(1)) +
                    " stores the second tile only on the diagonal, where "
                    "both tiles are the same.",
                "Skip the second store on the diagonal, not everywhere else: compare with !=."};
    }
    return {};
}

// ---- variables that are missing from an index ----

/// Returns an index expression with all variables replaced by their values, followed by the headers
/// of the surrounding loops.
std::string expanded_index(const std::string& text, const std::string& index, int line) {
    std::string all = expand(text, index, line);
    for (const Loop& loop : find_loops(text)) {
        if (line >= loop.first_line && line <= loop.last_line) {
            all += " " + expand(text, code_on_line(text, loop.first_line), loop.first_line);
        } else if (!loop.counter.empty()) {
            // A variable in the index may have the same name as the counter of another loop.
            all += " " + assigned_value(text, loop.counter, line);
        }
    }
    return all;
}

LineMistake find_index_without(const std::string& text, const std::string& matrix, bool is_store,
                               const Trial& trial) {
    const std::string code = code_for_search(text);
    const TextPattern access("\\b" + matrix + R"(\s*\[)");
    for (const TextMatch& one : find_matches(code, access)) {
        const int line = line_of(code, one);
        const std::size_t open = match_end(one) - 1;
        const std::string index =
            code.substr(open + 1, find_closing_bracket(code, open) - open - 1);
        const std::string all = expanded_index(text, index, line);
        for (const std::string axis : {"x", "y"}) {
            const std::size_t number = axis == "x" ? 0 : 1;
            const bool has_blocks = trial.launch.grid[number] > 1,
                       has_threads = trial.launch.block[number] > 1;
            for (const std::string word : {"threadIdx.", "blockIdx."}) {
                const bool is_thread = word == "threadIdx.";
                if (!(is_thread ? has_threads && is_store : has_blocks)) continue;
                const std::string name = word + axis, other = word + (axis == "x" ? "y" : "x");
                if (all.find(name) != all.npos || all.find(other) == all.npos) continue;
                // The mistake is in the line that combines both axes, as in `blockIdx.y * ... +
                // threadIdx.x`.
                const TextPattern mixed(
                    is_thread ? "\\b(?:row|col)\\s*=[^;]*blockIdx\\." + axis + "[^;]*" + other
                              : "\\b(?:row|col)\\s*=[^;]*" + other + "[^;]*threadIdx\\." + axis);
                TextMatch found;
                const std::string before = code.substr(0, match_offset(one));
                const int blamed = search(before, found, mixed) ? line_of(code, found) : line;
                const std::string who = is_thread ? "threads" : "blocks";
                return {blamed,
                        "the index of `" + matrix + "` on line " + std::to_string(line) +
                            " does not depend on " + name + ": all " + who +
                            " that differ only in " + name +
                            (is_store ? " store to" : " read from") + " the same place.",
                        "Which variable in this index must use " + name + "?"};
            }
        }
    }
    return {};
}

// ---- swaps, and per-thread arrays ----

LineMistake find_swap(const std::string& code) {
    static const TextPattern swap(
        R"(float\s+(\w+)\s*=\s*in\[[^;]*;\s*out\[[^;]*=\s*in\[[^;]*;\s*out\[[^;]*=\s*(\w+)\s*;)");
    TextMatch found;
    if (!search(code, found, swap) || found.str(1) != found.str(2)) return {};
    return {line_of(code, found) + 1,
            "this swaps two elements, but `out` is a different matrix from `in`, and each thread "
            "handles one element, so two threads store to each cell.",
            "Store in(row, col) at out(col, row), and nothing else: no temporary is needed."};
}

/// Finds a per-thread array that is filled with one index and read with another.
LineMistake find_other_value(const std::string& text) {
    static const TextPattern fill(R"(^\s*(\w+)\s*\[([^\]]*)\]\s*[+]?=\s)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch found;
        if (!search(lines[i], found, fill)) continue;
        const int line = static_cast<int>(i) + 1;
        const LocalArray array = find_local_array(text, line);
        if (array.name.empty() || array.name != found.str(1) || array.length < 2) continue;
        const std::string filled = trimmed(found.str(2));
        const std::set<long long> values = values_of_index(text, filled, line);
        if (lines[i].find("+=") != std::string::npos) {
            return {line,
                    in_backticks(array.name + "[" + filled + "]") +
                        " has no value yet, so this line cannot add to it.",
                    "Assign the element with =."};
        }
        const std::vector<Loop> loops = find_loops(text);
        const Loop* loop = innermost_loop(loops, line);
        const bool is_one_pass = loop && values_of_index(text, loop->counter, line).size() == 1;
        if (is_one_pass) {
            return {loop->first_line,
                    "this loop ends after its first pass, so the other elements of " +
                        in_backticks(array.name) + " get no value.",
                    "Run the loop once for each of the thread's " + std::to_string(array.length) +
                        " elements."};
        }
        if (values.size() == 1) {
            return {line,
                    in_backticks(filled) + " is " + std::to_string(*values.begin()) +
                        " in every pass, so all elements are stored at the same index of " +
                        in_backticks(array.name) + ".",
                    "Each pass needs its own index: number the passes from 0 to " +
                        std::to_string(array.length - 1) + "."};
        }
        const TextPattern read("=[^=;]*\\b" + array.name + R"(\s*\[([^\]]*)\])");
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
            TextMatch other;
            if (!search(lines[j], other, read)) continue;
            const std::string taken = trimmed(other.str(1));
            const int at = static_cast<int>(j) + 1;
            const std::string expanded = expand(text, taken, at);
            if (taken == filled || simplified(expanded) == filled) break;
            return {at,
                    "this takes " + in_backticks(array.name + "[" + taken + "]") +
                        ", but the element of this pass was put into " +
                        in_backticks(array.name + "[" + filled + "]") + " on line " +
                        std::to_string(line) + ".",
                    "Use the same index for the same element in both loops."};
        }
    }
    return {};
}

/// Finds a copy that loads one element but stores to the position of another.
LineMistake find_other_cell(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    MatrixIndex from, to;
    int loaded = 0, stored = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        if (loaded == 0 && lines[i].find("in[") != std::string::npos) {
            from = find_matrix_index(text, line, "in");
            loaded = line;
        }
        if (stored == 0 && lines[i].find("out[") != std::string::npos) {
            to = find_matrix_index(text, line, "out");
            stored = line;
        }
    }
    if (from.pitch != "cols" || to.pitch != "cols") return {};
    const auto row = IndexSum::parse(text, from.outer, loaded),
               col = IndexSum::parse(text, from.inner, loaded),
               out_row = IndexSum::parse(text, to.outer, stored),
               out_col = IndexSum::parse(text, to.inner, stored);
    if (!row || !col || !out_row || !out_col || (*row == *out_row && *col == *out_col)) return {};
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = innermost_loop(loops, stored);
    const bool is_of_store =
        loop && !loop->counter.empty() && !contains_word(to.text, loop->counter);
    const auto cell = [](const MatrixIndex& index) {
        return "row " + in_backticks(index.outer) + " and column " + in_backticks(index.inner);
    };
    const std::string next =
        "A copy keeps the row and the column of each element: use the same index twice.";
    if (is_of_store) {
        return {stored,
                "this stores to " + cell(to) + ", but line " + std::to_string(loaded) + " loaded " +
                    cell(from) + ".",
                next};
    }
    return {loaded,
            "this loads " + cell(from) + ", but line " + std::to_string(stored) + " stores to " +
                cell(to) + ".",
            next};
}

/// Finds a tile whose element type differs from that of the matrix.
LineMistake find_other_type(const std::string& code) {
    static const TextPattern tile(
        R"(__shared__\s+(double|int|unsigned|short|__half|half)\s+(\w+))");
    TextMatch found;
    if (!search(code, found, tile)) return {};
    return {line_of(code, found),
            in_backticks(found.str(2)) + " holds elements of type " + found.str(1) +
                ", but the matrix holds floats: each value is converted twice.",
            "Declare the tile as float."};
}

LineMistake find_shared_value(const std::string& code) {
    static const TextPattern array(R"(__shared__\s+float\s+values\s*\[)");
    TextMatch found;
    if (!search(code, found, array)) return {};
    return {line_of(code, found),
            "all threads of the block share `values`, and overwrite each other's elements.",
            "Each thread needs its own array: declare it without __shared__."};
}

/// Looks for a loop over single elements that ends `left` elements before its bound.
LineMistake find_early_end(const std::string& text, long long left) {
    static const TextPattern header(R"(\bfor\s*\([^;]*;\s*(\w+)\s*<\s*(\w+)\s*-\s*(\d{1,3})\s*;)");
    const std::string code = code_for_search(text);
    for (const TextMatch& one : find_matches(code, header)) {
        if (std::stoi(one.str(3)) < left) continue;
        const std::string bound = one.str(2) + " - " + one.str(3);
        return {line_of(code, one),
                "this loop ends before element " + in_backticks(bound) + ", so the last " +
                    (one.str(3) == "1" ? "element is" : "elements are") + " left out.",
                "The last element has index " + one.str(2) + " - 1: compare " + one.str(1) +
                    " with " + one.str(2) + "."};
    }
    return {};
}

/// Looks for a vectorized copy that leaves out elements at the end of a matrix.
LineMistake find_rest_left_out(const Trial& trial, const std::string& text) {
    const std::string code = code_for_search(text);
    if (!trial.comparison || contains_word(code, "row") || trial.comparison->wrong > 0) return {};
    static const TextPattern guard(R"(\bif\s*\([^;{]*<[^;{]*\))");
    const auto left = static_cast<long long>(trial.comparison->untouched);
    const long long count = static_cast<long long>(trial.elements());
    TextMatch found;
    const std::size_t kernel = code.find("__global__");
    const std::string body = kernel == code.npos ? code : code.substr(kernel);
    if (left == 0 || !search(body, found, guard)) return {};
    const int offset = kernel == code.npos ? 0 : line_number_at(code, kernel) - 1;
    if (left >= trial.launch.threads()) {
        const int grid = find_configure_line(text, ".grid");
        if (code_on_line(text, grid).find('/') == std::string::npos) return {};
        return {grid,
                "the grid has " +
                    format_count(static_cast<std::uint64_t>(trial.launch.blocks()), "block") +
                    ", too few for " + std::to_string(count) + " elements: the last " +
                    std::to_string(left) + " have no thread. The division rounds down.",
                "Round the number of blocks up, with ceil_div."};
    }
    const LineMistake of_loop = find_early_end(text, left);
    if (of_loop.line > 0) return of_loop;
    return {line_of(body, found) + offset,
            "the last " + (left == 1 ? "" : std::to_string(left) + " ") +
                (left == 1 ? "element of " : "elements of ") + std::to_string(count) +
                (left == 1 ? " is" : " are") +
                " left out: the last float4 that passes this condition ends before " +
                (left == 1 ? "it." : "them."),
            "Which elements remain after the last whole float4? At which index do they begin, and "
            "which thread should move them?"};
}

bool is_unwritten_fault(const Failure& failure) {
    return failure.kind == FailureKind::wrong_result &&
           (failure.fault == Fault::never_written || failure.fault == Fault::part_of_each_tile ||
            failure.fault == Fault::grid_too_small || failure.fault == Fault::ragged_edge_missed);
}

bool is_certain(const Failure& failure) {
    return failure.kind == FailureKind::wrong_result && has_trait(failure.fault, trait::certain) &&
           failure.fault != Fault::shifted && failure.fault != Fault::neighbour_repeated &&
           failure.fault != Fault::neighbours_exchanged &&
           failure.fault != Fault::tile_not_transposed && failure.fault != Fault::half_exchanged &&
           failure.fault != Fault::tile_not_moved;
}

/// Looks for mistakes in a kernel that copies a matrix.
LineMistake find_copy_mistake(const Failure& failure, const Trial& trial, const std::string& text) {
    const bool is_wrong = failure.kind == FailureKind::wrong_result,
               is_outside = failure.kind == FailureKind::no_bounds_check ||
                            failure.kind == FailureKind::out_of_bounds;
    if (is_outside) return {};
    if (auto found = find_shared_value(code_for_search(text)); found.line > 0) return found;
    if (!is_wrong && failure.kind != FailureKind::elements_left_out) return {};
    if (auto found = find_other_value(text); found.line > 0) return found;
    if (!is_wrong) return {};
    const LineMistake of_cell = is_certain(failure) ? LineMistake{} : find_other_cell(text);
    return of_cell.line > 0 || !is_unwritten_fault(failure) ? of_cell
                                                            : find_rest_left_out(trial, text);
}

}  // namespace

bool explain_by_lines(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const Produces task = evidence.exercise.task();
    const std::string out = matrix_name(true, evidence), in = matrix_name(false, evidence);
    const int store =
        find_statement_line(text, trial.store_line > 0 ? trial.store_line : failure.place.line);
    const bool is_unfilled = failure.kind == FailureKind::uninitialised_shared;
    const bool is_outside =
        failure.kind == FailureKind::no_bounds_check || failure.kind == FailureKind::out_of_bounds;
    const bool is_unwritten = is_unwritten_fault(failure);
    const auto when = [](bool is_possible, auto find) {
        return [=] { return is_possible ? find() : LineMistake{}; };
    };
    const bool is_about_data = !is_certain(failure) && failure.kind != FailureKind::deadlock;
    const bool is_of_mbarrier = tracks_copies_with_mbarrier(text);
    const LineMistake mistake = first_mistake(
        when(is_of_mbarrier && (is_outside || failure.kind == FailureKind::copy_not_waited_for),
             [&] { return find_whole_row_copied(text); }),
        when(is_of_mbarrier && failure.kind == FailureKind::bad_warp_mask,
             [&] { return find_late_init(text); }),
        [&] { return find_mbarrier_mistake(failure, trial, evidence); },
        [&] { return find_pair_mistake(failure, evidence); },
        [&] { return find_coordinate_mistake(failure, trial, evidence); },
        [&] { return find_component_mistake(failure, evidence); },
        when(is_about_data, [&] { return find_sizeof_in_index(code); }),
        when(is_about_data, [&] { return find_multiplied_thread(code); }),
        when(is_about_data, [&] { return find_moved_twice(text); }),
        when(is_unwritten, [&] { return find_exchanged_quotient(code); }),
        when(task.in_place && !is_outside, [&] { return find_pair_condition(code); }),
        when(task.in_place && !is_outside, [&] { return find_unread_tile(text); }),
        when(is_about_data, [&] { return find_phase_mistake(text); }),
        when(is_about_data, [&] { return find_sector_mistake(text); }),
        when(is_unwritten, [&] { return find_grid_without_lead(text); }),
        when(is_about_data && !is_outside,
             [&] { return find_condition_that_excludes(text, store); }),
        when(is_unfilled || is_outside, [&] { return find_negative_index(text, store, out); }),
        when(is_outside, [&] { return find_early_condition(text, failure.place.line); }),
        when(is_about_data, [&] { return find_swap(code); }),
        when(is_about_data && !is_unwritten, [&] { return find_rows_apart(text); }),
        when(is_about_data && !is_outside, [&] { return find_odd_component_in_list(code); }),
        when(task.kind == Produces::copy, [&] { return find_copy_mistake(failure, trial, text); }),
        when(is_about_data && failure.kind != FailureKind::missing_barrier && !is_outside,
             [&] { return find_other_layout(text); }),
        when(failure.fault == Fault::nan_changed || failure.fault == Fault::value_rounded ||
                 failure.fault == Fault::value_converted,
             [&] { return find_other_type(code); }),
        when(is_unwritten, [&] { return find_unused_counter(text, store); }),
        when(is_unwritten && task.kind != Produces::permuted &&
                 evidence.exercise.block_order.empty(),
             [&] { return find_index_without(text, out, true, trial); }),
        when(failure.fault == Fault::wrong_tile && task.kind != Produces::permuted,
             [&] { return find_index_without(text, in, false, trial); }));
    if (mistake.line == 0) return false;
    blame_line(failure, mistake.line, mistake.sentence, mistake.next);
    return true;
}

}  // namespace coalesce
