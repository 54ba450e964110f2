#include "examiner/accessed_cell.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {

std::optional<LoopHeader> read_header(const std::string& text, const Loop& loop) {
    static const TextPattern header(
        R"(\bfor\s*\(\s*(?:int|unsigned|size_t|long)\s+(\w+)\s*=\s*([^;]*);\s*(\w+)\s*(<=?)\s*([^;]*);\s*)"
        R"((?:\+\+\s*\w+|\w+\s*\+\+|\w+\s*\+=\s*(.*))\)\s*\{?[^{}]*$)");
    const std::string code = code_on_line(text, loop.first_line);
    TextMatch match;
    if (!search(code, match, header) || match.str(1) != match.str(3)) return std::nullopt;
    LoopHeader found{.line = loop.first_line,
                     .counter = match.str(1),
                     .start = match.str(2),
                     .end = match.str(5),
                     .is_inclusive = match.str(4) == "<="};
    if (match[6].matched) found.step = match.str(6);
    return found;
}

std::optional<std::vector<LoopHeader>> read_loops_around(const std::string& text, int line) {
    static const TextPattern update(R"(^\s*(?:\w+\s*(?:[-+*/]=|\+\+|--)|\+\+|--))");
    std::vector<LoopHeader> headers;
    for (const Loop& loop : find_loops(text)) {
        if (line < loop.first_line || line > loop.last_line) continue;
        const auto header = read_header(text, loop);
        if (!header) return std::nullopt;
        for (int at = loop.first_line + 1; at <= loop.last_line; ++at) {
            const std::string code = code_on_line(text, at);
            if (contains(code, update)) return std::nullopt;
        }
        headers.push_back(*header);
    }
    std::sort(headers.begin(), headers.end(), [](const LoopHeader& left, const LoopHeader& right) {
        return left.line < right.line;
    });
    return headers;
}

namespace {

bool names_side(const std::string& expression) {
    return contains_word(expression, "rows") || contains_word(expression, "cols") ||
           contains_word(expression, "side");
}

}  // namespace

NamedNumbers launch_sizes(const LaunchShape& launch) {
    NamedNumbers values;
    for (const std::size_t axis : {0U, 1U, 2U}) {
        const std::string end = std::string(".") + "xyz"[axis];
        values["blockDim" + end] = launch.block[axis];
        values["gridDim" + end] = launch.grid[axis];
    }
    return values;
}

NamedNumbers first_thread_values(const LaunchShape& launch) {
    NamedNumbers values = launch_sizes(launch);
    for (const char axis : {'x', 'y', 'z'})
        values[std::string("threadIdx.") + axis] = values[std::string("blockIdx.") + axis] = 0;
    return values;
}

AccessedCell::AccessedCell(const std::string& text, int line, const std::string& index,
                           const LaunchShape& launch, std::vector<LoopHeader> loops)
    : index_(text, index, line),
      loops_(std::move(loops)),
      first_values_(first_thread_values(launch)) {
    first_values_["rows"] = first_values_["cols"] = first_values_["side"] = kRowLength;
    for (const LoopHeader& loop : loops_) {
        loop_values_.push_back({{text, loop.start, loop.line},
                                {text, loop.end, loop.line},
                                {text, loop.step, loop.line}});
    }
}

bool AccessedCell::depends_on_matrix() const {
    return names_side(index_.expanded());
}

const AccessedCell::LoopValues& AccessedCell::values_of(const LoopHeader& loop) const {
    const auto found = std::ranges::find(loops_, loop.line, &LoopHeader::line);
    return loop_values_[static_cast<std::size_t>(found - loops_.begin())];
}

NamedNumbers AccessedCell::with_first_values(NamedNumbers names) const {
    names.insert(first_values_.begin(), first_values_.end());
    return names;
}

std::optional<Cell> AccessedCell::cell_at(const NamedNumbers& names,
                                          const NamedNumbers& passes) const {
    NamedNumbers values = with_first_values(names);
    for (const LoopHeader& loop : loops_) {
        const auto start = values_of(loop).start.value(values), step = step_value(loop);
        if (!start || !step) return std::nullopt;
        const auto pass = passes.find(loop.counter);
        values[loop.counter] = *start + (pass == passes.end() ? 0 : pass->second * *step);
    }
    const auto index = index_.value(values);
    if (!index || *index < 0) return std::nullopt;
    return Cell{*index / kRowLength, *index % kRowLength};
}

std::optional<Cell> AccessedCell::step_of(const std::string& name, long long value) const {
    const auto from = cell_at({}, {}), to = cell_at({{name, value}}, {});
    if (!from || !to) return std::nullopt;
    return Cell{to->row - from->row, to->col - from->col};
}

std::optional<Cell> AccessedCell::step_of_loop(const LoopHeader& loop, long long passes) const {
    const auto from = cell_at({}, {}), to = cell_at({}, {{loop.counter, passes}});
    if (!from || !to) return std::nullopt;
    return Cell{to->row - from->row, to->col - from->col};
}

std::optional<long long> AccessedCell::count_passes(const LoopHeader& loop,
                                                    const NamedNumbers& names) const {
    const LoopValues& parts = values_of(loop);
    const NamedNumbers values = with_first_values(names);
    const auto start = parts.start.value(values), end = parts.end.value(values),
               step = step_value(loop);
    if (!start || !end || !step || *step < 1 || names_side(parts.end.expanded()))
        return std::nullopt;
    return std::max(0LL, (*end + (loop.is_inclusive ? 1 : 0) - *start + *step - 1) / *step);
}

std::optional<long long> AccessedCell::start_value(const LoopHeader& loop) const {
    return values_of(loop).start.value(first_values_);
}

std::optional<long long> AccessedCell::step_value(const LoopHeader& loop) const {
    return values_of(loop).step.value(first_values_);
}

}  // namespace coalesce
