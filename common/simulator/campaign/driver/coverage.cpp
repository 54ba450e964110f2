#include "campaign/driver/coverage.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "campaign/ptx/lane_instructions.h"
#include "campaign/ptx/ptx_kernels.h"

namespace coalesce::campaign {
namespace {

/// With the list's own, so that what was never met is seen.
std::map<std::string, u64> with_unmet(const std::map<std::string, u64>& counts) {
    std::map<std::string, u64> all = counts;
    for (const LaneInstruction& i : lane_instructions()) all.try_emplace(i.name, 0);
    return all;
}

}  // namespace

void Coverage::add(const std::string& ptx) {
    for (const std::string& name : instructions_of(ptx)) ++counts_[name];
}

void Coverage::add(const Coverage& other) {
    for (const auto& [name, count] : other.counts_) counts_[name] += count;
}

std::string Coverage::summary(std::size_t rarest) const {
    std::vector<std::pair<u64, std::string>> sorted;
    std::size_t hundred = 0;
    for (const auto& [name, count] : with_unmet(counts_)) {
        sorted.push_back({count, name});
        hundred += count >= 100;
    }
    std::sort(sorted.begin(), sorted.end());
    std::ostringstream text;
    text << sorted.size() << " different instructions, " << hundred
         << " of them at least 100 times\n";
    text << "rarest:";
    for (std::size_t k = 0; k < std::min(rarest, sorted.size()); ++k)
        text << (k ? ", " : " ") << sorted[k].second << " " << sorted[k].first;
    text << "\n";
    return text.str();
}

std::string Coverage::list() const {
    std::ostringstream text;
    for (const auto& [name, count] : with_unmet(counts_)) text << count << " " << name << "\n";
    return text.str();
}

}  // namespace coalesce::campaign
