// Tests the autograders for other platforms. Each autograder is unpacked and run in the same way as
// on its platform.

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "grader/store/files.h"
#include "grader/tests/programs.h"

using coalesce::read_file;
using coalesce::TemporaryFolder;
using namespace coalesce::grader;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string grade;  // path of the grader's program
const fs::path REPOSITORY = COALESCE_REPOSITORY;

void unpack(const fs::path& zip, const fs::path& to) {
    archive* opened = archive_read_new();
    archive_read_support_format_zip(opened);
    REQUIRE(archive_read_open_filename(opened, zip.c_str(), 65536) == ARCHIVE_OK);
    archive_entry* entry = nullptr;
    while (archive_read_next_header(opened, &entry) == ARCHIVE_OK) {
        fs::path file = to / archive_entry_pathname(entry);
        archive_entry_set_pathname(entry, file.c_str());
        REQUIRE(archive_read_extract(opened, entry, ARCHIVE_EXTRACT_PERM) == ARCHIVE_OK);
    }
    archive_read_free(opened);
}

bool is_executable(const fs::path& file) {
    return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// Checks that sh can parse the script. If shellcheck is installed, also checks that it accepts the
// script.
void check_script(const fs::path& script) {
    CAPTURE(script.string());
    CHECK(is_executable(script));
    Ended ended = run_to_end({"/bin/sh", "-n", script});
    CHECK_MESSAGE(ended.code == 0, ended.output);
    if (!fs::exists("/usr/bin/shellcheck")) return;
    ended = run_to_end({"/usr/bin/shellcheck", script});
    CHECK_MESSAGE(ended.code == 0, ended.output);
}

void write_script(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << text;
    fs::permissions(file, fs::perms::owner_all);
}

// An assignment with two submissions: a correct one, and an unchanged skeleton.
struct TwoSubmissions {
    TemporaryFolder folder;
    std::string assignments = folder / "assignments";
    fs::path right = folder / "right", blank = folder / "blank";

    TwoSubmissions() {
        must({"assignment", "new", "hw1", "--exercises", "02,03", "--points", "10,20"});
        for (std::string exercise : {"02_naive", "03_tiled"}) {
            copy("teacher/solutions", exercise, right);
            copy("handout/exercises", exercise, blank);
        }
    }
    void copy(const std::string& from, const std::string& exercise, const fs::path& to) const {
        fs::create_directories(to / exercise);
        fs::copy_file(fs::path(assignments) / "hw1" / from / exercise / "kernel.cu",
                      to / exercise / "kernel.cu");
    }
    Ended call(std::vector<std::string> words) const {
        words.insert(words.begin(), grade);
        words.insert(words.end(), {"--folder", assignments});
        return run_to_end(words);
    }
    void must(const std::vector<std::string>& words) const {
        Ended ended = call(words);
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
    }
    fs::path exported(const std::string& platform, const std::string& to) const {
        must({"export", "hw1", "--" + platform, "--to", folder / to});
        return folder / to;
    }
};

// A replica of Gradescope's folder /autograder, in a temporary folder.
struct Gradescope : TwoSubmissions {
    fs::path root = folder / "autograder", source = root / "source";

    Gradescope() {
        unpack(exported("gradescope", "autograder.zip"), source);
        setenv("AUTOGRADER_ROOT", root.c_str(), 1);
        // Use clang, as setup.sh does, even if another compiler built the course.
        setenv("COALESCE_COMPILER", "clang", 1);
    }
    ~Gradescope() {
        unsetenv("AUTOGRADER_ROOT");
        unsetenv("COALESCE_COMPILER");
    }

    // Copies the built course into the folder where setup.sh would build it.
    void build() const {
        fs::create_symlink(fs::path(grade).parent_path().parent_path(), source / "course/build");
    }
    Ended run(const fs::path& submission) const {
        fs::remove_all(root / "submission");
        fs::copy(submission, root / "submission", fs::copy_options::recursive);
        fs::remove_all(root / "results");
        return run_to_end({source / "run_autograder"});
    }
    json results() const { return json::parse(read_file(root / "results/results.json")); }
};

double score_of(const json& results) {
    double sum = 0;
    for (const json& test : results.at("tests")) sum += test.at("score").get<double>();
    return sum;
}

}  // namespace

