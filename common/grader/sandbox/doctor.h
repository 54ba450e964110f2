/// \file
/// Which sandbox works on this computer: found out by attacking it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/sandbox/tier.h"

namespace coalesce::grader {

/// What came of one attack.
struct AttackOutcome {
    std::string name;     ///< "socket"
    std::string escaped;  ///< "": it was held; else what it could do
};

/// What a tier is worth here.
struct TierTrial {
    Tier tier = Tier::none;
    std::string problem;                  ///< it does not start; "" when it does
    std::vector<AttackOutcome> outcomes;  ///< when it starts
    bool is_cut_short = false;  ///< somebody killed the jail, which says nothing of the tier
    /// It starts, and holds everything.
    bool holds() const;
};

/// Lets a worker in a jail of that tier try every attack; once more where the jail is killed meanwhile, but not
/// for ever. `work_folder` is the grader's own.
/// `is_thorough`: also those that take seconds (computing and sleeping for ever).
TierTrial try_tier(Tier tier, const std::filesystem::path& work_folder, bool is_thorough);

/// Sweeps what dead graders left, then looks for the best tier that holds: A, else B; of one alone where that is
/// wanted, and `unsandboxed` is not tried. A trial that was cut short ends the search: a kill must not make a weaker
/// sandbox of a better one, since the tier is part of each result. Throws std::runtime_error that says why there is
/// none.
Tier tier_that_holds(const std::filesystem::path& work_folder, std::optional<Tier> wanted);

}  // namespace coalesce::grader
