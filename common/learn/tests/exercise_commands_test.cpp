// Tests the command on real exercises: every subcommand, and every kind of file that a learner
// might save.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <random>
#include <sstream>

#include "examiner/verdict.h"
#include "expect.h"
#include "harness/device.h"
#include "learn/state.h"
#include "learn/terminal.h"

using coalesce::Child;
using coalesce::Command;
using coalesce::ProcessResult;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// Removes all steps except the first `count`, so that commands on all steps are faster.
void keep_steps(const ScratchCourse& course, int count) {
    const fs::path all = fs::canonical(course.path("steps"));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(all)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    fs::remove(course.path("steps"));
    fs::create_directory(course.path("steps"));
    // Remove the solutions of these steps and of all exercises other than transposes.
    const fs::path solutions = fs::canonical(course.path("solutions"));
    fs::remove(course.path("solutions"));
    fs::create_directory(course.path("solutions"));
    // Also keep lesson 00, the whole program.
    for (int k = 0; k <= count; ++k) {
        fs::create_symlink(all / names[k], course.path("steps") / names[k]);
        fs::create_symlink(solutions / names[k], course.path("solutions") / names[k]);
    }
}

// Records in the progress file that ./learn has already introduced the course.
void begin(const ScratchCourse& course) {
    Progress(course.path(".learn"), [](const std::string& warning) {
        FAIL(warning);
    }).update([](State& state) { state.has_begun = true; });
}

std::string kernel_that(const std::string& body) {
    return "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n" + body +
           "}\n" + CONFIGURE;
}

}  // namespace

TEST_CASE("the help of every command fits 80 columns") {
    ScratchCourse course;
    for (std::string command :
         {"", "start", "progress", "doctor", "check", "watch", "hint", "predict", "picture",
          "explain", "diff", "reset", "measure", "ptx", "beat", "run", "list", "results", "play"}) {
        CAPTURE(command);
        std::vector<std::string> words = {"--help"};
        if (!command.empty()) words.insert(words.begin(), command);
        ProcessResult help = course.learn(words);
        CHECK(help.exit_code == 0);
        std::istringstream lines(help.output);
        for (std::string line; std::getline(lines, line);) {
            CHECK_MESSAGE(line.size() <= 80, line);
        }
    }
}

TEST_CASE("invalid arguments cause exit code 2, and a one-line message with advice") {
    ScratchCourse course;
    std::map<std::vector<std::string>, std::string> cases = {
        {{"check", "77"}, "no exercise \"77\"; ./learn list"},
        {{"check", "02", "--file", "no.cu"}, "there is no file no.cu"},
        {{"check", "all", "--file", KERNEL_02}, "--file needs the number of a single exercise"},
        {{"check", "02", "--device", "tpu"}, "no device \"tpu\""},
        {{"check", "02", "--seconds", "0"}, "--seconds takes"},
        {{"check", "02", "--colour"}, "(./learn check --help)"},
        {{"hint", "02", "--level", "5"}, "--level"},
        {{"predict", "02", "four"}, "\"four\" is not a number"},
        {{"predict", "02", "1", "2", "3"}, "3 answers for 2 open questions"},
        {{"picture", "02", "--rows", "0"}, "--rows and --cols take"},
        {{"picture", "02", "--svg", "/nonexistent/x.svg"}, "/nonexistent/x.svg cannot be written"},
        {{"diff", "01"}, "is the first step"},
        {{"ptx", "77"}, "no step \"77\"; ./learn list"},
        {{"ptx", "02", "--variant", "fast"},
         "02_naive has no variant \"fast\"; the variants are naive"},
        {{"ptx", "01", "--variant", "memcpy"}, "is host code"},
        {{"ptx", "02", "--mine", "--variant", "naive"}, "--variant shows a kernel of the lesson"},
        {{"ptx", "02", "--file", "no.cu", "--mine"}, "use only one"},
        {{"beat", "--restore", "7"}, "no attempt 7; ./learn beat --list"},
        {{"beat", "--file", "no.cu"}, "there is no file no.cu"},
        {{"beat", "--list", "--reset"}, "use only one"},
        {{"diff", "00"}, "is the first step"},
        {{"check", "00", "--hunt"}, "00_program has no bug hunt"},
        {{"predict", "00", "4"}, "nothing to predict"},
        {{"picture", "00"}, "is a whole program"},
        {{"measure", "00"}, "is a whole program"},
        {{"run", "00", "02"}, "which runs alone"},
        {{"reset"}, "EXERCISE is required"},
        {{"bench"}, "bench"},
        {{"chekc"}, "no command \"chekc\""},
    };
    for (auto& [words, sentence] : cases) {
        if (words[0] == "bench" && fs::exists(learn_program.parent_path() / "bench")) continue;
        ProcessResult outcome = expect(course, words, 2, {sentence});
        CHECK(std::ranges::count(outcome.output, '\n') == 1);
    }
}

