#include "examiner/load_lines.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// The counters of loads.
constexpr std::uint64_t Counters::*kLoadCounters[] = {&Counters::load_requests,
                                                      &Counters::load_sectors,
                                                      &Counters::load_waits,
                                                      &Counters::shared_load_requests,
                                                      &Counters::shared_load_wavefronts,
                                                      &Counters::shared_load_ideal};

/// If the line only stores a variable unchanged, returns the name of the variable. Otherwise
/// returns "".
std::string find_stored_variable(const std::string& line) {
    static const TextPattern store(R"(^[^=]*[\])]\s*=\s*([A-Za-z_]\w*)\s*;\s*$)");
    TextMatch match;
    return match_whole(line, match, store) ? match.str(1) : "";
}

bool assigns_variable(const std::string& line, const std::string& variable) {
    return contains(line, TextPattern("\\b" + variable + "\\b\\s*(?:\\.\\s*\\w+\\s*)?=[^=]"));
}

bool assigns_from_load(const std::string& line, const std::string& variable) {
    return contains(line, TextPattern("\\b" + variable + "\\s*=[^=].*\\["));
}

void move_loads(Counters& source, Counters& target) {
    for (const auto counter : kLoadCounters) {
        target.*counter += source.*counter;
        source.*counter = 0;
    }
}

LineCounters& find_or_add_line(std::vector<LineCounters>& lines, int number) {
    const auto entry = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.line == number; });
    if (entry != lines.end()) return *entry;
    lines.push_back({number, {}});
    return lines.back();
}

/// Implements find_load_line for source text that is already split into lines.
int find_load_line(const std::vector<std::string>& lines, int line) {
    constexpr int max_lines_before = 8;
    if (line < 1 || line > static_cast<int>(lines.size())) return line;
    const std::string variable = find_stored_variable(lines[static_cast<std::size_t>(line - 1)]);
    if (variable.empty()) return line;
    for (int previous_line = line - 1; previous_line >= std::max(1, line - max_lines_before);
         --previous_line) {
        const std::string& code = lines[static_cast<std::size_t>(previous_line - 1)];
        if (!assigns_variable(code, variable)) continue;
        return assigns_from_load(code, variable) ? previous_line : line;
    }
    return line;
}

}  // namespace

int find_load_line(const std::string& text, int line) {
    return find_load_line(lines_of(code_for_search(text)), line);
}

void correct_load_lines(const std::string& text, Trial& trial) {
    // Split the text only once, because a thousand accesses may refer to a few lines.
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    std::map<int, int> index_by_line;
    const auto find_cached_load_line = [&](int line) {
        const auto [index_in_lines, is_new] = index_by_line.try_emplace(line, line);
        if (is_new) index_in_lines->second = find_load_line(lines, line);
        return index_in_lines->second;
    };
    for (simulated::Access& access : trial.accesses) {
        if (!access.is_store) access.line = find_cached_load_line(access.line);
    }
    std::vector<LineCounters> corrected_lines;
    for (LineCounters line : trial.lines) {
        const int number = find_cached_load_line(line.line);
        if (number != line.line)
            move_loads(line.counters, find_or_add_line(corrected_lines, number).counters);
        corrected_lines.push_back(std::move(line));
    }
    std::erase_if(corrected_lines,
                  [](const LineCounters& line) { return !line.counters.has_memory_requests(); });
    std::stable_sort(corrected_lines.begin(), corrected_lines.end(),
                     [](const auto& left_line, const auto& right_line) {
                         return left_line.line < right_line.line;
                     });
    trial.lines = std::move(corrected_lines);
}

}  // namespace coalesce
