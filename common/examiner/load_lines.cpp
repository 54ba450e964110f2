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
    TextMatch found;
    return match_whole(line, found, store) ? found.str(1) : "";
}

bool assigns(const std::string& line, const std::string& variable) {
    return contains(line, TextPattern("\\b" + variable + "\\b\\s*(?:\\.\\s*\\w+\\s*)?=[^=]"));
}

bool assigns_from_load(const std::string& line, const std::string& variable) {
    return contains(line, TextPattern("\\b" + variable + "\\s*=[^=].*\\["));
}

void move_loads(Counters& from, Counters& to) {
    for (const auto counter : kLoadCounters) {
        to.*counter += from.*counter;
        from.*counter = 0;
    }
}

LineCounters& find_or_add_line(std::vector<LineCounters>& lines, int number) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& line) { return line.line == number; });
    if (found != lines.end()) return *found;
    lines.push_back({number, {}});
    return lines.back();
}

/// Implements find_load_line for source text that is already split into lines.
int find_load_line(const std::vector<std::string>& lines, int line) {
    constexpr int most_lines_before = 8;
    if (line < 1 || line > static_cast<int>(lines.size())) return line;
    const std::string variable = find_stored_variable(lines[static_cast<std::size_t>(line - 1)]);
    if (variable.empty()) return line;
    for (int before = line - 1; before >= std::max(1, line - most_lines_before); --before) {
        const std::string& one = lines[static_cast<std::size_t>(before - 1)];
        if (!assigns(one, variable)) continue;
        return assigns_from_load(one, variable) ? before : line;
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
    std::map<int, int> found;
    const auto loaded_at = [&](int line) {
        const auto [place, is_new] = found.try_emplace(line, line);
        if (is_new) place->second = find_load_line(lines, line);
        return place->second;
    };
    for (simulated::Access& access : trial.accesses) {
        if (!access.is_store) access.line = loaded_at(access.line);
    }
    std::vector<LineCounters> corrected;
    for (LineCounters line : trial.lines) {
        const int number = loaded_at(line.line);
        if (number != line.line)
            move_loads(line.counters, find_or_add_line(corrected, number).counters);
        corrected.push_back(std::move(line));
    }
    std::erase_if(corrected,
                  [](const LineCounters& line) { return !line.counters.has_memory_requests(); });
    std::stable_sort(corrected.begin(), corrected.end(),
                     [](const auto& one, const auto& other) { return one.line < other.line; });
    trial.lines = std::move(corrected);
}

}  // namespace coalesce
