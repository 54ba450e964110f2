#include "grader/judge/doctor.h"

#include "base/text.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/doctor.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

const char* describe_tier(Tier tier) {
    switch (tier) {
        case Tier::namespaces: return "namespaces (bubblewrap), seccomp, limits";
        case Tier::landlock: return "Landlock, seccomp, limits";
        case Tier::none: return "no sandbox works: submissions are not run";
        case Tier::unsandboxed: return "no sandbox: submissions run with your permissions";
    }
    return "";
}

void add_report_lines(DoctorReport& report, const std::string& text) {
    for (const std::string& line : lines_of(wrap(text))) report.lines.push_back(line);
}

void report_trial(const TierTrial& trial, DoctorReport& report) {
    const std::string name =
        std::string("tier ") + name_of(trial.tier) + ", " + describe_tier(trial.tier);
    if (!trial.problem.empty())
        return add_report_lines(report, "no   " + name + ": " + trial.problem);
    add_report_lines(report, (trial.stops_all_attacks() ? "ok   " : "NO   ") + name + ": " +
                                 format_count(trial.outcomes.size(), "attack") + " tried");
    for (const AttackOutcome& outcome : trial.outcomes) {
        if (!outcome.escape.empty())
            add_report_lines(report,
                             "     '" + outcome.name + "' was not stopped: " + outcome.escape);
    }
}

constexpr const char* kCorrectKernel = R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
)";

/// Judges a correct and a faulty kernel completely, from source to verdict.
void test_judging(const JudgeOptions& options, DoctorReport& report) {
    Judge judge(options);
    AssignedExercise exercise;
    exercise.name = "doctor";
    exercise.shapes = {{64, 64}, {77, 45}};
    const Secret secret{};
    std::string wrong_kernel = kCorrectKernel;
    wrong_kernel.replace(wrong_kernel.find("in[row"), 6, "in[col");
    const Result correct_result = judge.judge(kCorrectKernel, exercise, secret);
    const Result wrong_result = judge.judge(wrong_kernel, exercise, secret);
    report.ok = correct_result.mark == Mark::ok && wrong_result.mark != Mark::ok &&
                wrong_result.mark != Mark::system;
    const std::string problem = correct_result.problem + wrong_result.problem;
    add_report_lines(report, (report.ok ? "ok   " : "NO   ") +
                                 std::string("a correct kernel is judged ") +
                                 mark_code(correct_result.mark) + ", a wrong one " +
                                 mark_code(wrong_result.mark) +
                                 (correct_result.verdict.compiler.empty()
                                      ? ""
                                      : ", compiled by " + correct_result.verdict.compiler) +
                                 (problem.empty() ? "" : ": " + problem));
}

}  // namespace

DoctorReport run_doctor(const JudgeOptions& options) {
    DoctorReport report;
    const int removed_groups = sweep_stale_cgroups();
    std::vector<TierTrial> trials;
    const std::filesystem::path folder =
        options.work_folder.empty() ? std::filesystem::temp_directory_path() : options.work_folder;
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        const TierTrial trial = test_tier(tier, folder, true);
        report_trial(trial, report);
        if (trial.stops_all_attacks() && report.tier == Tier::none) report.tier = tier;
    }
    const bool can_use_cgroups = Cgroup::make(std::size_t{64} << 20, 16) != nullptr;
    add_report_lines(report,
                     can_use_cgroups
                         ? "ok   cgroups: they limit the memory and the processes of each jail"
                         : "no   cgroups: they cannot be created here; rlimits limit each worker");
    if (removed_groups > 0)
        add_report_lines(
            report,
            "     removed: " + format_count(static_cast<std::uint64_t>(removed_groups), "cgroup") +
                " left by a killed grader");
    if (options.tier == Tier::unsandboxed) report.tier = Tier::unsandboxed;
    test_judging(options, report);
    add_report_lines(report, std::string("Submissions are graded in tier ") + name_of(report.tier) +
                                 ": " + describe_tier(report.tier) + ".");
    if (report.tier == Tier::none) {
        add_report_lines(
            report,
            "Next: install bubblewrap (Debian: apt-get install bubblewrap), or use Linux 5.13 or "
            "newer, which has Landlock; in a container, allow user namespaces.");
    }
    return report;
}

}  // namespace coalesce::grader
