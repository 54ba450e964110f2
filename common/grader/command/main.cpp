// The teacher's command: ./learn grade ... and ./learn assignment ... lead here.

#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <iostream>
#include <thread>

#include "base/files.h"
#include "grader/class/plan.h"
#include "grader/command/actions.h"
#include "grader/store/errors.h"
#ifdef COALESCE_GRADER_CORPUS
#    include "grader/corpus/self_test.h"
#endif

using coalesce::UsageError;
using namespace coalesce::grader;

namespace {

// The words of the command line, with the functions that they lead to.
class CommandLine {
public:
    CommandLine() {
        app.set_help_flag("-h,--help", "This text");
        app.add_flag("--self-test", self_test, "Judge the corpus: hostile and honest submissions");
        app.require_subcommand(0, 1);
        words.folder = assignments_folder();
        add_assignment();
        add_run();
        add_plan();
        add_single();
        add_reports();
        add_internal();
    }

    // Returns the exit code.
    int obey(int argc, char** argv) {
        words.argv = argv;
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app.exit(help);
        } catch (const CLI::ParseError& error) {
            throw UsageError(std::string(error.what()) +
                             " (./learn grade --help, ./learn assignment --help)");
        }
        if (self_test) return test_itself();
        if (action != nullptr) return action(words);
        std::cout << app.help();
        return exit_usage;
    }

private:
    using Action = int (*)(const Words&);

    CLI::App* add(CLI::App* to, const char* name, const char* what, Action does) {
        CLI::App* command = to->add_subcommand(name, what);
        command->set_help_flag("-h,--help", "This text");
        command->callback([this, does] { action = does; });
        return command;
    }

    void add_folder(CLI::App* command) {
        command->add_option("--folder", words.folder,
                            "Where assignments are: the course's assignments/");
    }
    void add_name(CLI::App* command, bool is_option) {
        if (is_option) {
            command->add_option("--assignment", words.name, "Which; not needed when there is one");
        } else {
            command->add_option("NAME", words.name, "The assignment")->required();
        }
        add_folder(command);
    }
    void add_jobs(CLI::App* command) {
        command->add_option("--jobs", words.jobs, "Judging processes: one for each processor")
            ->check(CLI::Range(1, 256));
    }
    void add_sandbox(CLI::App* command) {
        command->add_flag("--no-sandbox", words.no_sandbox,
                          "For development: every result is stamped with it");
    }

    void add_assignment() {
        CLI::App* assignment = app.add_subcommand("assignment", "Make an assignment, or prove one");
        assignment->set_help_flag("-h,--help", "This text");
        assignment->require_subcommand(1);
        CLI::App* made = add(assignment, "new", "Make one: a handout, and what the teacher keeps",
                             new_assignment);
        add_name(made, false);
        made->add_option("--exercises", words.exercises, "Their numbers or names: 02,03,04")
            ->delimiter(',')
            ->required();
        made->add_option("--points", words.points, "Points of each; as course.toml has them")
            ->delimiter(',')
            ->check(CLI::Range(0.1, 10000.0));
        made->add_option("--title", words.title, "For students");
        CLI::App* proved =
            add(assignment, "verify",
                "Prove one: solutions pass; blanks, mutants and cheats do not", verify);
        add_name(proved, false);
        add_jobs(proved);
        add_sandbox(proved);
    }

    void add_run() {
        CLI::App* command = add(&app, "run", "Grade a class", run);
        add_name(command, false);
        command->add_option("--submissions", words.submissions,
                            "A folder, zip or tar: one part for each student");
        add_jobs(command);
        command->add_flag("--resume", words.resume, "Go on with the last run");
        command->add_flag("--again", words.again, "Judge what has a result too, and compare");
        command->add_flag("--quiet", words.quiet, "No progress");
        command->add_flag("--gpu", words.gpu, "Then time what is right on this GPU; no points");
        add_sandbox(command);
    }

