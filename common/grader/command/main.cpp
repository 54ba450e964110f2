// The main program of the grader. `./learn grade` and `./learn assignment` execute it.

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clocale>
#include <iostream>
#include <thread>

#include "base/files.h"
#include "grader/command/actions.h"
#include "grader/corpus/self_test.h"
#include "grader/store/errors.h"

using coalesce::UsageError;
using namespace coalesce::grader;

namespace {

// The command line: subcommands, their options, and the functions that run them.
class CommandLine {
public:
    CommandLine() {
        app_.set_help_flag("-h,--help", "Print this text");
        app_.add_flag("--self-test", should_self_test_,
                      "Judge the hostile and honest test submissions");
        app_.require_subcommand(0, 1);
        options_.folder = assignments_folder();
        options_.processes.jobs =
            std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        add_assignment();
        add_run();
        add_plan();
        add_single();
        add_reports();
        add_internal();
    }

    // Runs the subcommand and returns the exit code.
    int run_command_line(int argc, char** argv) {
        options_.argv = argv;
        try {
            app_.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app_.exit(help);
        } catch (const CLI::ParseError& error) {
            throw UsageError(std::string(error.what()) +
                             " (./learn grade --help, ./learn assignment --help)");
        }
        if (should_self_test_) return self_test(std::cout, {});
        if (action_ != nullptr) return action_(options_);
        std::cout << app_.help();
        return exit_usage;
    }

private:
    using Action = int (*)(const CommandOptions&);

    CLI::App* add_command(CLI::App* parent, const char* name, const char* description,
                          Action action) {
        CLI::App* command = parent->add_subcommand(name, description);
        command->callback([this, action] { action_ = action; });
        return command;
    }

    void add_folder(CLI::App* command) {
        command->add_option("--folder", options_.folder,
                            "Folder of all assignments (default: assignments/)");
    }
    void add_name(CLI::App* command, bool is_option) {
        if (is_option) {
            command->add_option("--assignment", options_.assignment_name,
                                "The assignment (default: the only one here)");
        } else {
            command->add_option("NAME", options_.assignment_name, "The assignment")->required();
        }
        add_folder(command);
    }
    void add_jobs(CLI::App* command) {
        command
            ->add_option("--jobs", options_.processes.jobs,
                         "Judging processes (default: one per processor)")
            ->check(CLI::Range(1, 256));
    }
    void add_sandbox(CLI::App* command) {
        command->add_flag_callback(
            "--no-sandbox", [this] { options_.tier = Tier::unsandboxed; },
            "Run without a sandbox (the results will say so)");
    }

    CLI::Option* add_tier(CLI::App* command, const char* description) {
        const auto parse_tier = [this](const std::string& name) {
            const auto found = std::ranges::find(kTierNames, name);
            if (found == std::end(kTierNames)) {
                throw UsageError("there is no sandbox called \"" + name + "\"");
            }
            options_.tier = static_cast<Tier>(found - std::begin(kTierNames));
        };
        return command->add_option_function<std::string>("--tier", parse_tier, description);
    }

    void add_assignment() {
        CLI::App* assignment_command =
            app_.add_subcommand("assignment", "Make or verify an assignment");
        assignment_command->require_subcommand(1);
        CLI::App* new_assignment_request =
            add_command(assignment_command, "new", "Make the handout and the teacher's files",
                        create_assignment);
        add_name(new_assignment_request, false);
        new_assignment_request
            ->add_option("--exercises", options_.new_assignment_request.exercises,
                         "Numbers or names of exercises, such as 02,03,04")
            ->delimiter(',')
            ->required();
        new_assignment_request
            ->add_option("--points", options_.new_assignment_request.points,
                         "Points per exercise (default: as in the course)")
            ->delimiter(',')
            ->check(CLI::Range(0.1, 10000.0));
        new_assignment_request->add_option("--title", options_.new_assignment_request.title,
                                           "The title that students see");
        CLI::App* verify_command =
            add_command(assignment_command, "verify", "Test that solutions pass and cheats fail",
                        run_verification);
        add_name(verify_command, false);
        add_jobs(verify_command);
        add_sandbox(verify_command);
    }

