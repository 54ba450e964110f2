#include "grader/sandbox/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

#include "grader/sandbox/attacks.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/jail.h"
#include "grader/sandbox/landlock.h"
#include "grader/sandbox/places.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

/// Returns a description of what an attack achieved, or "" if the attack failed.
std::string find_escape(const std::string& attack, const JobResult& result) {
    using EndKind = JobEnd::EndKind;
    if (attack == "compute") {
        return result.end.end_kind == EndKind::out_of_processor ? "" : "was not stopped in time";
    }
    if (attack == "sleep")
        return result.end.end_kind == EndKind::out_of_time ? "" : "was not stopped in time";
    const bool was_killed = result.end.end_kind == EndKind::out_of_memory;
    if (attack == "memory" && was_killed) return "";
    if (result.end.end_kind != EndKind::exited || result.end.code != 0) {
        return "ended in an unexpected way (" +
               std::to_string(static_cast<int>(result.end.end_kind)) + ", " +
               std::to_string(result.end.code) + ") " + result.end.problem;
    }
    const std::string answer = result.answer.text();
    return answer == "held" ? "" : answer;
}

/// Runs one attack. If no worker could be created, throws std::runtime_error, because that does not
/// count as an escape.
AttackOutcome run_attack(const AttackTarget& target, Jail& jail) {
    const std::string request = codec::write(target);
    const bool sleeps = target.attack == "sleep";
    // Allow ten seconds for any attack other than "compute", because filling the memory can take
    // more than a second on a busy computer.
    const int seconds = target.attack == "compute" ? 1 : 10;
    const JobResult result = jail.run(
        {.request = request,
         .answer_bytes = 4096,
         .limits = {
             .processor_seconds = seconds, .wall_seconds = sleeps ? 0.5 : 20, .memory_mb = 256}});
    if (result.end.end_kind == JobEnd::EndKind::jail_failed)
        throw std::runtime_error(result.end.problem);
    return {target.attack, find_escape(target.attack, result)};
}

/// A temporary file of the grader, which no jailed process may read.
class SecretFile {
public:
    explicit SecretFile(const fs::path& folder)
        : file_(folder / ("bait-" + std::to_string(getpid()))) {
        std::ofstream(file_) << "a secret\n";
    }
    ~SecretFile() {
        std::error_code ignored;
        fs::remove(file_, ignored);
    }
    SecretFile(const SecretFile&) = delete;
    SecretFile& operator=(const SecretFile&) = delete;
    std::string path() const { return file_.string(); }

private:
    fs::path file_;
};

/// Returns a requirement of the tier that this computer does not meet, or "" if it meets those that
/// are checked here.
std::string find_missing_requirement(Tier tier) {
    if (tier == Tier::namespaces && bubblewrap_program().empty()) {
        return "bubblewrap is not installed (package bubblewrap in Debian)";
    }
    if (tier == Tier::landlock && landlock_version() == 0) {
        return "Landlock is disabled, or not part of this kernel (it requires Linux 5.13 or newer)";
    }
    return "";
}

}  // namespace

bool TierTrial::stops_all_attacks() const {
    return problem.empty() && !outcomes.empty() &&
           std::all_of(outcomes.begin(), outcomes.end(),
                       [](const AttackOutcome& one) { return one.escaped.empty(); });
}

static TierTrial test_tier_once(Tier tier, const fs::path& work_folder, bool is_thorough) {
    static const std::set<std::string> slow = {"compute", "sleep", "memory"};
    TierTrial trial{.tier = tier, .problem = find_missing_requirement(tier), .outcomes = {}};
    if (!trial.problem.empty()) return trial;
    try {
        const SecretFile bait(work_folder);
        Jail jail(Role::probe, tier);
        if (trial.problem = jail.start(); !trial.problem.empty()) {
            trial.was_killed_externally = jail.was_killed();
            return trial;
        }
        for (const Attack& one : all_attacks()) {
            if (!is_thorough && slow.contains(one.name)) continue;
            trial.outcomes.push_back(
                run_attack({one.name, bait.path(), work_folder, getpid()}, jail));
        }
    } catch (const std::exception& error) {
        // No attack can end the jail. If the jail ends after it has started, something outside the
        // jail killed it.
        trial.problem = error.what();
        trial.was_killed_externally = true;
    }
    return trial;
}

/// Tests a tier until the result is certain: until all attacks have ended, or until the jail has
/// failed to start several times with the same error. A single failed start proves nothing.
/// Bubblewrap exits with 1 if a feature is missing, but also if its child was killed.
TierTrial test_tier(Tier tier, const fs::path& work_folder, bool is_thorough) {
    constexpr int most_tries = 30, enough_alike = 5;
    TierTrial trial;
    std::string last;
    for (int i = 0, alike = 0; i < most_tries; ++i) {
        trial = test_tier_once(tier, work_folder, is_thorough);
        if (trial.was_killed_externally) continue;
        const bool is_told = !trial.outcomes.empty() || !find_missing_requirement(tier).empty();
        alike = trial.problem == last ? alike + 1 : 1;
        if (is_told || alike == enough_alike) return trial;
        last = trial.problem;
    }
    trial.was_killed_externally = true;
    return trial;
}

/// Returns the reason for not using the tier that was tested.
static std::string reason_to_reject(const TierTrial& trial) {
    if (!trial.problem.empty()) return trial.problem;
    const auto escape = std::ranges::find_if(
        trial.outcomes, [](const AttackOutcome& one) { return !one.escaped.empty(); });
    return "'" + escape->name + "' was not stopped: a worker " + escape->escaped;
}

Tier find_secure_tier(const fs::path& work_folder, std::optional<Tier> wanted) {
    sweep_stale_cgroups();
    if (wanted == Tier::unsandboxed) return *wanted;
    std::string text = wanted ? std::string("sandbox ") + name_of(*wanted) +
                                    " does not work on this computer, so nothing was run"
                              : "no sandbox works on this computer, so nothing was run";
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        if (wanted && tier != *wanted) continue;
        const TierTrial trial = test_tier(tier, work_folder, false);
        if (trial.stops_all_attacks()) return tier;
        text += std::string("\n  tier ") + name_of(tier) + ": " + reason_to_reject(trial);
        if (trial.was_killed_externally) break;
    }
    throw std::runtime_error(text + "\n./learn grade doctor shows more details");
}

}  // namespace coalesce::grader
