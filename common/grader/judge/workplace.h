/// \file
/// What a Judge keeps from one submission to the next: its sandbox, its jails, what solutions cost.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/files.h"
#include "grader/judge/jail_runner.h"

namespace coalesce::grader {

class Judge::Workplace {
public:
    explicit Workplace(const JudgeOptions& options);

    Tier tier = Tier::none;
    std::string problem;  ///< why nothing can be judged; "" when all is well
    std::unique_ptr<Jail> compiler, launcher;
    SolutionCosts solution_costs;

private:
    std::filesystem::path folder_;
    std::optional<TemporaryFolder> own_folder_;
};

}  // namespace coalesce::grader