    void add_run() {
        CLI::App* command = add_command(&app_, "run", "Grade a class", grade_submissions);
        add_name(command, false);
        command->add_option("--submissions", options_.run_request.submissions,
                            "Folder, zip or tar file of all submissions");
        add_jobs(command);
        command->add_flag("--resume", options_.run_request.should_resume, "Continue the last run");
        command->add_flag("--again", options_.run_request.should_rejudge,
                          "Judge everything again, and compare the results");
        command->add_flag("--quiet", options_.processes.is_quiet, "Do not show progress");
        command->add_flag("--gpu", options_.should_time_on_gpu,
                          "Also time correct kernels on this GPU (no points)");
        add_sandbox(command);
    }

    // Adds the commands that distribute grading over many computers, such as a Slurm cluster or CI
    // jobs.
    void add_plan() {
        CLI::App* plan_command =
            add_command(&app_, "plan", "Divide a class into chunks for many computers", write_plan);
        add_name(plan_command, false);
        plan_command
            ->add_option("--submissions", options_.plan_request.submissions,
                         "The submissions, as in `grade run`")
            ->required();
        plan_command
            ->add_option("--to", options_.plan_request.destination,
                         "The plan's folder, shared by all computers")
            ->required();
        plan_command
            ->add_option("--chunks", options_.plan_request.chunks,
                         "Chunks (default: computed from --seconds)")
            ->check(CLI::Range(1, kMaxChunks));
        plan_command
            ->add_option("--seconds", options_.plan_request.chunk_seconds,
                         "Minimum CPU seconds per chunk (default: 30)")
            ->check(CLI::Range(1.0, 36000.0));
        add_tier(plan_command, "Sandbox A or B (default: the strongest available)")
            ->check(CLI::IsMember({"A", "B"}));
        add_sandbox(plan_command);

        CLI::App* chunk_command =
            add_command(&app_, "chunk", "Judge one chunk of a plan", judge_planned_chunk);
        add_plan_folder(chunk_command);
        chunk_command
            ->add_option("NUMBER", options_.chunk_number, "Which chunk to judge: 1, 2, ...")
            ->required();
        add_jobs(chunk_command);
        chunk_command->add_flag("--quiet", options_.processes.is_quiet, "Do not show progress");
        add_folder(chunk_command);

        add_plan_folder(add_command(&app_, "status", "Show the progress of a plan's chunks",
                                    print_plan_status));

        CLI::App* merge_command = add_command(
            &app_, "merge", "Merge the chunks' results into grades", merge_planned_results);
        add_plan_folder(merge_command);
        add_folder(merge_command);
    }
    void add_plan_folder(CLI::App* command) {
        command->add_option("PLAN", options_.plan_folder, "The plan's folder")->required();
    }

    void add_single() {
        CLI::App* command =
            add_command(&app_, "one", "Judge one file for one exercise", judge_one_file);
        command->add_option("EXERCISE", options_.exercise, "The exercise, such as 03 or 03_tiled")
            ->required();
        command->add_option("FILE", options_.file, "The file with the kernel")->required();
        command->add_flag("--json", options_.prints_json, "Print the verdict as JSON");
        command->add_option("--assignment", options_.assignment_name,
                            "Judge for this assignment, with its hidden shapes");
        add_folder(command);
        add_sandbox(command);

        CLI::App* student_command = add_command(&app_, "student", "Judge one student's submission",
                                                judge_student_submission);
        student_command
            ->add_option("SUBMISSION", options_.file, "The student's folder, archive or file")
            ->required();
        add_name(student_command, true);
        student_command->add_option("--format", options_.format, "Format: gradescope or markdown")
            ->check(CLI::IsMember({"gradescope", "markdown"}));
        student_command->add_option("--to", options_.destination, "Write the result to this file");
        add_sandbox(student_command);

        CLI::App* container_command = add_command(
            &app_, "container", "Judge one submission inside a container", judge_in_container);
        container_command
            ->add_option("SUBMISSION", options_.file, "The student's folder, archive or file")
            ->required();
        container_command
            ->add_option("RESULTS", options_.destination,
                         "The folder for results.json and comment.md")
            ->required();
        add_name(container_command, true);
        add_sandbox(container_command);
    }