TEST_CASE("an exercise is at first not done, then passed, and stale after an edit") {
    ScratchCourse course;
    CHECK(course.progress_of("02_naive")["status"] == "not begun");
    expect(course, {"check", "02"}, 1,
           {"02_naive: not yet", "never written", "exercises/02_naive/kernel.cu",
            "Next: ", "Again: ./learn check 02", "./learn hint 02"});
    CHECK(course.progress_of("02_naive")["status"] == "not yet");
    CHECK(course.progress_of("02_naive")["last_failure"] == "nothing-written");
    course.solve("02_naive");
    expect(course, {"check", "2"}, 0,
           {"02_naive: passed", "yours       ideal    solution", "sectors per store",
            "Time at 8192 x 8192: about", "of a copy (predicted",
            "Faster: Make the lanes of a warp write whole sectors", "Next: ./learn explain 02",
            "./learn check 02 --hunt", "./learn check 03"});
    CHECK(course.progress_of("02_naive")["status"] == "done");
    CHECK(course.progress_of("02_naive")["checks"] == 2);
    CHECK(course.progress_of("02_naive")["best_counters"]["store_requests"] == 2048);
    course.write(KERNEL_02, course.read(KERNEL_02) + "\n");
    CHECK(course.progress_of("02_naive")["status"] == "stale");
    expect(course, {"list"}, 0, {"Stale: edited since it passed. ./learn list 03"});
    expect(course, {"check", "02"}, 0, {"passed"});
    CHECK(course.progress_of("02_naive")["status"] == "done");
    const ProcessResult list =
        expect(course, {"list"}, 0, {"\n./learn list 03 lists the variants of 03."});
    CHECK_FALSE(has(list.output, "Stale"));
}

TEST_CASE("a failure shows the line, the mistake and the wrong cells") {
    ScratchCourse course;
    course.write(KERNEL_02, ScratchCourse::solution_with("02_naive", "out[col * rows + row]",
                                                         "out[row * cols + col]"));
    expect(course, {"check", "02"}, 1, {"not swapped", ">   14 |"});
    course.write(KERNEL_02, ScratchCourse::solution_with("02_naive", "col < cols", "col < 40"));
    ProcessResult outcome = expect(course, {"check", "02"}, 1, {"never written", "Next: "});
    CHECK(!has(outcome.output, ". . ."));
    CHECK(std::ranges::count(outcome.output, '\n') <= 22);
    outcome = expect(course, {"check", "02", "--map"}, 1, {"? never written", "Next: "});
    CHECK(has(outcome.output, ". . ."));
    CHECK(has(outcome.output, "? ? ?"));
    course.write(KERNEL_02, ScratchCourse::solution_with(
                                "02_naive", "if (row < rows && col < cols)", "if (true)"));
    expect(course, {"check", "02"}, 1,
           {"Seen with rows = ", ">   ", "out[col * rows + row] = in[row * cols + col];"});
    CHECK(course.progress_of("02_naive")["last_failure"] == "no-bounds-check");
}

