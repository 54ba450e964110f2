#include "campaign/driver/shrink.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <vector>

#include "campaign/check/definedness.h"

namespace coalesce::campaign {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr u64 kLimit = 300'000;

/// Only whole instructions are taken out, and places of source lines.
bool may_go(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos) return true;
    if (line[first] == '.') return line.substr(first, 4) == ".loc";
    const bool is_instruction = line.back() == ';' && line[first] != '{' && line[first] != '}' &&
                                line.find(".callprototype") == line.npos &&
                                line.find(".branchtargets") == line.npos;
    return is_instruction && line.find(')') == line.npos;  // calls go with their braces
}

/// "results", "counters" ...: what must stay as it was.
std::string sort_of(const std::string& difference) {
    return difference.substr(0, difference.find(':'));
}

class Shrinker {
public:
    Shrinker(const Runner& runner, const std::string& text, const Mode& a, const Mode& b)
        : runner_(runner), a_(a), b_(b), lines_(lines_of(text)) {
        a_.limit = b_.limit = kLimit;  // what loops for ever now is not waited for
        const Case whole{
            .name = "whole", .configuration = "", .seed = 0, .ptx = text, .source = ""};
        sort_ = sort_of(differences({whole})[0]);
    }

    std::string shrunk() {
        if (sort_.empty()) return joined(lines_);
        for (std::size_t chunk = std::max<std::size_t>(1, movable().size() / 2); chunk > 0;
             chunk /= 2)
            while (Clock::now() < end_ && take_out(chunk)) {
            }
        return joined(lines_);
    }

private:
    std::vector<std::size_t> movable() const {
        std::vector<std::size_t> at;
        for (std::size_t k = 1; k < lines_.size(); ++k)
            if (may_go(lines_[k])) at.push_back(k);
        return at;
    }

    std::vector<std::string> differences(const std::vector<Case>& cases) const {
        const auto first = runner_.run(cases, a_), second = runner_.run(cases, b_);
        std::vector<std::string> all;
        for (std::size_t k = 0; k < cases.size(); ++k)
            all.push_back(difference(first[k], second[k], a_.seed == b_.seed));
        return all;
    }

    std::vector<std::string> without(const std::vector<bool>& gone) const {
        std::vector<std::string> left;
        for (std::size_t k = 0; k < lines_.size(); ++k)
            if (!gone[k]) left.push_back(lines_[k]);
        return left;
    }

    bool still_differs(const std::vector<std::string>& lines) const {
        const std::string text = joined(lines);
        if (!undefined_read(text).empty()) return false;
        return sort_of(differences({{.name = "one",
                                     .configuration = "",
                                     .seed = 0,
                                     .ptx = text,
                                     .source = ""}})[0]) == sort_;
    }

    /// Tries all pieces of so many lines, one by one, and takes out those that may go together.
    bool take_out(std::size_t chunk) {
        const std::vector<std::size_t> places = movable();
        std::vector<Case> cases;
        std::vector<std::vector<bool>> removed;
        for (std::size_t from = 0; from < places.size(); from += chunk) {
            std::vector<bool> gone(lines_.size(), false);
            for (std::size_t k = from; k < std::min(from + chunk, places.size()); ++k)
                gone[places[k]] = true;
            const std::string text = joined(without(gone));
            if (!undefined_read(text).empty()) continue;
            cases.push_back({.name = std::to_string(cases.size()),
                             .configuration = "",
                             .seed = 0,
                             .ptx = text,
                             .source = ""});
            removed.push_back(std::move(gone));
        }
        if (cases.empty()) return false;
        const std::vector<std::string> found = differences(cases);
        bool any = false;
        std::vector<bool> together(lines_.size(), false);
        for (std::size_t k = 0; k < cases.size(); ++k) {
            if (sort_of(found[k]) != sort_) continue;
            std::vector<bool> more = together;
            for (std::size_t l = 0; l < more.size(); ++l) more[l] = more[l] || removed[k][l];
            if (any && !still_differs(without(more))) continue;
            together = std::move(more);
            any = true;
        }
        if (any) lines_ = without(together);
        return any;
    }

    const Runner& runner_;
    Mode a_, b_;
    std::vector<std::string> lines_;
    std::string sort_;
    const Clock::time_point end_ = Clock::now() + kPatience;
};

}  // namespace

std::string shrink(const Runner& runner, const std::string& ptx, const Mode& a, const Mode& b) {
    return Shrinker(runner, ptx, a, b).shrunk();
}

}  // namespace coalesce::campaign
