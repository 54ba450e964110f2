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
std::map<std::string, u64> add_missing_instructions(
    const std::map<std::string, u64>& count_by_instruction) {
    std::map<std::string, u64> counts_with_zeros = count_by_instruction;
    for (const LaneInstruction& i : lane_instructions()) counts_with_zeros.try_emplace(i.name, 0);
    return counts_with_zeros;
}

/// Returns pairs of opcode and modifier: "add.sat" and "add.s32" for "add.sat.s32".
std::vector<std::string> split_into_modifier_pairs(const std::string& name) {
    std::vector<std::string> modifier_pairs;
    std::istringstream name_parts(name);
    std::string opcode, modifier;
    std::getline(name_parts, opcode, '.');
    while (std::getline(name_parts, modifier, '.'))
        modifier_pairs.push_back(opcode + "." + modifier);
    if (modifier_pairs.empty()) modifier_pairs.push_back(opcode);
    return modifier_pairs;
}

}  // namespace

void InstructionCoverage::add(const std::string& ptx) {
    for (const std::string& name : list_opcodes(ptx)) ++count_by_instruction_[name];
}

std::string InstructionCoverage::summary(std::size_t max_listed_pairs) const {
    std::map<std::string, u64> count_by_pair;
    std::size_t occurring_100_times = 0, never_occurring = 0;
    const auto all_counts = add_missing_instructions(count_by_instruction_);
    for (const auto& [name, count] : all_counts) {
        occurring_100_times += count >= 100;
        never_occurring += count == 0;
        for (const std::string& pair : split_into_modifier_pairs(name))
            count_by_pair[pair] += count;
    }
    std::vector<std::pair<u64, std::string>> pairs_by_count;
    for (const auto& [name, count] : count_by_pair) pairs_by_count.push_back({count, name});
    std::sort(pairs_by_count.begin(), pairs_by_count.end());
    const auto rare_pair_count = std::count_if(pairs_by_count.begin(), pairs_by_count.end(),
                                               [](const auto& pair) { return pair.first < 100; });
    std::ostringstream text;
    text << all_counts.size()
         << " instructions, counting each combination of modifiers: " << occurring_100_times
         << " occurred at least 100 times, " << never_occurring << " never\n";
    text << pairs_by_count.size() << " pairs of an opcode and a modifier: " << rare_pair_count
         << " occurred fewer than 100 times; the rarest:";
    for (std::size_t k = 0; k < std::min(max_listed_pairs, pairs_by_count.size()); ++k)
        text << (k ? ", " : " ") << pairs_by_count[k].second << " " << pairs_by_count[k].first;
    text << "\n";
    return text.str();
}

std::string InstructionCoverage::list() const {
    std::ostringstream text;
    for (const auto& [name, count] : add_missing_instructions(count_by_instruction_))
        text << count << " " << name << "\n";
    return text.str();
}

}  // namespace coalesce::campaign
