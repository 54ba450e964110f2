#include "grader/command/actions.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <set>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/class/export.h"
#include "grader/class/gpu_times.h"
#include "grader/class/reports.h"
#include "grader/class/worker.h"
#include "grader/judge/doctor.h"
#include "grader/judge/gpu_timer.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// Returns the folder of the named assignment. If no name is given, there must be exactly one
// assignment.
fs::path find_assignment(const CommandOptions& options) {
    if (!options.assignment_name.empty())
        return assignment_folder(options.folder, options.assignment_name);
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(options.folder, error)) {
        if (fs::is_directory(entry.path() / "teacher")) folders.push_back(entry.path());
    }
    if (folders.size() == 1) return folders.front();
    throw UsageError(
        (folders.empty() ? "there is no assignment in " : "there are several assignments in ") +
        options.folder.string() + "; name the assignment: --assignment NAME");
}

// An exercise, defined by the assignment or by the course, and the secret from which its inputs are
// generated.
struct ExerciseWithSecret {
    AssignedExercise exercise;
    Secret secret;
};

ExerciseWithSecret find_requested_exercise(const CommandOptions& options) {
    if (!options.assignment_name.empty()) {
        Assignment assignment = read_assignment(find_assignment(options));
        const AssignedExercise* exercise = assignment.find(options.exercise);
        if (exercise != nullptr) return {*exercise, assignment.secret(*exercise)};
        throw UsageError(assignment.name + " has no exercise " + options.exercise);
    }
    for (const AssignedExercise& exercise : course_exercises(course_folder())) {
        // Without an assignment there is no secret, so use fixed inputs.
        if (exercise.has_name(options.exercise))
            return {exercise, sha256("the course's own inputs")};
    }
    throw UsageError("there is no exercise " + options.exercise +
                     "; ./learn list shows all exercises");
}

const StudentResults& require_student(const Assignment& assignment, const ClassResults& results,
                                      const std::string& name) {
    if (const StudentResults* student = find_student(results, name)) return *student;
    throw UsageError("no student in the last run is called \"" + escape_line(name) +
                     "\"; the names are in " + (assignment.results() / "grades.csv").string());
}

void print(const std::string& text) {
    std::cout << text << std::flush;
}

void write_or_print(const fs::path& destination, const std::string& text) {
    if (destination.empty()) return print(text);
    write_atomically(destination, text);
    std::cerr << "written: " << destination.string() << "\n";
}

}  // namespace

fs::path assignments_folder() {
    return course_folder() / "assignments";
}

int create_assignment(const CommandOptions& options) {
    NewAssignment request = options.new_assignment_request;
    request.folder = assignment_folder(options.folder, options.assignment_name);
    make_assignment(request);
    Assignment assignment = read_assignment(request.folder);
    std::string folder = request.folder.string();
    print(folder + "/handout   for your students: give them this folder\n" + folder +
          "/teacher   only for you: the key, hidden shapes and solutions; keep a backup\n\n" +
          format_count(assignment.exercises.size(), "exercise") + ", " +
          format_short(assignment.points()) + " points. Next: ./learn assignment verify " +
          options.assignment_name + "\n");
    return exit_done;
}

int run_verification(const CommandOptions& options) {
    Assignment assignment = read_assignment(find_assignment(options));
    bool is_proved = verify_assignment(assignment, options.processes, options.tier, std::cout);
    return is_proved ? exit_done : exit_proof_failed;
}

int grade_submissions(const CommandOptions& options) {
    if (options.run_request.should_resume != options.run_request.submissions.empty()) {
        throw UsageError(
            options.run_request.should_resume
                ? "--resume continues with the earlier submissions; leave out --submissions"
                : "name the submissions with --submissions FOLDER, or continue the last run with "
                  "--resume");
    }
    Assignment assignment = read_assignment(find_assignment(options));
    grade_class(assignment, options.run_request, options.processes, options.tier, std::cout);
    print("Grades: " + (assignment.results() / "grades.csv").string() +
          "; the feedback is in the same folder\n");
    if (options.should_time_on_gpu) {
        Store store(assignment.store());
        measure_gpu_times(assignment, read_results(assignment, store), options.tier, std::cout);
    }
    return exit_done;
}

