#include "harness/look.h"

#include <cstring>

#include "harness/text.h"
#include "harness/values.h"

namespace coalesce {

std::string cell_name(const char* matrix, Cell cell) {
    return std::string(matrix) + "(" + std::to_string(cell.row) + "," + std::to_string(cell.col) +
           ")";
}

Look::Look(const Problem& problem, const Pattern& pattern, std::int64_t index, Bits held,
           bool is_untouched)
    : problem(problem),
      pattern(pattern),
      index(index),
      out(problem.out_cell(index)),
      expected(problem.source_of(out)),
      held(held),
      is_untouched(is_untouched) {
    const auto found = pattern.index_of(held, static_cast<std::uint64_t>(problem.elements()));
    if (found) source = problem.in_cell(static_cast<std::int64_t>(*found));
}

bool Look::came_from(Cell cell) const {
    if (!problem.has(cell)) return false;
    if (pattern.names_its_place()) return source == cell;
    return pattern.at(static_cast<std::uint64_t>(problem.index(cell))) == held;
}

bool Look::holds_guard() const {
    unsigned char bytes[sizeof held];
    std::memcpy(bytes, &held, sizeof held);
    for (std::size_t i = 0; i < problem.element_size; ++i) {
        if (bytes[i] != guard_byte) return false;
    }
    // One byte alone may as well be an ordinary value.
    return pattern.names_its_place();
}

bool Look::is_foreign() const {
    return pattern.names_its_place() && !source;
}

std::string Look::text() const {
    const std::string name = cell_name("out", out);
    if (is_untouched) return name + " was never written";
    const std::string should =
        expected ? ", expected " + cell_name("in", *expected) : ", where nothing belongs";
    if (source) return name + " holds " + cell_name("in", *source) + should;
    if (holds_guard()) return name + " holds what lies outside of the input" + should;
    std::string text = name + " holds " + value_text(held, problem.element_size) + should;
    if (expected && is_foreign()) {
        const Bits right = pattern.at(static_cast<std::uint64_t>(problem.index(*expected)));
        text += ", which is " + value_text(right, problem.element_size);
    }
    return text;
}

}  // namespace coalesce
