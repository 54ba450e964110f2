#include "grader/class/gpu_times.h"

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>

#include "base/child.h"
#include "grader/class/run.h"
#include "grader/judge/gpu_timer.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "harness/text.h"
#include "kernel/safe_text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// Of a process that measures one kernel, the start of the device included.
constexpr int kMostSecondsOfTimer = 60;
// Large beside every cache.
constexpr int kSide = 4096;

Shape shape_for(const Assigned& exercise) {
    const auto rounded = [](int multiple) { return (kSide + multiple - 1) / multiple * multiple; };
    return {rounded(exercise.rows_multiple), rounded(exercise.cols_multiple)};
}

bool is_right(const Graded& graded) {
    return graded.result && graded.result->mark == Mark::ok &&
           graded.result->points.correct == graded.possible.correct;
}

class Measuring {
public:
    Measuring(const Assignment& assignment, std::optional<Tier> tier, const std::string& program)
        : assignment_(assignment),
          tier_(tier),
          program_(program),
          work_(assignment.teacher() / "work") {}

    // Why nothing can be measured; "" when a GPU answers.
    std::string problem_of_gpu() const {
        Ended probe = run_child({program_, "time"}, kMostSecondsOfTimer);
        if (probe.timed_out) return "the GPU does not answer";
        return probe.exit_code == 0 ? "" : probe.output;
    }

    MeasuredTime measure(const std::string& student, const Graded& graded) {
        if (!is_right(graded)) {
            return {student, graded.exercise, {.problem = "not right on the simulated GPU"}};
        }
        // The same file from two students is measured once.
        auto [known, is_new] = times_.try_emplace(graded.exercise + "\n" + graded.source);
        if (is_new) known->second = time_of(graded);
        Shape shape = shape_for(*assignment_.find(graded.exercise));
        return {student, graded.exercise, known->second,
                2.0 * sizeof(float) * shape.rows * shape.cols};
    }

private:
    GpuTime time_of(const Graded& graded) {
        const Assigned& exercise = *assignment_.find(graded.exercise);
        auto kernel = judge().compile(graded.source, exercise);
        if (!kernel) return {.problem = "it is not accepted any more", .device = {}};
        make_folder(work_.path, 0700);
        fs::path job = work_.path / "gpu-job.json";
        Shape shape = shape_for(exercise);
        write_whole(job,
                    codec::write(GpuJob{.file = graded.exercise + "/kernel.cu",
                                        .ptx = kernel->ptx,
                                        .entry = kernel->entry,
                                        .produces = exercise.produces,
                                        .rows = shape.rows,
                                        .cols = shape.cols,
                                        .seed = 1}),
                    0600);
        Ended child = run_child({program_, "time", job.string()}, kMostSecondsOfTimer);
        if (!child.timed_out && child.exit_code == 0) return codec::read<GpuTime>(child.output);
        std::string problem = child.timed_out ? "it never ends on the GPU" : child.output;
        // A kernel can leave a GPU that works for nobody any more.
        if (std::string now = problem_of_gpu(); !now.empty()) {
            throw Infrastructure("no more times: " + shown(now, 300));
        }
        return {.problem = shown(problem, 200), .device = {}};
    }

    Judge& judge() {
        if (!compiler_) compiler_ = std::make_unique<Judge>(JudgeOptions{.tier = tier_});
        return *compiler_;
    }

    const Assignment& assignment_;
    std::optional<Tier> tier_;
    const std::string& program_;
    const WorkFolder work_;
    std::unique_ptr<Judge> compiler_;
    std::map<std::string, GpuTime> times_;
};

}  // namespace

std::string times_csv(const std::vector<MeasuredTime>& times) {
    std::string text = "student,exercise,measured_ms,measured_gbps,of_copy,device,note\r\n";
    for (const auto& [student, exercise, time, bytes] : times) {
        const std::string numbers =
            time.problem.empty() ? format("%.4g,%.4g,%.4g", time.ms, bytes / time.ms * 1e3 / 1e9,
                                          time.copy_ms / time.ms)
                                 : ",,";
        text += csv(student) + "," + csv(exercise) + "," + numbers + "," + csv(time.device) + "," +
                csv(time.problem) + "\r\n";
    }
    return text;
}

void measure_class(const Assignment& assignment, const ClassResults& results,
                   std::optional<Tier> tier, const std::string& program, std::ostream& out) {
    const FileLock lock = lock_of(assignment);
    Measuring measuring(assignment, tier, program);
    if (std::string problem = measuring.problem_of_gpu(); !problem.empty()) {
        out << "No time was measured: " << shown(problem, 300) << "\n";
        return;
    }
    std::vector<MeasuredTime> times;
    std::size_t measured = 0;
    for (const StudentResults& student : results.students) {
        for (const Graded& graded : student.graded) {
            times.push_back(measuring.measure(student.name, graded));
            measured += times.back().time.problem.empty() ? 1 : 0;
        }
    }
    fs::path file = assignment.results() / "times.csv";
    write_whole(file, times_csv(times));
    out << "Times of " << measured << " kernels, measured, no points: " << file.string() << "\n";
}

}  // namespace coalesce::grader
