#include "lab/proof/validate/judges.h"

#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/child.h"
#include "base/files.h"
#include "lab/proof/validate/tools.h"

namespace coalesce::proof {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxCaseSeconds = 60, kMaxEndlessCaseSeconds = 12;
constexpr double kSecondsPerAdditionalCase =
    5;  ///< seconds for each additional case in the same run

std::string program_path(const SuiteCase& suite_case) {
    return std::string(COALESCE_SUITE_PROGRAMS) + "/" + suite_case.program;
}

Opinion ask_simulator(const SuiteCase& suite_case) {
    const TemporaryFolder folder;
    const fs::path json = folder.path / "report.json";
    const fs::path program_folder = fs::read_symlink("/proc/self/exe").parent_path();
    // Tests and programs are in different folders.
    const fs::path simulate = program_folder / "../bin/simulate";
    const ProcessResult process_result =
        run_child({simulate, "--quiet", "--threads", "1", "--json", json, program_path(suite_case),
                   suite_case.name},
                  kMaxCaseSeconds);
    if (process_result.timed_out) return {Opinion::endless, ""};
    return parse_simulator_opinion(Json::parse(read_if_exists(json).value_or(""), nullptr, false));
}

/// One judge's run on one or more cases.
struct JudgeRun {
    std::string tool;                       ///< empty for the simulator
    std::vector<std::size_t> case_indices;  ///< cases, all of one program
};

/// Returns all runs of all judges. Cases that never end come last, because they occupy the GPU
/// while the other runs wait.
std::deque<JudgeRun> list_judge_runs(const std::vector<SuiteCase>& suite) {
    std::deque<JudgeRun> all_runs;
    std::map<std::string, std::vector<std::size_t>> case_indices_by_program;
    for (std::size_t i = 0; i < suite.size(); ++i) {
        if (!suite[i].may_run_forever()) case_indices_by_program[suite[i].program].push_back(i);
    }
    for (const auto& [program, cases] : case_indices_by_program) {
        for (const char* const tool : kSanitizerTools) all_runs.push_back({tool, cases});
    }
    for (const bool endless : {false, true}) {
        for (std::size_t i = 0; i < suite.size(); ++i) {
            if (suite[i].may_run_forever() != endless) continue;
            all_runs.push_back({"", {i}});
            if (!endless) continue;
            for (const char* const tool : kSanitizerTools) all_runs.push_back({tool, {i}});
        }
    }
    return all_runs;
}

/// Runs all judges. Stores the runs that are still pending, and the opinions so far.
class JudgeRunQueue {
public:
    JudgeRunQueue(const std::vector<SuiteCase>& suite, const std::string& sanitizer_path,
                  const VerdictProgress& progress)
        : sanitizer_path_(sanitizer_path),
          progress_(progress),
          pending_runs_(list_judge_runs(suite)) {
        for (const SuiteCase& suite_case : suite) {
            judged_cases_.push_back({suite_case, {}, {}});
            for (const char* const tool : kSanitizerTools)
                judged_cases_.back().opinion_by_tool[tool] = {};
        }
    }

    std::vector<JudgedCase> judge_all(int parallel_jobs) {
        {
            std::vector<std::jthread> worker_threads;
            for (int i = 0; i < parallel_jobs; ++i) {
                worker_threads.emplace_back([this] {
                    while (const auto question = next()) ask(*question);
                });
            }
        }
        return std::move(judged_cases_);
    }

private:
    std::optional<JudgeRun> next() {
        const std::lock_guard lock(mutex_);
        if (pending_runs_.empty()) return {};
        JudgeRun first_run = std::move(pending_runs_.front());
        pending_runs_.pop_front();
        return first_run;
    }

    void ask(const JudgeRun& judge_run) {
        const bool is_for_simulator = judge_run.tool.empty();
        const Opinion opinion =
            is_for_simulator ? ask_simulator(judged_cases_[judge_run.case_indices[0]].suite_case)
                             : ask_sanitizer(judge_run);
        const std::lock_guard lock(mutex_);
        if (judge_run.case_indices.size() > 1 && opinion.kind != Opinion::silent) {
            for (const std::size_t case_index : judge_run.case_indices) {
                pending_runs_.push_front({judge_run.tool, {case_index}});
            }
            return;
        }
        for (const std::size_t case_index : judge_run.case_indices) {
            (is_for_simulator ? judged_cases_[case_index].simulator_opinion
                              : judged_cases_[case_index].opinion_by_tool[judge_run.tool]) =
                opinion;
        }
        verdict_count_ += judge_run.case_indices.size();
        if (progress_)
            progress_(verdict_count_, judged_cases_.size() * (1 + std::size(kSanitizerTools)));
    }

    Opinion ask_sanitizer(const JudgeRun& judge_run) const {
        std::vector<std::string> command{sanitizer_path_, "--tool", judge_run.tool, "--print-limit",
                                         "3"};
        if (judge_run.tool == "racecheck") {
            command.insert(command.end(), {"--racecheck-report", "all"});
        }
        const SuiteCase& first_case = judged_cases_[judge_run.case_indices[0]].suite_case;
        command.push_back(program_path(first_case));
        for (const std::size_t case_index : judge_run.case_indices) {
            command.push_back(judged_cases_[case_index].suite_case.name);
        }
        const std::size_t further_cases = judge_run.case_indices.size() - 1;
        const double time_limit_seconds =
            first_case.may_run_forever()
                ? kMaxEndlessCaseSeconds
                : kMaxCaseSeconds + kSecondsPerAdditionalCase * static_cast<double>(further_cases);
        const ProcessResult process_result =
            run_child(command, time_limit_seconds,
                      {"LD_LIBRARY_PATH=" + prepend_to_library_path(find_cudart_folder())});
        const Opinion opinion = parse_sanitizer_opinion(process_result.output);
        // A report counts even if the program had to be stopped afterwards.
        if (opinion.kind == Opinion::reported) return opinion;
        if (process_result.timed_out) return {Opinion::endless, ""};
        // An error may have ended the program before its last case, so check that all cases ran.
        const std::string all_cases_text =
            "all " + std::to_string(further_cases + 1) + " cases ran";
        if (further_cases > 0 && process_result.output.find(all_cases_text) == std::string::npos) {
            return {Opinion::unusable, "not all cases ran"};
        }
        return opinion;
    }

    std::string sanitizer_path_;
    VerdictProgress progress_;
    std::mutex mutex_;
    std::deque<JudgeRun> pending_runs_;
    std::vector<JudgedCase> judged_cases_;
    std::size_t verdict_count_ = 0;
};

}  // namespace

std::vector<JudgedCase> judge_suite(const std::vector<SuiteCase>& suite,
                                    const std::string& sanitizer_path, int parallel_jobs,
                                    const VerdictProgress& progress) {
    return JudgeRunQueue(suite, sanitizer_path, progress).judge_all(parallel_jobs);
}

}  // namespace coalesce::proof
