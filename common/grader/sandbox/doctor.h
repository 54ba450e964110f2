/// \file
/// Finds the best sandbox that works on this computer and withstands all attacks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/sandbox/tier.h"

namespace coalesce::grader {

struct AttackOutcome {
    std::string name;    ///< name of the attack, such as "socket"
    std::string escape;  ///< what the attack achieved, or "" if it was stopped
};

/// The results of testing a tier on this computer.
struct TierTrial {
    Tier tier = Tier::none;
    std::string problem;                  ///< why the jail does not start, or ""
    std::vector<AttackOutcome> outcomes;  ///< the outcomes, if the jail starts
    /// whether the jail was killed from outside, so that the test proves nothing
    bool was_killed_externally = false;
    /// Reports whether the tier works and stops every attack.
    bool stops_all_attacks() const;
};

/// Runs every attack in a jail of this tier. If another program kills the jail during the test,
/// repeats the test, but only a few times. If `is_thorough` is true, includes attacks that take
/// several seconds.
TierTrial test_tier(Tier tier, const std::filesystem::path& work_folder, bool is_thorough);

/// Returns the best tier that stops all attacks: A if possible, otherwise B. If `wanted_tier` is
/// set, tests only that tier. Throws std::runtime_error if no tier works, or if another program
/// killed the jail during the test, because such a kill must not lead to a weaker sandbox.
Tier find_secure_tier(const std::filesystem::path& work_folder, std::optional<Tier> wanted_tier);

}  // namespace coalesce::grader
