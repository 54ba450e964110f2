#include "kernel/storing_line.h"

#include <algorithm>

namespace coalesce {
namespace {

/// Each takes a launch of its own.
constexpr std::uint64_t kMostWarps = 64;

bool stores_to(const simulated::Access& access, std::uint64_t address) {
    if (access.is_shared || !access.is_store) return false;
    const std::vector<std::uint64_t> begins = access.of_active();
    return std::any_of(begins.begin(), begins.end(), [&](std::uint64_t begin) {
        return address >= begin && address < begin + access.bytes_per_lane;
    });
}

}  // namespace

int line_that_stored_wrong(const Trial& trial, const Evidence& evidence) {
    if (!evidence.try_again || !trial.comparison || !trial.comparison->first_bad) return 0;
    const auto warps = static_cast<std::uint64_t>((trial.launch.threads() + 31) / 32);
    const std::uint64_t count = static_cast<std::uint64_t>(trial.launch.blocks()) * warps;
    if (count > kMostWarps) return 0;
    const Cell cell = *trial.comparison->first_bad;
    const std::int64_t index = cell.row * trial.comparison->problem.out_cols() + cell.col;
    for (std::uint64_t number = 0; number < count; ++number) {
        TrialOrder order{.shape = trial.shape, .watch = Watch::result_alone};
        order.traced = {number / warps, static_cast<unsigned>(number % warps), kMostTracedAccesses};
        const Trial seen = evidence.try_again(order);
        const std::uint64_t address = seen.out_address + 4 * static_cast<std::uint64_t>(index);
        const auto found = std::find_if(seen.accesses.begin(), seen.accesses.end(),
                                        [&](const auto& one) { return stores_to(one, address); });
        if (found != seen.accesses.end()) return found->line;
    }
    return 0;
}

}  // namespace coalesce