TEST_CASE("Gradescope: setup.sh from the archive installs and builds the course") {
    Gradescope platform;
    check_script(platform.source / "setup.sh");
    check_script(platform.source / "run_autograder");
    CHECK(is_executable(platform.source / "course/learn"));
    CHECK(fs::exists(platform.source / "course/common/grader/CMakeLists.txt"));
    CHECK_FALSE(fs::exists(platform.source / "assignments/hw1/teacher/store.sqlite"));
    // Replace ./learn, which would build for minutes, with a script that records its arguments and
    // environment.
    fs::path told = platform.folder / "told";
    write_script(platform.source / "course/learn",
                 "echo \"$PWD: $* $COALESCE_COMPILER $CPATH\" > " + told.string() + "\n");
    Ended ended = run_to_end({platform.source / "setup.sh"});
    CHECK_MESSAGE(ended.code == 0, ended.output);
    const fs::path headers = platform.source / "headers";
    CHECK(read_file(told) == fs::canonical(platform.source / "course").string() +
                                 ": grade doctor clang " + headers.string() + "\n");
    CHECK(fs::exists(headers / "toml++/toml.h"));
    write_script(platform.source / "course/learn", "exit 3\n");
    CHECK(run_to_end({platform.source / "setup.sh"}).code != 0);
}

TEST_CASE("Gradescope: a submission gets its points") {
    Gradescope platform;
    platform.build();
    // Unpacking the archive may leave these permissions.
    fs::permissions(platform.source / "assignments/hw1/teacher/key", fs::perms(0644));
    Ended ended = platform.run(platform.right);
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    CHECK(score_of(platform.results()) == 30);
    CHECK(platform.results().at("stdout_visibility") == "hidden");
    for (const json& test : platform.results().at("tests")) {
        CHECK(test.at("visibility") == "visible");
        CHECK(test.at("max_score").get<double>() > 0);
    }
    ended = platform.run(platform.blank);
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    CHECK(score_of(platform.results()) == 0);
    CHECK(platform.results().at("tests").at(0).at("output").get<std::string>().find(
              "never written") != std::string::npos);
}

TEST_CASE("Gradescope: a failure of the grader itself does not result in a zero") {
    Gradescope platform;
    platform.build();
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    Ended ended = platform.run(platform.right);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK(ended.code != 0);
    CHECK_FALSE(fs::exists(platform.root / "results/results.json"));
}

namespace {

// Sets the environment variables of Classroom 50's runner until the end of the scope.
class Runner {
public:
    Runner() {
        setenv("COALESCE_GRADE", grade.c_str(), 1);
        for (const auto& [name, value] : variables) setenv(name, value, 1);
    }
    ~Runner() {
        unsetenv("COALESCE_GRADE");
        for (const auto& [name, value] : variables) unsetenv(name);
    }

    inline static const std::map<const char*, const char*> variables = {
        {"CLASSROOM", "cs-principles"},
        {"ASSIGNMENT", "transpose"},
        {"ASSIGNMENT_TYPE", "individual"},
        {"OWNER", "alice"},
        {"SUBMISSION_TAG", "submit/2026-06-01T14-32-05Z-a1b2c3d"},
        {"COMMIT_URL", "https://github.com/o/r/commit/a1b2c3d"},
        {"RELEASE_URL", "https://github.com/o/r/releases/tag/submit%2F2026"},
        {"REVIEW_URL", "https://github.com/o/r/compare/0...a1b2c3d"}};
};

// Commits a submission to a new repository, as a student would.
void commit(const fs::path& submission) {
    const Ended ended = run_to_end(
        {"/bin/sh", "-c",
         "cd \"$0\" && git init -q && git add -A && GIT_COMMITTER_DATE='2026-06-01T16:32:01"
         "+0200' git -c user.name=a -c user.email=a@b commit -qm x",
         submission});
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
}

// Returns a description of how a result.json violates the platform's specification. Returns "" if
// it does not.
std::string broken_in(const json& result) {
    if (result.at("schema") != "classroom50/result/v1") return "schema";
    for (const char* field : {"classroom", "assignment", "assignment_type", "owner", "submission",
                              "commit", "release", "review", "datetime"}) {
        if (!result.contains(field) || !result.at(field).is_string() || result.at(field) == "") {
            return field;
        }
    }
    if (!result.at("submission").get<std::string>().starts_with("submit/")) return "submission";
    std::vector<json> scored = {result};
    for (const json& test : result.at("tests")) {
        if (test.at("test-name") == "" || !test.at("passed").is_boolean()) return "tests";
        scored.push_back(test);
    }
    for (const json& one : scored) {
        if (!one.at("score").is_number_integer() || !one.at("max-score").is_number_integer() ||
            one.at("score") < 0 || one.at("score") > one.at("max-score")) {
            return "score";
        }
    }
    return "";
}

bool has_program(const char* program) {
    return run_to_end({"/bin/sh", "-c", std::string("exec ") + program + " --version"}).code == 0;
}

}  // namespace

