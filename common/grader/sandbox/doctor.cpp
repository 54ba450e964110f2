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
    const bool ran_out_of_memory = result.end.end_kind == EndKind::out_of_memory;
    if (attack == "memory" && ran_out_of_memory) return "";
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
    const bool is_sleep_attack = target.attack == "sleep";
    // Allow ten seconds for any attack other than "compute", because filling the memory can take
    // more than a second on a busy computer.
    const int seconds = target.attack == "compute" ? 1 : 10;
    const JobResult result = jail.run({.request = request,
                                       .answer_bytes = 4096,
                                       .limits = {.processor_seconds = seconds,
                                                  .wall_seconds = is_sleep_attack ? 0.5 : 20,
                                                  .memory_mb = 256}});
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
                       [](const AttackOutcome& outcome) { return outcome.escape.empty(); });
}

static TierTrial test_tier_once(Tier tier, const fs::path& work_folder, bool is_thorough) {
    static const std::set<std::string> slow_attacks = {"compute", "sleep", "memory"};
    TierTrial trial{.tier = tier, .problem = find_missing_requirement(tier), .outcomes = {}};
    if (!trial.problem.empty()) return trial;
    try {
        const SecretFile secret_file(work_folder);
        Jail jail(Role::probe, tier);
        if (trial.problem = jail.start(); !trial.problem.empty()) {
            trial.was_killed_externally = jail.was_killed();
            return trial;
        }
        for (const Attack& attack : all_attacks()) {
            if (!is_thorough && slow_attacks.contains(attack.name)) continue;
            trial.outcomes.push_back(
                run_attack({attack.name, secret_file.path(), work_folder, getpid()}, jail));
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
    constexpr int max_tries = 30, max_equal_problems = 5;
    TierTrial trial;
    std::string last_problem;
    for (int i = 0, equal_problems = 0; i < max_tries; ++i) {
        trial = test_tier_once(tier, work_folder, is_thorough);
        if (trial.was_killed_externally) continue;
        const bool is_conclusive =
            !trial.outcomes.empty() || !find_missing_requirement(tier).empty();
        equal_problems = trial.problem == last_problem ? equal_problems + 1 : 1;
        if (is_conclusive || equal_problems == max_equal_problems) return trial;
        last_problem = trial.problem;
    }
    trial.was_killed_externally = true;
    return trial;
}

/// Returns the reason for not using the tier that was tested.
static std::string describe_rejection(const TierTrial& trial) {
    if (!trial.problem.empty()) return trial.problem;
    const auto escape = std::ranges::find_if(
        trial.outcomes, [](const AttackOutcome& outcome) { return !outcome.escape.empty(); });
    return "'" + escape->name + "' was not stopped: a worker " + escape->escape;
}

Tier find_secure_tier(const fs::path& work_folder, std::optional<Tier> wanted_tier) {
    sweep_stale_cgroups();
    if (wanted_tier == Tier::unsandboxed) return *wanted_tier;
    std::string message = wanted_tier ? std::string("sandbox ") + name_of(*wanted_tier) +
                                            " does not work on this computer, so nothing was run"
                                      : "no sandbox works on this computer, so nothing was run";
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        if (wanted_tier && tier != *wanted_tier) continue;
        const TierTrial trial = test_tier(tier, work_folder, false);
        if (trial.stops_all_attacks()) return tier;
        message += std::string("\n  tier ") + name_of(tier) + ": " + describe_rejection(trial);
        if (trial.was_killed_externally) break;
    }
    throw std::runtime_error(message + "\n./learn grade doctor shows more details");
}

}  // namespace coalesce::grader
