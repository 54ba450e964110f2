// Defines the subcommands of the learner's command, and their options. The `learn` script in the
// root of the repository builds this program and then runs it.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

#include "base/errors.h"
#include "learn/check.h"
#include "learn/commands.h"
#include "learn/measure.h"
#include "learn/own_exercise.h"
#include "learn/paths.h"
#include "learn/predict.h"

using namespace coalesce;
using namespace coalesce::learn;

namespace {

/// Formats help texts without the C++ type names and the ranges that CLI11 adds.
class HelpFormatter : public CLI::Formatter {
    std::string make_option_opts(const CLI::Option* option) const override {
        const std::string type = option->get_type_name();
        if (type.empty() || option->get_positional()) return "";
        if (type.starts_with("INT") || type.starts_with("UINT")) return " NUMBER";
        return type == "TEXT" ? " VALUE" : " " + type;
    }
};

/// Parses the command line and runs its subcommand.
class CommandLine {
public:
    CommandLine(int argc, char** argv) : argc_(argc), argv_(argv) {
        app_.formatter(std::make_shared<HelpFormatter>());
        app_.require_subcommand(0, 1);
        app_.set_help_flag("-h,--help", "Print this text");
        // Also accept options of the main command after the subcommand.
        app_.fallthrough();
        app_.add_flag("--plain", uses_plain_output_, "Use no colours, and never clear the screen");
    }

    /// Adds a subcommand and returns it, so that the caller can add options to it. By default, the
    /// subcommand added first runs. `run_command` returns the exit code.
    CLI::App* add(const std::string& name, const std::string& about,
                  std::function<int()> run_command) {
        CLI::App* command = app_.add_subcommand(name, about);
        commands_[command] = std::move(run_command);
        if (default_command_.empty()) default_command_ = name;
        return command;
    }

    /// Adds a subcommand that is implemented by a separate program in the same folder. The program
    /// parses its own options, and is called with the words after NAME. If the program's name
    /// differs from NAME, NAME is passed as the first word.
    void add_program(const std::string& name, const std::string& about,
                     const std::string& program = "") {
        add(name, about, [] { return 0; });
        programs_[name] = program.empty() ? name : program;
    }

    /// Runs the subcommand given on the command line. Returns the exit code.
    int run_command() {
        if (argc_ > 1) check_command(argv_[1]);
        if (argc_ > 1 && programs_.contains(argv_[1])) become_program(argv_[1]);
        try {
            app_.parse(argc_, argv_);
        } catch (const CLI::Success& help) {
            return app_.exit(help);
        } catch (const CLI::ParseError& error) {
            std::string command =
                argc_ > 1 && argv_[1][0] != '-' ? std::string(argv_[1]) + " " : "";
            throw UsageError(std::string(error.what()) + " (./learn " + command + "--help)");
        }
        auto subcommands = app_.get_subcommands();
        return commands_.at(subcommands.empty() ? app_.get_subcommand(default_command_)
                                                : subcommands.front())();
    }

    /// Reports whether --plain is set. With this option, colours are not used and the screen is
    /// never cleared.
    bool is_plain() const { return uses_plain_output_; }
    /// Returns the command line, for commands that must restart this program.
    char** command_arguments() const { return argv_; }

private:
    // Rejects an unknown subcommand with a clear message. CLI11's own message says only that a
    // subcommand is required.
    void check_command(const std::string& word) const {
        if (word.starts_with('-')) return;
        for (auto& [command, run_command] : commands_) {
            if (command->get_name() == word) return;
        }
        throw UsageError("there is no command \"" + word + "\"; ./learn help lists all commands");
    }

    void become_program(const std::string& name) {
        std::string program = program_path(programs_.at(name));
        std::vector<char*> arguments(argv_ + (programs_.at(name) == name ? 2 : 1), argv_ + argc_);
        arguments.insert(arguments.begin(), program.data());
        arguments.push_back(nullptr);
        execv(program.c_str(), arguments.data());
        throw UsageError(program + " cannot be run (" + strerror(errno) + "); ./learn " + name +
                         " builds it first");
    }