TEST_CASE("a whole program is checked like a kernel, but has no costs") {
    ScratchCourse course;
    const std::string file = "exercises/00_program/program.cu";
    expect(course, {"check", "00"}, 1,
           {"00_program: not yet", file, "launches no kernel", "Stuck? ./learn hint 00"});
    expect(course, {"hint", "0"}, 0,
           {"not-launched; this hint is for that", "needs more than the arguments"});
    course.write(file, ScratchCourse::solution_with("00_program", "if (i < count) {", "{"));
    expect(course, {"check", "00"}, 1, {">   16 |", "there are only 1000 elements"});
    CHECK(course.progress_of("00_program")["last_failure"] == "no-bounds-check");
    course.solve("00_program");
    const ProcessResult passed =
        expect(course, {"check", "00"}, 0,
               {"00_program: passed", "correct with 4 element counts", "check 01"});
    CHECK(!has(passed.output, "Counted at"));
    CHECK(course.progress_of("00_program")["status"] == "done");
    const ProcessResult explained =
        expect(course, {"explain", "00"}, 0, {"Your kernel and the solution are the same"});
    CHECK(!has(explained.output, "picture"));
    expect(course, {"reset", "00"}, 0, {"its original text again", "./learn watch 00"});
    CHECK(has(course.read(file), "TODO: launch reverse"));
}

TEST_CASE("for every file that a learner might save, the message is clear and no text is lost") {
    ScratchCourse course;
    course.solve("01_copy");
    REQUIRE(course.learn({"check", "01"}).exit_code == 0);

    struct Case {
        std::string text, id, words;
    };
    const std::vector<Case> cases = {
        {"", "file-empty", "empty"},
        {" \n\n", "file-empty", "empty"},
        {std::string("\x7f"
                     "ELF\0\1\2\x1b[2J\xff",
                     12),
         "file-binary", "not text"},
        {kernel_that("    out[0] = nothing;\n"), "does-not-compile", "kernel.cu:2"},
        {kernel_that("    for (int i = 0; i >= 0; i = i % 3) out[0] = in[i];\n"), "endless-loop",
         "does not end"},
        {kernel_that("    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) return;\n"
                     "    for (int i = 0; i < 1000000; i++) printf(\"line %d\\n\", i);\n"),
         "endless-loop", "... (the rest is not shown)"},
        {kernel_that("    out[1 << 24] = 1;\n"), "out-of-bounds", ">    2 |"},
        {kernel_that("    __shared__ volatile int flag;\n    flag = 0;\n    __syncthreads();\n"
                     "    while (flag == 0) {\n    }\n    out[0] = in[0];\n"),
         "deadlock", "never happens"},
        {"__global__ void turn(float* out, const float* in, int rows, int cols) {}\n" + CONFIGURE,
         "kernel-missing", "transpose"},
        {kernel_that("    __trap();\n"), "assertion-failed", "kernel.cu"},
    };
    for (auto& one : cases) {
        CAPTURE(one.id);
        course.write(KERNEL_02, one.text);
        ProcessResult outcome =
            expect(course, {"check", "02"}, 1,
                   {"02_naive: not yet", "exercises/02_naive/kernel.cu", "Next: ", one.words});
        CHECK(!has(outcome.output, "\x1b"));
        CHECK(std::ranges::count(outcome.output, '\n') < 80);
        CHECK(course.progress_of("02_naive")["last_failure"] == one.id);
        CHECK(course.progress_of("01_copy")["status"] == "done");
    }
    fs::remove(course.path(KERNEL_02));
    expect(course, {"check", "02"}, 1, {"no such file", "./learn reset"});
    fs::create_directory(course.path(KERNEL_02));
    expect(course, {"check", "02"}, 1, {"folder"});
    expect(course, {"explain", "02", "--yes"}, 2, {"cannot be read"});
    expect(course, {"reset", "02"}, 2, {"not an ordinary file"});
    CHECK(course.progress_of("01_copy")["status"] == "done");
}

TEST_CASE("check names the change that makes a kernel pass, if the rules leave the cause open") {
    ScratchCourse course;
    std::string text = ScratchCourse::solution("17_reduction");
    const std::string right = "in[row * cols + col]";
    REQUIRE(has(text, right));
    text.replace(text.find(right), right.size(), "in[row * cols + lane]");
    course.write("mine.cu", text);
    const std::vector<std::string> words = {"check", "17", "--file", "mine.cu"};
    const ProcessResult shown = expect(course, words, 1, {"17_reduction: not yet"});
    std::vector<std::string> json_words = words;
    json_words.push_back("--json");
    const Json verdict =
        Json::parse(expect(course, json_words, 1, {"verdict"}).output)["results"][0]["verdict"];
    CHECK(verdict["failures"][0]["id"] == "wrong-elements");
    // Only NVRTC compiles fast enough for a search.
    if (!verdict["compiler"].get<std::string>().starts_with("NVRTC")) return;
    CHECK(has(shown.output, "where `col` would make the kernel pass every check"));
    CHECK(has(shown.output, "found by trying small changes"));
    CHECK(std::ranges::count(shown.output, '\n') <= 22);
    CHECK(verdict["passing_change"]["before"] == "lane");
    CHECK(verdict["passing_change"]["after"] == "col");
}

