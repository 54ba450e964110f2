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

/// Finds a matrix index, or an offset that is added to a matrix, that contains sizeof.
LineMistake find_sizeof_in_index(const std::string& text, const std::string& code) {
    static const TextPattern matrix(R"(\b(?:in|out|data)\s*\[)");
    static const TextPattern offset(R"(\(\s*(?:in|out|data)\s*\+([^;()]*)\))");
    static const TextPattern product(R"(\b(\w+)\s*=[^=;]*\*\s*(?:int\()?sizeof\s*\()");
    int candidates = 0;
    const auto find_in = [&](const std::string& index, int line) -> LineMistake {
        if (++candidates > kMaxCandidates) return {};
        static const TextPattern bytes(
            R"(\*\s*\(*(?:int\()?sizeof\b|\bsizeof\s*\([^()]*\)\)?\s*\*)");
        const bool is_direct = contains(index, bytes);
        const std::string expanded = expand(text, index, line);
        if (!is_direct && !contains(expanded, bytes)) return {};
        int blamed_line = line;
        std::string subject = "this index has";
        for (const TextMatch& match : find_matches(code, product)) {
            const int at = line_of_match(code, match);
            if (is_direct || at >= line) continue;
            blamed_line = at;
            subject = add_backticks(match.str(1)) + " has";
        }
        return {blamed_line,
                subject + " a number of bytes as a factor, but an index counts elements.",
                "Drop sizeof: in[i] and in + i refer to element i, whatever its size. A float4 "
                "has 4 elements."};
    };
    for (const TextMatch& match : find_matches(code, matrix)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::string index =
            code.substr(opening_position + 1,
                        find_closing_bracket(code, opening_position) - opening_position - 1);
        const LineMistake mistake = find_in(index, line_number_at(code, opening_position));
        if (mistake.line > 0) return mistake;
    }
    for (const TextMatch& match : find_matches(code, offset)) {
        const LineMistake mistake = find_in(match.str(1), line_of_match(code, match));
        if (mistake.line > 0) return mistake;
    }
    return {};
}

/// Finds an index that multiplies the block's offset by the thread's index instead of adding them.
LineMistake find_multiplied_thread(const std::string& code) {
    static const TextPattern product(
        R"((blockIdx\.[xyz]\s*\*\s*(?:blockDim\.[xyz]|[A-Z]\w*))\s*\*\s*(threadIdx\.[xyz]))");
    TextMatch match;
    if (!search(code, match, product)) return {};
    return {line_of_match(code, match),
            add_backticks(match.str()) +
                " multiplies the index of the block's first element by the thread's index.",
            "Add " + match.str(2) + " to " + match.str(1) + "."};
}

LineMistake find_exchanged_quotient(const std::string& code) {
    static const TextPattern call(R"(ceil_div\(\s*([A-Z]\w*[^,()]*),\s*(rows|cols)\s*\))");
    TextMatch match;
    if (!search(code, match, call)) return {};
    return {line_of_match(code, match),
            "the arguments of " + add_backticks(match.str()) +
                " are swapped: the result is the number of matrices that fit into a tile.",
            "Divide the side of the matrix by the side of the tile: ceil_div(" + match.str(2) +
                ", " + trimmed(match.str(1)) + ")."};
}

// ---- loops ----

/// Finds a variable that advances in each iteration of a loop, and to which the loop's counter is
/// also added.
LineMistake find_moved_twice(const std::string& text) {
    static const TextPattern increment_pattern(R"(^\s*(row|col|in|out)\s*\+=\s*([^;]+);)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (const Loop& loop : find_loops(text)) {
        if (loop.counter.empty() || loop.last_line <= loop.first_line) continue;
        const int end_line = std::min(loop.last_line, static_cast<int>(lines.size()));
        std::string body;
        for (int line = loop.first_line + 1; line <= end_line; ++line)
            body += lines[static_cast<std::size_t>(line) - 1] + "\n";
        for (int line = loop.first_line + 1; line < end_line; ++line) {
            TextMatch match;
            if (!search(lines[static_cast<std::size_t>(line) - 1], match, increment_pattern))
                continue;
            const std::string name = match.str(1), increment = trimmed(match.str(2));
            const bool is_pointer = name == "in" || name == "out";
            const bool adds_counter = contains_word(increment, loop.counter);
            const bool is_counter_added = body.find(name + " + " + loop.counter) != body.npos;
            if (!adds_counter && (is_pointer || !is_counter_added)) continue;
            return {line,
                    add_backticks(name) + " advances by " + add_backticks(increment) +
                        " in each pass, " +
                        (adds_counter
                             ? "but " + loop.counter +
                                   " already counts from the start of the loop, so earlier steps "
                                   "are added again."
                             : "and " + loop.counter + " is added to it as well."),
                    "Leave " + add_backticks(name) + " unchanged, and add " + loop.counter +
                        (is_pointer ? " in the index." : " to it where it is used.")};
        }
    }
    return {};
}

/// Finds a store whose index does not use the counter of the loop around the store.
LineMistake find_unused_counter(const std::string& text, int store_line) {
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, store_line);
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
            "each pass of the loop stores the same element: " + add_backticks(loop->counter) +
                " is missing from the indices.",
            "Add " + add_backticks(loop->counter) +
                " to the index of the tile, and to the row or the column along which the loop "
                "advances."};
}

}  // namespace

