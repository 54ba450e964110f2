// Tests which requests `learn run` accepts. All other requests must be refused with a one-line
// message.

#include "learn/request.h"

#include <doctest/doctest.h>

#include "base/errors.h"

using coalesce::UsageError;
using namespace coalesce::learn;
using coalesce::course::Course;

namespace {

Course small_course() {
    Course course;
    course.steps.push_back({.name = "01_copy",
                            .title = "",
                            .builds_on = "",
                            .variants = {{.name = "copy", .kernel = "", .expected_costs = {}}}});
    course.steps.push_back({.name = "02_naive",
                            .title = "",
                            .builds_on = "01_copy",
                            .variants = {{.name = "naive", .kernel = "", .expected_costs = {}},
                                         {.name = "8x32", .kernel = "", .expected_costs = {}}}});
    return course;
}
const Course COURSE = small_course();

std::string names(const RunArguments& words) {
    std::string text;
    for (auto* step : parse_request(words, COURSE).steps) text += step->name + " ";
    return text;
}

void refused(const RunArguments& words, const std::string& sentence) {
    try {
        parse_request(words, COURSE);
        FAIL("it was understood, but should be: " << sentence);
    } catch (const UsageError& error) {
        std::string message = error.what();
        CHECK_MESSAGE(message.find(sentence) != std::string::npos, message);
        CHECK(message.find('\n') == std::string::npos);
    }
}

RunArguments shape(const std::string& rows, const std::string& cols) {
    return {.steps = {"all"},
            .device = "",
            .rows = rows,
            .cols = cols,
            .variant = "",
            .json = "",
            .predicted_gpu = "",
            .predicted_shape = ""};
}
RunArguments steps(const std::vector<std::string>& words) {
    return {.steps = words,
            .device = "",
            .rows = "",
            .cols = "",
            .variant = "",
            .json = "",
            .predicted_gpu = "",
            .predicted_shape = ""};
}

}  // namespace

TEST_CASE(
    "steps are selected by number or name, and each selected step runs once, in the course's "
    "order") {
    CHECK(names(steps({"all"})) == "01_copy 02_naive ");
    CHECK(names(steps({"02", "1", "2", "02_naive"})) == "01_copy 02_naive ");
    CHECK(names(steps({"2"})) == "02_naive ");
    CHECK(names(steps({"rivals"})) == "");
}

TEST_CASE("a whole program runs only by itself, and is not included in `all`") {
    Course course = COURSE;
    course.program.emplace();
    course.program->name = "00_program";
    for (const char* word : {"0", "00", "00_program"}) {
        const RunRequest request = parse_request(steps({word}), course);
        CHECK(request.program == &*course.program);
        CHECK(request.steps.empty());
    }
    const RunRequest all = parse_request(steps({"all"}), course);
    CHECK(all.program == nullptr);
    CHECK(all.steps.size() == 2);
    CHECK_THROWS_AS(parse_request(steps({"00", "01"}), course), UsageError);
    RunArguments words = steps({"00"});
    words.variant = "naive";
    CHECK_THROWS_AS(parse_request(words, course), UsageError);
    refused(steps({"00"}), "there is no step \"00\"");
}

TEST_CASE("`all` includes the rivals on a GPU; otherwise they must be named") {
    using Rivals = RunRequest::Rivals;
    CHECK(parse_request(steps({"all"}), COURSE).rivals == Rivals::on_gpu);
    CHECK(parse_request(steps({"01"}), COURSE).rivals == Rivals::no);
    CHECK(parse_request(steps({"rivals", "all"}), COURSE).rivals == Rivals::yes);
    CHECK(parse_request(steps({"all", "rivals"}), COURSE).rivals == Rivals::yes);
}

TEST_CASE("unknown steps are refused") {
    refused(steps({}), "name the steps to run");
    for (const char* word : {"0", "3", "03_tiled", "naive", "-1", "", "02_", "002"}) {
        refused(steps({"01", word}), std::string("there is no step \"") + word + "\"");
    }
}

TEST_CASE("the shape is passed to every program") {
    std::vector<std::string> expected = {"--rows", "3", "--cols", "1000"};
    CHECK(parse_request(shape("3", "1000"), COURSE).options == expected);
    CHECK(parse_request(shape("1", "2147483647"), COURSE).options.size() == 4);
    CHECK(parse_request(shape("", ""), COURSE).options.empty());
}

TEST_CASE("impossible shapes are refused") {
    refused(shape("0", "5"), "--rows 0: must be at least 1");
    refused(shape("5", "-3"), "--cols -3: must be at least 1");
    refused(shape("99999999999", "1"), "--rows 99999999999: too large");
    refused(shape("99999999999999999999999", "1"), "too large");
    refused(shape("46341", "46341"), "has 2147488281 elements");
    for (const char* word : {"x", "1.5", "1e3", "0x10", " 5", "5 ", "+5", "5k"}) {
        refused(shape("5", word), std::string("--cols ") + word + ": not a whole number");
    }
    refused(shape("5", ""), "--rows and --cols go together");
    refused(shape("", "5"), "--rows and --cols go together");
}

TEST_CASE("the device is selected") {
    RunArguments words = steps({"all"});
    for (const char* device : {"auto", "gpu", "sim"}) {
        words.device = device;
        RunRequest request = parse_request(words, COURSE);
        CHECK(request.options == std::vector<std::string>{"--device", device});
        CHECK(request.needs_gpu == (words.device == "gpu"));
    }
    words.device = "tpu";
    refused(words, "--device tpu: unknown device; choose auto, gpu or sim");
}

TEST_CASE(
    "a requested prediction is passed to every program, and validated before any program runs") {
    RunArguments words = steps({"all"});
    words.predicted_gpu = "L4";
    words.predicted_shape = "4096x2048";
    const RunRequest request = parse_request(words, COURSE);
    CHECK(request.is_predicted);
    CHECK(request.options == std::vector<std::string>{"--time", "L4", "--at", "4096x2048"});
    CHECK_FALSE(parse_request(steps({"all"}), COURSE).is_predicted);
    words.predicted_gpu = "";
    CHECK(parse_request(words, COURSE).options == std::vector<std::string>{"--at", "4096x2048"});
    words.predicted_shape = "4096by2048";
    refused(words, "not a whole number");
    // If no shape is given, each program predicts times for the shape in its lesson's table.
    words = steps({"02"});
    words.predicted_gpu = "H200";
    CHECK(parse_request(words, COURSE).options == std::vector<std::string>{"--time", "H200"});
    words.rows = words.cols = "512";
    CHECK(parse_request(words, COURSE).options ==
          std::vector<std::string>{"--rows", "512", "--cols", "512", "--time", "H200"});
    words = steps({"all"});
    words.predicted_gpu = "02";
    refused(words, "no GPU is called \"02\"; the known GPUs are NVIDIA H200");
    words.predicted_gpu = "H200";
    words.device = "gpu";
    refused(words, "./learn validate --time");
}

TEST_CASE("an option for a variant selects the steps that have this variant") {
    RunArguments words = steps({"all"});
    words.variant = "8x32";
    CHECK(names(words) == "02_naive ");
    CHECK(parse_request(words, COURSE).options == std::vector<std::string>{"--variant", "8x32"});
    CHECK(parse_request(words, COURSE).rivals == RunRequest::Rivals::no);
    words.variant = "9x32";
    refused(words, "none of these steps has a variant \"9x32\"");
    words = steps({"01"});
    words.variant = "8x32";
    refused(words, "none of these steps has a variant");
}
