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
fs::path find_assignment(const CommandOptions& words) {
    if (!words.name.empty()) return assignment_folder(words.folder, words.name);
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(words.folder, error)) {
        if (fs::is_directory(entry.path() / "teacher")) found.push_back(entry.path());
    }
    if (found.size() == 1) return found.front();
    throw UsageError(
        (found.empty() ? "there is no assignment in " : "there are several assignments in ") +
        words.folder.string() + "; name the assignment: --assignment NAME");
}

// An exercise, defined by the assignment or by the course, and the secret from which its inputs are
// generated.
struct ExerciseWithSecret {
    Assigned exercise;
    Secret secret;
};

ExerciseWithSecret find_requested_exercise(const CommandOptions& words) {
    if (!words.name.empty()) {
        Assignment assignment = read_assignment(find_assignment(words));
        const Assigned* exercise = assignment.find(words.exercise);
        if (exercise != nullptr) return {*exercise, assignment.secret(*exercise)};
        throw UsageError(assignment.name + " has no exercise " + words.exercise);
    }
    for (const Assigned& exercise : course_exercises(repository())) {
        // Without an assignment there is no secret, so use fixed inputs.
        if (exercise.has_name(words.exercise)) return {exercise, sha256("the course's own inputs")};
    }
    throw UsageError("there is no exercise " + words.exercise +
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

void write_or_print(const fs::path& to, const std::string& text) {
    if (to.empty()) return print(text);
    write_atomically(to, text);
    std::cerr << "written: " << to.string() << "\n";
}

}  // namespace

fs::path assignments_folder() {
    return repository() / "assignments";
}

int new_assignment(const CommandOptions& words) {
    NewAssignment request = words.new_assignment_request;
    request.folder = assignment_folder(words.folder, words.name);
    make_assignment(request);
    Assignment new_assignment_request = read_assignment(request.folder);
    std::string folder = request.folder.string();
    print(folder + "/handout   for your students: give them this folder\n" + folder +
          "/teacher   only for you: the key, hidden shapes and solutions; keep a backup\n\n" +
          format_count(new_assignment_request.exercises.size(), "exercise") + ", " +
          format_short(new_assignment_request.points()) +
          " points. Next: ./learn assignment verify " + words.name + "\n");
    return exit_done;
}

int verify(const CommandOptions& words) {
    Assignment assignment = read_assignment(find_assignment(words));
    bool is_proved = verify_assignment(assignment, words.processes, words.tier, std::cout);
    return is_proved ? exit_done : exit_proof_failed;
}

int run(const CommandOptions& words) {
    if (words.run.should_resume != words.run.submissions.empty()) {
        throw UsageError(
            words.run.should_resume
                ? "--resume continues with the earlier submissions; leave out --submissions"
                : "name the submissions with --submissions FOLDER, or continue the last run with "
                  "--resume");
    }
    Assignment assignment = read_assignment(find_assignment(words));
    grade_class(assignment, words.run, words.processes, words.tier, std::cout);
    print("Grades: " + (assignment.results() / "grades.csv").string() +
          "; the feedback is in the same folder\n");
    if (words.gpu) {
        Store store(assignment.store());
        measure_class(assignment, read_results(assignment, store), words.tier, std::cout);
    }
    return exit_done;
}

int judge_one_file(const CommandOptions& words) {
    ExerciseWithSecret asked = find_requested_exercise(words);
    Student alone = read_student(words.file, "one", {asked.exercise.name});
    Judge judge({.tier = words.tier});
    const Result result =
        judge_submission(alone.submissions.front(), asked.exercise, asked.secret, judge);
    print(words.json ? to_json(result) + "\n" : format_result(result, asked.exercise));
    if (result.mark != Mark::system) return exit_done;
    throw InfrastructureError("nothing was judged: " + result.problem +
                              "\n./learn grade doctor says what is missing");
}

namespace {

/// Judges a single submission. The student's name is "student".
StudentResults judge_student(const CommandOptions& words, const Assignment& assignment) {
    std::vector<std::string> names;
    for (const Assigned& exercise : assignment.exercises) names.push_back(exercise.name);
    JudgeSetup setup = find_judge_setup(fs::temp_directory_path(), words.tier);
    Judge judge({.tier = setup.tier});
    StudentResults results{.name = "student", .graded = {}};
    for (const Submission& handed : read_student(words.file, "student", names).submissions) {
        const Assigned& exercise = *assignment.find(handed.exercise);
        Result result = judge_submission(handed, exercise, assignment.secret(exercise), judge);
        if (result.mark == Mark::system) {
            throw InfrastructureError("nothing was judged: " + result.problem);
        }
        results.graded.push_back({exercise.name, exercise.possible, handed.source, result,
                                  handed.is_there() ? handed.details : ""});
    }
    return results;
}

}  // namespace

int student(const CommandOptions& words) {
    const Assignment assignment = read_assignment(find_assignment(words));
    const StudentResults results = judge_student(words, assignment);
    const ClassResults alone{.assignment = assignment.name, .title = assignment.title};
    write_or_print(words.to, words.format == "gradescope" ? gradescope_json(results)
                                                          : feedback(alone, results));
    return exit_done;
}

int container(const CommandOptions& words) {
    for (const char* file : {"results.json", "comment.md"}) fs::remove(words.to / file);
    const Assignment assignment = read_assignment(find_assignment(words));
    const StudentResults results = judge_student(words, assignment);
    const ClassResults alone{.assignment = assignment.name, .title = assignment.title};
    make_folder(words.to);
    write_atomically(words.to / "comment.md", comment_markdown(alone, results));
    // Write results.json last, so that the comment exists whenever results.json exists.
    write_atomically(words.to / "results.json", results_json(alone, results));
    return exit_done;
}

int show(const CommandOptions& words) {
    Assignment assignment = read_assignment(find_assignment(words));
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    const StudentResults* student = &require_student(assignment, results, words.student);
    print(feedback(results, *student));
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

int set_points(const CommandOptions& words) {
    const Assignment assignment = read_assignment(find_assignment(words));
    const FileLock lock = lock_assignment(assignment);
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    const std::string student = require_student(assignment, results, words.student).name;
    const Assigned* exercise = assignment.find(words.exercise);
    if (exercise == nullptr) {
        throw UsageError(assignment.name + " has no exercise " + escape_line(words.exercise));
    }
    if (words.points && *words.points > exercise->possible.total()) {
        throw UsageError(exercise->name + " has " + format_short(exercise->possible.total()) +
                         " points; give at most that many");
    }
    for (const Entry& entry : store.entries(results.run)) {
        if (entry.student != student || entry.exercise != exercise->name) continue;
        store.decide({student, entry.exercise, entry.source, words.points, words.reason});
    }
    results = read_results(assignment, store);
    const StudentResults& now = require_student(assignment, results, student);
    print(escape_line(student) + ": " +
          (now.is_complete() ? format_short(now.points()) : "? (not everything is graded yet)") +
          " of " + format_short(now.possible()) + " points.\n");
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

int export_results(const CommandOptions& words) {
    Assignment assignment = read_assignment(find_assignment(words));
    if (std::ranges::count(kPlatforms, words.format) > 0) {
        if (words.to.empty()) throw UsageError("name the destination: --to PATH");
        export_platform(assignment, words.format, words.to);
        print("written: " + words.to.string() + "\n");
        return exit_done;
    }
    Store store(assignment.store());
    ClassResults results = read_results(assignment, store);
    if (words.format == "feedback") {
        if (words.to.empty()) throw UsageError("name the archive: --to feedback.zip");
        write_or_print(words.to, feedback_zip(results));
        return exit_done;
    }
    if (words.format == "moodle" || words.format == "canvas") {
        if (words.names.empty()) throw UsageError("give the list of names: --names LIST.csv");
        const Roster roster = read_roster(read_file(words.names), words.names.string());
        write_or_print(words.to, gradebook_csv(results, roster, words.late, words.format));
        return exit_done;
    }
    write_or_print(words.to, words.format == "csv"     ? grades_csv(results)
                             : words.format == "junit" ? junit_xml(results)
                                                       : grades_json(results));
    return exit_done;
}

int plan(const CommandOptions& words) {
    make_plan(read_assignment(find_assignment(words)), words.plan_request, words.tier, std::cout);
    return exit_done;
}

int chunk(const CommandOptions& words) {
    Plan plan = read_plan(words.plan);
    Assignment assignment = read_assignment(assignment_folder(words.folder, plan.assignment));
    judge_chunk(assignment, plan, static_cast<std::size_t>(words.chunk), words.processes,
                std::cout);
    return exit_done;
}

int status(const CommandOptions& words) {
    print(plan_status(read_plan(words.plan)));
    return exit_done;
}

int merge(const CommandOptions& words) {
    Plan plan = read_plan(words.plan);
    Assignment assignment = read_assignment(assignment_folder(words.folder, plan.assignment));
    merge_plan(assignment, plan, std::cout);
    print("Grades: " + (assignment.results() / "grades.csv").string() +
          "; the feedback is in the same folder\n");
    return exit_done;
}

int doctor_report(const CommandOptions& words) {
    DoctorReport report = doctor({.tier = words.tier});
    print(std::string("Sandbox: tier ") + name_of(report.tier) + "\n");
    for (const std::string& line : report.lines) print("  " + line + "\n");
    return report.ok ? exit_done : exit_infrastructure;
}

int worker(const CommandOptions& words) {
    make_folder(words.work, 0700);
    fs::path own = words.work / std::to_string(getpid());
    make_folder(own, 0700);
    return run_worker(read_assignment(words.assignment), {.tier = words.tier, .work_folder = own});
}

int time(const CommandOptions& words) {
    if (words.file.empty()) {
        print(require_gpu(words.argv).name + "\n");
    } else {
        print(codec::write(
                  time_on(require_gpu(words.argv), codec::read<GpuJob>(read_file(words.file)))) +
              "\n");
    }
    return exit_done;
}

}  // namespace coalesce::grader