TEST_CASE("check supports other files, bug hunts, all exercises and JSON") {
    ScratchCourse course;
    course.write("mine.cu", ScratchCourse::solution("03_tiled"));
    expect(course, {"check", "03", "--file", "mine.cu"}, 0, {"passed", "--file mine.cu"});
    CHECK(course.progress_of("03_tiled")["status"] == "not begun");

    expect(course, {"check", "02", "--hunt"}, 1, {"02_naive hunt: not yet", "hunt.cu"});
    course.write("exercises/02_naive/hunt.cu", ScratchCourse::solution("02_naive", "hunt.cu"));
    expect(course, {"check", "02", "--hunt"}, 0, {"02_naive hunt: passed"});
    CHECK(course.progress_of("02_naive", true)["status"] == "done");
    CHECK(course.progress_of("02_naive", false)["status"] == "not begun");

    ProcessResult one = course.learn({"check", "02", "--json"});
    CHECK(one.exit_code == 1);
    Json json = Json::parse(one.output);
    CHECK(json["passed"] == false);
    CHECK(json["results"][0]["outcome"] == "not-yet");
    CHECK(json["results"][0]["verdict"]["failures"][0]["id"] == "nothing-written");

    keep_steps(course, 3);
    const auto all_there_is = coalesce::course::read_course(course.path(""));
    const auto exercises = list_exercises(all_there_is);
    REQUIRE(exercises.size() == 4);  // three exercises and lesson 00
    for (auto& exercise : exercises) course.solve(exercise.step->name);
    course.write(KERNEL_02, "");
    std::string all_but_one = std::to_string(exercises.size() - 1) + " of " +
                              std::to_string(exercises.size()) + " passed";
    expect(course, {"check", "all"}, 1, {"01_copy             passed", "file-empty", all_but_one});
    course.solve("02_naive");
    ProcessResult all = course.learn({"check", "all", "--json"});
    CHECK(all.exit_code == 0);
    CHECK(Json::parse(all.output)["results"].size() == exercises.size());
    begin(course);
    expect(course, {"start"}, 0, {"All exercises are done"});
    expect(course, {"check"}, 2, {"all exercises are done"});
}

TEST_CASE("a check that cannot run never passes") {
    ScratchCourse course;
    course.solve("02_naive");
    // At first, the folder contains only the command. Scripts that replace other programs are added
    // below.
    fs::path bin = course.path("bin");
    fs::create_directories(bin);
    fs::copy_file(learn_program, bin / "learn");
    fs::path checks = bin / "exercise_checks";
    auto check = [&](const std::vector<std::string>& more = {}) {
        Command command = course.command({"check", "02"});
        command.program = bin / "learn";
        command.arguments.insert(command.arguments.end(), more.begin(), more.end());
        Child child(command);
        REQUIRE(child.wait(60'000));
        return child.outcome();
    };
    auto program = [&](const std::string& script) {
        fs::remove(checks);
        course.write("bin/exercise_checks", "#!/bin/sh\n" + script + "\n");
        fs::permissions(checks, fs::perms::owner_all);
    };
    ProcessResult outcome = check();
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "has not been built; ./learn build builds it"));

    coalesce::Verdict passed, failed;
    passed.outcome = coalesce::Verdict::Outcome::passed;
    failed.outcome = coalesce::Verdict::Outcome::failed;
    course.write("passed.json", coalesce::to_json(passed));
    course.write("failed.json", coalesce::to_json(failed));
    course.write("slip.json", "{\"passd\": true}");
    auto says = [&](const std::string& name) {
        return "cp " + course.path(name).string() + " \"$COALESCE_VERDICT\"; ";
    };
    program(says("passed.json") + "exit 0");
    CHECK(check().exit_code == 0);
    for (std::string script :
         {std::string("exit 0"), std::string("echo ok; exit 1"), std::string("kill -SEGV $$"),
          std::string("echo nonsense >\"$COALESCE_VERDICT\"; exit 0"), says("slip.json") + "exit 0",
          says("passed.json") + "exit 1", says("failed.json") + "exit 0",
          says("passed.json") + "kill -9 $$"}) {
        CAPTURE(script);
        program(script);
        outcome = check();
        CAPTURE(outcome.output);
        CHECK(outcome.exit_code == 2);
        CHECK(has(outcome.output, "could not be examined"));
    }
    program("kill -SEGV $$");
    CHECK(has(check().output, "was killed by signal 11"));
    program("sleep 100");
    outcome = check({"--seconds", "1"});
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "it took"));
    // A check that could not run must not be counted.
    CHECK(course.progress_of("02_naive")["checks"] == 1);
}

