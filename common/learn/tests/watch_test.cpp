// Tests both modes of `learn watch`: with keys in a terminal, and without keys in a pipe.

#include <doctest/doctest.h>
#include <unistd.h>

#include <regex>

#include "expect.h"
#include "learn/commands.h"
#include "terminal.h"

using coalesce::Child;
using coalesce::Command;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// Saves a file like many editors: writes to a second file, and then renames it.
void save_by_renaming(const ScratchCourse& course, const std::string& file,
                      const std::string& text) {
    course.write(file + "~", text);
    fs::rename(course.path(file + "~"), course.path(file));
}

// A command whose stdin and stdout are pipes.
struct Piped {
    pid_t process = -1;
    int to = -1, from = -1;
    std::string output;

    explicit Piped(const Command& command) {
        int in[2], out[2];
        REQUIRE(pipe(in) == 0);
        REQUIRE(pipe(out) == 0);
        process = fork();
        if (process == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            for (int end : {in[0], in[1], out[0], out[1]}) close(end);
            PseudoTerminal::become(command, "xterm");
        }
        close(in[0]);
        close(out[1]);
        to = in[1];
        from = out[0];
    }
    ~Piped() {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        close(to);
        close(from);
    }
    void write(const std::string& text) const {
        REQUIRE(::write(to, text.data(), text.size()) > 0);
    }
    bool prints(const std::string& words) {
        constexpr int MILLISECONDS = 30'000;
        size_t begin = output.size();
        while (output.find(words, begin) == std::string::npos) {
            pollfd ready = {from, POLLIN, 0};
            char buffer[4096];
            if (poll(&ready, 1, MILLISECONDS) <= 0) return false;
            ssize_t count = read(from, buffer, sizeof buffer);
            if (count <= 0) return false;
            output.append(buffer, static_cast<size_t>(count));
        }
        return true;
    }
    // Stops the command. Returns the signal that ended it, or 0 if it exited.
    int end() {
        int status = 0;
        waitpid(process, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
};

}  // namespace

#define SHOWS(words) REQUIRE_MESSAGE(terminal.shows(words), terminal.all())

TEST_CASE("a session continues from the first exercise to the third") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"watch", "01"}));
    // In exercise 01, the learner starts with the original file, asks for a hint, saves a wrong
    // attempt, and then saves the correct kernel.
    SHOWS("01_copy: not yet");
    SHOWS("h hint");
    CHECK(!terminal.is_as_usual());
    terminal.type("h");
    SHOWS("01_copy, hint 1 of 4: question");
    terminal.type("h");
    SHOWS("hint 2 of 4: picture");
    save_by_renaming(course, "exercises/01_copy/kernel.cu", "__global__ void copy(float* out) {");
    SHOWS("01_copy: not yet");
    SHOWS("Next: ");
    course.solve("01_copy");
    SHOWS("01_copy: passed");
    SHOWS("./learn predict 01");  // no costs are shown before the prediction
    SHOWS("g: predict the cost, or save exercises/01_copy/kernel.cu");
    SHOWS("q quit");
    CHECK(!has(terminal.all(), "sectors per load"));
    terminal.type("g");
    SHOWS("How many sectors does this load touch?");
    terminal.type("many\n");
    SHOWS("Please enter a number");
    terminal.type("4\n");
    SHOWS("The threads then store the floats");
    terminal.type("32\n");
    SHOWS("you said 4; the count is 4: right");
    SHOWS("you said 32; the count is 4: wrong");
    SHOWS("space: back to the verdict");
    SHOWS("q quit");
    terminal.type(" ");
    SHOWS("sectors per load                       4           4           4");
    SHOWS("q quit");
    CHECK(course.progress_of("01_copy")["status"] == "done");

    // The watch stays at the passed exercise until the learner presses n.
    terminal.type("n");
    SHOWS("Waiting for you to save exercises/02_naive/kernel.cu");
    SHOWS("02_naive: not yet");
    save_by_renaming(
        course, KERNEL_02,
        ScratchCourse::solution_with("02_naive", "if (row < rows && col < cols)", "if (true)"));
    SHOWS("outside of the matrix");
    SHOWS("q quit");
    terminal.type("h");
    SHOWS("this hint is for that");
    course.solve("02_naive");
    SHOWS("02_naive: passed");
    SHOWS("q quit");
    terminal.type("p");
    SHOWS("store to `out`: 32 sectors, where 4 are enough");
    SHOWS("more: space");
    terminal.type("  ");
    SHOWS("out + 31744");
    SHOWS("q quit");

    terminal.type("n");
    SHOWS("03_tiled: not yet");
    course.write("exercises/03_tiled/kernel.cu",
                 ScratchCourse::solution_with("03_tiled", "__syncthreads();", ""));
    SHOWS("a barrier is");
    SHOWS("q quit");
    terminal.type("l");
    SHOWS("02_naive      done       not begun  Naive");
    SHOWS("more: space");
    terminal.type(" ");
    SHOWS("q quit");
    course.solve("03_tiled");
    SHOWS("03_tiled: passed");
    SHOWS("q quit");
    terminal.type("g");
    SHOWS("touch now?");
    terminal.type("4\n");
    SHOWS("does the read take?");
    terminal.type("32\n");
    SHOWS("the count is 32: right");
    SHOWS("q quit");
    terminal.type("q");
    CHECK(terminal.status() == 0);
    CHECK(terminal.is_as_usual());

    Json progress = course.learn_json({"progress", "--json"});
    CHECK(progress["points"] == 5 + 10 + 15);
    CHECK(progress["next"] == "00_program");
    CHECK(course.progress_of("01_copy")["hints"] == 2);
    CHECK(course.progress_of("01_copy")["predictions"][1]["right"] == false);
    CHECK(course.progress_of("03_tiled")["predictions"][1]["right"] == true);
}

