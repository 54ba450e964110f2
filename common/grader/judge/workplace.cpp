#include "grader/judge/workplace.h"

#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/doctor.h"

namespace coalesce::grader {
namespace {

/// What each tier that was tried has to say.
std::string reasons(const std::vector<TierTrial>& trials) {
    std::string text;
    for (const TierTrial& trial : trials) {
        text += std::string(" Tier ") + name_of(trial.tier) + ": ";
        std::string reason = trial.problem;
        for (const AttackOutcome& one : trial.outcomes) {
            if (!one.escaped.empty() && reason.empty()) {
                reason = "'" + one.name + "' was not held: a worker " + one.escaped;
            }
        }
        text += reason + ".";
    }
    return text;
}

}  // namespace

Judge::Workplace::Workplace(const JudgeOptions& options) : folder_(options.work_folder) {
    try {
        if (folder_.empty()) {
            own_folder_.emplace();
            folder_ = own_folder_->path;
        }
        sweep_stale_cgroups();
        std::vector<TierTrial> trials;
        if (!options.sandboxed) {
            tier = Tier::unsandboxed;
        } else if (options.tier) {
            trials.push_back(try_tier(*options.tier, folder_, false));
            tier = trials.back().holds() ? *options.tier : Tier::none;
        } else {
            tier = best_tier(folder_, false, &trials);
        }
        if (tier == Tier::none) {
            problem = "no sandbox works on this computer, so nothing is run." + reasons(trials) +
                      " Next: ./learn grade doctor";
            return;
        }
        compiler = std::make_unique<Jail>(Role::compile, tier);
        launcher = std::make_unique<Jail>(Role::launch, tier);
    } catch (const std::exception& error) {
        problem = error.what();
    }
}

Judge::Judge(const JudgeOptions& options) : workplace_(std::make_unique<Workplace>(options)) {}

Judge::~Judge() = default;

Tier Judge::tier() const {
    return workplace_->tier;
}

}  // namespace coalesce::grader
