// Mutates PTX text in ways that the parser still accepts. A random change of a byte rarely produces
// a new loop or a different order of instructions.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::simulator {

class PtxMutation {
public:
    PtxMutation(std::string_view text, unsigned seed) : random_(seed) {
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            lines_.emplace_back(text.substr(from, end - from));
            if (is_instruction(lines_.back())) instructions_.push_back(lines_.size() - 1);
            from = end + 1;
        }
        for (const std::string& line : lines_) find_registers(line, registers_);
    }

    /// Returns the text with one random change, or nothing if the text has too few instructions.
    std::optional<std::string> apply() {
        if (instructions_.size() < 2) return {};
        std::string& one = any_instruction();
        std::string& other = any_instruction();
        switch (below(6)) {
            case 0: one.clear(); break;
            case 1: std::swap(one, other); break;
            case 2: one += '\n' + std::string(other); break;
            case 3: branch_to(one, other); break;
            default: replace_register(one); break;
        }
        std::string text;
        for (const std::string& line : lines_) text += line + '\n';
        return text;
    }

private:
    static bool is_instruction(const std::string& line) {
        const std::size_t first = line.find_first_not_of(" \t");
        return first != std::string::npos && line[first] != '.' && line[first] != '/' &&
               line.find_last_of(';') != std::string::npos && line.find('"') == std::string::npos;
    }

    /// Appends the names of registers such as %r12, but not of special registers such as %tid.x or
    /// %ntid.
    static void find_registers(std::string_view line, std::vector<std::string>& found) {
        for (std::size_t at = line.find('%'); at != std::string_view::npos;
             at = line.find('%', at)) {
            std::size_t end = at + 1;
            while (end < line.size() && std::islower(line[end])) ++end;
            const std::size_t number = end;
            while (end < line.size() && std::isdigit(line[end])) ++end;
            if (end > number) found.emplace_back(line.substr(at, end - at));
            at = end;
        }
    }

    static std::string_view kind_of(std::string_view name) {
        return name.substr(0, name.find_first_of("0123456789"));
    }

    /// Replaces a register with another register of the same kind.
    void replace_register(std::string& line) {
        std::vector<std::string> mine, alike;
        find_registers(line, mine);
        if (mine.empty()) return;
        const std::string old = mine[below(mine.size())];
        std::ranges::copy_if(registers_, std::back_inserter(alike),
                             [&](const auto& name) { return kind_of(name) == kind_of(old); });
        line.replace(line.find(old), old.size(), alike[below(alike.size())]);
    }

    /// Inserts a branch after `from`, usually with a predicate. If `to` comes before `from`, the
    /// branch creates a loop.
    void branch_to(std::string& from, std::string& to) {
        std::vector<std::string> predicates;
        std::ranges::copy_if(registers_, std::back_inserter(predicates),
                             [](const auto& name) { return kind_of(name) == "%p"; });
        const std::string label = "mutated" + std::to_string(random_());
        std::string branch = "bra " + label + ";";
        if (!predicates.empty() && below(5) > 0)
            branch = '@' + predicates[below(predicates.size())] + ' ' + branch;
        from += '\n' + branch;
        to = label + ":\n" + to;
    }

    std::string& any_instruction() { return lines_[instructions_[below(instructions_.size())]]; }
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::minstd_rand random_;
    std::vector<std::string> lines_;
    std::vector<std::size_t> instructions_;
    std::vector<std::string> registers_;
};

}  // namespace coalesce::simulator