TEST_CASE("Classroom 50: the bundle contains no secret") {
    TwoSubmissions handed;
    const fs::path bundle = handed.exported("classroom50", "classroom50");
    const fs::path teacher = fs::path(handed.assignments) / "hw1/teacher";
    std::vector<std::string> secrets = {read_file(teacher / "key").substr(0, 64)};
    for (const char* name : {"02_naive", "03_tiled"}) {
        const std::string solution = read_file(teacher / "solutions" / name / "kernel.cu");
        secrets.push_back(solution.substr(solution.find("__global__")));
    }
    const std::string hidden = read_file(teacher / "hidden.toml");
    for (std::size_t at = 0; (at = hidden.find("shapes = ", at)) != hidden.npos; ++at) {
        secrets.push_back(hidden.substr(at, hidden.find('\n', at) - at));
    }
    REQUIRE(secrets.size() == 5);
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(bundle)) {
        if (!entry.is_regular_file()) continue;
        ++files;
        CAPTURE(entry.path().string());
        const std::string text = read_file(entry.path());
        for (const std::string& secret : secrets) CHECK(text.find(secret) == text.npos);
    }
    CHECK(files >= 4);
}

TEST_CASE("Classroom 50: autograder.py writes a result.json that follows the specification") {
    if (!has_program("python3") || !has_program("git")) {
        MESSAGE("skipped: there is no python3 or no git");
        return;
    }
    TwoSubmissions handed;
    const Runner runner;
    const fs::path script = handed.exported("classroom50", "classroom50") / "autograder.py";
    CHECK(is_executable(script));
    // Set the permissions that files have after unpacking.
    fs::permissions(script.parent_path() / "assignments/hw1/teacher/key", fs::perms(0644));
    const auto run = [&](const fs::path& submission) {
        // The platform runs the autograder in the submission's folder. A result.json from the
        // student must be ignored.
        std::ofstream(submission / "result.json") << "{\"score\": 1000}";
        return run_to_end({"/bin/sh", "-c", "cd \"$0\" && exec \"$1\"", submission, script});
    };
    // The submission time is the commit time, so the autograder must fail if there is no commit.
    CHECK(run(handed.right).code != 0);
    CHECK_FALSE(fs::exists(handed.right / "result.json"));
    commit(handed.right);
    commit(handed.blank);
    Ended ended = run(handed.right);
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    json result = json::parse(read_file(handed.right / "result.json"));
    CHECK(broken_in(result) == "");
    CHECK(result.at("classroom") == "cs-principles");
    CHECK(result.at("assignment") == "transpose");
    CHECK(result.at("owner") == "alice");
    CHECK(result.at("review") == Runner::variables.at("REVIEW_URL"));
    CHECK(result.at("datetime") == "2026-06-01T14:32:01Z");
    CHECK(result.at("score") == 30);
    CHECK(result.at("max-score") == 30);
    CHECK(result.at("tests").size() == 2);
    // The check must detect when any of these fields is missing.
    for (const char* field : {"classroom", "owner", "release", "review", "datetime"}) {
        json lacking = result;
        lacking.erase(field);
        CHECK(broken_in(lacking) == field);
    }
    REQUIRE(run(handed.blank).code == 0);
    result = json::parse(read_file(handed.blank / "result.json"));
    CHECK(broken_in(result) == "");
    CHECK(result.at("tests").at(0).at("passed") == false);
    unsetenv("RELEASE_URL");
    ended = run(handed.right);
    CHECK(ended.code != 0);
    CHECK(ended.output.find("RELEASE_URL is not set") != ended.output.npos);
    CHECK_FALSE(fs::exists(handed.right / "result.json"));
    setenv("RELEASE_URL", "https://github.com/o/r/releases/tag/x", 1);
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    CHECK(run(handed.right).code != 0);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK_FALSE(fs::exists(handed.right / "result.json"));
}