int judge_one_file(const CommandOptions& options) {
    ExerciseWithSecret requested = find_requested_exercise(options);
    Student student = read_student(options.file, "one", {requested.exercise.name});
    Judge judge({.tier = options.tier});
    const Result result =
        judge_submission(student.submissions.front(), requested.exercise, requested.secret, judge);
    print(options.prints_json ? to_json(result) + "\n" : format_result(result, requested.exercise));
    if (result.mark != Mark::system) return exit_done;
    throw InfrastructureError("nothing was judged: " + result.problem +
                              "\n./learn grade doctor says what is missing");
}

namespace {

/// Judges a single submission. The student's name is "student".
StudentResults judge_student(const CommandOptions& options, const Assignment& assignment) {
    std::vector<std::string> names;
    for (const AssignedExercise& exercise : assignment.exercises) names.push_back(exercise.name);
    JudgeSetup setup = find_judge_setup(fs::temp_directory_path(), options.tier);
    Judge judge({.tier = setup.tier});
    StudentResults results{.name = "student", .graded = {}};
    for (const Submission& submission : read_student(options.file, "student", names).submissions) {
        const AssignedExercise& exercise = *assignment.find(submission.exercise);
        Result result = judge_submission(submission, exercise, assignment.secret(exercise), judge);
        if (result.mark == Mark::system) {
            throw InfrastructureError("nothing was judged: " + result.problem);
        }
        results.graded.push_back({exercise.name, exercise.possible_points, submission.source,
                                  result, submission.has_file() ? submission.details : ""});
    }
    return results;
}

}  // namespace

int judge_student_submission(const CommandOptions& options) {
    const Assignment assignment = read_assignment(find_assignment(options));
    const StudentResults results = judge_student(options, assignment);
    const ClassResults class_results{.assignment = assignment.name, .title = assignment.title};
    write_or_print(options.destination, options.format == "gradescope"
                                            ? gradescope_json(results)
                                            : format_feedback(class_results, results));
    return exit_done;
}

int judge_in_container(const CommandOptions& options) {
    for (const char* file : {"results.json", "comment.md"}) fs::remove(options.destination / file);
    const Assignment assignment = read_assignment(find_assignment(options));
    const StudentResults results = judge_student(options, assignment);
    const ClassResults class_results{.assignment = assignment.name, .title = assignment.title};
    make_folder(options.destination);
    write_atomically(options.destination / "comment.md", comment_markdown(class_results, results));
    // Write results.json last, so that the comment exists whenever results.json exists.
    write_atomically(options.destination / "results.json", results_json(class_results, results));
    return exit_done;
}

int show_student(const CommandOptions& options) {
    Assignment assignment = read_assignment(find_assignment(options));
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    const StudentResults* student = &require_student(assignment, results, options.student);
    print(format_feedback(results, *student));
    // Identical files are judged only once, under the name of one student. Therefore, look up the
    // attempts by the key of the result, which is the same for all students who submitted the file.
    std::set<std::string> keys;
    for (const Entry& entry : store.entries(results.run)) {
        if (entry.student == student->name) keys.insert(entry.key);
    }
    std::size_t attempts = 0;
    for (const Attempt& attempt : store.attempts()) {
        if (attempt.student != student->name && !keys.contains(attempt.key)) continue;
        if (attempts++ == 0) print("---\nAttempts, oldest first:\n\n");
        print("- run " + std::to_string(attempt.run) + ", " + attempt.exercise + ": " +
              attempt.outcome +
              (attempt.student == student->name ? "" : ", with another student's identical file") +
              " (key " + attempt.key.substr(0, 12) + ")" +
              (attempt.text.empty() ? "" : ": " + escape_line(attempt.text, 200)) + "\n");
    }
    return exit_done;
}