TEST_CASE("n goes to the next exercise, and b and p explain what exercise 00 lacks") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"watch"}));
    SHOWS("00_program: not yet");
    SHOWS("q quit");
    course.solve("00_program");
    SHOWS("00_program: passed");
    SHOWS("q quit");
    terminal.type("b");
    SHOWS("00_program has no bug hunt");
    terminal.type("p");
    SHOWS("is a whole program");
    SHOWS("q quit");
    terminal.type("n");
    SHOWS("Waiting for you to save exercises/01_copy/kernel.cu");
    terminal.type("q");
    CHECK(terminal.status() == 0);
}

TEST_CASE("a long error breaks between words on a terminal, and is one line in a pipe") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"step", "00"}));
    SHOWS("--trace FILE.json\r\nrecords its steps");
    CHECK(course.learn({"step", "00"}).output.find("FILE.json records its") != std::string::npos);
}

TEST_CASE("for every exercise, the footer fits into its lines on the terminal") {
    ScratchCourse scratch;
    auto course = coalesce::course::read_course(COALESCE_REPOSITORY);
    auto all = list_exercises_and_hunts(course);
    REQUIRE(all.size() > course.steps.size());
    for (auto& exercise : all) {
        for (auto waits :
             {WatchState::save_only, WatchState::save_or_guess, WatchState::save_or_key}) {
            auto lines = lines_seen(std::regex_replace(
                watch_footer(exercise, "23:59:59", true, waits), std::regex("\n"), "\r\n"));
            CAPTURE(lines[1]);
            CAPTURE(lines[2]);
            CHECK(lines[0].empty());
            CHECK(has(lines[1], exercise.relative_file().string()));
            CHECK(has(lines[kWatchFooterLines - 1], "q quit"));
            CHECK(lines[kWatchFooterLines].empty());
        }
    }
}

TEST_CASE("e typed twice shows the solution, and b switches to the bug hunt and back") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"watch", "02"}));
    SHOWS("02_naive: not yet");
    SHOWS("b hunt");
    SHOWS("q quit");
    terminal.type("e");
    SHOWS("cannot unsee the solution");
    SHOWS("q quit");
    terminal.type("he");  // h, for a hint, comes between two presses of e
    SHOWS("hint 1 of 4");
    SHOWS("cannot unsee the solution");
    SHOWS("q quit");
    CHECK(course.progress_of("02_naive")["solution_seen"] == false);
    terminal.type("e");
    SHOWS("the solution");
    SHOWS("out[col * rows + row]");
    CHECK(course.progress_of("02_naive")["solution_seen"] == true);
    terminal.type("b");
    SHOWS("Waiting for you to save exercises/02_naive/hunt.cu");
    SHOWS("02_naive hunt: not yet");
    SHOWS("b back");
    SHOWS("q quit");
    terminal.type("b");
    SHOWS("Waiting for you to save exercises/02_naive/kernel.cu");
    SHOWS("02_naive: not yet");
    SHOWS("b hunt");
}

