/// \file
/// The tiers of sandboxes, which differ in strictness.
#pragma once

namespace coalesce::grader {

/// The tiers of the sandbox.
enum class Tier {
    namespaces,   ///< A: namespaces from bubblewrap, cgroups if possible, seccomp and rlimits
    landlock,     ///< B: Landlock, seccomp and rlimits; needs no privilege
    none,         ///< C: no sandbox works here, so nothing runs
    unsandboxed,  ///< no sandbox, as the user requested; every result says so
};

constexpr Tier last_of(Tier) {
    return Tier::unsandboxed;
}

inline constexpr const char* kTierNames[] = {"A", "B", "C", "unsandboxed"};
constexpr const char* name_of(Tier tier) {
    return kTierNames[static_cast<int>(tier)];
}
/// Returns the name for JSON.
constexpr const char* name_in_json(Tier tier) {
    return name_of(tier);
}

}  // namespace coalesce::grader