    int argc_;
    char** argv_;
    CLI::App app_{"A course in GPU memory performance", "learn"};
    std::map<const CLI::App*, std::function<int()>> commands_;
    std::map<std::string, std::string> programs_;
    std::string default_command_;
    bool uses_plain_output_ = false;
};

/// A subcommand, together with the struct into which its options are parsed.
template <class Words>
struct AddedCommand {
    CLI::App* command;
    Words& words;
};

/// Adds a subcommand whose function is called with the session and the subcommand's options.
template <class Words, class RunCommand>
AddedCommand<Words> add(CommandLine& line, const std::string& name, const std::string& about,
                        RunCommand run_command) {
    auto words = std::make_shared<Words>();
    CLI::App* command = line.add(name, about, [=, &line] {
        Session session(line.is_plain());
        return run_command(session, *words);
    });
    return {command, *words};
}

enum class HuntSelection { may_be_selected, is_not_selectable };

/// Adds a subcommand whose function also gets an exercise.
template <class Words, class RunCommand>
AddedCommand<Words> add_for_exercise(
    CommandLine& line, const std::string& name, const std::string& about, RunCommand run_command,
    HuntSelection hunt_selection = HuntSelection::may_be_selected) {
    struct AllArguments {
        std::string exercise;
        bool is_hunt = false;
        Words extra_arguments{};
    };
    const auto [command, all_arguments] =
        add<AllArguments>(line, name, about, [run_command](Session& session, AllArguments& words) {
            return run_command(session, session.exercise(words.exercise, words.is_hunt),
                               words.extra_arguments);
        });
    command->add_option("EXERCISE", all_arguments.exercise,
                        "02, 2 or 02_naive (default: the next exercise)");
    if (hunt_selection == HuntSelection::may_be_selected) {
        command->add_flag("--hunt", all_arguments.is_hunt, "Use the exercise's bug hunt (hunt.cu)");
    }
    return {command, all_arguments.extra_arguments};
}

// ---- commands about the learner and this computer ----

void add_start(CommandLine& line) {
    line.add("start", "Show your progress and the command to type next", [&line] {
        Session session(line.is_plain());
        return start(session);
    });
}

void add_progress(CommandLine& line) {
    const auto [command, prints_json] = add<bool>(
        line, "progress", "Show your points, checks, hints and predictions", show_progress);
    command->add_flag("--json", prints_json, "Print JSON");
}

void add_play(CommandLine& line) {
    auto words = std::make_shared<PlayArguments>();
    CLI::App* command =
        line.add("play", "Serve the book on this computer", [words]() -> int { play(*words); });
    command->add_option("--port", words->port, "Port to listen on (default: 8237; 0: any free one)")
        ->check(CLI::Range(0, 65535));
    command->add_flag("--open", words->should_open, "Open the book in a browser");
}

void add_doctor(CommandLine& line) {
    auto prints_json = std::make_shared<bool>(false);
    CLI::App* command = line.add(
        "doctor", "Report what is installed and what is missing",
        [prints_json, &line] { return doctor(*prints_json, style_for_stdout(line.is_plain())); });
    command->add_flag("--json", *prints_json, "Print JSON");
}

// ---- the exercises ----

void add_check(CommandLine& line) {
    const auto [command, words] = add<CheckArguments>(
        line, "check", "Check a kernel (exit: 0 passed, 1 failed, 2 error)",
        [](Session& session, const CheckArguments& words) { return check(session, words); });
    command->add_option("EXERCISE", words.exercise,
                        "all, 02, 2 or 02_naive (default: the next one)");
    command->add_flag("--hunt", words.is_hunt, "Use the exercise's bug hunt (hunt.cu)");
    command->add_option("--file", words.file, "Check another file, without recording the result");
    command->add_option("--device", words.device,
                        "sim, gpu, or auto (sim, then a timed run on a GPU)");
    command->add_option("--seconds", words.seconds, "Time limit in seconds (default: 60)");
    command->add_flag("--json", words.prints_json, "Print the verdict as JSON");
    command->add_flag("--map", words.has_full_map, "Draw which cells of the output are wrong");
    command->add_flag("--through-ir", words.uses_llvm_ir,
                      "Compile through LLVM IR, as the book's pages do");
    command->add_flag("--as-graded", words.uses_grader_rules,
                      "Also reject what the grader rejects");
}

void add_watch(CommandLine& line) {
    const auto [command, words] = add_for_exercise<WatchArguments>(
        line, "watch", "Check a kernel whenever it is saved", watch);
    command->add_flag("--poll", words.should_poll, "Poll the file five times per second");
    command
        ->add_option("--seconds", words.seconds, "Time limit of a check in seconds (default: 60)")
        ->check(CLI::Range(1, 3600));
}

void add_hint(CommandLine& line) {
    const auto [command, level] =
        add_for_exercise<int>(line, "hint", "Show a hint; the next one is more detailed", hint);
    command->add_option("--level", level, "1: question, 2: picture, 3: API, 4: line of code")
        ->check(CLI::Range(1, 4));
}

void add_predict(CommandLine& line) {
    const auto [command, answers] = add_for_exercise<std::vector<std::string>>(
        line, "predict", "Answer the lesson's questions, and predict costs", ask_lesson,
        HuntSelection::is_not_selectable);
    command->add_option("ANSWER", answers, "Your answers, in the order of the questions");
}

void add_picture(CommandLine& line) {
    const auto [command, words] = add_for_exercise<PictureArguments>(
        line, "picture", "Draw the memory that one warp accesses",
        [&line](Session&, const LearnerExercise& exercise, const PictureArguments& words) {
            return picture(exercise, words, line.command_arguments());
        });
    command->add_option("--file", words.file, "Draw the kernel in another file");
    command->add_option("--svg", words.svg, "Write the drawing to this SVG file");
    command->add_option("--rows", words.rows, "Number of rows of the matrix (default: 256)");
    command->add_option("--cols", words.cols, "Number of columns of the matrix (default: 256)");
    command->add_option("--block", words.block, "Index of the block to draw (default: 0)");
    command->add_option("--warp", words.warp, "Index of the warp in that block (default: 0)");
}

void add_step(CommandLine& line) {
    const auto [command, words] = add_for_exercise<StepArguments>(
        line, "step", "Run a kernel line by line, forwards and backwards",
        [&line](Session& session, const LearnerExercise& exercise, const StepArguments& words) {
            return step(session, exercise, words, line.command_arguments());
        });
    command->add_option("--file", words.file, "Run the kernel in another file");
    command->add_option("--rows", words.rows, "Number of rows (default: as in the check)");
    command->add_option("--cols", words.cols, "Number of columns (default: as in the check)");
    command->add_option("--block", words.block, "Index of the block (default: the one that fails)");
    command->add_option("--stop", words.stop, "Where to stop, such as \"12; row == 5\"");
    command->add_option("--step", words.step, "First step to show")->check(CLI::Range(1, 1000000));
    command->add_option("--json", words.json, "Also write the steps to this file");
}

void add_roofline(CommandLine& line) {
    const auto [command, words] = add_for_exercise<RooflineArguments>(
        line, "roofline", "Show whether memory or instructions limit a kernel",
        [&line](Session&, const LearnerExercise& exercise, const RooflineArguments& words) {
            return roofline(exercise, words, line.command_arguments());
        });
    command->add_option("--file", words.file, "Examine the kernel in another file");
    command->add_option("--svg", words.svg, "Write the drawing to this SVG file");
    command->add_option("--gpu", words.gpu, "Name of the GPU (default: NVIDIA H200)");
    command->add_flag("--lesson", words.draws_lesson, "Draw the variants of the lesson's program")
        ->excludes("--file");
}

void add_explain(CommandLine& line) {
    const auto [command, yes] = add_for_exercise<bool>(
        line, "explain", "Show your kernel beside the solution, with costs", explain);
    command->add_flag("--yes", yes, "Show the solution before the exercise has passed");
}

void add_diff(CommandLine& line) {
    const auto [command, words] = add_for_exercise<DiffArguments>(
        line, "diff", "Show how a step differs from the step it builds on", diff,
        HuntSelection::is_not_selectable);
    command->add_flag("--mine", words.is_learner_file, "Compare your own kernels");
    command->add_flag("--yes", words.is_confirmed, "Show solutions before you have passed");
}

struct ResetArguments {
    std::string exercise;
    bool is_hunt = false;
};

void add_reset(CommandLine& line) {
    const auto [command, words] = add<ResetArguments>(
        line, "reset", "Save your version, then restore the original",
        [](Session& session, const ResetArguments& words) {
            return reset(find_exercise(session.course, words.exercise, words.is_hunt));
        });
    command->add_option("EXERCISE", words.exercise, "02, 2 or 02_naive")->required();
    command->add_flag("--hunt", words.is_hunt, "Use the exercise's bug hunt (hunt.cu)");
}

void add_measure(CommandLine& line) {
    const auto [command, words] = add_for_exercise<MeasureArguments>(
        line, "measure", "Measure the bandwidth of your kernel on a GPU",
        [&line](Session& session, const LearnerExercise& exercise, const MeasureArguments& words) {
            return measure(session, exercise, words, line.command_arguments());
        });
    command->add_option("--file", words.file, "Measure another file, without recording the result");
    command->add_option("--rows", words.rows, "Number of rows of the matrix (default: 8192)");
    command->add_option("--cols", words.cols, "Number of columns of the matrix (default: 8192)");
    command->add_flag("--json", words.prints_json, "Print JSON");
}

void add_ptx(CommandLine& line) {
    const auto [command, words] =
        add<PtxArguments>(line, "ptx", "Show the PTX of a kernel by source line",
                          [&line](Session& session, const PtxArguments& words) {
                              return ptx(session, words, line.command_arguments());
                          });
    command->add_option("STEP", words.exercise, "02, 2 or 02_naive (default: the next exercise)");
    command->add_option("--variant", words.variant,
                        "Variant of the lesson (default: the main variant)");
    command->add_flag("--mine", words.is_learner_file, "Show your kernel for the exercise");
    command->add_flag("--yes", words.is_confirmed,
                      "Show the solution before the exercise has passed");
    command->add_option("--file", words.file, "Show a different file of the exercise");
    command->add_option("--json", words.json, "Also write the output as JSON to this file");
    command->add_flag("--sass", words.is_sass, "Show machine code (from nvdisasm) instead of PTX");
}

void add_beat(CommandLine& line) {
    const auto [command, words] =
        add<BeatArguments>(line, "beat", "Try to write a kernel faster than 10_registers", beat);
    command->add_option("--file", words.file, "Try another file, without recording the attempt");
    command->add_flag("--list", words.is_list, "List your attempts");
    command
        ->add_option("--restore", words.attempt_to_restore, "Restore the attempt with this number")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_flag("--reset", words.is_reset, "Save your version, then restore the original");
    command->add_option("--seconds", words.seconds, "Time limit in seconds (default: 60)")
        ->check(CLI::Range(1, 3600));
}

// ---- the steps ----

void add_run(CommandLine& line) {
    auto words = std::make_shared<RunArguments>();
    auto time = std::make_shared<CLI::Option*>();
    CLI::App* command = line.add("run", "Run steps, and print a table of results", [words, time] {
        if ((*time)->count() > 0 && words->predicted_gpu.empty()) words->predicted_gpu = "H200";
        const course::Course course = course::read_course(repository());
        const RunRequest request = parse_request(*words, course);
        return request.program != nullptr ? run_program(request) : run(request);
    });
    command->add_option("STEP", words->steps, "all, rivals, or names of steps (02, 2 or 02_naive)");
    command->add_option("--device", words->device, "gpu, sim, or auto (a GPU if one works)");
    command->add_option("--rows", words->rows, "Number of rows of the matrix");
    command->add_option("--cols", words->cols, "Number of columns of the matrix");
    command->add_option("--variant", words->variant, "Run only this variant");
    command->add_option("--json", words->json, "Also write the results to this file");
    *time = command->add_option("--time", words->predicted_gpu,
                                "Also predict the times on this GPU (default: H200)");
    (*time)->type_name("GPU")->expected(0, 1);
    command
        ->add_option("--at", words->predicted_shape, "Shape (default: that of the lesson's table)")
        ->type_name("ROWSxCOLS");
}

struct ReadArguments {
    std::string step;
    bool shows_answers = false;
};

int read(Session& session, const ReadArguments& words) {
    const std::string name =
        words.step.empty() ? session.exercise("", false).step->name : words.step;
    const course::Step* step = session.course.lesson(name);
    if (step == nullptr) {
        throw UsageError("there is no lesson \"" + name + "\"; ./learn list shows all lessons");
    }
    if (is_beyond(step->name)) {
        throw UsageError(step->name +
                         " has no lesson; docs/guide/beyond.md introduces it, and exercises/" +
                         step->name + "/kernel.cu says what to write");
    }
    return read_lesson(session, *step, words.shows_answers);
}

void add_read(CommandLine& line) {
    const auto [command, words] =
        add<ReadArguments>(line, "read", "Show the text of a lesson in the terminal", read);
    command->add_option("LESSON", words.step, "03 or 03_tiled (default: the next lesson)");
    command->add_flag("--answers", words.shows_answers,
                      "Also show the folded answers and solutions");
}

struct ListArguments {
    std::string step;
    bool json = false;
};

int list_course(Session& session, const ListArguments& words) {
    if (words.step.empty()) return show_list(session, words.json);
    if (words.step == "x") {
        show_beyond(session);
        return 0;
    }
    const course::Step* step = session.course.lesson(words.step);
    if (step == nullptr) {
        throw UsageError("there is no step \"" + words.step + "\"; ./learn list shows all steps");
    }
    show_lesson(*step);
    return 0;
}

void add_list(CommandLine& line) {
    const auto [command, words] =
        add<ListArguments>(line, "list", "List the steps and your progress", list_course);
    command->add_option("STEP", words.step, "List this step's variants (x: the x_ exercises)");
    command->add_flag("--json", words.json, "Print JSON");
}

struct ExerciseArguments {
    std::string subcommand;
    NewExerciseArguments new_arguments;
    bool is_without_mutants = false;
};

void add_exercise(CommandLine& line) {
    const auto [command, words] = add<ExerciseArguments>(
        line, "exercise", "Make and verify an exercise of your own",
        [&line](Session&, const ExerciseArguments& exercise_arguments) {
            if (exercise_arguments.subcommand == "new")
                return new_exercise(exercise_arguments.new_arguments);
            if (exercise_arguments.subcommand == "verify") {
                return verify_exercise(
                    {exercise_arguments.new_arguments.name, !exercise_arguments.is_without_mutants},
                    line.command_arguments());
            }
            throw UsageError("there is no ./learn exercise " + exercise_arguments.subcommand +
                             "; the actions are new and verify");
        });
    command->add_option("ACTION", words.subcommand, "new or verify")->required();
    command->add_option("NAME", words.new_arguments.name,
                        "Name of the exercise, such as histogram");
    command->add_option("--title", words.new_arguments.title, "new: title of the exercise");
    command->add_option("--sizes", words.new_arguments.sizes,
                        "new: names of the sizes, such as \"rows cols\"");
    command->add_option("--argument", words.new_arguments.arguments,
                        "new: an argument, \"float* out[n]\" (repeatable)");
    command->add_option("--element", words.new_arguments.element,
                        "new: C++ for one element, \"2 * in[index]\"");
    command->add_option("--tolerance", words.new_arguments.tolerance,
                        "new: bits or \"relative 1e-5\"");
    command->add_flag("--no-mutants", words.is_without_mutants,
                      "verify: skip the test with planted mistakes");
}

// Adds the commands in the order of --help. The first command is the default.
void add_commands(CommandLine& line) {
    for (const auto add :
         {add_start, add_progress, add_play,    add_doctor, add_check,    add_watch,
          add_hint,  add_predict,  add_picture, add_step,   add_roofline, add_explain,
          add_diff,  add_reset,    add_measure, add_ptx,    add_beat,     add_run,
          add_list,  add_read,     add_exercise}) {
        add(line);
    }
    line.add_program("bench", "Time every kernel and rival in one run");
    line.add_program("grade", "Grade a class");
    line.add_program("assignment", "Make an assignment for a class", "grade");
    line.add_program("results", "Update the tables of results in the READMEs");
    line.add_program("validate", "Compare the simulator with a GPU");
}

constexpr int kExitError = 1, kExitUsage = 2;

int report_error(const std::string& message, int code) {
    print_message(message);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        CommandLine line(argc, argv);
        add_commands(line);
        return line.run_command();
    } catch (const UsageError& error) {
        return report_error(error.what(), kExitUsage);
    } catch (const course::CourseError& error) {
        std::cerr << error.what() << "\n";
        return kExitUsage;
    } catch (const std::exception& error) {
        return report_error(error.what(), kExitError);
    }
}