int set_points(const CommandOptions& options) {
    const Assignment assignment = read_assignment(find_assignment(options));
    const FileLock lock = lock_assignment(assignment);
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    const std::string student = require_student(assignment, results, options.student).name;
    const AssignedExercise* exercise = assignment.find(options.exercise);
    if (exercise == nullptr) {
        throw UsageError(assignment.name + " has no exercise " + escape_line(options.exercise));
    }
    if (options.points && *options.points > exercise->possible_points.total()) {
        throw UsageError(exercise->name + " has " +
                         format_short(exercise->possible_points.total()) +
                         " points; give at most that many");
    }
    for (const Entry& entry : store.entries(results.run)) {
        if (entry.student != student || entry.exercise != exercise->name) continue;
        store.add_decision({student, entry.exercise, entry.source, options.points, options.reason});
    }
    results = read_results(assignment, store);
    const StudentResults& updated_results = require_student(assignment, results, student);
    print(escape_line(student) + ": " +
          (updated_results.is_complete() ? format_short(updated_results.points())
                                         : "? (not everything is graded yet)") +
          " of " + format_short(updated_results.possible_points()) + " points.\n");
    // The reports of an unfinished run are written when the run ends.
    if (!store.run()->is_finished) return exit_done;
    write_reports(results, assignment.results());
    print("All reports have been updated: " + assignment.results().string() + "\n");
    return exit_done;
}

namespace {

/// The platforms for which `export` writes an autograder.
constexpr std::string_view kPlatforms[] = {"gradescope", "prairielearn", "autolab",
                                           "submitty",   "classroom50",  "github"};

}  // namespace

int export_results(const CommandOptions& options) {
    Assignment assignment = read_assignment(find_assignment(options));
    if (std::ranges::count(kPlatforms, options.format) > 0) {
        if (options.destination.empty()) throw UsageError("name the destination: --to PATH");
        export_platform(assignment, options.format, options.destination);
        print("written: " + options.destination.string() + "\n");
        return exit_done;
    }
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    if (options.format == "feedback") {
        if (options.destination.empty()) throw UsageError("name the archive: --to feedback.zip");
        write_or_print(options.destination, feedback_zip(results));
        return exit_done;
    }
    if (options.format == "moodle" || options.format == "canvas") {
        if (options.names_file.empty())
            throw UsageError("give the list of names: --names LIST.csv");
        const Roster roster =
            read_roster(read_file(options.names_file), options.names_file.string());
        write_or_print(options.destination,
                       gradebook_csv(results, roster, options.late_rule, options.format));
        return exit_done;
    }
    write_or_print(options.destination, options.format == "csv"     ? grades_csv(results)
                                        : options.format == "junit" ? junit_xml(results)
                                                                    : grades_json(results));
    return exit_done;
}

int write_plan(const CommandOptions& options) {
    make_plan(read_assignment(find_assignment(options)), options.plan_request, options.tier,
              std::cout);
    return exit_done;
}

int judge_planned_chunk(const CommandOptions& options) {
    Plan plan = read_plan(options.plan_folder);
    Assignment assignment = read_assignment(assignment_folder(options.folder, plan.assignment));
    judge_chunk(assignment, plan, static_cast<std::size_t>(options.chunk_number), options.processes,
                std::cout);
    return exit_done;
}

int print_plan_status(const CommandOptions& options) {
    print(plan_status(read_plan(options.plan_folder)));
    return exit_done;
}

int merge_planned_results(const CommandOptions& options) {
    Plan plan = read_plan(options.plan_folder);
    Assignment assignment = read_assignment(assignment_folder(options.folder, plan.assignment));
    merge_plan(assignment, plan, std::cout);
    print("Grades: " + (assignment.results() / "grades.csv").string() +
          "; the feedback is in the same folder\n");
    return exit_done;
}

int print_doctor_report(const CommandOptions& options) {
    DoctorReport report = run_doctor({.tier = options.tier});
    print(std::string("Sandbox: tier ") + name_of(report.tier) + "\n");
    for (const std::string& line : report.lines) print("  " + line + "\n");
    return report.ok ? exit_done : exit_infrastructure;
}

int run_judging_worker(const CommandOptions& options) {
    make_folder(options.work_folder, 0700);
    fs::path process_folder = options.work_folder / std::to_string(getpid());
    make_folder(process_folder, 0700);
    return run_worker(read_assignment(options.assignment_path),
                      {.tier = options.tier, .work_folder = process_folder});
}

int time_gpu_kernel(const CommandOptions& options) {
    if (options.file.empty()) {
        print(require_gpu(options.argv).name + "\n");
    } else {
        print(codec::write(measure_on_device(require_gpu(options.argv),
                                             codec::read<GpuJob>(read_file(options.file)))) +
              "\n");
    }
    return exit_done;
}

}  // namespace coalesce::grader