TEST_CASE("there are four levels of hints, which match the current failure") {
    ScratchCourse course;
    expect(course, {"hint", "02"}, 0, {"hint 1 of 4: question", "Nothing has been checked yet"});
    expect(course, {"hint", "02"}, 0, {"hint 2 of 4: picture"});
    course.write(KERNEL_02, ScratchCourse::solution_with(
                                "02_naive", "if (row < rows && col < cols)", "if (true)"));
    REQUIRE(course.learn({"check", "02"}).exit_code == 1);
    expect(course, {"hint", "02"}, 0,
           {"hint 1 of 4: question", "found no-bounds-check; this hint is for that", "77 x 45"});
    expect(course, {"hint", "02", "--level", "4"}, 0, {"hint 4 of 4: line", "row < rows"});
    expect(course, {"hint", "02"}, 0, {"There are no more hints", "./learn explain 02"});
    CHECK(course.progress_of("02_naive")["hints"] == 6);
    expect(course, {"hint", "02", "--hunt"}, 0, {"02_naive hunt, hint 1 of 4"});
}

TEST_CASE("a prediction can be made only once, and is compared with the learner's own counters") {
    ScratchCourse course;
    expect(course, {"predict", "02", "8"}, 0, {"you said 8", "not asked yet"});
    expect(course, {"predict", "02", "32"}, 0, {"you said 8", "you said 32", "once it passes"});
    expect(course, {"predict", "02", "4"}, 2, {"answered all questions about 02_naive"});
    course.solve("02_naive");
    expect(course, {"check", "02"}, 0,
           {"You predicted 8 sectors per load; the count is 4: wrong.",
            "You predicted 32 sectors per store; the count is 32: right."});
    Json predictions = course.progress_of("02_naive")["predictions"];
    CHECK(predictions[0]["right"] == false);
    CHECK(predictions[1]["right"] == true);
    CHECK(predictions[1]["fact"] == 32.0);
    expect(course, {"progress"}, 0, {"1 of 2 predictions right"});
    // The learner has now seen the costs, so they can no longer be predicted.
    course.solve("03_tiled");
    expect(course, {"check", "03"}, 0, {"passed"});
    expect(course, {"predict", "03", "4"}, 2, {"answered all questions about 03_tiled"});
    expect(course, {"predict", "01", "4"}, 0, {"you said 4", "not asked yet"});
    expect(course, {"predict", "01", "4", "4"}, 2, {"2 answers for 1 open question;"});
    expect(course, {"predict", "03"}, 0, {"no guess; the count is 4"});
}

// Returns the predicted speed of a solution, as a percentage of the copy's speed.
double percent_of_copy(const ScratchCourse& course, const std::string& number,
                       const std::string& step) {
    const Json checked = course.learn_json(
        {"check", number, "--json", "--file", "solutions/" + step + "/kernel.cu"});
    const Json& predicted = checked.at("results").at(0).at("verdict").at("predicted");
    return std::round(100 * predicted.at("gbps").get<double>() /
                      predicted.at("copy_gbps").get<double>());
}

