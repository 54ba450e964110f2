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
    std::string about;    ///< "opens a socket, AF_VSOCK too"
    std::string escaped;  ///< "": it was held; else what it could do
};

/// What a tier is worth here.
struct TierTrial {
    Tier tier = Tier::none;
    std::string problem;                  ///< it does not start; "" when it does
    std::vector<AttackOutcome> outcomes;  ///< when it starts
    /// It starts, and holds everything.
    bool holds() const;
};

/// Lets a worker in a jail of that tier try every attack. `work_folder` is the grader's own.
/// `is_thorough`: also those that take seconds (computing and sleeping for ever).
TierTrial try_tier(Tier tier, const std::filesystem::path& work_folder, bool is_thorough);

/// The best tier that holds: A, else B, else C. `trials` gets what was tried.
Tier best_tier(const std::filesystem::path& work_folder, bool is_thorough,
               std::vector<TierTrial>* trials = nullptr);

}  // namespace coalesce::grader
