/// \file
/// The tiers of sandboxes, which differ in strictness.
#pragma once

namespace coalesce::grader {

/// The tiers of the sandbox.
enum class Tier {
    namespaces,   ///< A: namespaces from bubblewrap, cgroups if possible, seccomp and rlimits
    landlock,     ///< B: Landlock, seccomp and rlimits; requires no privileges
    none,         ///< C: no sandbox works on this computer, so no kernel is run
    unsandboxed,  ///< no sandbox, because the user disabled it; every result states this
};

constexpr Tier last_of(Tier) {
    return Tier::unsandboxed;
}

inline constexpr const char* kTierNames[] = {"A", "B", "C", "unsandboxed"};
constexpr const char* name_of(Tier tier) {
    return kTierNames[static_cast<int>(tier)];
}
constexpr const char* name_in_json(Tier tier) {
    return name_of(tier);
}

}  // namespace coalesce::grader