TEST_CASE(
    "a prediction of the speed is compared with the time model's prediction for a named GPU") {
    ScratchCourse course;
    expect(course, {"predict", "05", "4", "1", "50"}, 0,
           {"percent of a copy's speed: you said 50", "once it passes"});
    course.solve("05_coarsened");
    expect(course, {"check", "05"}, 0,
           {"You predicted 50 percent of a copy's speed; the model predicts", "(predicted,"});
    const Json guess = course.progress_of("05_coarsened")["predictions"][2];
    CHECK(guess["right"] == false);
    CHECK(guess["fact"] == percent_of_copy(course, "05", "05_coarsened"));
    const coalesce::ProcessResult shown = course.learn({"predict", "05"});
    CHECK(has(shown.output, "(predicted,"));
    std::istringstream lines(shown.output);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    // A learner who has passed without a guess can no longer predict the time, but is shown the
    // model's time.
    course.solve("04_padded");
    expect(course, {"check", "04"}, 0, {"passed"});
    expect(course, {"predict", "04"}, 0, {"no guess; the model predicts"});
}

// Checks that the answer in the book is a whole number and correct for the solution.
TEST_CASE("each prediction has one answer, which is a whole number") {
    ScratchCourse course;
    for (auto& step : coalesce::course::read_course(COALESCE_REPOSITORY).steps) {
        std::vector<std::string> words = {"predict", step.number()};
        for (auto& prediction : step.exercise->predictions) {
            CAPTURE(prediction.question);
            double answer = prediction.counter == coalesce::kCopyPercentQuestion
                                ? percent_of_copy(course, step.number(), step.name)
                                : step.variants.front().expected_costs.at(prediction.counter);
            CHECK(answer == std::round(answer));
            words.push_back(std::to_string(std::lround(answer)));
            // Only questions with the word "about" may accept inexact answers.
            bool is_about =
                has(prediction.question, "About ") || has(prediction.question, "about ");
            CHECK(is_about == (prediction.tolerance > coalesce::kRoundingTolerance));
            CHECK(prediction.question.find('?') == prediction.question.rfind('?'));
        }
        expect(course, words, 0, {"you said"});
        course.solve(step.name);
        CAPTURE(step.name);
        REQUIRE(course.learn({"check", step.number()}).exit_code == 0);
        for (auto& guess : course.progress_of(step.name)["predictions"]) {
            CHECK_MESSAGE(guess["right"] == true, guess.dump());
        }
    }
    expect(course, {"predict", "11"}, 0, {"you said 4", "on average: right"});
}

TEST_CASE("picture draws the memory that the learner's kernel accesses, as text and as SVG") {
    ScratchCourse course;
    course.solve("03_tiled");
    expect(course, {"picture", "03"}, 0,
           {"load from `in`: 4 sectors", "load from shared memory: 32 wavefronts",
            "exercises/03_tiled/kernel.cu:"});
    expect(course, {"picture", "03", "--svg", "warp.svg"}, 0, {"warp.svg"});
    CHECK(has(course.read("warp.svg"), "<svg"));
    course.write("exercises/03_tiled/kernel.cu", "");
    expect(course, {"picture", "03"}, 1, {"empty", "Again: ./learn picture 03"});
}

TEST_CASE(
    "explain asks before it shows the solution, and explains the costs after the exercise has "
    "passed") {
    ScratchCourse course;
    ProcessResult refused = expect(course, {"explain", "02"}, 1, {"has not passed yet", "--yes"});
    CHECK(!has(refused.output, "out[col * rows + row]"));
    CHECK(course.progress_of("02_naive")["solution_seen"] == false);
    expect(course, {"explain", "02", "--yes"}, 0, {"+ ", "out[col * rows + row]"});
    CHECK(course.progress_of("02_naive")["solution_seen"] == true);
    course.solve("03_tiled");
    REQUIRE(course.learn({"check", "03"}).exit_code == 0);
    expect(
        course, {"explain", "03"}, 0,
        {"Your kernel and the solution are the same", "What each line of your kernel costs",
         "takes 32 wavefronts, but 1 would be", "No byte is wasted", "Time at 8192 x 8192: about",
         "one multiprocessor", "wait for loads", "A warp lives about"});
    CHECK(course.progress_of("03_tiled")["solution_seen"] == false);
}

