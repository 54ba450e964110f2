#include "examiner/index_rules.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// Returns the line that repeats an assignment of the line before it, except for the component or
/// number that should differ. Returns 0 if there is none.
int find_line_with_repeated_place(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const auto parts = [](const std::string& line) -> std::vector<std::string> {
        const std::size_t equals = line.find(" = ");
        if (equals == line.npos || line.find('[') == line.npos) return {};
        return {trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 3))};
    };
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto before = parts(lines[i - 1]), here = parts(lines[i]);
        if (before.empty() || here.empty() || before == here) continue;
        const bool is_component = here[0].size() > 2 && here[0][here[0].size() - 2] == '.';
        const bool stores_twice = before[0] == here[0] && here[0].find('[') != std::string::npos;
        const bool reads_twice = is_component && before[1] == here[1];
        if (stores_twice || reads_twice) return static_cast<int>(i) + 1;
    }
    return 0;
}

}  // namespace

bool explain_repeated_place(Failure& failure, const Evidence& evidence) {
    const int line = find_line_with_repeated_place(evidence.source.text);
    if (line == 0) return false;
    blame_line(failure, line,
               "this line and the line before it use the same element of the tile, so another "
               "element is left out.",
               "Compare the two lines: which number must differ?");
    return true;
}

namespace {

/// Finds a vector with a component that is loaded but never used.
Declared find_unused_component(const std::string& text) {
    static const TextPattern load(R"(\bfloat([24])\s+(\w+)\s*=\s*(?:reinterpret_cast|\*))");
    const std::string code = code_for_search(text);
    for (const TextMatch& one : find_matches(code, load)) {
        const std::string name = one.str(2);
        const std::size_t begin = match_end(one);
        const std::string rest = code.substr(begin, code.find("\n}", begin) - begin);
        const std::string components = one.str(1) == "2" ? "xy" : "xyzw";
        const std::string scope =
            rest.substr(0, rest.find("float" + one.str(1) + " " + name + ";"));
        if (contains(scope, TextPattern("\\b" + name + "\\b\\s*[^.\\w]"))) continue;
        const bool uses_first = contains(scope, TextPattern("\\b" + name + "\\.x\\b"));
        for (const char letter : components) {
            if (!uses_first || contains(scope, TextPattern("\\b" + name + "\\." + letter + "\\b")))
                continue;
            return {name + "." + letter, line_of(code, one)};
        }
    }
    return {};
}

}  // namespace

bool explain_unused_component(Failure& failure, const Evidence& evidence) {
    const Declared component = find_unused_component(evidence.source.text);
    if (component.line == 0) return false;
    blame_line(failure, component.line,
               in_backticks(component.name) + " is loaded here, but never put into the tile.",
               "Store every component of the vector: " + in_backticks(component.name) +
                   " belongs beside the other components.");
    return true;
}

namespace {

/// Returns the factor of threadIdx.x in the tile's index for each line that accesses the tile.
std::map<int, int> thread_factors(const std::string& text, const std::string& tile) {
    std::map<int, int> factors;
    int number = 0;
    for (const std::string& line : lines_of(code_for_search(text))) {
        ++number;
        const std::size_t at = find_word(line, tile);
        if (at == line.npos || line.find("__shared__") != line.npos) continue;
        const std::size_t open = line.find('[', at);
        if (open == line.npos) continue;
        const std::size_t end = std::min(line.find(" = ", open), line.size());
        if (const int factor = factor_of_thread(line.substr(open, end - open)); factor > 0)
            factors[number] = factor;
    }
    return factors;
}

}  // namespace

bool explain_thread_factor(Failure& failure, const Evidence& evidence) {
    static const TextPattern coordinate(R"(\b(?:col|row)\s*=[^;]*threadIdx\.x\s*\*\s*([24])\b)");
    const std::string& text = evidence.source.text;
    const SharedArray tile = find_shared_array(text, 0);
    const std::string code = code_for_search(text);
    TextMatch found;
    if (tile.name.empty() || !search(code, found, coordinate)) return false;
    const int wanted = std::stoi(found.str(1));
    for (const auto& [line, factor] : thread_factors(text, tile.name)) {
        if (factor >= wanted) continue;
        blame_line(failure, line,
                   "threadIdx.x counts vectors of " + std::to_string(wanted) +
                       " elements, but in the index of " + in_backticks(tile.name) +
                       (factor == 1 ? " nothing multiplies it."
                                    : " it is multiplied by " + std::to_string(factor) + "."),
                   "Multiply threadIdx.x by " + std::to_string(wanted) + " here, as on line " +
                       std::to_string(line_of(code, found)) + ".");
        return true;
    }
    return false;
}

