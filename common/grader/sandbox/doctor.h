/// \file
/// Finds the sandbox that works on this computer, by attacking it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/sandbox/tier.h"

namespace coalesce::grader {

/// The outcome of an attack.
struct AttackOutcome {
    std::string name;     ///< "socket"
    std::string escaped;  ///< "": it was stopped; otherwise what it achieved
};

/// The results of testing a tier on this computer.
struct TierTrial {
    Tier tier = Tier::none;
    std::string problem;                  ///< why it does not start, or ""
    std::vector<AttackOutcome> outcomes;  ///< if it starts
    /// the jail was killed from outside, which says nothing about the tier
    bool is_cut_short = false;
    /// Reports whether the tier starts and stops every attack.
    bool holds() const;
};

/// Lets a worker in a jail of this tier try every attack. If the jail is killed meanwhile, it tries again a few
/// times. `work_folder` belongs to the grader. `is_thorough` includes the attacks that take seconds (computing and
/// sleeping forever).
TierTrial try_tier(Tier tier, const std::filesystem::path& work_folder, bool is_thorough);

/// Removes what killed graders left behind, then returns the best tier that stops all attacks: A, otherwise B. With
/// `wanted` only that tier is tested; `unsandboxed` is not tested. If the test is cut short by a kill, the search
/// ends, because a kill must not select a weaker sandbox: the tier is part of each result. Throws std::runtime_error
/// that says why no tier works.
Tier tier_that_holds(const std::filesystem::path& work_folder, std::optional<Tier> wanted);

}  // namespace coalesce::grader
