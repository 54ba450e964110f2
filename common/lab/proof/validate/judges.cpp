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

constexpr double kCaseSeconds = 60, kEndlessSeconds = 12;
constexpr double kSecondsPerAdditionalCase =
    5;  ///< seconds for each additional case in the same run

std::string program_path(const SuiteCase& one) {
    return std::string(COALESCE_SUITE_PROGRAMS) + "/" + one.program;
}

Opinion ask_simulator(const SuiteCase& one) {
    const TemporaryFolder folder;
    const fs::path json = folder.path / "report.json";
    const fs::path folder_of_this = fs::read_symlink("/proc/self/exe").parent_path();
    // Tests and programs are in different folders.
    const fs::path simulate = folder_of_this / "../bin/simulate";
    const ProcessResult ended = run_child(
        {simulate, "--quiet", "--threads", "1", "--json", json, program_path(one), one.name},
        kCaseSeconds);
    if (ended.timed_out) return {Opinion::endless, ""};
    return simulator_opinion(Json::parse(read_if_exists(json).value_or(""), nullptr, false));
}

/// One judge's run on one or more cases.
struct JudgeRun {
    std::string tool;                       ///< empty for the simulator
    std::vector<std::size_t> case_indices;  ///< cases, all of one program
};

/// Returns all questions. Cases that never end come last, because they occupy the GPU while all
/// other questions wait.
std::deque<JudgeRun> questions(const std::vector<SuiteCase>& suite) {
    std::deque<JudgeRun> all;
    std::map<std::string, std::vector<std::size_t>> programs;
    for (std::size_t i = 0; i < suite.size(); ++i) {
        if (!suite[i].never_terminates()) programs[suite[i].program].push_back(i);
    }
    for (const auto& [program, cases] : programs) {
        for (const char* const tool : kSanitizerTools) all.push_back({tool, cases});
    }
    for (const bool endless : {false, true}) {
        for (std::size_t i = 0; i < suite.size(); ++i) {
            if (suite[i].never_terminates() != endless) continue;
            all.push_back({"", {i}});
            if (!endless) continue;
            for (const char* const tool : kSanitizerTools) all.push_back({tool, {i}});
        }
    }
    return all;
}

/// Runs all judges, and stores the questions that remain and the opinions that have been given.
class JudgeRunQueue {
public:
    JudgeRunQueue(const std::vector<SuiteCase>& suite, const std::string& sanitizer,
                  const VerdictProgress& progress)
        : sanitizer_(sanitizer), progress_(progress), pending_questions_(questions(suite)) {
        for (const SuiteCase& one : suite) {
            judged_.push_back({one, {}, {}});
            for (const char* const tool : kSanitizerTools) judged_.back().tools[tool] = {};
        }
    }

    std::vector<JudgedCase> judge_all(int jobs) {
        {
            std::vector<std::jthread> workers;
            for (int i = 0; i < jobs; ++i) {
                workers.emplace_back([this] {
                    while (const auto question = next()) ask(*question);
                });
            }
        }
        return std::move(judged_);
    }

private:
    std::optional<JudgeRun> next() {
        const std::lock_guard lock(mutex_);
        if (pending_questions_.empty()) return {};
        JudgeRun first = std::move(pending_questions_.front());
        pending_questions_.pop_front();
        return first;
    }

    void ask(const JudgeRun& question) {
        const bool asks_simulator = question.tool.empty();
        const Opinion opinion = asks_simulator
                                    ? ask_simulator(judged_[question.case_indices[0]].suite_case)
                                    : ask_sanitizer(question);
        const std::lock_guard lock(mutex_);
        if (question.case_indices.size() > 1 && opinion.kind != Opinion::silent) {
            for (const std::size_t one : question.case_indices) {
                pending_questions_.push_front({question.tool, {one}});
            }
            return;
        }
        for (const std::size_t one : question.case_indices) {
            (asks_simulator ? judged_[one].simulator : judged_[one].tools[question.tool]) = opinion;
        }
        done_ += question.case_indices.size();
        if (progress_) progress_(done_, judged_.size() * (1 + std::size(kSanitizerTools)));
    }

    Opinion ask_sanitizer(const JudgeRun& question) const {
        std::vector<std::string> command{sanitizer_, "--tool", question.tool, "--print-limit", "3"};
        if (question.tool == "racecheck") {
            command.insert(command.end(), {"--racecheck-report", "all"});
        }
        const SuiteCase& first = judged_[question.case_indices[0]].suite_case;
        command.push_back(program_path(first));
        for (const std::size_t one : question.case_indices) {
            command.push_back(judged_[one].suite_case.name);
        }
        const std::size_t more = question.case_indices.size() - 1;
        const double patience =
            first.never_terminates()
                ? kEndlessSeconds
                : kCaseSeconds + kSecondsPerAdditionalCase * static_cast<double>(more);
        const ProcessResult ended = run_child(
            command, patience, {"LD_LIBRARY_PATH=" + prepend_to_library_path(cudart_folder())});
        const Opinion opinion = sanitizer_opinion(ended.output);
        // A report counts even if the program had to be stopped afterwards.
        if (opinion.kind == Opinion::reported) return opinion;
        if (ended.timed_out) return {Opinion::endless, ""};
        // An error may have ended the program before its last case, so check that all cases ran.
        const std::string all = "all " + std::to_string(more + 1) + " cases ran";
        if (more > 0 && ended.output.find(all) == std::string::npos) {
            return {Opinion::unusable, "not all cases ran"};
        }
        return opinion;
    }

    std::string sanitizer_;
    VerdictProgress progress_;
    std::mutex mutex_;
    std::deque<JudgeRun> pending_questions_;
    std::vector<JudgedCase> judged_;
    std::size_t done_ = 0;
};

}  // namespace

std::vector<JudgedCase> judge(const std::vector<SuiteCase>& suite, const std::string& sanitizer,
                              int jobs, const VerdictProgress& progress) {
    return JudgeRunQueue(suite, sanitizer, progress).judge_all(jobs);
}

}  // namespace coalesce::proof