TEST_CASE("text that is longer than the screen is shown page by page") {
    ScratchCourse course;
    course.write(KERNEL_02, ScratchCourse::solution_with("02_naive", "col * rows + row",
                                                         "(cols - 1 - col) * rows + row"));
    PseudoTerminal terminal(course.command({"watch", "02"}));
    SHOWS("02_naive: not yet");
    SHOWS("q quit");
    terminal.type("p");
    SHOWS("more: space");
    auto first = terminal.lines();
    CHECK(has(first.front(), "warp 0 of block 0"));
    CHECK(has(first[22], "more: space"));
    terminal.type("  ");
    SHOWS("(page 2 of 3)");
    SHOWS("space: back to the verdict");
    SHOWS("q quit");
    terminal.type(" ");
    SHOWS("02_naive: not yet");
    SHOWS("q quit");
    terminal.type("p");
    SHOWS("more: space");
    CHECK(terminal.lines() == first);
    // Saving the file discards the pages that have not been shown yet.
    course.solve("02_naive");
    SHOWS("02_naive: passed");
    SHOWS("q quit");
    CHECK(has(terminal.lines().front(), "02_naive: passed"));
    size_t before = terminal.all().size();
    terminal.type(" ");
    CHECK(!terminal.shows("out + ", 300));
    CHECK(terminal.all().size() == before);
}

TEST_CASE("the verdict stays on the screen if there is enough space") {
    ScratchCourse course;
    course.solve("02_naive");
    Command watch = course.command({"watch", "02"});
    // Hide the GPU, because its measured bandwidth would lengthen the verdict.
    watch.environment.push_back("CUDA_VISIBLE_DEVICES=");
    PseudoTerminal terminal(watch);
    SHOWS("02_naive: passed");
    SHOWS("q quit");
    terminal.type("h");
    SHOWS("hint 1 of 4");
    SHOWS("q quit");
    terminal.type("e");  // shows a text longer than the screen
    SHOWS("more: space");
    CHECK(has(terminal.lines().front(), "yours"));
    terminal.type("h");
    SHOWS("hint 2 of 4");
    SHOWS("q quit");
    auto seen = terminal.lines();
    std::string all;
    for (auto& line : seen) all += line + "\n";
    CHECK_MESSAGE(has(seen.front(), "02_naive: passed"), all);
    CHECK(!has(all, "hint 1 of 4"));
    CHECK(all.find("q quit") == all.rfind("q quit"));
}

TEST_CASE("the watch continues if the file is missing, empty, damaged or saved during a check") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"watch", "02", "--plain"}));
    SHOWS("02_naive: not yet");
    fs::remove(course.path(KERNEL_02));
    SHOWS("is missing");
    course.write(KERNEL_02, "");
    SHOWS("The file is empty");
    course.write(KERNEL_02, std::string("\0\1\2\x1b[31m", 8));
    SHOWS("bytes that are not text");
    const std::string head =
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n";
    course.write(KERNEL_02,
                 head + "for (int i = 0; i >= 0; i = i % 3) out[0] = in[i];\n}" + CONFIGURE);
    SHOWS("does not end");
    // Save the file again during a check. The watch must then check the new text.
    course.write(KERNEL_02, head + "for (;;) printf(\"a flood\\n\");\n}" + CONFIGURE);
    SHOWS("checking");
    save_by_renaming(course, KERNEL_02, ScratchCourse::solution("02_naive"));
    SHOWS("02_naive: passed");
    terminal.type("r");
    SHOWS("02_naive: passed");
    // Move the exercises' folder away. It is moved back later.
    fs::rename(course.path("exercises"), course.path("elsewhere"));
    SHOWS("is missing");
    fs::rename(course.path("elsewhere"), course.path("exercises"));
    SHOWS("02_naive: passed");
    CHECK(!has(terminal.all(), "\x1b"));
    terminal.type("\x04");  // Ctrl-D
    CHECK(terminal.status() == 0);
}

// A second terminal rebuilds the program, as ./learn does after a git pull.
TEST_CASE("the watch continues when its program is rebuilt") {
    ScratchCourse course;
    fs::path copy = learn_program.parent_path() / ("learn-" + std::to_string(getpid()));
    fs::copy_file(learn_program, copy);
    Command command = course.command({"watch", "02"});
    command.program = copy;
    PseudoTerminal terminal(command);
    SHOWS("02_naive: not yet");
    SHOWS("q quit");
    fs::copy_file(learn_program, copy.string() + "-new");
    fs::rename(copy.string() + "-new", copy);
    course.solve("02_naive");
    SHOWS("02_naive: passed");
    SHOWS("q quit");
    terminal.type("p");
    SHOWS("load from `in`: 4 sectors");
    // During a build, the program does not exist for a moment. The watch must continue.
    fs::remove(copy);
    terminal.type("r");
    SHOWS("02_naive: passed");
    SHOWS("q quit");
}

