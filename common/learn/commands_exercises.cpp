// The commands for the exercises.

#include <memory>

#include "learn/check.h"
#include "learn/command_line.h"
#include "learn/commands.h"
#include "learn/measure.h"
#include "learn/predict.h"

namespace coalesce::learn {
namespace {

// Which exercise a command is for, as it was typed.
struct Which {
    std::string exercise;
    bool is_hunt = false;

    void add_to(CLI::App* command) {
        command->add_option("EXERCISE", exercise, "02, 2 or 02_naive; none: the next one");
        command->add_flag("--hunt", is_hunt, "Its bug hunt, hunt.cu");
    }
};

void add_check(CommandLine& line) {
    auto words = std::make_shared<CheckWords>();
    auto obey = [words, &line] {
        Session session(line.is_plain());
        return check(session, *words);
    };
    CLI::App* command =
        line.add("check", "Check a kernel: 0 passed, 1 not yet, 2 not checked", obey);
    command->add_option("EXERCISE", words->exercise, "all, 02, 2 or 02_naive; none: the next one");
    command->add_flag("--hunt", words->is_hunt, "Its bug hunt, hunt.cu");
    command->add_option("--file", words->file, "Check another file; nothing is written down");
    command->add_option("--device", words->device, "sim, gpu; auto: sim, and a GPU's bandwidth");
    command->add_option("--seconds", words->seconds, "The longest that it may take (60)");
    command->add_flag("--json", words->json, "The verdict as JSON");
    command->add_flag("--through-ir", words->through_ir, "Compile as a page does: by LLVM IR");
}

void add_watch(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto words = std::make_shared<WatchWords>();
    auto obey = [which, words, &line] {
        Session session(line.is_plain());
        words->exercise = session.exercise(which->exercise, which->is_hunt);
        return watch(session, *words);
    };
    CLI::App* command = line.add("watch", "Check a kernel whenever it is saved", obey);
    which->add_to(command);
    command->add_flag("--poll", words->polls, "Look for changes five times per second");
    command->add_option("--seconds", words->seconds, "The longest that a check may take (60)")
        ->check(CLI::Range(1, 3600));
}

void add_hint(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto level = std::make_shared<int>(0);
    auto obey = [which, level, &line] {
        Session session(line.is_plain());
        return hint(session, session.exercise(which->exercise, which->is_hunt), *level);
    };
    CLI::App* command = line.add("hint", "A little help, then a little more", obey);
    which->add_to(command);
    command->add_option("--level", *level, "1 question, 2 picture, 3 API, 4 one line")
        ->check(CLI::Range(1, 4));
}

void add_predict(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto answers = std::make_shared<std::vector<std::string>>();
    auto obey = [which, answers, &line] {
        Session session(line.is_plain());
        return predict(session, session.exercise(which->exercise, false), *answers);
    };
    CLI::App* command = line.add("predict", "Say what a kernel will cost, before you see it", obey);
    command->add_option("EXERCISE", which->exercise, "02, 2 or 02_naive; none: the next one");
    command->add_option("ANSWER", *answers, "Numbers, in the order of the questions");
}

void add_picture(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto words = std::make_shared<PictureWords>();
    auto obey = [which, words, &line] {
        Session session(line.is_plain());
        words->exercise = session.exercise(which->exercise, which->is_hunt);
        return picture(*words, line.words());
    };
    CLI::App* command = line.add("picture", "What one warp of your kernel touches", obey);
    which->add_to(command);
    command->add_option("--file", words->file, "Of another file");
    command->add_option("--svg", words->svg, "Write a drawing to that file");
    command->add_option("--rows", words->rows, "Rows of the matrix (256)");
    command->add_option("--cols", words->cols, "Columns of the matrix (256)");
    command->add_option("--block", words->block, "Which block (0)");
    command->add_option("--warp", words->warp, "Which warp of it (0)");
}

void add_explain(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto yes = std::make_shared<bool>(false);
    auto obey = [which, yes, &line] {
        Session session(line.is_plain());
        return explain(session, session.exercise(which->exercise, which->is_hunt), *yes);
    };
    CLI::App* command =
        line.add("explain", "Yours beside the solution, and why it costs that", obey);
    which->add_to(command);
    command->add_flag("--yes", *yes, "Even before it has passed");
}

void add_diff(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto words = std::make_shared<DiffWords>();
    auto obey = [which, words, &line] {
        Session session(line.is_plain());
        return diff(session, session.exercise(which->exercise, false), *words);
    };
    CLI::App* command = line.add("diff", "What a step changes in the one that it builds on", obey);
    command->add_option("EXERCISE", which->exercise, "02, 2 or 02_naive; none: the next one");
    command->add_flag("--mine", words->is_mine, "In your own kernels");
    command->add_flag("--yes", words->yes, "Even before both exercises have passed");
}

void add_reset(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto obey = [which, &line] {
        Session session(line.is_plain());
        return reset(find_exercise(session.course, which->exercise, which->is_hunt));
    };
    CLI::App* command = line.add("reset", "Start a file again; what is in it is kept", obey);
    command->add_option("EXERCISE", which->exercise, "02, 2 or 02_naive")->required();
    command->add_flag("--hunt", which->is_hunt, "Its bug hunt, hunt.cu");
}

void add_measure(CommandLine& line) {
    auto which = std::make_shared<Which>();
    auto words = std::make_shared<MeasureWords>();
    auto obey = [which, words, &line] {
        Session session(line.is_plain());
        words->exercise = session.exercise(which->exercise, which->is_hunt);
        return measure(session, *words, line.words());
    };
    CLI::App* command = line.add("measure", "The bandwidth of your kernel on a GPU", obey);
    which->add_to(command);
    command->add_option("--file", words->file, "Of another file; nothing is written down");
    command->add_option("--rows", words->rows, "Rows of the matrix (8192)");
    command->add_option("--cols", words->cols, "Columns of the matrix (8192)");
    command->add_flag("--json", words->json, "As JSON");
}

void add_ptx(CommandLine& line) {
    auto words = std::make_shared<PtxWords>();
    auto obey = [words, &line] {
        Session session(line.is_plain());
        return ptx(session, *words, line.words());
    };
    CLI::App* command = line.add("ptx", "The PTX of a lesson's kernel, or of yours, by line", obey);
    command->add_option("STEP", words->exercise, "02, 2 or 02_naive; none: the next exercise");
    command->add_option("--variant", words->variant, "A variant of the lesson (its headline)");
    command->add_flag("--mine", words->is_mine, "Your kernel for the exercise, instead");
    command->add_flag("--yes", words->yes, "Even before the exercise has passed");
    command->add_option("--file", words->file, "Another file for the exercise, instead");
    command->add_option("--json", words->json, "Write all of it to that file, too");
    command->add_flag("--sass", words->is_sass, "The machine code, by NVIDIA's nvdisasm");
}

void add_beat(CommandLine& line) {
    auto words = std::make_shared<BeatWords>();
    auto obey = [words, &line] {
        Session session(line.is_plain());
        return beat(session, *words);
    };
    CLI::App* command = line.add("beat", "The open exercise: be faster than 10_registers", obey);
    command->add_option("--file", words->file, "Another file; nothing is written down");
    command->add_flag("--list", words->is_list, "Your attempts so far");
    command->add_option("--restore", words->restore, "Go back to the attempt of that number")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_flag("--reset", words->is_reset, "Start again; what you wrote is kept");
    command->add_option("--seconds", words->seconds, "The longest that it may take (60)")
        ->check(CLI::Range(1, 3600));
}

}  // namespace

void add_exercise_commands(CommandLine& line) {
    add_check(line);
    add_watch(line);
    add_hint(line);
    add_predict(line);
    add_picture(line);
    add_explain(line);
    add_diff(line);
    add_reset(line);
    add_measure(line);
    add_ptx(line);
    add_beat(line);
}

}  // namespace coalesce::learn