TEST_CASE("diff shows what a step changes in lessons and in the learner's kernels") {
    ScratchCourse course;
    const ProcessResult refused =
        expect(course, {"diff", "04"}, 1,
               {"04_padded has not passed yet", "./learn diff 04 --mine", "./learn diff 04 --yes"});
    CHECK(!has(refused.output, "TILE_DIM + "));
    for (const char* step : {"02_naive", "03_tiled", "04_padded"}) course.solve(step);
    expect(course, {"diff", "03", "--mine"}, 0, {"+     __syncthreads();"});
    // The kernel of the previous step must be the solution of that step's exercise.
    REQUIRE(course.learn({"check", "04"}).exit_code == 0);
    expect(course, {"diff", "04"}, 1, {"03_tiled has not passed yet"});
    REQUIRE(course.learn({"check", "03"}).exit_code == 0);
    expect(course, {"diff", "04"}, 0,
           {"- are only in 03_tiled", "+ are only in 04_padded:", "TILE_DIM + "});
    expect(course, {"diff", "02", "--yes"}, 0,
           {"- are only in 01_copy", "+ are only in 02_naive:"});
    CHECK(course.progress_of("02_naive")["solution_seen"] == true);
}

TEST_CASE("reset saves the learner's text") {
    ScratchCourse course;
    const std::string blank = course.read(KERNEL_02);
    expect(course, {"reset", "02"}, 0, {"already has its original text"});
    for (std::string mine : {"mine", "mine again"}) {
        course.write(KERNEL_02, mine);
        ProcessResult outcome =
            expect(course, {"reset", "02"}, 0, {"was saved as .learn/copies/02_naive/"});
        CHECK(course.read(KERNEL_02) == blank);
        size_t begin = outcome.output.find(".learn/");
        CHECK(course.read(outcome.output.substr(begin, outcome.output.find('\n') - begin)) == mine);
    }
    fs::remove(course.path(KERNEL_02));
    expect(course, {"reset", "02"}, 0, {"its original text again"});
    CHECK(course.read(KERNEL_02) == blank);
    // If the text cannot be saved, the file must not be reset.
    course.write(KERNEL_02, "precious");
    fs::remove_all(course.path(".learn/copies"));
    course.write(".learn/copies", "in the way");
    expect(course, {"reset", "02"}, 2, {"was not changed"});
    CHECK(course.read(KERNEL_02) == "precious");
}

TEST_CASE("progress, list and doctor print the learner's progress") {
    ScratchCourse course;
    ProcessResult list = expect(course, {"list"}, 0,
                                {"00_program    not begun  -          A whole program",
                                 "01_copy       not begun  not begun  Copy: the ceiling\n",
                                 "Asynchronous copies: pipelines, and when ...\n"});
    CHECK(height_of(list.output, 80) == std::ranges::count(list.output, '\n'));
    CHECK(height_of(list.output, 80) <= 23);
    expect(course, {"list", "02"}, 0, {"transpose_naive"});
    for (auto& step : coalesce::course::read_course(COALESCE_REPOSITORY).steps) {
        std::string output = course.learn({"list", step.number()}).output;
        CHECK_MESSAGE(height_of(output, 80) == std::ranges::count(output, '\n'), output);
    }
    expect(course, {"progress"}, 0, {"0 of ", "02_naive hunt", "Stale: "});
    Json progress = course.learn_json({"progress", "--json"});
    CHECK(progress["next"] == "00_program");
    const auto all = coalesce::course::read_course(COALESCE_REPOSITORY);
    // Every exercise except lesson 00 has a bug hunt.
    CHECK(progress["exercises"].size() ==
          1 + 2 * all.steps.size() + 2 * all.beyond_exercises.size());
    CHECK(course.learn_json({"list", "--json"}) == progress);
    expect(course, {"doctor"}, 0, {"compiler", "GPU", "simulator", "can be checked here"});
    CHECK(course.learn_json({"doctor", "--json"})["works"] == true);
    expect(course, {"measure", "02", "--device"}, 2, {"--device"});
    if (!coalesce::find_gpu_problem().empty()) {
        ProcessResult outcome =
            expect(course, {"measure", "02"}, 2,
                   {"only on a real GPU, and none works here", "./learn check 02"});
        CHECK(!has(outcome.output, "--device"));
    }
}

