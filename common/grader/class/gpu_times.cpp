#include "grader/class/gpu_times.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "base/child.h"
#include "examiner/safe_text.h"
#include "grader/class/run.h"
#include "grader/judge/gpu_timer.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "harness/predicted.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// Time limit in seconds for measuring one kernel, including the initialization of the GPU.
constexpr int kMaxTimerSeconds = 60;
// The side length, in elements, of the measured matrix. The matrix is larger than every cache.
constexpr int kMatrixSide = 4096;

bool is_correct(const GradedExercise& graded) {
    return graded.result && graded.result->mark == Mark::ok &&
           graded.result->points.correct == graded.possible_points.correct;
}

// Returns why nothing can be measured, or "" if the GPU responds.
std::string find_gpu_problem() {
    ProcessResult probe = run_child({current_executable(), "time"}, kMaxTimerSeconds);
    if (probe.timed_out) return "the GPU does not respond";
    return probe.exit_code == 0 ? "" : probe.output;
}

class ClassTimer {
public:
    ClassTimer(const Assignment& assignment, std::optional<Tier> tier)
        : assignment_(assignment),
          work_folder_(assignment.teacher_folder() / "work"),
          judge_({.tier = tier}) {}

    MeasuredTime measure(const std::string& student, const GradedExercise& graded) {
        if (!is_correct(graded)) {
            return {student,
                    graded.exercise,
                    {.problem = "the kernel is not correct on the simulated GPU"}};
        }
        // Measure a file only once, even if several students submitted it.
        auto [cached_time, is_new] = times_.try_emplace(graded.exercise + "\n" + graded.source);
        if (is_new) cached_time->second = time_kernel(graded);
        Shape shape = assignment_.find(graded.exercise)->round_up_shape(kMatrixSide, kMatrixSide);
        return {student, graded.exercise, cached_time->second, useful_bytes(shape)};
    }

private:
    GpuTime time_kernel(const GradedExercise& graded) {
        const AssignedExercise& exercise = *assignment_.find(graded.exercise);
        auto kernel = judge_.compile(graded.source, exercise);
        if (!kernel) return {.problem = "the kernel is no longer accepted", .device = {}};
        make_folder(work_folder_.path, 0700);
        fs::path job_file = work_folder_.path / "gpu-job.json";
        write_atomically(
            job_file,
            codec::write(GpuJob{.kernel = *kernel,
                                .produces = exercise.produces,
                                .shape = exercise.round_up_shape(kMatrixSide, kMatrixSide),
                                .seed = 1}),
            0600);
        ProcessResult child =
            run_child({current_executable(), "time", job_file.string()}, kMaxTimerSeconds);
        if (!child.timed_out && child.exit_code == 0) return codec::read<GpuTime>(child.output);
        std::string problem =
            child.timed_out ? "the kernel did not finish on the GPU" : child.output;
        // A faulty kernel can make the GPU unusable for all subsequent processes.
        if (std::string gpu_problem = find_gpu_problem(); !gpu_problem.empty()) {
            throw InfrastructureError("the measurement was stopped: " +
                                      escape_line(gpu_problem, 300));
        }
        return {.problem = escape_line(problem, 200), .device = {}};
    }

    const Assignment& assignment_;
    const WorkFolder work_folder_;
    Judge judge_;
    std::map<std::string, GpuTime> times_;
};

}  // namespace

std::string times_csv(const std::vector<MeasuredTime>& times) {
    std::string text = "student,exercise,measured_ms,measured_gbps,of_copy,device,note\r\n";
    for (const auto& [student, exercise, time, moved_bytes] : times) {
        const std::string time_fields =
            time.problem.empty() ? format("%.4g,%.4g,%.4g", time.ms,
                                          moved_bytes / time.ms * 1e3 / 1e9, time.copy_ms / time.ms)
                                 : ",,";
        text += to_csv_field(student) + "," + to_csv_field(exercise) + "," + time_fields + "," +
                to_csv_field(time.device) + "," + to_csv_field(time.problem) + "\r\n";
    }
    return text;
}

void measure_gpu_times(const Assignment& assignment, const ClassResults& results,
                       std::optional<Tier> tier, std::ostream& out) {
    const FileLock lock = lock_assignment(assignment);
    if (std::string problem = find_gpu_problem(); !problem.empty()) {
        out << "No time was measured: " << escape_line(problem, 300) << "\n";
        return;
    }
    ClassTimer class_timer(assignment, tier);
    std::vector<MeasuredTime> times;
    std::size_t measured_count = 0;
    for (const StudentResults& student : results.students) {
        for (const GradedExercise& graded : student.graded) {
            times.push_back(class_timer.measure(student.name, graded));
            measured_count += times.back().time.problem.empty() ? 1 : 0;
        }
    }
    fs::path file = assignment.results() / "times.csv";
    write_atomically(file, times_csv(times));
    out << "Times of " << measured_count
        << " kernels were measured (they do not affect points): " << file.string() << "\n";
}

}  // namespace coalesce::grader
