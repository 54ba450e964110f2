#include "kernel/solution_counters.h"

#include <nlohmann/json.hpp>

#include "kernel/cache.h"
#include "kernel/counters_json.h"
#include "kernel/simulated.h"
#include "kernel/trial.h"

namespace coalesce {
namespace {

Failure no_solution(const std::string& file, const std::string& why) {
    return {.kind = FailureKind::environment_problem,
            .headline = "the solution " + file + " can not be compared with: " + why,
            .next = "Restore it from the course: git checkout -- " + file};
}

/// Compiles and launches it.
std::optional<Counters> count(const Source& solution, const Request& request, Failure& problem) {
    const Compiled compiled = compile(
        solution, {.kernel = request.kernel, .cache = request.cache, .compiler = request.compiler});
    if (!compiled.ok()) {
        problem = no_solution(solution.name, compiled.failure.headline);
        return std::nullopt;
    }
    LoadedKernel kernel(compiled, solution.name);
    if (kernel.problem().kind != FailureKind::none) {
        problem = no_solution(solution.name, kernel.problem().headline);
        return std::nullopt;
    }
    const Trial trial = run_trial(kernel,
                                  {.file_name = solution.name,
                                   .kernel = request.kernel,
                                   .produces = request.produces,
                                   .seed = request.seed},
                                  request.counted, Watch::everything);
    if (!trial.is_good()) {
        problem = no_solution(solution.name, "it is not right itself.");
        return std::nullopt;
    }
    return simulated::counters_of(request.kernel);
}

}  // namespace

std::optional<Counters> counters_of_solution(const Request& request, Failure& problem) {
    const Source solution = read_source(request.limits.solution);
    if (!solution.is_good()) {
        problem = no_solution(solution.name, solution.problem.headline);
        return std::nullopt;
    }
    const auto compiler = compiler_identity(request.compiler);
    const std::string key = simulated::identity() + "\n" + compiler + "\n" + request.kernel + " " +
                            std::to_string(request.counted.rows) + " " +
                            std::to_string(request.counted.cols) + "\n" + solution.text;
    const Cache cache(request.cache);
    if (const auto kept = cache.find("counters", key)) {
        if (const auto counters = counters_from_json(*kept)) return counters;
    }
    const std::optional<Counters> counters = count(solution, request, problem);
    if (counters) cache.keep("counters", key, counters_to_json(*counters).dump());
    return counters;
}

}  // namespace coalesce
