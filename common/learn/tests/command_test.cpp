// Tests the exit codes and messages of the command with various arguments, and that a refused
// request runs nothing.

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "examiner/course/course.h"
#include "expect.h"
#include "learn/json_file.h"

using coalesce::ProcessResult;
using coalesce::run_to_end;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// Runs `learn WORDS`, and returns its exit code and output (stdout and stderr together).
ProcessResult run_learn(const std::string& words) {
    return run_to_end({.program = "/bin/sh",
                       .arguments = {"-c", learn_program.string() + " " + words + " 2>&1"}});
}

// The name of a file that does not exist. The destructor removes the file if it was created.
struct JsonPath {
    fs::path path = fs::temp_directory_path() / ("command-" + std::to_string(getpid()) + ".json");
    ~JsonPath() { fs::remove(path); }
    std::string option() const { return " --json " + path.string(); }
};

// Checks that the command refuses the request with a one-line message and exit code 2, and does not
// create the file.
void is_refused(const std::string& words, const std::string& sentence) {
    JsonPath json;
    ProcessResult outcome = run_learn(words + json.option());
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, sentence));
    CHECK(std::ranges::count(outcome.output, '\n') == 1);
    CHECK(!fs::exists(json.path));
}

}  // namespace

TEST_CASE("play refuses an invalid port before it serves pages") {
    for (const char* words :
         {"play --port 65536", "play --port -1", "play --port web", "play 8237"}) {
        CAPTURE(words);
        const ProcessResult refused = run_learn(words);
        CHECK(refused.exit_code == 2);
        CHECK(has(refused.output, "(./learn play --help)"));
    }
}

TEST_CASE("help prints the options, and list prints all steps and variants") {
    CHECK(run_learn("--help").exit_code == 0);
    CHECK(has(run_learn("run --help").output, "--device"));
    ProcessResult list = run_learn("list");
    CHECK(list.exit_code == 0);
    for (auto& step : coalesce::course::read_course(COALESCE_REPOSITORY).steps) {
        CHECK(has(list.output, step.name));
        ProcessResult variants = run_learn("list " + step.number());
        CHECK(variants.exit_code == 0);
        for (auto& variant : step.variants) CHECK(has(variants.output, variant.name));
    }
    CHECK(run_learn("list 77").exit_code == 2);
}

TEST_CASE("invalid requests are rejected with a one-line message") {
    is_refused("run 77", "no step \"77\"");
    is_refused("run all 77", "no step \"77\"");
    is_refused("run", "name the steps to run");
    is_refused("run 02 --rows 0 --cols 5", "--rows 0: must be at least 1");
    is_refused("run 02 --rows -1 --cols 5", "--rows -1: must be at least 1");
    is_refused("run 02 --rows 5 --cols many", "--cols many: not a whole number");
    is_refused("run 02 --rows 5 --cols 99999999999999999999", "too large");
    is_refused("run 02 --rows 65536 --cols 65536", "has 4294967296 elements");
    is_refused("run 02 --rows 5", "go together");
    is_refused("run 02 --device tpu", "--device tpu: unknown");
    is_refused("run 02 --variant none", "has a variant \"none\"");
    is_refused("run 02 --colour", "--colour");
    is_refused("jump", "no command \"jump\"");
}

TEST_CASE(
    "the whole program runs under `simulate`, and cannot be combined with other steps or a shape") {
    const ProcessResult outcome = run_learn("run 00 --device sim");
    CHECK(outcome.exit_code == 0);
    CHECK(has(outcome.output, "simulate "));
    CHECK(has(outcome.output, "right: 1000 elements"));
    CHECK(has(outcome.output, "twice: 1 launch, grid 4, block 256"));
    CHECK(has(run_learn("list 00").output, "steps/00_program/program.cu"));
    is_refused("run 00 01", "runs alone");
    is_refused("run 00 --rows 4 --cols 4", "runs alone");
    is_refused("run 00 --device tpu", "--device tpu: unknown");
}

TEST_CASE("a results file that cannot be written is refused before anything runs") {
    ProcessResult outcome = run_learn("run 02 --device sim --json /nonexistent/results.json");
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "/nonexistent/results.json cannot be written"));
    CHECK(!has(outcome.output, "02_naive"));
    CHECK(run_learn("run 02 --device sim --json /").exit_code == 2);
}

TEST_CASE("a shape that no variant supports is reported, and leaves no file") {
    JsonPath json;
    ProcessResult outcome =
        run_learn("run 09 --device sim --variant vec4_t64 --rows 5 --cols 7" + json.option());
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "multiples of 4"));
    CHECK(!fs::exists(json.path));
    CHECK(run_learn("run 09 --device sim --rows 5 --cols 7" + json.option()).exit_code == 2);
    CHECK(!fs::exists(json.path));
}

TEST_CASE("a run on the simulator prints a table, and stores no times") {
    JsonPath json;
    ProcessResult outcome = run_learn("run 02 04 --device sim --rows 64 --cols 96" + json.option());
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.output.starts_with("Device: "));
    CHECK(has(outcome.output, "(simulated)"));
    CHECK(!has(outcome.output, "GB/s"));
    CHECK(has(outcome.output, "all verified"));
    Json run = read_json(json.path);
    CHECK(run["device"]["kind"] == "sim");
    CHECK(run["device"]["name"].is_string());
    CHECK(run["results"][0]["step"] == "02_naive");
    CHECK(run["results"][0]["variant"] == "naive");
    for (auto& result : run["results"]) {
        CHECK(result["rows"] == 64);
        CHECK(result["cols"] == 96);
        CHECK(result["verified"] == true);
        CHECK(result["counters"]["load_sectors"].is_number_unsigned());
        for (const char* time : {"ms", "gbps", "of_copy"}) CHECK(!result.contains(time));
    }
}