namespace {

// Sets COALESCE_GRADE until the end of the scope.
struct GradeProgram {
    GradeProgram() { setenv("COALESCE_GRADE", grade.c_str(), 1); }
    ~GradeProgram() { unsetenv("COALESCE_GRADE"); }
};

// Returns a description of how a results.json violates the format of `grade container`. Returns ""
// if it does not.
std::string broken_container(const json& results) {
    if (results.at("format") != 1) return "format";
    if (results.at("score") > results.at("max_score")) return "score";
    for (const json& test : results.at("tests")) {
        for (const char* field : {"name", "verdict", "failure", "headline", "output"}) {
            if (!test.contains(field) || !test.at(field).is_string()) return field;
        }
        if (!test.at("passed").is_boolean() || !test.at("line").is_number_integer()) return "tests";
    }
    return "";
}

}  // namespace

TEST_CASE("container: the grader judges a folder and writes results.json without a network") {
    TwoSubmissions handed;
    const fs::path results = handed.folder / "results";
    const auto judge = [&](const fs::path& submission) {
        std::vector<std::string> words = {grade,   "container", submission,
                                          results, "--folder",  handed.assignments};
        // On some computers, only root may create a namespace.
        const std::vector<std::string> offline = {"/usr/bin/unshare", "-rn"};
        if (run_to_end({"/usr/bin/unshare", "-rn", "true"}).code == 0) {
            words.insert(words.begin(), offline.begin(), offline.end());
        }
        return run_to_end(words);
    };
    Ended ended = judge(handed.right);
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    json found = json::parse(read_file(results / "results.json"));
    CHECK(broken_container(found) == "");
    CHECK(found.at("score") == 30);
    CHECK(found.at("passed") == true);
    CHECK(read_file(results / "comment.md").find("30 of 30 points") != std::string::npos);
    REQUIRE(judge(handed.blank).code == 0);
    found = json::parse(read_file(results / "results.json"));
    CHECK(broken_container(found) == "");
    CHECK(found.at("score") == 0);
    CHECK(found.at("tests").at(0).at("passed") == false);
    const std::string comment = read_file(results / "comment.md");
    CHECK(comment.find("| 02\\_naive | 0 of 10 |") != comment.npos);
    CHECK(comment.find("<details>") != comment.npos);
    // The check must detect that a field is missing.
    found.at("tests").at(0).erase("headline");
    CHECK(broken_container(found) == "headline");
    // If the grader cannot work, no results may remain, not even those of an earlier run.
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    CHECK(judge(handed.right).code != 0);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK_FALSE(fs::exists(results / "results.json"));
    CHECK_FALSE(fs::exists(results / "comment.md"));
}

TEST_CASE("PrairieLearn: the entry point writes results in the documented format") {
    if (!has_program("python3")) return;
    TwoSubmissions handed;
    const GradeProgram program;
    const fs::path root = handed.folder / "grade";
    const fs::path question = handed.exported("prairielearn", "question");
    const json info = json::parse(read_file(question / "info.json"));
    CHECK(info.at("externalGradingOptions").at("entrypoint") == "/grade/tests/run.py");
    CHECK(info.at("externalGradingOptions").at("enableNetworking") == false);
    fs::create_directories(root);
    fs::copy(question / "tests", root / "tests", fs::copy_options::recursive);
    setenv("PRAIRIELEARN_ROOT", root.c_str(), 1);
    const auto run = [&](const fs::path& submission) {
        fs::remove_all(root / "student");
        fs::copy(submission, root / "student", fs::copy_options::recursive);
        return run_to_end({root / "tests/run.py"});
    };
    Ended ended = run(handed.right);
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    json results = json::parse(read_file(root / "results/results.json"));
    CHECK(results.at("gradable") == true);
    CHECK(results.at("score") == 1.0);
    CHECK(results.at("tests").at(1).at("max_points") == 20);
    REQUIRE(run(handed.blank).code == 0);
    results = json::parse(read_file(root / "results/results.json"));
    CHECK(results.at("score") == 0);
    CHECK(results.at("tests").at(0).at("output").get<std::string>().find("never written") !=
          std::string::npos);
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    CHECK(run(handed.right).code != 0);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    unsetenv("PRAIRIELEARN_ROOT");
    CHECK_FALSE(fs::exists(root / "results/results.json"));
}

