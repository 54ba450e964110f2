// Tests the open exercise: the ranking of attempts, and the command `learn beat`.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>

#include "base/text.h"
#include "expect.h"
#include "learn/attempts.h"
#include "learn/commands.h"

using coalesce::lines_of;
using coalesce::Predicted;
using coalesce::ProcessResult;
using coalesce::read_if_exists;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

const std::string FILE_OF_LEARNER = "exercises/beat/kernel.cu";

/// Returns the words of a text, separated by single spaces.
std::string in_one_line(const std::string& text) {
    std::istringstream stream(text);
    std::string line;
    for (std::string word; stream >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

std::vector<Attempt> attempts_in(const ScratchCourse& course) {
    setenv("COALESCE_COURSE", course.path("").c_str(), 1);
    return Attempts([](const std::string& warning) { FAIL(warning); }).read();
}

ProcessResult expect_words(const ScratchCourse& course, const std::vector<std::string>& words,
                           int code, const std::vector<std::string>& parts) {
    ProcessResult outcome = course.learn(words);
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == code);
    // Compare only the words, because numbers of different widths lead to different line breaks.
    const std::string words_of_output = in_one_line(outcome.output);
    for (auto& part : parts) CHECK_MESSAGE(has(words_of_output, in_one_line(part)), part);
    for (const std::string& line : lines_of(outcome.output)) {
        // Only lines with file names may be longer than 80 columns.
        CHECK_MESSAGE((line.size() <= 80 || has(line, "kernel.cu") || has(line, ".learn/")), line);
    }
    return outcome;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const size_t place = text.find(from);
    if (place == std::string::npos) throw std::runtime_error("there is no " + from);
    return text.replace(place, from.size(), to);
}

Predicted time_of(double ms, double band) {
    Predicted predicted;
    predicted.ms = ms;
    predicted.error_band = band;
    return predicted;
}

Attempt attempt(int number, std::optional<double> ms) {
    Attempt one;
    one.number = number;
    one.ms = ms;
    one.made_at = "2026-01-31T12:00:00Z";
    one.hash = std::to_string(number);
    return one;
}

}  // namespace

TEST_CASE("times that differ by less than the larger error band rank as equal") {
    CHECK(compare_speed(time_of(1.07, .08), time_of(1, .08)) == RelativeSpeed::level);
    CHECK(compare_speed(time_of(.93, .08), time_of(1, .08)) == RelativeSpeed::level);
    CHECK(compare_speed(time_of(1.09, .08), time_of(1, .08)) == RelativeSpeed::slower);
    CHECK(compare_speed(time_of(.91, .08), time_of(1, .08)) == RelativeSpeed::faster);
    CHECK(compare_speed(time_of(1.2, .3), time_of(1, .08)) == RelativeSpeed::level);
    CHECK(compare_speed(time_of(.8, .08), time_of(1, .3)) == RelativeSpeed::level);
}

TEST_CASE("the table lists the fastest attempt first, with the change since the previous attempt") {
    std::vector<Attempt> attempts = {attempt(1, 2), attempt(2, std::nullopt), attempt(3, 1),
                                     attempt(4, 1.5)};
    attempts[2].is_uncertain = true;
    attempts[0].load = 4;
    attempts[0].store = 32;
    const Attempt other = attempt(0, 1.25);
    const std::vector<std::string> lines = lines_of(format_attempts(attempts, &other, "the_other"));
    REQUIRE(lines.size() == 7);
    CHECK(lines[2] == "   3   1.0000?     0 %      0 %               -      -  01-31 12:00");
    CHECK(lines[3] == "        1.2500     0 %      0 %               -      -  the_other");
    CHECK(lines[4] == "   4    1.5000     0 %      0 %    +50 %      -      -  01-31 12:00");
    CHECK(lines[5] == "   1    2.0000     0 %      0 %               4     32  01-31 12:00");
    CHECK(lines[6] == "   2         -       -        -               -      -  01-31 12:00");

    // Measured attempts must rank above predicted ones.
    attempts[0].measured_ms = 3;
    const std::vector<std::string> measured = lines_of(format_attempts(attempts, nullptr, ""));
    CHECK(has(measured[1], "measured  when"));
    CHECK(has(measured[2], "   3.0000  01-31 12:00"));
    for (const std::string& line : measured) CHECK(line.size() <= 80);
}

