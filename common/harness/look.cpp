#include "harness/look.h"

#include <cstring>

#include "harness/text.h"
#include "harness/values.h"

namespace coalesce {

std::string cell_name(const char* matrix, Cell cell) {
    return std::string(matrix) + "(" + std::to_string(cell.row) + "," + std::to_string(cell.col) +
           ")";
}

namespace {

/// Returns the indices along all axes as a string, such as "(2,3,4)".
std::string indices_text(const std::array<int, 4>& extents, int rank, std::int64_t index) {
    std::string text = ")";
    for (int k = rank - 1; k >= 0; --k) {
        text = (k == 0 ? "(" : ",") + std::to_string(index % extents[k]) + text;
        index /= extents[k];
    }
    return text;
}

}  // namespace

std::string out_name(const Problem& problem, Cell cell) {
    const Permutation axes = problem.axes();
    if (problem.is_in_place()) return cell_name("data", cell);
    if (!problem.is_permuted()) return cell_name("out", cell);
    return "out" +
           indices_text(axes.out_extents(), axes.rank, cell.row * problem.out_cols() + cell.col);
}

std::string in_name(const Problem& problem, Cell cell) {
    const Permutation axes = problem.axes();
    if (problem.is_in_place()) return "what was " + cell_name("data", cell);
    if (!problem.is_permuted()) return cell_name("in", cell);
    return "in" + indices_text(axes.extents, axes.rank, problem.index(cell));
}

ObservedCell::ObservedCell(const Problem& problem, const Pattern& pattern, std::int64_t index,
                           Bits actual_bits, bool is_untouched)
    : problem(problem),
      pattern(pattern),
      index(index),
      out(problem.out_cell(index)),
      expected(problem.source_of(out)),
      actual_bits(actual_bits),
      is_untouched(is_untouched) {
    const auto found_index =
        pattern.index_of(actual_bits, static_cast<std::uint64_t>(problem.elements()));
    if (found_index) source = problem.in_cell(static_cast<std::int64_t>(*found_index));
}

ObservedCell ObservedCell::relative_to(const Problem& one_matrix) const {
    if (problem.batches() == 0) return *this;
    const std::int64_t size = one_matrix.elements();
    ObservedCell observed_cell(one_matrix, pattern, index % size, actual_bits, is_untouched);
    observed_cell.source.reset();
    if (source && problem.index(*source) / size == index / size) {
        observed_cell.source = one_matrix.in_cell(problem.index(*source) % size);
    }
    return observed_cell;
}

bool ObservedCell::has_value_of(Cell cell) const {
    if (!problem.contains(cell)) return false;
    if (pattern.has_unique_values()) return source == cell;
    return pattern.value_at(static_cast<std::uint64_t>(problem.index(cell))) == actual_bits;
}

bool ObservedCell::contains_guard_bytes() const {
    unsigned char bytes[sizeof actual_bits];
    std::memcpy(bytes, &actual_bits, sizeof actual_bits);
    for (std::size_t i = 0; i < problem.element_size; ++i) {
        if (bytes[i] != kGuardByte) return false;
    }
    // If elements have only one byte, the guard's value may also be an ordinary value of the input.
    return pattern.has_unique_values();
}

bool ObservedCell::is_not_from_input() const {
    return pattern.has_unique_values() && !source;
}

std::string ObservedCell::text() const {
    const std::string name = out_name(problem, out);
    if (is_untouched)
        return name + (problem.is_in_place() ? " is unchanged" : " was never written");
    const std::string expected_text =
        expected ? ", expected " + in_name(problem, *expected) : ", where nothing belongs";
    if (source) return name + " holds " + in_name(problem, *source) + expected_text;
    if (contains_guard_bytes())
        return name + " holds data from outside of the input" + expected_text;
    std::string text =
        name + " holds " + value_text(actual_bits, problem.element_size) + expected_text;
    if (expected && is_not_from_input()) {
        const Bits expected_bits =
            pattern.value_at(static_cast<std::uint64_t>(problem.index(*expected)));
        text += ", which is " + value_text(expected_bits, problem.element_size);
    }
    return text;
}

}  // namespace coalesce