TEST_CASE("a lesson and its questions are shown in the terminal") {
    ScratchCourse course;
    const ProcessResult lesson = expect(course, {"read", "02"}, 0, {"02 Naive", "Answers (folded"});
    std::istringstream lines(lesson.output);
    for (std::string line; std::getline(lines, line);) CHECK(line.find("<!--") == line.npos);
    expect(course, {"read", "02", "--answers"}, 0, {"__global__ void transpose_naive"});
    expect(course, {"read", "99"}, 2, {"there is no lesson"});
    expect(course, {"predict", "00"}, 0, {"A block has 256 threads", "  3  "});
}

TEST_CASE("only the first call of ./learn introduces the course") {
    ScratchCourse course;
    keep_steps(course, 2);
    expect(course, {}, 0,
           {"This course makes one program faster", "Next: 00_program", "./learn read 00",
            "./learn watch 00", "./learn run all"});
    course.solve("00_program");
    REQUIRE(course.learn({"check", "00"}).exit_code == 0);
    ProcessResult second =
        expect(course, {}, 0, {"You have 10 of ", "Next: 01_copy", "./learn watch 01"});
    CHECK(!has(second.output, "This course"));
}

TEST_CASE("a damaged progress file is renamed, and a message is printed") {
    ScratchCourse course;
    fs::create_directories(course.path(".learn"));
    course.write(".learn/state.json", "{ half a file");
    expect(course, {"progress"}, 0, {"is damaged", "state.json.broken-1", "0 of "});
    CHECK(course.read(".learn/state.json.broken-1") == "{ half a file");
    course.write(".learn/verdicts", "in the way");
    expect(course, {"check", "02"}, 1, {"02_naive: not yet"});
}

TEST_CASE("killing a check at any moment does not lose any data") {
    constexpr int KILLS = 15;
    ScratchCourse course;
    course.solve("01_copy");
    REQUIRE(course.learn({"check", "01"}).exit_code == 0);
    std::mt19937 random(7);
    int before = 0;
    for (int i = 0; i < KILLS; ++i) {
        {
            Child child(course.command({"check", "02"}));
            usleep(random() % 200'000);
            child.stop();
        }
        Json progress = course.learn_json({"progress", "--json"});
        CHECK(progress["exercises"][1]["status"] == "done");
        int checks = progress["exercises"][3]["checks"];
        CHECK(checks >= before);
        before = checks;
    }
    course.solve("02_naive");
    CHECK(course.learn({"check", "02"}).exit_code == 0);
    for (auto& entry : fs::directory_iterator(course.path(".learn"))) {
        CHECK(!has(entry.path().filename().string(), "broken"));
    }
}

TEST_CASE("leftovers of killed checks are removed, but other files are not") {
    ScratchCourse course;
    // If the learner's folder cannot be created, verdicts are written to the temporary folder,
    // which other programs also use.
    fs::create_directories(course.path("tmp/empty-999999999"));
    for (std::string name : {"notes.999999999", "02_naive.json.mine", "03_tiled.json.999999999"})
        course.write("tmp/" + name, "not a verdict");
    std::string mine = "tmp/02_naive.json." + std::to_string(getpid());
    course.write(mine, "of a check that is under way");
    course.write("tmp/02_naive.json.999999999", "left over");
    fs::remove_all(course.path(".learn"));
    course.write(".learn", "in the way");
    Command command = course.command({"check", "02"});
    command.environment.push_back("TMPDIR=" + course.path("tmp").string());
    Child child(command);
    REQUIRE(child.wait(60'000));
    CHECK(has(child.outcome().output, "02_naive"));
    CHECK(!fs::exists(course.path("tmp/02_naive.json.999999999")));
    for (std::string name :
         {"empty-999999999", "notes.999999999", "02_naive.json.mine", "03_tiled.json.999999999"}) {
        INFO(name);
        CHECK(fs::exists(course.path("tmp/" + name)));
    }
    CHECK(fs::exists(course.path(mine)));
}

TEST_CASE("output has colours only if it goes to a terminal that supports them") {
    ScratchCourse course;
    for (auto& words : std::vector<std::vector<std::string>>{
             {"check", "02"}, {"progress"}, {"list"}, {"doctor"}, {"hint", "02"}}) {
        CHECK(!has(course.learn(words).output, "\x1b"));
    }
}
