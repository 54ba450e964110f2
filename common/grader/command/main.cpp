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
        app_.add_flag("--self-test", self_test_, "Judge the hostile and honest test submissions");
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
        if (self_test_) return self_test(std::cout, {});
        if (action_ != nullptr) return action_(options_);
        std::cout << app_.help();
        return exit_usage;
    }

private:
    using Action = int (*)(const CommandOptions&);

    CLI::App* add(CLI::App* to, const char* name, const char* what, Action does) {
        CLI::App* command = to->add_subcommand(name, what);
        command->callback([this, does] { action_ = does; });
        return command;
    }

    void add_folder(CLI::App* command) {
        command->add_option("--folder", options_.folder,
                            "Folder of all assignments (default: assignments/)");
    }
    void add_name(CLI::App* command, bool is_option) {
        if (is_option) {
            command->add_option("--assignment", options_.name,
                                "The assignment (default: the only one here)");
        } else {
            command->add_option("NAME", options_.name, "The assignment")->required();
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

    CLI::Option* add_tier(CLI::App* command, const char* what) {
        const auto take = [this](const std::string& name) {
            const auto found = std::ranges::find(kTierNames, name);
            if (found == std::end(kTierNames)) {
                throw UsageError("there is no sandbox called \"" + name + "\"");
            }
            options_.tier = static_cast<Tier>(found - std::begin(kTierNames));
        };
        return command->add_option_function<std::string>("--tier", take, what);
    }

    void add_assignment() {
        CLI::App* assignment = app_.add_subcommand("assignment", "Make or verify an assignment");
        assignment->require_subcommand(1);
        CLI::App* new_assignment_request =
            add(assignment, "new", "Make the handout and the teacher's files", new_assignment);
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
        CLI::App* proved =
            add(assignment, "verify", "Test that solutions pass and cheats fail", verify);
        add_name(proved, false);
        add_jobs(proved);
        add_sandbox(proved);
    }

    void add_run() {
        CLI::App* command = add(&app_, "run", "Grade a class", run);
        add_name(command, false);
        command->add_option("--submissions", options_.run.submissions,
                            "Folder, zip or tar file of all submissions");
        add_jobs(command);
        command->add_flag("--resume", options_.run.should_resume, "Continue the last run");
        command->add_flag("--again", options_.run.rejudges,
                          "Judge everything again, and compare the results");
        command->add_flag("--quiet", options_.processes.is_quiet, "Do not show progress");
        command->add_flag("--gpu", options_.gpu,
                          "Also time correct kernels on this GPU (no points)");
        add_sandbox(command);
    }

    // Adds the commands that distribute grading over many computers, such as a Slurm cluster or CI
    // jobs.
    void add_plan() {
        CLI::App* planned =
            add(&app_, "plan", "Divide a class into chunks for many computers", plan);
        add_name(planned, false);
        planned
            ->add_option("--submissions", options_.plan_request.submissions,
                         "The submissions, as in `grade run`")
            ->required();
        planned
            ->add_option("--to", options_.plan_request.to,
                         "The plan's folder, shared by all computers")
            ->required();
        planned
            ->add_option("--chunks", options_.plan_request.chunks,
                         "Chunks (default: computed from --seconds)")
            ->check(CLI::Range(1, kMaxChunks));
        planned
            ->add_option("--seconds", options_.plan_request.seconds,
                         "Minimum CPU seconds per chunk (default: 30)")
            ->check(CLI::Range(1.0, 36000.0));
        add_tier(planned, "Sandbox A or B (default: the strongest available)")
            ->check(CLI::IsMember({"A", "B"}));
        add_sandbox(planned);

        CLI::App* judged = add(&app_, "chunk", "Judge one chunk of a plan", chunk);
        add_plan_folder(judged);
        judged->add_option("NUMBER", options_.chunk, "Which chunk to judge: 1, 2, ...")->required();
        add_jobs(judged);
        judged->add_flag("--quiet", options_.processes.is_quiet, "Do not show progress");
        add_folder(judged);

        add_plan_folder(add(&app_, "status", "Show the progress of a plan's chunks", status));

        CLI::App* merged = add(&app_, "merge", "Merge the chunks' results into grades", merge);
        add_plan_folder(merged);
        add_folder(merged);
    }
    void add_plan_folder(CLI::App* command) {
        command->add_option("PLAN", options_.plan, "The plan's folder")->required();
    }

    void add_single() {
        CLI::App* command = add(&app_, "one", "Judge one file for one exercise", judge_one_file);
        command->add_option("EXERCISE", options_.exercise, "The exercise, such as 03 or 03_tiled")
            ->required();
        command->add_option("FILE", options_.file, "The file with the kernel")->required();
        command->add_flag("--json", options_.json, "Print the verdict as JSON");
        command->add_option("--assignment", options_.name,
                            "Judge for this assignment, with its hidden shapes");
        add_folder(command);
        add_sandbox(command);

        CLI::App* alone = add(&app_, "student", "Judge one student's submission", student);
        alone->add_option("SUBMISSION", options_.file, "The student's folder, archive or file")
            ->required();
        add_name(alone, true);
        alone->add_option("--format", options_.format, "Format: gradescope or markdown")
            ->check(CLI::IsMember({"gradescope", "markdown"}));
        alone->add_option("--to", options_.to, "Write the result to this file");
        add_sandbox(alone);

        CLI::App* contained =
            add(&app_, "container", "Judge one submission inside a container", container);
        contained->add_option("SUBMISSION", options_.file, "The student's folder, archive or file")
            ->required();
        contained->add_option("RESULTS", options_.to, "The folder for results.json and comment.md")
            ->required();
        add_name(contained, true);
        add_sandbox(contained);
    }

    void add_reports() {
        CLI::App* shown = add(&app_, "show", "Show one student's feedback and attempts", show);
        shown->add_option("STUDENT", options_.student, "The student's name, as in grades.csv")
            ->required();
        add_name(shown, true);

        CLI::App* decided = add(&app_, "set", "Override the points of a submission", set_points);
        decided->add_option("STUDENT", options_.student, "The student's name, as in grades.csv")
            ->required();
        decided->add_option("EXERCISE", options_.exercise, "The exercise, such as 03 or 03_tiled")
            ->required();
        auto* points =
            decided->add_option("--points", options_.points, "The points for the exercise")
                ->check(CLI::Range(0.0, 10000.0));
        auto* judged =
            decided->add_flag("--judged", options_.wants_judged, "Restore the judge's points");
        points->excludes(judged);
        decided->add_option("--why", options_.reason, "The reason, which is shown to the student")
            ->required();
        decided->callback([this] {
            if (!options_.points && !options_.wants_judged)
                throw UsageError("give --points N, or --judged to restore the judge's points");
            action_ = set_points;
        });
        add_name(decided, true);

        CLI::App* exported =
            add(&app_, "export", "Write grades, or an autograder for a platform", export_results);
        add_name(exported, false);
        auto* kind = exported->add_option_group("format")->require_option(1);
        for (const char* format :
             {"csv", "junit", "json", "moodle", "canvas", "feedback", "gradescope", "prairielearn",
              "autolab", "submitty", "classroom50", "github"}) {
            kind->add_flag_callback(std::string("--") + format,
                                    [this, format] { options_.format = format; });
        }
        exported->add_option("--to", options_.to,
                             "File or folder to write (default: standard output)");
        exported->add_option("--names", options_.names,
                             "A CSV file of names, for moodle and canvas");
        exported
            ->add_option("--late-percent", options_.late.percent,
                         "Percentage of the points subtracted per late day")
            ->check(CLI::Range(0.0, 100.0));
        exported
            ->add_option("--late-free", options_.late.free_days,
                         "Number of late days without a penalty (default: 0)")
            ->check(CLI::Range(0.0, 1000.0));

        CLI::App* doctor =
            add(&app_, "doctor", "Test which attacks the sandbox stops", doctor_report);
        add_sandbox(doctor);
    }

    void add_internal() {
        CLI::App* command = add(&app_, "worker", "", worker);
        command->group("");  // hidden from the help, because only this program starts it
        command->add_option("--folder", options_.assignment)->required();
        command->add_option("--work", options_.work)->required();
        add_tier(command, "")->required();

        CLI::App* timed = add(&app_, "time", "", time);
        timed->group("");
        timed->add_option("JOB", options_.file);
    }

    CLI::App app_{"Grades a class", "grade"};
    CommandOptions options_;
    Action action_ = nullptr;
    bool self_test_ = false;
};

// Removes the temporary folders on SIGTERM, SIGINT and SIGHUP. A thread waits for these signals,
// because a signal handler may not delete files. A child process must either unblock the signals or
// have a thread that waits for them.
void clean_up_on_signals() {
    sigset_t ends;
    sigemptyset(&ends);
    for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    std::thread([ends] {
        int signal = 0;
        if (sigwait(&ends, &signal) != 0) return;
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