TEST_CASE("Autolab: the last line of the output contains the points") {
    if (!has_program("python3") || !has_program("make")) return;
    TwoSubmissions handed;
    const GradeProgram program;
    const fs::path lab = handed.exported("autolab", "lab"), place = handed.folder / "instance";
    // Autolab copies both files and the submission into an empty folder, and runs make there.
    const auto run = [&](const fs::path& submission) {
        fs::remove_all(place);
        fs::create_directories(place);
        fs::copy_file(lab / "autograde.tar", place / "autograde.tar");
        fs::copy_file(lab / "autograde-Makefile", place / "Makefile");
        REQUIRE(run_to_end({"/bin/sh", "-c", "cd \"$0\" && python3 -m zipfile -c \"$1\" *",
                            submission, place / "handin.zip"})
                    .code == 0);
        return run_to_end({"/usr/bin/make", "-s", "-C", place});
    };
    const auto last_line = [](std::string text) {
        text.erase(text.find_last_not_of('\n') + 1);
        return text.substr(text.rfind('\n') + 1);
    };
    const Ended right = run(handed.right);
    REQUIRE_MESSAGE(right.code == 0, right.output);
    CHECK(json::parse(last_line(right.output)) ==
          json({{"scores", {{"02_naive", 10.0}, {"03_tiled", 20.0}}}}));
    CHECK(right.output.find("\"_presentation\": \"semantic\"") != std::string::npos);
    const Ended blank = run(handed.blank);
    CHECK(json::parse(last_line(blank.output)).at("scores").at("03_tiled") == 0);
    CHECK(blank.output.find("\"hint\"") != std::string::npos);
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    const Ended broken = run(handed.right);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK(broken.code != 0);
    CHECK(broken.output.find("scores") == std::string::npos);
}

TEST_CASE("Submitty: the validator prints an object in the documented format") {
    if (!has_program("python3")) return;
    TwoSubmissions handed;
    const GradeProgram program;
    const fs::path config = handed.exported("submitty", "config");
    const json tests = json::parse(read_file(config / "config.json")).at("testcases");
    REQUIRE(tests.size() == 2);
    CHECK(tests.at(1).at("points") == 20);
    const json validation = tests.at(0).at("validation").at(0);
    CHECK(validation.at("method") == "custom_validator");
    const std::string command = validation.at("command");
    CHECK(command == "python3 grader.py --exercise 02_naive");
    const auto run = [&](const fs::path& submission) {
        std::ofstream(config / "custom_validation_code/custom_validator_input.json")
            << json({{"testcase_prefix", submission.string()}}).dump();
        const Ended ended = run_to_end(
            {"/bin/sh", "-c", "cd \"$0\" && exec " + command, config / "custom_validation_code"});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        return json::parse(ended.output);
    };
    json result = run(handed.right);
    CHECK(result.at("status") == "success");
    CHECK(result.at("data").at("score") == 1.0);
    CHECK(result.at("data").at("status") == "success");
    result = run(handed.blank);
    CHECK(result.at("data").at("score") == 0);
    CHECK(result.at("data").at("status") == "failure");
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    result = run(handed.right);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK(result.at("status") == "failure");
    CHECK(result.at("message") != "");
    CHECK_FALSE(result.contains("data"));
}

TEST_CASE("no adapter is longer than two screens") {
    int adapters = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(REPOSITORY / "common/grader/platforms")) {
        if (!entry.is_regular_file() || entry.path().extension() == ".yml") continue;
        ++adapters;
        const std::string text = read_file(entry.path());
        CAPTURE(entry.path().string());
        CHECK(std::count(text.begin(), text.end(), '\n') <= 60);
    }
    CHECK(adapters >= 9);
}

TEST_CASE("Slurm: the batch script is valid") {
    TwoSubmissions handed;
    handed.must({"plan", "hw1", "--submissions", handed.right.parent_path(), "--to",
                 handed.folder / "it's a plan", "--chunks", "2"});
    check_script(handed.folder / "it's a plan/slurm.sbatch");
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    grade = fs::absolute(argv[1]);
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
