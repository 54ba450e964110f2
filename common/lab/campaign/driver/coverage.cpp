#include "lab/campaign/driver/coverage.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "lab/campaign/ptx/lane_instructions.h"
#include "lab/campaign/ptx/ptx_kernels.h"

namespace coalesce::campaign {
namespace {

/// Adds the listed instructions that never occurred, with a count of 0, so that the summary
/// includes them.
std::map<std::string, u64> add_missing_instructions(const std::map<std::string, u64>& counts) {
    std::map<std::string, u64> all = counts;
    for (const LaneInstruction& i : lane_instructions()) all.try_emplace(i.name, 0);
    return all;
}

/// Returns pairs of opcode and modifier: "add.sat" and "add.s32" for "add.sat.s32".
std::vector<std::string> opcode_modifier_pairs(const std::string& name) {
    std::vector<std::string> pairs;
    std::istringstream parts(name);
    std::string opcode, modifier;
    std::getline(parts, opcode, '.');
    while (std::getline(parts, modifier, '.')) pairs.push_back(opcode + "." + modifier);
    if (pairs.empty()) pairs.push_back(opcode);
    return pairs;
}

}  // namespace

void Coverage::add(const std::string& ptx) {
    for (const std::string& name : list_opcodes(ptx)) ++counts_[name];
}

std::string Coverage::summary(std::size_t rarest) const {
    std::map<std::string, u64> pairs;
    std::size_t hundred = 0, unmet = 0;
    const auto all = add_missing_instructions(counts_);
    for (const auto& [name, count] : all) {
        hundred += count >= 100;
        unmet += count == 0;
        for (const std::string& pair : opcode_modifier_pairs(name)) pairs[pair] += count;
    }
    std::vector<std::pair<u64, std::string>> sorted;
    for (const auto& [name, count] : pairs) sorted.push_back({count, name});
    std::sort(sorted.begin(), sorted.end());
    const auto few = std::count_if(sorted.begin(), sorted.end(),
                                   [](const auto& pair) { return pair.first < 100; });
    std::ostringstream text;
    text << all.size() << " instructions, counting each combination of modifiers: " << hundred
         << " occurred at least 100 times, " << unmet << " never\n";
    text << sorted.size() << " pairs of an opcode and a modifier: " << few
         << " occurred fewer than 100 times; the rarest:";
    for (std::size_t k = 0; k < std::min(rarest, sorted.size()); ++k)
        text << (k ? ", " : " ") << sorted[k].second << " " << sorted[k].first;
    text << "\n";
    return text.str();
}

std::string Coverage::list() const {
    std::ostringstream text;
    for (const auto& [name, count] : add_missing_instructions(counts_))
        text << count << " " << name << "\n";
    return text.str();
}

}  // namespace coalesce::campaign