TEST_CASE("one variant can run by itself") {
    JsonPath json;
    CHECK(run_learn("run all --device sim --variant padded --rows 64 --cols 64" + json.option())
              .exit_code == 0);
    Json run = read_json(json.path);
    REQUIRE(run["results"].size() == 1);
    CHECK(run["results"][0]["variant"] == "padded");
}

TEST_CASE("without a GPU, --device gpu is refused before anything runs") {
    ProcessResult outcome = run_learn("run all --device gpu --rows 64 --cols 64");
    if (outcome.exit_code == 0) return;  // skip: this computer has a GPU
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "no GPU works here"));
    CHECK(!has(outcome.output, "01_copy"));
}

// ---- scripts that replace the steps' programs and can produce incorrect results ----

namespace {

// A copy of the command in its own folder, beside scripts that replace the steps' programs.
struct Stage {
    fs::path folder = fs::temp_directory_path() / ("stage-" + std::to_string(getpid()));
    Stage() {
        fs::create_directories(folder);
        fs::copy_file(learn_program, folder / "learn");
    }
    ~Stage() { fs::remove_all(folder); }

    // Writes a shell script that replaces a step's program. The script writes `json` as its
    // results, unless `json` is empty, and exits with `exit_code`.
    void program(const std::string& step, int exit_code, const std::string& json) const {
        std::ofstream script(folder / step);
        script << "#!/bin/sh\necho \"" << step << " says\"\n";
        script << "while [ \"$1\" != --json ]; do shift; done\n";
        if (!json.empty()) script << "cat >\"$2\" <<'END'\n" << json << "\nEND\n";
        script << "exit " << exit_code << "\n";
        script.close();
        fs::permissions(folder / step, fs::perms::owner_all);
    }
    ProcessResult learn(const std::string& words) const {
        return run_to_end(
            {.program = "/bin/sh",
             .arguments = {"-c", (folder / "learn").string() + " " + words + " 2>&1"}});
    }
};

std::string results(const std::string& step, const std::string& kind, bool verified) {
    Json result = {
        {"step", step}, {"variant", "x"}, {"rows", 8}, {"cols", 8}, {"verified", verified}};
    if (kind == "gpu") result.update({{"ms", 1.5}, {"gbps", 3000.4}, {"of_copy", 0.75}});
    return Json{{"device", {{"name", "A device"}, {"kind", kind}}}, {"results", {result}}}.dump();
}

}  // namespace

TEST_CASE("if a result is wrong, the program's output is printed and the exit code is 1") {
    Stage stage;
    JsonPath json;
    stage.program("01_copy", 0, results("01_copy", "sim", true));
    stage.program("02_naive", 1, results("02_naive", "sim", false));
    ProcessResult outcome = stage.learn("run 01 02" + json.option());
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 1);
    CHECK(has(outcome.output, "WRONG"));
    CHECK(has(outcome.output, "02_naive says"));
    CHECK(!has(outcome.output, "01_copy says"));
    CHECK(has(outcome.output, "2 variants ran: 1 wrong"));
    REQUIRE(fs::exists(json.path));
    CHECK(read_json(json.path)["results"][1]["verified"] == false);
}

TEST_CASE("after a program crashes, the other programs still run, and the exit code is not 0") {
    Stage stage;
    stage.program("01_copy", 139, "");
    stage.program("02_naive", 0, results("02_naive", "sim", true));
    ProcessResult outcome = stage.learn("run 01 02");
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 1);
    CHECK(has(outcome.output, "ended with exit code 139"));
    CHECK(has(outcome.output, "right"));
    CHECK(stage.learn("run 01").exit_code == 1);
}

TEST_CASE("a program that refuses its arguments stops the run, and leaves no file") {
    Stage stage;
    JsonPath json;
    stage.program("01_copy", 0, results("01_copy", "sim", true));
    stage.program("02_naive", 2, "");
    CHECK(stage.learn("run 01 02" + json.option()).exit_code == 2);
    CHECK(!fs::exists(json.path));
}

TEST_CASE("a program that is not built is reported before anything runs") {
    Stage stage;
    stage.program("01_copy", 0, results("01_copy", "sim", true));
    ProcessResult outcome = stage.learn("run 01 02");
    CHECK(outcome.exit_code == 2);
    CHECK(has(outcome.output, "02_naive has not been built; ./learn build builds it"));
    CHECK(!has(outcome.output, "right"));
}

TEST_CASE("a run on a GPU has times and includes the rivals") {
    Stage stage;
    for (auto& step : coalesce::course::read_course(COALESCE_REPOSITORY).steps) {
        stage.program(step.name, 0, results(step.name, "gpu", true));
    }
    stage.program("rivals", 0, results("rivals", "gpu", true));
    ProcessResult outcome = stage.learn("run all");
    CAPTURE(outcome.output);
    CHECK(outcome.exit_code == 0);
    CHECK(has(outcome.output, "(measured)"));
    CHECK(has(outcome.output, "75.0 %"));
    CHECK(has(outcome.output, "\nrivals "));
    stage.program("01_copy", 0, results("01_copy", "sim", true));
    CHECK(has(stage.learn("run 01 02").output, "a different device"));
}

TEST_CASE("on the simulator, rivals run only if they are named") {
    Stage stage;
    for (auto& step : coalesce::course::read_course(COALESCE_REPOSITORY).steps) {
        stage.program(step.name, 0, results(step.name, "sim", true));
    }
    stage.program("rivals", 0, results("rivals", "sim", true));
    CHECK(!has(stage.learn("run all").output, "\nrivals "));
    CHECK(has(stage.learn("run rivals").output, "\nrivals "));
}