bool explain_matrix_index_in_tile(Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const int line = failure.place.line;
    const SharedArray tile = find_shared_array(text, line);
    if (tile.name.empty()) return false;
    static const TextPattern word(R"(\[\s*(row|col)\b)");
    const std::string code = code_on_line(text, line);
    const std::size_t at = find_word(code, tile.name);
    const std::string index = code.substr(std::min(at, code.size()));
    TextMatch found;
    if (!search(index, found, word)) return false;
    const std::string name = found.str(1);
    if (expand(text, name, line).find("blockIdx") == std::string::npos) return false;
    blame_line(failure, line,
               in_backticks(name) + " counts through the whole matrix, but " +
                   in_backticks(tile.name) + " holds a single tile.",
               "Index the tile only with threadIdx and the loop's counter.");
    return true;
}

bool explain_loop_step(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    static const TextPattern increment(R"(\+\+|\+=\s*(.+)$)");
    for (const Loop& loop : find_loops(text)) {
        TextMatch found;
        if (!loop.step || loop.counter.empty() || !search(*loop.step, found, increment)) continue;
        std::string body;
        for (int line = loop.first_line + 1; line <= loop.last_line; ++line)
            body += code_on_line(text, line) + "\n";
        const SharedArray tile = find_shared_array(text, 0);
        const std::string moved = "threadIdx.y + " + loop.counter;
        if (tile.lengths.size() != 2 || body.find("[" + moved + "]") == body.npos) continue;
        const long long rows = trial.launch.block[1];
        const auto step = found[1].matched ? constant_value(text, found.str(1)) : 1;
        if (!step || rows < 2) continue;
        if (*step != rows) {
            blame_line(failure, loop.first_line,
                       "the block covers " + std::to_string(rows) +
                           " rows of the tile at a time, but this loop moves on by " +
                           std::to_string(*step) + ".",
                       "Let the loop step by the number of rows that the block has.");
            return true;
        }
        if (tile.lengths[0] % *step != 0) {
            blame_line(failure, loop.first_line,
                       "the tile has " + std::to_string(tile.lengths[0]) +
                           " rows, which is not a multiple of this loop's step, " +
                           std::to_string(*step) + ": its last pass goes beyond the tile.",
                       "Choose a number of rows for the block that divides the tile.");
            return true;
        }
    }
    return false;
}

bool explain_outside_tile(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (explain_matrix_index_in_tile(failure, evidence)) return true;
    if (const int line = find_loop_that_runs_once_too_often(text, failure.place.line); line > 0) {
        blame_line(failure, line,
                   "this loop runs once more than the tile has rows, because <= lets its counter "
                   "reach the bound.",
                   "Use <: the last row of the tile is its length - 1.");
        return true;
    }
    if (explain_loop_step(failure, trial, evidence)) return true;
    const Report* report = find_report(trial, "memcheck");
    const SharedArray tile = find_shared_array(text, failure.place.line);
    static const TextPattern offset(R"(at byte ([\d,]{1,12}) of)");
    TextMatch found;
    if (!report || tile.lengths.size() != 2 || !search(report->message, found, offset))
        return false;
    std::string digits;
    for (const char letter : found.str(1)) {
        if (letter != ',') digits += letter;
    }
    const long long row = std::stoll(digits) / 4 / std::max(1LL, tile.lengths[1]);
    if (row < tile.lengths[0] || row > 4096) return false;
    failure.headline = "this uses row " + std::to_string(row) + " of " + in_backticks(tile.name) +
                       ", whose rows are 0 to " + std::to_string(tile.lengths[0] - 1) + ".";
    failure.next =
        "How far does the first index of " + in_backticks(tile.name) +
        " get, given threadIdx and the loop's counter? Compare the declaration on line " +
        std::to_string(tile.line) + ", .block, and the loop's step.";
    return true;
}

}  // namespace coalesce