TEST_CASE("attempts can be predicted, ranked, stored and restored") {
    ScratchCourse course;
    expect_words(course, {"beat", "--list"}, 0, {"You have not made any attempts yet"});
    expect_words(
        course, {"beat"}, 0,
        {FILE_OF_LEARNER + " is your file for this exercise", "beat: right on all shapes",
         "Time at 8192 x 8192: about ", "(predicted, NVIDIA H200, within ",
         "Slower than 10_registers", "fastest first", "10_registers", "./learn beat --restore N"});
    const std::string blank = course.read(FILE_OF_LEARNER);
    CHECK(blank == beat_starting_text());

    // An incorrect kernel must be refused with its failure, and must not be stored.
    const std::string store = "out[col * rows + row]";
    course.write(FILE_OF_LEARNER, with(blank, store, "out[row * cols + col]"));
    expect_words(course, {"beat"}, 1,
                 {"beat: not right yet", "not swapped", "Again: ./learn beat"});
    course.write(FILE_OF_LEARNER, "nothing\n");
    expect_words(course, {"beat"}, 1, {"beat: not right yet", "kernel.cu"});
    CHECK(attempts_in(course).size() == 1);

    course.write(FILE_OF_LEARNER, ScratchCourse::solution("10_registers"));
    const ProcessResult level = expect_words(
        course, {"beat"}, 0, {"as fast as 10_registers, within the error of the model"});
    const std::vector<Attempt> attempts = attempts_in(course);
    REQUIRE(attempts.size() == 2);
    CHECK(*attempts[1].ms < *attempts[0].ms);
    CHECK(level.output.find("\n   2 ") < level.output.find("\n   1 "));
    // The open exercise must not change the progress of the course.
    CHECK(!fs::exists(course.path(".learn/state.json")));
    // Trying the same source again must not add an attempt.
    expect_words(course, {"beat"}, 0, {"as fast as"});
    CHECK(attempts_in(course).size() == 2);

    // Restoring an attempt must first save the current text.
    expect_words(course, {"beat", "--restore", "1"}, 0,
                 {"Your version was saved as", "now contains attempt 1."});
    CHECK(course.read(FILE_OF_LEARNER) == blank);
    expect_words(course, {"beat", "--restore", "1"}, 0, {"already contains attempt 1."});
    course.write(".learn/copies/beat/" + attempts[1].hash + ".cu", "something else");
    expect_words(course, {"beat", "--restore", "2"}, 2, {"the source of attempt 2 is lost"});
    course.write(FILE_OF_LEARNER, "mine\n");
    expect_words(course, {"beat", "--reset"}, 0, {"was saved as", "its original text."});
    CHECK(course.read(FILE_OF_LEARNER) == blank);
}

TEST_CASE("beat --file predicts a different file, and stores no attempt for it") {
    ScratchCourse course;
    course.write("mine.cu", with(beat_starting_text(), "    if (row < rows",
                                 "    if (rows < 0) printf(\"never\");\n    if (row < rows"));
    expect_words(course, {"beat", "--file", "mine.cu"}, 0,
                 {"right on all shapes", "Slower than 10_registers"});
    CHECK(attempts_in(course).empty());
    CHECK(!fs::exists(course.path(FILE_OF_LEARNER)));
}

TEST_CASE("a damaged table of attempts is renamed, and a message is printed") {
    ScratchCourse course;
    fs::create_directories(course.path(".learn"));
    course.write(".learn/beat.json", "{ half a file");
    expect_words(course, {"beat", "--list"}, 0,
                 {"beat.json.broken-1", "You have not made any attempts yet"});
    CHECK(course.read(".learn/beat.json.broken-1") == "{ half a file");
    course.write(".learn/beat.json", "{\"format\": 2}");
    expect_words(course, {"beat", "--list"}, 0, {"newer version of this command"});
    CHECK(course.read(".learn/beat.json") == "{\"format\": 2}");
}

TEST_CASE("a kill at any moment leaves only complete attempts, each of which has its source") {
    constexpr int KILLS = 30, BUSY = 10, MOST = 1000;
    ScratchCourse course;
    attempts_in(course);  // sets COALESCE_COURSE for the code below
    std::mt19937 random(1);
    int killed_busy = 0;
    size_t before = 0;
    // On a busy computer, many child processes are killed before they have stored anything. Such
    // kills prove nothing, so try again and allow more time.
    for (int i = 0; i < KILLS || (killed_busy < BUSY && i < MOST); ++i) {
        const pid_t child = fork();
        if (child == 0) {
            Attempts attempts([](const std::string&) {});
            for (int k = 0;; ++k) {
                const std::string text = std::to_string(i) + " " + std::to_string(k);
                Attempt one = attempt(0, 1);
                one.hash = hash_source(text);
                attempts.store_attempt(one, text);
            }
        }
        usleep(random() % static_cast<unsigned>(20'000 + 2'000 * i));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const auto attempts = attempts_in(course);  // throws if the file is incomplete
        REQUIRE(attempts.size() >= before);
        killed_busy += attempts.size() > before;
        before = attempts.size();
    }
    CHECK(killed_busy >= BUSY);
    int number = 0;
    for (const Attempt& one : attempts_in(course)) {
        CHECK(one.number == ++number);
        const auto text = read_if_exists(Attempts::copy_path(one));
        REQUIRE(text);
        CHECK(hash_source(*text) == one.hash);
    }
}