LineMistake find_lost_exchange(const std::string& text) {
    const std::string code = code_for_search(text);
    static const TextPattern exchange(
        R"(([a-z]\w*(?:\[[^\];=]*\])?)\s*=\s*([a-z]\w*(?:\[[^\];=]*\])?)\s*;\s*([a-z]\w*(?:\[[^\];=]*\])?)\s*=\s*([a-z]\w*(?:\[[^\];=]*\])?)\s*;)");
    for (const TextMatch& match : find_matches(code, exchange)) {
        const std::string one = match.str(1), other = match.str(2);
        if (one == other || match.str(4) != one || match.str(3) != other) continue;
        return {line_of_match(code, match, 3),
                add_backticks(one) + " has just been overwritten, so this gives " +
                    add_backticks(other) + " its own value back: both are now equal.",
                "Keep the old value of " + add_backticks(one) +
                    " in a third variable while the two are exchanged."};
    }
    return {};
}

LineMistake find_rounded_quotient(const std::string& text, Shape shape) {
    static const TextPattern quotient(R"(\b([a-z]\w*)\s*=\s*(rows|cols)\s*/\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, quotient)) {
        const auto divisor = constant_value(text, match.str(3));
        const long long side = match.str(2) == "rows" ? shape.rows : shape.cols;
        if (!divisor || *divisor < 2 || side % *divisor == 0) continue;
        return {line_of_match(code, match),
                add_backticks(match.str(1)) + " rounds down: with " + match.str(2) + " = " +
                    std::to_string(side) + ", it is " + std::to_string(side / *divisor) +
                    ", but the partial tile at the edge needs one more.",
                "Round up: ceil_div(" + match.str(2) + ", " + match.str(3) + ")."};
    }
    return {};
}

LineMistake find_loop_beyond_array(const std::string& text, int line) {
    static const TextPattern header(R"(;\s*(\w+)\s*<=?\s*([a-z]\w*)\s*;)");
    const std::string code = code_on_line(text, line);
    for (const Loop& loop : find_loops(text)) {
        const std::string head = code_on_line(text, loop.first_line);
        TextMatch match;
        if (line < loop.first_line || line > loop.last_line || loop.counter.empty() ||
            !search(head, match, header) || match.str(1) != loop.counter)
            continue;
        for (const SharedArray& array : list_shared_arrays(text)) {
            const std::size_t at = find_word(code, array.name);
            if (at == code.npos || array.lengths.size() != 2) continue;
            std::size_t opening_position = at + array.name.size();
            for (const std::size_t part : {0U, 1U}) {
                if (opening_position >= code.size() || code[opening_position] != '[') break;
                const std::size_t end = find_closing_bracket(code, opening_position);
                const std::string index =
                    trimmed(code.substr(opening_position + 1, end - opening_position - 1));
                opening_position = end + 1;
                if (index != loop.counter) continue;
                return {loop.first_line,
                        add_backticks(loop.counter) + " goes up to " + match.str(2) +
                            ", but it counts the " + (part == 0 ? "rows" : "columns") + " of " +
                            add_backticks(array.name) + ", of which there are only " +
                            std::to_string(array.lengths[part]) + ".",
                        "End this loop at the length of the array, " +
                            std::to_string(array.lengths[part]) + "."};
            }
        }
    }
    return {};
}

namespace {

// ---- lists of components ----

LineMistake find_odd_component_in_list(const std::string& code) {
    static const TextPattern list(R"(=\s*\{\s*(\w+\.[xyzw](?:\s*,\s*\w+\.[xyzw]){1,3})\s*\})");
    for (const TextMatch& match : find_matches(code, list)) {
        const std::vector<std::string> parts = split_outside_brackets(match.str(1), ",");
        std::set<std::string> components_seen;
        std::string repeated_component;
        for (const std::string& part : parts) {
            if (!components_seen.insert(part).second) repeated_component = part;
        }
        if (!repeated_component.empty()) {
            return {line_of_match(code, match),
                    add_backticks(repeated_component) +
                        " occurs twice in this list, and another element is "
                        "missing.",
                    "Take one element from each of the vectors that were loaded."};
        }
        const auto component = [](const std::string& part) { return part.back(); };
        const auto count = [&](char letter) {
            return std::ranges::count(parts, letter, component);
        };
        const std::set<char> component_letters = [&] {
            std::set<char> last_characters;
            for (const std::string& part : parts) last_characters.insert(part.back());
            return last_characters;
        }();
        if (component_letters.size() != 2 || parts.size() < 3) continue;
        for (const std::string& part : parts) {
            if (count(part.back()) != 1) continue;
            return {line_of_match(code, match),
                    add_backticks(part) + " is a different component from the others in this list.",
                    "Take the same component of each vector: these elements are vertically "
                    "adjacent."};
        }
    }
    return {};
}

/// Finds vectors that one thread should load from consecutive rows, but that it loads from rows
/// that are not consecutive.
LineMistake find_rows_apart(const std::string& text) {
    static const TextPattern load(R"(float4\s+\w+\s*=.*\bin\[\(row\s*\+\s*(\d{1,3})\)\s*\*)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int previous_index = -1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        if (!search(lines[i], match, load)) {
            previous_index = -1;
            continue;
        }
        const int offset = std::stoi(match.str(1));
        if (previous_index >= 0 && offset != previous_index + 1) {
            const bool is_same_offset = offset == previous_index;
            return {static_cast<int>(i) + 1,
                    is_same_offset ? "this loads the same row as the line before it, so row + " +
                                         std::to_string(previous_index + 1) + " is left out."
                                   : "this row is " + std::to_string(offset - previous_index) +
                                         " rows after the previous one, but a thread needs "
                                         "consecutive rows.",
                    "Load the rows `row` to `row + 3`, in this order."};
        }
        previous_index = offset;
    }
    return {};
}