TEST_CASE("after a signal, the terminal's settings are restored") {
    ScratchCourse course;
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
        CAPTURE(signal);
        PseudoTerminal terminal(course.command({"watch", "02"}));
        SHOWS("q quit");
        CHECK(!terminal.is_as_usual());
        kill(terminal.id(), signal);
        int status = terminal.status();
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == signal);
        CHECK(terminal.is_as_usual());
    }
}

TEST_CASE("Ctrl-C at a prompt ends the watch and restores the terminal") {
    ScratchCourse course;
    course.solve("02_naive");
    PseudoTerminal terminal(course.command({"watch", "02"}));
    SHOWS("g: predict the cost");
    SHOWS("q quit");
    terminal.type("g");
    SHOWS("Your prediction");
    terminal.type("\x03");
    CHECK(WIFSIGNALED(terminal.status()));
    CHECK(terminal.is_as_usual());
}

TEST_CASE("Ctrl-Z suspends the watch and restores the terminal, and fg continues the watch") {
    ScratchCourse course;
    PseudoTerminal terminal(course.command({"watch", "02"}));
    SHOWS("q quit");
    kill(terminal.id(), SIGTSTP);
    int status = 0;
    REQUIRE(waitpid(terminal.id(), &status, WUNTRACED) == terminal.id());
    CHECK(WIFSTOPPED(status));
    CHECK(terminal.is_as_usual());
    kill(terminal.id(), SIGCONT);
    SHOWS("q quit");
    CHECK(!terminal.is_as_usual());
    course.solve("02_naive");
    SHOWS("02_naive: passed");
}

TEST_CASE(
    "without a terminal there are no keys and no escape sequences, and the end of the input ends "
    "the watch") {
    ScratchCourse course;
    Command command = course.command({"watch", "02"});
    Child with_empty_input(command);
    REQUIRE(with_empty_input.wait(30'000));
    CHECK(with_empty_input.outcome().exit_code == 0);
    CHECK(has(with_empty_input.outcome().output, "02_naive: not yet"));
    CHECK(!has(with_empty_input.outcome().output, "\x1b"));
    CHECK(!has(with_empty_input.outcome().output, "q quit"));

    // As long as its input stays open, the watch runs until SIGTERM. This test also covers --poll.
    command.arguments.push_back("--poll");
    Piped watch(command);
    REQUIRE(watch.prints("02_naive: not yet"));
    course.solve("02_naive");
    CHECK(watch.prints("02_naive: passed"));
    watch.write("q\nhhh\n");  // without a terminal, keys are ignored
    course.write(KERNEL_02, "");
    CHECK(watch.prints("The file is empty"));
    kill(watch.process, SIGTERM);
    CHECK(watch.end() == SIGTERM);
}

TEST_CASE("no information is conveyed only by colour, and NO_COLOR is respected") {
    ScratchCourse course;
    Command command = course.command({"check", "02"});
    PseudoTerminal without(command);
    CHECK(without.shows("02_naive: not yet"));
    command.environment[1] = "NO_COLOR=";
    PseudoTerminal with(command);
    CHECK(with.shows("\x1b[31mnot yet\x1b[0m"));
    PseudoTerminal dumb(command, "dumb");
    CHECK(dumb.shows("02_naive: not yet"));
    command.arguments.push_back("--plain");
    PseudoTerminal plain(command);
    CHECK(plain.shows("02_naive: not yet"));
}

TEST_CASE(
    "in a terminal, check asks for predictions, and explain asks before it shows the solution") {
    ScratchCourse course;
    PseudoTerminal asked(course.command({"explain", "02"}));
    CHECK(asked.shows("[y/N]"));
    asked.type("n\n");
    CHECK(asked.shows("Hints: ./learn hint 02"));
    CHECK(WEXITSTATUS(asked.status()) == 1);
    PseudoTerminal again(course.command({"explain", "02"}));
    CHECK(again.shows("[y/N]"));
    again.type("y\n");
    CHECK(again.shows("out[col * rows + row]"));
    CHECK(again.status() == 0);

    course.solve("02_naive");
    PseudoTerminal terminal(course.command({"check", "02"}));
    CHECK(terminal.shows("Predict the costs before you see them"));
    CHECK(terminal.shows("Your prediction"));
    terminal.type("4\n");
    CHECK(terminal.shows("Your prediction"));
    terminal.type("\n");
    CHECK(terminal.shows("sectors per store                     32           4          32"));
    CHECK(terminal.shows("You predicted 4 sectors per load; the count is 4: right."));
    CHECK(terminal.status() == 0);
}