    // For many computers: a Slurm cluster, the jobs of a continuous integration.
    void add_plan() {
        CLI::App* planned =
            add(&app, "plan", "Divide a class into chunks for many computers", plan);
        add_name(planned, false);
        planned->add_option("--submissions", words.submissions, "As for run")->required();
        planned->add_option("--to", words.to, "The plan's folder, which all of them see")
            ->required();
        planned->add_option("--chunks", words.chunk, "How many; otherwise as --seconds says")
            ->check(CLI::Range(1, MOST_CHUNKS));
        planned
            ->add_option("--seconds", words.seconds,
                         "Of one processor for each chunk, at least: 30")
            ->check(CLI::Range(1.0, 36000.0));
        planned->add_option("--tier", words.tier, "The sandbox: A or B; otherwise the best here")
            ->check(CLI::IsMember({"A", "B"}));
        add_sandbox(planned);

        CLI::App* judged = add(&app, "chunk", "Judge one chunk of a plan", chunk);
        add_plan_folder(judged);
        judged->add_option("NUMBER", words.chunk, "Which, from 1")->required();
        add_jobs(judged);
        judged->add_flag("--quiet", words.quiet, "No progress");
        add_folder(judged);

        add_plan_folder(add(&app, "status", "Say how far the chunks of a plan are", status));

        CLI::App* merged = add(&app, "merge", "Make grades of what the chunks found", merge);
        add_plan_folder(merged);
        add_folder(merged);
    }
    void add_plan_folder(CLI::App* command) {
        command->add_option("PLAN", words.plan, "The plan's folder")->required();
    }

    void add_single() {
        CLI::App* command = add(&app, "one", "Judge one file for one exercise", one);
        command->add_option("EXERCISE", words.exercise, "03, or 03_tiled")->required();
        command->add_option("FILE", words.file, "The kernel's file")->required();
        command->add_flag("--json", words.json, "The verdict as JSON");
        command->add_option("--assignment", words.name,
                            "As that assignment asks it, with its hidden shapes");
        add_folder(command);
        add_sandbox(command);

        CLI::App* alone = add(&app, "student", "Judge what one student handed in", student);
        alone->add_option("SUBMISSION", words.file, "Their folder, archive or file")->required();
        add_name(alone, true);
        alone->add_option("--format", words.format, "gradescope, classroom50 or markdown")
            ->check(CLI::IsMember({"gradescope", "classroom50", "markdown"}));
        alone->add_option("--to", words.to, "Write it to that file");
        add_sandbox(alone);
    }

    void add_reports() {
        CLI::App* shown = add(&app, "show", "Show one student's feedback and attempts", show);
        shown->add_option("STUDENT", words.student, "As grades.csv has the name")->required();
        add_name(shown, true);

        CLI::App* exported =
            add(&app, "export", "Write grades, or an autograder for a platform", export_results);
        add_name(exported, false);
        auto* kind = exported->add_option_group("format")->require_option(1);
        for (const char* format :
             {"csv", "junit", "json", "moodle", "canvas", "gradescope", "classroom50", "github"}) {
            kind->add_flag_callback(std::string("--") + format,
                                    [this, format] { words.format = format; });
        }
        exported->add_option("--to", words.to, "Where it goes; otherwise it is printed");
        exported->add_option("--names", words.names,
                             "Who is who, for moodle and canvas: a CSV file");
        exported
            ->add_option("--late-percent", words.late_percent,
                         "Of the points there are, off for each late day: 0")
            ->check(CLI::Range(0.0, 100.0));
        exported->add_option("--late-free", words.late_free, "Late days that cost nothing: 0")
            ->check(CLI::Range(0.0, 1000.0));

        CLI::App* doctor =
            add(&app, "doctor", "Try the sandbox out, and say what it holds", doctor_report);
        add_sandbox(doctor);
    }

    void add_internal() {
        CLI::App* command = add(&app, "worker", "", worker);
        command->group("");  // not in the help: other commands start it
        command->add_option("--folder", words.assignment)->required();
        command->add_option("--work", words.work)->required();
        command->add_option("--tier", words.tier)->required();

        CLI::App* timed = add(&app, "time", "", time);
        timed->group("");
        timed->add_option("JOB", words.file);
    }

    int test_itself() {
#ifdef COALESCE_GRADER_CORPUS
        return coalesce::grader::self_test(std::cout, {.sandboxed = true});
#else
        throw Infrastructure("this program was built without the corpus");
#endif
    }

    CLI::App app{"Grades a class", "grade"};
    Words words;
    Action action = nullptr;
    bool self_test = false;
};

// Who is told to end takes away what it made: a thread waits for that, for no handler could do it.
// Processes that are started from here begin without these signals blocked, or do the same.
void end_tidily_when_told() {
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
    end_tidily_when_told();
    // A reader that has gone away, a file that may not grow: these are errors to be told, not ends.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    // Names in archives are UTF-8 for libarchive then; everything else stays as in C.
    std::setlocale(LC_CTYPE, "C.UTF-8");
    try {
        return CommandLine().obey(argc, argv);
    } catch (const UsageError& error) {
        std::cerr << "grade: " << error.what() << "\n";
        return exit_usage;
    } catch (const Infrastructure& error) {
        std::cerr << "grade: " << error.what() << "\n";
        return exit_infrastructure;
    } catch (const std::exception& error) {
        std::cerr << "grade: " << error.what() << "\n";
        return exit_infrastructure;
    }
}