// ---- arrays that are filled but not read, or that are read in a different way ----

LineMistake find_unread_tile(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<SharedArray> arrays = list_shared_arrays(text);
    if (arrays.size() < 2) return {};
    for (const SharedArray& array : arrays) {
        const int store_line = find_store_of_unread_array(text, array.name);
        if (store_line == 0) continue;
        static const TextPattern repeated_update(R"(\bdata\s*\[[^;=]*=\s*data\s*\[)");
        static const TextPattern store(R"(\bdata\s*\[[^;=]*=\s*([a-z]\w*)\s*\[)");
        std::set<std::string> source_texts;
        for (std::size_t i = static_cast<std::size_t>(store_line); i < lines.size(); ++i) {
            TextMatch match;
            if (contains(lines[i], repeated_update)) {
                return {static_cast<int>(i) + 1,
                        "this reads `data` again while other threads overwrite it: the elements "
                        "that were read before the barrier are in " +
                            add_backticks(array.name) + ".",
                        "Take the element from the tile, whose contents no longer change."};
            }
            if (!search(lines[i], match, store) || source_texts.insert(match.str(1)).second)
                continue;
            return {static_cast<int>(i) + 1,
                    "this stores elements of " + add_backticks(match.str(1)) +
                        " for the second time, and nothing stores the elements of " +
                        add_backticks(array.name) + ".",
                    "Store each of the two tiles where the other one was."};
        }
        return {store_line,
                add_backticks(array.name) +
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
    for (const TextMatch& match : find_matches(code, use)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::size_t closing_position = find_closing_bracket(code, opening_position);
        const std::string index =
            trimmed(code.substr(opening_position + 1, closing_position - opening_position - 1));
        IndexForm form{line_number_at(code, opening_position), "", ""};
        // A variable may hold the result of the function.
        static const TextPattern any_call(R"(\b[a-z]\w*\s*\()");
        const std::string expanded = expand(text, index, form.line);
        if (!contains(index, any_call) && contains(expanded, any_call)) continue;
        if (code_on_line(text, form.line).find("__shared__") != std::string::npos) continue;
        TextMatch inner_match;
        if (search(index, inner_match, call)) {
            form.function = inner_match.str(1);
        } else if (search(index, inner_match, product)) {
            form.pitch = simplify_expression(inner_match.str(1));
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
        const IndexForm& first_form = forms.front();
        for (const IndexForm& other_form : forms) {
            if (other_form.function.empty() != first_form.function.empty()) {
                const IndexForm& plain_form = other_form.function.empty() ? other_form : first_form;
                const IndexForm& called_form =
                    other_form.function.empty() ? first_form : other_form;
                return {plain_form.line,
                        "this computes the index of " + add_backticks(array.name) + " without " +
                            called_form.function + "(), but line " +
                            std::to_string(called_form.line) +
                            " uses that function: the two lines access different elements.",
                        "Use " + called_form.function + "() wherever the tile is accessed."};
            }
            const auto value = [&](const IndexForm& form) {
                return constant_value(text, form.pitch);
            };
            const bool is_same_form = other_form.pitch == first_form.pitch ||
                                      (value(other_form) && value(other_form) == value(first_form));
            if (other_form.function.empty() && !is_same_form) {
                // The pitch that most lines use is taken to be correct. With only two lines, either
                // may be wrong.
                const auto uses = [&](const IndexForm& form) {
                    return std::ranges::count(forms, form.pitch, &IndexForm::pitch);
                };
                const IndexForm& odd_form =
                    uses(other_form) <= uses(first_form) ? other_form : first_form;
                const IndexForm& usual_form =
                    uses(other_form) <= uses(first_form) ? first_form : other_form;
                return {odd_form.line,
                        "rows of " + add_backticks(array.name) + " are " +
                            add_backticks(odd_form.pitch) + " elements apart here, but " +
                            add_backticks(usual_form.pitch) + " on line " +
                            std::to_string(usual_form.line) +
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
            for (const TextMatch& match : find_matches(term.left_side, name)) {
                const int assignment_line = find_assignment_line(text, match.str(), access_line);
                if (assignment_line <= condition.line) continue;
                return {condition.line,
                        "this condition checks the old value of " + add_backticks(match.str()) +
                            "; the new value is computed only on line " +
                            std::to_string(assignment_line) + ".",
                        "Compute the indices first, and check them afterwards."};
            }
        }
    }
    return {};
}

/// Finds a condition that excludes valid elements because it compares a row with a column, or
/// requires an index greater than 0.
LineMistake find_condition_that_excludes(const std::string& text, int access_line,
                                         bool is_in_place) {
    for (const Condition& condition : find_conditions(text, access_line)) {
        if (condition.is_exit) continue;
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool is_above_zero = term.op == ">" && term.right_side == "0" &&
                                       term.left_side.find("Idx") == term.left_side.npos;
            if (is_above_zero) {
                return {condition.comparison_line,
                        add_backticks(term.left_side + " > 0") + " excludes " +
                            add_backticks(term.left_side) + " = 0, which is a valid index.",
                        "Use >=."};
            }
            const bool is_pair = (term.left_side == "row" && term.right_side == "col") ||
                                 (term.left_side == "col" && term.right_side == "row");
            if (!is_pair || term.op == "!=" || is_in_place) continue;
            return {condition.line,
                    add_backticks(term.left_side + " " + term.op + " " + term.right_side) +
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
    for (const std::string& part : {index.inner_term, index.outer_term}) {
        const bool is_name = part.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == part.npos;
        const int assignment_line = is_name ? find_assignment_line(text, part, access_line) : 0;
        if (assignment_line == 0) continue;
        const std::string value = assigned_value(text, part, access_line);
        const bool subtracts = split_outside_brackets(value, "-").size() > 1;
        const bool is_checked = std::ranges::any_of(conditions, [&](const Condition& condition) {
            return std::ranges::any_of(condition.comparisons, [&](const ComparisonTerm& term) {
                return contains_word(term.left_side, part) &&
                       (term.right_side == "0" || term.right_side == "-1");
            });
        });
        if (!subtracts || is_checked || conditions.empty()) continue;
        return {conditions.back().line,
                add_backticks(part) + " (line " + std::to_string(assignment_line) +
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
    TextMatch match;
    if (!search(code, match, call)) return {};
    return {line_of_match(code, match),
            "each copy has the length of a whole row of the tile, even where the matrix ends "
            "before the tile does.",
            "Copy only the rows that the matrix has, and of each row only bytes_of_row bytes, the "
            "part that is inside the matrix; and announce exactly these bytes to the mbarrier."};
}

/// Finds an mbarrier that is used before it is initialized.
LineMistake find_late_init(const std::string& text) {
    static const TextPattern expect_pattern(R"(\bexpect\s*\()");
    static const TextPattern init(R"(\binit\s*\()");
    const int use_line = find_line_in_kernel(text, expect_pattern),
              init_line = find_line_in_kernel(text, init);
    if (use_line == 0 || init_line <= use_line) return {};
    return {use_line,
            "expect() is called before init() on line " + std::to_string(init_line) +
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
    TextMatch match;
    if (!sector || !search(code, match, phase)) return {};
    const std::string name = match.str(1), divisor = match.str(3),
                      dividend = expand(text, match.str(2), line_of_match(code, match));
    static const TextPattern address(R"(\b(?:size_t|uintptr_t|uint64_t|long)\b)");
    const bool is_address = contains(match.str(2), address);
    if (const auto value = constant_value(text, divisor);
        is_address && value && *value == *sector * 4) {
        return {line_of_match(code, match),
                add_backticks(name) +
                    " is a number of bytes, because an address counts bytes, but it is used as a "
                    "number of elements.",
                "Divide the address by sizeof(float) first, and take the remainder modulo SECTOR. "
                "Or take the element's index in `out` instead of its address."};
    }
    if (const auto value = constant_value(text, divisor); value && *value != *sector) {
        return {line_of_match(code, match),
                add_backticks(name) + " is a remainder modulo " + divisor + ", but a sector has " +
                    std::to_string(*sector) + " elements.",
                "Take the remainder modulo SECTOR, which is the offset within a sector."};
    }
    if (dividend.find("threadIdx.x") != std::string::npos) {
        return {line_of_match(code, match),
                add_backticks(name) +
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
    static const TextPattern never_true_check(
        R"(if\s*\(\s*blockIdx\.[xy]\s*!=\s*blockIdx\.[xy]\s*\)\s*\{?\s*return)");
    static const TextPattern diagonal_check(R"(if\s*\([^;{]*\b(row\s*==\s*col|col\s*==\s*row)\b)");
    static const TextPattern exit(R"(\b(?:return|continue|break)\b)");
    TextMatch match;
    const auto leaves = [&](const TextMatch& check) {
        const std::size_t opening_position = code.find('(', match_offset(check));
        const std::size_t closing_position = find_closing_bracket(code, opening_position);
        std::size_t end = code.find_first_of(";{", closing_position);
        if (end != code.npos && code[end] == '{') end = find_closing_bracket(code, end);
        const std::string body = code.substr(std::min(closing_position, code.size()),
                                             end == code.npos ? end : end - closing_position);
        return contains(body, exit);
    };
    if (search(code, match, never_true_check)) {
        return {line_of_match(code, match),
                "only the blocks on the diagonal continue here, so all pairs of tiles stay as they "
                "are.",
                "Make one block of each pair return, not both: compare with >, not with !=."};
    }
    if (search(code, match, diagonal_check) && !leaves(match)) {
        return {line_of_match(code, match, 1),
                add_backticks(match.str(1)) +
                    " stores the second tile only on the diagonal, where "
                    "both tiles are the same.",
                "Skip the second store on the diagonal, not everywhere else: compare with !=."};
    }
    return {};
}

/// Finds a store of one tile of a pair that comes before the other tile is read.
LineMistake find_early_store(const std::string& text) {
    static const TextPattern load(R"(\b(\w+)\s*\[[^=;]*=\s*data\s*\[)");
    static const TextPattern store(R"(\bdata\s*\[[^=;]*=\s*(\w+)\s*\[)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int store_line = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        const int line = static_cast<int>(i) + 1;
        if (store_line == 0 && search(lines[i], match, store) && match.str(1) != "data")
            store_line = line;
        if (store_line == 0 || line == store_line || !search(lines[i], match, load) ||
            match.str(1) == "data")
            continue;
        return {store_line,
                "this stores one tile of the pair over the other, which is read only on line " +
                    std::to_string(line) + ": its old elements are lost.",
                "Read both tiles first, into two arrays, and wait at a barrier before anything is "
                "stored."};
    }
    return {};
}

/// Finds a tile that is filled and read with the same indices, both along a column.
LineMistake find_tile_transposed_twice(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (const SharedArray& array : list_shared_arrays(text)) {
        const TextPattern fill("\\b" + array.name + R"(\[(\w+)\]\[(\w+)\]\s*=)");
        const TextPattern read("=[^=;]*\\b" + array.name + R"(\[(\w+)\]\[(\w+)\])");
        TextMatch fill_match, read_match;
        int fill_line = 0, read_line = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const int line = static_cast<int>(i) + 1;
            if (fill_line == 0 && search(lines[i], fill_match, fill)) fill_line = line;
            if (read_line == 0 && search(lines[i], read_match, read)) read_line = line;
        }
        if (fill_line == 0 || read_line == 0 || fill_match.str(1) != read_match.str(1) ||
            fill_match.str(2) != read_match.str(2) ||
            expand(text, fill_match.str(1), fill_line).find("threadIdx.x") == std::string::npos)
            continue;
        const std::string index = "[" + fill_match.str(1) + "][" + fill_match.str(2) + "]";
        return {fill_line,
                add_backticks(array.name) + " is filled at " + index + " here and read at " +
                    index + " on line " + std::to_string(read_line) +
                    ", so it is transposed twice, which changes nothing.",
                "Transpose it once: fill it at [" + fill_match.str(2) + "][" + fill_match.str(1) +
                    "], row by row."};
    }
    return {};
}

/// Finds a grid that has fewer blocks along an axis than the matrix has tiles, in a kernel that
/// takes the tile of blockIdx.
LineMistake find_missing_pairs(const std::string& text, const Trial& trial) {
    static const TextPattern tile(R"(=\s*blockIdx\.[xy]\s*\*\s*TILE_DIM)");
    const auto side = constant_value(text, "TILE_DIM");
    if (!side || *side < 1 || !contains(code_for_search(text), tile)) return {};
    const long long needed = (trial.shape.rows + *side - 1) / *side;
    const auto& grid = trial.launch.grid;
    if (grid[0] >= needed && grid[1] >= needed) return {};
    return {find_configure_line(text, ".grid"),
            "the matrix has " + format_product(needed, needed) + " tiles, but the grid has only " +
                format_product(grid[0], grid[1]) +
                " blocks, and each block takes the tile at its "
                "own position.",
            "Launch a block for every tile; the blocks below the diagonal return at once."};
}

// ---- variables that are missing from an index ----

/// Returns an index expression with all variables replaced by their values, followed by the headers
/// of the surrounding loops.
std::string expand_index(const std::string& text, const std::string& index, int line) {
    std::string expanded = expand(text, index, line);
    for (const Loop& loop : find_loops(text)) {
        if (line >= loop.first_line && line <= loop.last_line) {
            expanded += " " + expand(text, code_on_line(text, loop.first_line), loop.first_line);
        } else if (!loop.counter.empty()) {
            // A variable in the index may have the same name as the counter of another loop.
            expanded += " " + assigned_value(text, loop.counter, line);
        }
    }
    return expanded;
}

LineMistake find_index_without(const std::string& text, const std::string& matrix, bool is_store,
                               const Trial& trial) {
    const std::string code = code_for_search(text);
    const TextPattern access("\\b" + matrix + R"(\s*\[)");
    for (const TextMatch& match : find_matches(code, access)) {
        const int line = line_of_match(code, match);
        const std::size_t opening_position = match_end(match) - 1;
        const std::string index =
            code.substr(opening_position + 1,
                        find_closing_bracket(code, opening_position) - opening_position - 1);
        const std::string expanded = expand_index(text, index, line);
        for (const std::string axis : {"x", "y"}) {
            const std::size_t number = axis == "x" ? 0 : 1;
            const bool has_blocks = trial.launch.grid[number] > 1,
                       has_threads = trial.launch.block[number] > 1;
            for (const std::string word : {"threadIdx.", "blockIdx."}) {
                const bool is_thread_index = word == "threadIdx.";
                if (!(is_thread_index ? has_threads && is_store : has_blocks)) continue;
                const std::string name = word + axis, other_name = word + (axis == "x" ? "y" : "x");
                if (expanded.find(name) != expanded.npos ||
                    expanded.find(other_name) == expanded.npos)
                    continue;
                // The mistake is in the line that combines both axes, as in `blockIdx.y * ... +
                // threadIdx.x`.
                const TextPattern mixed_axes(
                    is_thread_index
                        ? "\\b(?:row|col)\\s*=[^;]*blockIdx\\." + axis + "[^;]*" + other_name
                        : "\\b(?:row|col)\\s*=[^;]*" + other_name + "[^;]*threadIdx\\." + axis);
                TextMatch inner_match;
                const std::string code_before = code.substr(0, match_offset(match));
                const int blamed_line = search(code_before, inner_match, mixed_axes)
                                            ? line_of_match(code, inner_match)
                                            : line;
                const std::string subject = is_thread_index ? "threads" : "blocks";
                return {blamed_line,
                        "the index of `" + matrix + "` on line " + std::to_string(line) +
                            " does not depend on " + name + ": all " + subject +
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
    static const TextPattern swap_pattern(
        R"(float\s+(\w+)\s*=\s*in\[[^;]*;\s*out\[[^;]*=\s*in\[[^;]*;\s*out\[[^;]*=\s*(\w+)\s*;)");
    TextMatch match;
    if (!search(code, match, swap_pattern) || match.str(1) != match.str(2)) return {};
    return {line_of_match(code, match) + 1,
            "this swaps two elements, but `out` is a different matrix from `in`, and each thread "
            "handles one element, so two threads store to each cell.",
            "Store in(row, col) at out(col, row), and nothing else: no temporary is needed."};
}

/// Finds a per-thread array that is filled with one index and read with another.
LineMistake find_other_value(const std::string& text) {
    static const TextPattern fill(R"(^\s*(\w+)\s*\[([^\]]*)\]\s*[+]?=\s)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        if (!search(lines[i], match, fill)) continue;
        const int line = static_cast<int>(i) + 1;
        const LocalArray array = find_local_array(text, line);
        if (array.name.empty() || array.name != match.str(1) || array.length < 2) continue;
        const std::string filled_tile = trimmed(match.str(2));
        const std::set<long long> values = values_of_index(text, filled_tile, line);
        if (lines[i].find("+=") != std::string::npos) {
            return {line,
                    add_backticks(array.name + "[" + filled_tile + "]") +
                        " has no value yet, so this line cannot add to it.",
                    "Assign the element with =."};
        }
        const std::vector<Loop> loops = find_loops(text);
        const Loop* loop = find_innermost_loop(loops, line);
        const bool runs_once = loop && values_of_index(text, loop->counter, line).size() == 1;
        if (runs_once) {
            return {loop->first_line,
                    "this loop ends after its first pass, so the other elements of " +
                        add_backticks(array.name) + " get no value.",
                    "Run the loop once for each of the thread's " + std::to_string(array.length) +
                        " elements."};
        }
        if (values.size() == 1) {
            return {line,
                    add_backticks(filled_tile) + " is " + std::to_string(*values.begin()) +
                        " in every pass, so all elements are stored at the same index of " +
                        add_backticks(array.name) + ".",
                    "Each pass needs its own index: number the passes from 0 to " +
                        std::to_string(array.length - 1) + "."};
        }
        const TextPattern load_pattern("=[^=;]*\\b" + array.name + R"(\s*\[([^\]]*)\])");
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
            TextMatch read_match;
            if (!search(lines[j], read_match, load_pattern)) continue;
            const std::string loaded_index = trimmed(read_match.str(1));
            const int at = static_cast<int>(j) + 1;
            const std::string expanded_index = expand(text, loaded_index, at);
            if (loaded_index == filled_tile || simplify_expression(expanded_index) == filled_tile)
                break;
            return {at,
                    "this takes " + add_backticks(array.name + "[" + loaded_index + "]") +
                        ", but the element of this pass was put into " +
                        add_backticks(array.name + "[" + filled_tile + "]") + " on line " +
                        std::to_string(line) + ".",
                    "Use the same index for the same element in both loops."};
        }
    }
    return {};
}

/// Finds a variable for one element that each pass of a loop overwrites, and that is used only in a
/// later loop.
LineMistake find_overwritten_element(const std::string& text) {
    static const TextPattern load(R"(^\s*([a-z]\w*)\s*=[^=;]*\b(?:in|data)\s*\[)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<Loop> loops = find_loops(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        if (!search(lines[i], match, load)) continue;
        const int line = static_cast<int>(i) + 1;
        const Loop* loop = find_innermost_loop(loops, line);
        if (!loop) continue;
        const std::string name = match.str(1);
        bool is_used_inside = false, is_declared_before = false;
        int use_line = 0;
        const TextPattern declaration("\\bfloat[24]?\\s+" + name + R"(\s*[;=])");
        for (std::size_t j = 0; j < lines.size(); ++j) {
            const int at = static_cast<int>(j) + 1;
            if (at < loop->first_line) is_declared_before |= contains(lines[j], declaration);
            if (at == line || !contains_word(lines[j], name)) continue;
            if (at >= loop->first_line && at <= loop->last_line) is_used_inside = true;
            if (at > loop->last_line && use_line == 0) use_line = at;
        }
        const Loop* other_loop = find_innermost_loop(loops, use_line);
        if (!is_declared_before || is_used_inside || !other_loop || use_line == 0) continue;
        return {line,
                add_backticks(name) +
                    " holds a single element: each pass of this loop overwrites "
                    "the element of the pass before it, and line " +
                    std::to_string(use_line) + " stores only the last one.",
                "Keep the elements of all passes in an array, with one element for each pass."};
    }
    return {};
}

/// Finds a copy that loads one element but stores to the position of another.
LineMistake find_other_cell(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    MatrixIndex source_index, target_index;
    int load_line = 0, store_line = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        if (load_line == 0 && lines[i].find("in[") != std::string::npos) {
            source_index = find_matrix_index(text, line, "in");
            load_line = line;
        }
        if (store_line == 0 && lines[i].find("out[") != std::string::npos) {
            target_index = find_matrix_index(text, line, "out");
            store_line = line;
        }
    }
    if (source_index.pitch != "cols" || target_index.pitch != "cols") return {};
    const auto row = IndexSum::parse(text, source_index.outer_term, load_line),
               col = IndexSum::parse(text, source_index.inner_term, load_line),
               out_row = IndexSum::parse(text, target_index.outer_term, store_line),
               out_col = IndexSum::parse(text, target_index.inner_term, store_line);
    if (!row || !col || !out_row || !out_col || (*row == *out_row && *col == *out_col)) return {};
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, store_line);
    const bool is_store_mistake =
        loop && !loop->counter.empty() && !contains_word(target_index.text, loop->counter);
    const auto cell = [](const MatrixIndex& index) {
        return "row " + add_backticks(index.outer_term) + " and column " +
               add_backticks(index.inner_term);
    };
    const std::string advice =
        "A copy keeps the row and the column of each element: use the same index twice.";
    if (is_store_mistake) {
        return {store_line,
                "this stores to " + cell(target_index) + ", but line " + std::to_string(load_line) +
                    " loaded " + cell(source_index) + ".",
                advice};
    }
    return {load_line,
            "this loads " + cell(source_index) + ", but line " + std::to_string(store_line) +
                " stores to " + cell(target_index) + ".",
            advice};
}

/// Finds a tile whose element type differs from that of the matrix.
LineMistake find_other_type(const std::string& code) {
    static const TextPattern tile(
        R"(__shared__\s+(double|int|unsigned|short|__half|half)\s+(\w+))");
    TextMatch match;
    if (!search(code, match, tile)) return {};
    return {line_of_match(code, match),
            add_backticks(match.str(2)) + " holds elements of type " + match.str(1) +
                ", but the matrix holds floats: each value is converted twice.",
            "Declare the tile as float."};
}

LineMistake find_shared_value(const std::string& code) {
    static const TextPattern array(R"(__shared__\s+float\s+values\s*\[)");
    TextMatch match;
    if (!search(code, match, array)) return {};
    return {line_of_match(code, match),
            "all threads of the block share `values`, and overwrite each other's elements.",
            "Each thread needs its own array: declare it without __shared__."};
}

/// Looks for a loop over single elements that ends `remaining_elements` elements before its bound.
LineMistake find_early_end(const std::string& text, long long remaining_elements) {
    static const TextPattern header(R"(\bfor\s*\([^;]*;\s*(\w+)\s*<\s*(\w+)\s*-\s*(\d{1,3})\s*;)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, header)) {
        if (std::stoi(match.str(3)) < remaining_elements) continue;
        const std::string bound = match.str(2) + " - " + match.str(3);
        return {line_of_match(code, match),
                "this loop ends before element " + add_backticks(bound) + ", so the last " +
                    (match.str(3) == "1" ? "element is" : "elements are") + " left out.",
                "The last element has index " + match.str(2) + " - 1: compare " + match.str(1) +
                    " with " + match.str(2) + "."};
    }
    return {};
}

/// Looks for a vectorized copy that leaves out elements at the end of a matrix.
LineMistake find_rest_left_out(const Trial& trial, const std::string& text) {
    const std::string code = code_for_search(text);
    if (!trial.comparison || contains_word(code, "row") || trial.comparison->wrong > 0) return {};
    static const TextPattern guard(R"(\bif\s*\([^;{]*<[^;{]*\))");
    const auto missing_elements = static_cast<long long>(trial.comparison->untouched);
    const long long count = static_cast<long long>(trial.elements());
    TextMatch match;
    const std::size_t kernel = code.find("__global__");
    const std::string body = kernel == code.npos ? code : code.substr(kernel);
    if (missing_elements == 0 || !search(body, match, guard)) return {};
    const int offset = kernel == code.npos ? 0 : line_number_at(code, kernel) - 1;
    if (missing_elements >= trial.launch.threads()) {
        const int grid = find_configure_line(text, ".grid");
        if (code_on_line(text, grid).find('/') == std::string::npos) return {};
        return {grid,
                "the grid has " +
                    format_count(static_cast<std::uint64_t>(trial.launch.blocks()), "block") +
                    ", too few for " + std::to_string(count) + " elements: the last " +
                    std::to_string(missing_elements) + " have no thread. The division rounds down.",
                "Round the number of blocks up, with ceil_div."};
    }
    const LineMistake loop_mistake = find_early_end(text, missing_elements);
    if (loop_mistake.line > 0) return loop_mistake;
    static const TextPattern single_store(R"(\belse\b[^;]*\bout\s*\[\s*(\w+)\s*\]\s*=)");
    TextMatch single_match;
    if (search(body, single_match, single_store) &&
        single_match.str().find("for") == std::string::npos) {
        return {line_of_match(body, single_match, 1) + offset,
                "up to three elements remain after the last whole float4, but this moves only "
                "one of them, " +
                    add_backticks(single_match.str(1)) + ".",
                "Move all elements from " + add_backticks(single_match.str(1)) +
                    " to the end of the matrix, in a loop."};
    }
    return {line_of_match(body, match) + offset,
            "the last " + (missing_elements == 1 ? "" : std::to_string(missing_elements) + " ") +
                (missing_elements == 1 ? "element of " : "elements of ") + std::to_string(count) +
                (missing_elements == 1 ? " is" : " are") +
                " left out: the last float4 that passes this condition ends before " +
                (missing_elements == 1 ? "it." : "them."),
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
    const bool is_wrong_result = failure.kind == FailureKind::wrong_result,
               is_outside = failure.kind == FailureKind::no_bounds_check ||
                            failure.kind == FailureKind::out_of_bounds;
    if (is_outside) return {};
    if (auto mistake = find_shared_value(code_for_search(text)); mistake.line > 0) return mistake;
    if (!is_wrong_result && failure.kind != FailureKind::elements_left_out) return {};
    if (auto mistake = find_other_value(text); mistake.line > 0) return mistake;
    if (auto mistake = find_overwritten_element(text); mistake.line > 0) return mistake;
    if (!is_wrong_result) return {};
    const LineMistake cell_mistake = is_certain(failure) ? LineMistake{} : find_other_cell(text);
    return cell_mistake.line > 0 || !is_unwritten_fault(failure) ? cell_mistake
                                                                 : find_rest_left_out(trial, text);
}

/// Looks for mistakes in a kernel that transposes pairs of tiles in place.
LineMistake find_in_place_mistake(const Failure& failure, const Trial& trial,
                                  const std::string& text) {
    LineMistake mistake = find_pair_condition(code_for_search(text));
    if (mistake.line == 0 && failure.kind == FailureKind::wrong_result)
        mistake = find_early_store(text);
    if (mistake.line == 0 && failure.fault == Fault::tile_not_transposed)
        mistake = find_tile_transposed_twice(text);
    if (mistake.line == 0 && is_unwritten_fault(failure)) mistake = find_missing_pairs(text, trial);
    return mistake.line > 0 ? mistake : find_unread_tile(text);
}

}  // namespace

bool explain_by_lines(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const Produces task = evidence.exercise.task();
    const std::string output_name = matrix_name(true, evidence),
                      input_name = matrix_name(false, evidence);
    const int store =
        find_statement_line(text, trial.store_line > 0 ? trial.store_line : failure.place.line);
    const bool is_unfilled = failure.kind == FailureKind::uninitialised_shared;
    const bool is_outside =
        failure.kind == FailureKind::no_bounds_check || failure.kind == FailureKind::out_of_bounds;
    const bool is_unwritten = is_unwritten_fault(failure);
    const auto find_if_possible = [](bool is_possible, auto find) {
        return [=] { return is_possible ? find() : LineMistake{}; };
    };
    const bool has_wrong_data = !is_certain(failure) && failure.kind != FailureKind::deadlock &&
                                failure.kind != FailureKind::missing_barrier;
    const bool uses_mbarrier = tracks_copies_with_mbarrier(text);
    const LineMistake mistake = first_mistake(
        find_if_possible(is_outside || failure.kind == FailureKind::outside_shared_memory,
                         [&] { return find_condition_that_always_holds(text); }),
        find_if_possible(
            uses_mbarrier && (is_outside || failure.kind == FailureKind::copy_not_waited_for),
            [&] { return find_whole_row_copied(text); }),
        find_if_possible(uses_mbarrier && failure.kind == FailureKind::bad_warp_mask,
                         [&] { return find_late_init(text); }),
        [&] { return find_mbarrier_mistake(failure, trial, evidence); },
        [&] { return find_pair_mistake(failure, evidence); },
        [&] { return find_coordinate_mistake(failure, trial, evidence); },
        [&] { return find_component_mistake(failure, evidence); },
        find_if_possible(has_wrong_data, [&] { return find_lost_exchange(text); }),
        find_if_possible(has_wrong_data, [&] { return find_sizeof_in_index(text, code); }),
        find_if_possible(has_wrong_data, [&] { return find_multiplied_thread(code); }),
        find_if_possible(has_wrong_data, [&] { return find_moved_twice(text); }),
        find_if_possible(is_unwritten, [&] { return find_exchanged_quotient(code); }),
        find_if_possible(task.in_place && !is_outside,
                         [&] { return find_in_place_mistake(failure, trial, text); }),
        find_if_possible(has_wrong_data, [&] { return find_phase_mistake(text); }),
        find_if_possible(has_wrong_data, [&] { return find_sector_mistake(text); }),
        find_if_possible(is_unfilled, [&] { return find_unfilled_row(failure.details, text); }),
        find_if_possible(is_unwritten, [&] { return find_grid_without_lead(text); }),
        find_if_possible(has_wrong_data && !is_outside,
                         [&] { return find_condition_that_excludes(text, store, task.in_place); }),
        find_if_possible(is_unfilled || is_outside,
                         [&] { return find_negative_index(text, store, output_name); }),
        find_if_possible(is_outside,
                         [&] { return find_early_condition(text, failure.place.line); }),
        find_if_possible(has_wrong_data, [&] { return find_swap(code); }),
        find_if_possible(has_wrong_data && !is_unwritten, [&] { return find_rows_apart(text); }),
        find_if_possible(has_wrong_data && !is_outside,
                         [&] { return find_odd_component_in_list(code); }),
        find_if_possible(task.kind == Produces::copy,
                         [&] { return find_copy_mistake(failure, trial, text); }),
        find_if_possible(has_wrong_data && !is_outside, [&] { return find_other_layout(text); }),
        find_if_possible(has_trait(failure.fault, trait::inexact_value),
                         [&] { return find_other_type(code); }),
        find_if_possible(is_unwritten, [&] { return find_unused_counter(text, store); }),
        find_if_possible(is_unwritten && task.kind != Produces::permuted &&
                             evidence.exercise.block_order.empty(),
                         [&] { return find_index_without(text, output_name, true, trial); }),
        find_if_possible(failure.fault == Fault::wrong_tile && task.kind != Produces::permuted,
                         [&] { return find_index_without(text, input_name, false, trial); }));
    if (mistake.line == 0) return false;
    blame_line(failure, mistake.line, mistake.sentence, mistake.advice);
    return true;
}

}  // namespace coalesce