    void add_reports() {
        CLI::App* show_command =
            add_command(&app_, "show", "Show one student's feedback and attempts", show_student);
        show_command
            ->add_option("STUDENT", options_.student, "The student's name, as in grades.csv")
            ->required();
        add_name(show_command, true);

        CLI::App* set_command =
            add_command(&app_, "set", "Override the points of a submission", set_points);
        set_command->add_option("STUDENT", options_.student, "The student's name, as in grades.csv")
            ->required();
        set_command
            ->add_option("EXERCISE", options_.exercise, "The exercise, such as 03 or 03_tiled")
            ->required();
        auto* points_option =
            set_command->add_option("--points", options_.points, "The points for the exercise")
                ->check(CLI::Range(0.0, 10000.0));
        auto* judged_flag = set_command->add_flag("--judged", options_.should_restore_points,
                                                  "Restore the judge's points");
        points_option->excludes(judged_flag);
        set_command
            ->add_option("--why", options_.reason, "The reason, which is shown to the student")
            ->required();
        set_command->callback([this] {
            if (!options_.points && !options_.should_restore_points)
                throw UsageError("give --points N, or --judged to restore the judge's points");
            action_ = set_points;
        });
        add_name(set_command, true);

        CLI::App* export_command = add_command(
            &app_, "export", "Write grades, or an autograder for a platform", export_results);
        add_name(export_command, false);
        auto* format_group = export_command->add_option_group("format")->require_option(1);
        for (const char* format :
             {"csv", "junit", "json", "moodle", "canvas", "feedback", "gradescope", "prairielearn",
              "autolab", "submitty", "classroom50", "github"}) {
            format_group->add_flag_callback(std::string("--") + format,
                                            [this, format] { options_.format = format; });
        }
        export_command->add_option("--to", options_.destination,
                                   "File or folder to write (default: standard output)");
        export_command->add_option("--names", options_.names_file,
                                   "A CSV file of names, for moodle and canvas");
        export_command
            ->add_option("--late-percent", options_.late_rule.percent_per_day,
                         "Percentage of the points subtracted per late day")
            ->check(CLI::Range(0.0, 100.0));
        export_command
            ->add_option("--late-free", options_.late_rule.free_days,
                         "Number of late days without a penalty (default: 0)")
            ->check(CLI::Range(0.0, 1000.0));

        CLI::App* doctor_command = add_command(
            &app_, "doctor", "Test which attacks the sandbox stops", print_doctor_report);
        add_sandbox(doctor_command);
    }

    void add_internal() {
        CLI::App* command = add_command(&app_, "worker", "", run_judging_worker);
        command->group("");  // hidden from the help, because only this program starts it
        command->add_option("--folder", options_.assignment_path)->required();
        command->add_option("--work", options_.work_folder)->required();
        add_tier(command, "")->required();

        CLI::App* time_command = add_command(&app_, "time", "", time_gpu_kernel);
        time_command->group("");
        time_command->add_option("JOB", options_.file);
    }

    CLI::App app_{"Grades a class", "grade"};
    CommandOptions options_;
    Action action_ = nullptr;
    bool should_self_test_ = false;
};

// Removes the temporary folders on SIGTERM, SIGINT and SIGHUP. A thread waits for these signals,
// because a signal handler may not delete files. A child process must either unblock the signals or
// have a thread that waits for them.
void clean_up_on_signals() {
    sigset_t end_signals;
    sigemptyset(&end_signals);
    for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&end_signals, signal);
    pthread_sigmask(SIG_BLOCK, &end_signals, nullptr);
    std::thread([end_signals] {
        int signal = 0;
        if (sigwait(&end_signals, &signal) != 0) return;
        coalesce::remove_temporary_folders();
        _exit(128 + signal);
    }).detach();
}

}  // namespace

int main(int argc, char** argv) {
    clean_up_on_signals();
    // Ignore SIGPIPE and SIGXFSZ, so that writing to a closed pipe or beyond the file size limit
    // returns an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    // Make libarchive interpret the names in archives as UTF-8. All other locale categories keep
    // the C locale.
    std::setlocale(LC_CTYPE, "C.UTF-8");
    try {
        return CommandLine().run_command_line(argc, argv);
    } catch (const UsageError& error) {
        std::cerr << "grade: " << error.what() << "\n";
        return exit_usage;
    } catch (const std::exception& error) {
        std::cerr << "grade: " << error.what() << "\n";
        return exit_infrastructure;
    }
}
