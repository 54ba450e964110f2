// Tests the installed program: it grades a class, repeats and resumes a run, and reports mistakes
// that a teacher might make.

#include <doctest/doctest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "grader/class/reports.h"
#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/small_class.h"

using coalesce::read_file;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;  // path of the grader's program
const fs::path REPOSITORY = COALESCE_REPOSITORY;

}  // namespace

TEST_CASE("the commands grade a class from the assignment to grades.csv") {
    Classroom room(grade);
    Ended ended = room.graded();
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    std::string csv = room.csv();
    CHECK(csv.find("\r\nada,30,30,10,OK,,20,OK,\r\n") != std::string::npos);
    CHECK(csv.find("\r\nblank,0,30,0,WA,") != std::string::npos);
    CHECK(csv.find("\r\n\"'=SUM(A1:A9)\",0,30,0,CE,") != std::string::npos);
    CHECK(csv.find("\r\nlate,0,30,0,REJ,no-file,0,REJ,no-file\r\n") != std::string::npos);
    std::string feedback =
        read_file(room.teacher / "results/feedback" / (feedback_file_name("blank") + ".md"));
    CHECK(feedback.find("Next:") != std::string::npos);
    for (std::string report : {"junit.xml", "grades.json", "similarity.md"}) {
        CHECK(fs::exists(room.teacher / "results" / report));
    }
    CHECK_FALSE(fs::exists(room.teacher / "work"));

    SUBCASE("repeated runs give identical files, whether they judge again or not") {
        std::string json = read_file(room.teacher / "results/grades.json");
        ended = room.graded();
        CHECK(ended.output.find("Nothing had to be judged") != std::string::npos);
        ended = room.graded({"--submissions", room.handed_in, "--again"});
        CHECK_MESSAGE(ended.code == 0, ended.output);
        CHECK(room.csv() == csv);
        CHECK(read_file(room.teacher / "results/grades.json") == json);
        CHECK(Store(room.teacher / "store.sqlite").run()->run_number == 3);
    }
    SUBCASE("a changed manifest causes a new run, and both results are stored") {
        Store store(room.teacher / "store.sqlite");
        std::vector<Entry> before = store.entries(1);
        std::string manifest = read_file(room.teacher / "assignment.toml");
        manifest.replace(manifest.find("correct = 2.5"), 13, "correct = 3.5");
        write_atomically(room.teacher / "assignment.toml", manifest);
        ended = room.graded({"--resume"});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        CHECK(room.csv().find("\r\nada,31,31,11,OK,") != std::string::npos);
        for (const Entry& entry : before) CHECK(store.result(entry.key));
        CHECK(store.entries(2).at(0).key != before.at(0).key);
        // Exercise 03 has not changed, so it is not judged again.
        CHECK(store.entries(2).at(1).key == before.at(1).key);
    }
    SUBCASE("a student's results are shown, and an unknown student is an error") {
        ended = room.call({"show", "blank", "--folder", room.assignments});
        CHECK(ended.code == 0);
        CHECK(ended.output.find("Attempts, oldest first") != std::string::npos);
        ended = room.call({"show", "nobody", "--folder", room.assignments});
        CHECK(ended.code == 2);
    }
    SUBCASE("points set by the teacher count in every report") {
        ended = room.call({"set", "blank", "02", "--points", "5", "--why", "explained it well",
                           "--folder", room.assignments});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        CHECK(ended.output.find("blank: 5 of 30 points") != std::string::npos);
        CHECK(room.csv().find("\r\nblank,5,30,5,WA,") != std::string::npos);
        ended = room.graded({"--resume"});
        CHECK(room.csv().find("\r\nblank,5,30,5,WA,") != std::string::npos);
        CHECK(ended.output.find("Needs your attention") != std::string::npos);
        ended = room.call(
            {"set", "blank", "02", "--judged", "--why", "no", "--folder", room.assignments});
        CHECK(room.csv() == csv);
        for (const char* wrong : {"--points=99", "--why=no points"}) {
            ended = room.call(
                {"set", "blank", "02", wrong, "--why", "x", "--folder", room.assignments});
            CHECK(ended.code == 2);
        }
        ended = room.call({"export", "hw1", "--feedback", "--to", room.folder / "feedback.zip",
                           "--folder", room.assignments});
        CHECK_MESSAGE(ended.code == 0, ended.output);
        CHECK(fs::file_size(room.folder / "feedback.zip") > 500);
    }
    SUBCASE("if a student submits several files, the assignment determines which file counts") {
        const fs::path file = fs::path(room.handed_in) / "ada/03_tiled/kernel.cu";
        REQUIRE(fs::exists(file));
        write_atomically(file, "not a kernel");
        const std::string manifest = read_file(room.teacher / "assignment.toml");
        const auto graded_with = [&](const std::string& which) {
            std::string changed = manifest;
            changed.replace(changed.find("attempts = \"last\""), 17,
                            "attempts = \"" + which + "\"");
            write_atomically(room.teacher / "assignment.toml", changed);
            ended = room.graded({"--submissions", room.handed_in});
            CHECK_MESSAGE(ended.code == 0, ended.output);
            return room.csv();
        };
        CHECK(graded_with("last").find("\r\nada,10,30,10,OK,,0,CE,") != std::string::npos);
        CHECK(graded_with("best").find("\r\nada,30,30,10,OK,,20,OK,") != std::string::npos);
        CHECK(graded_with("first").find("\r\nada,30,30,10,OK,,20,OK,") != std::string::npos);
        const std::string shown =
            read_file(room.teacher / "results/feedback" / (feedback_file_name("ada") + ".md"));
        CHECK(shown.find("This verdict is for the first of 2 files.") != std::string::npos);
    }
    SUBCASE("results are exported for learning platforms") {
        ended = room.call({"export", "hw1", "--csv", "--folder", room.assignments});
        CHECK(ended.output == csv);
        std::string zip = room.folder / "autograder.zip";
        ended =
            room.call({"export", "hw1", "--gradescope", "--to", zip, "--folder", room.assignments});
        CHECK_MESSAGE(ended.code == 0, ended.output);
        CHECK(fs::file_size(zip) > 100000);
        ended = room.call({"export", "hw1", "--classroom50", "--to", room.folder / "c50",
                           "--folder", room.assignments});
        CHECK(fs::exists(room.folder / "c50/autograder.py"));
        ended = room.call({"export", "hw1", "--csv", "--junit", "--folder", room.assignments});
        CHECK(ended.code == 2);
    }
    SUBCASE("the `container` command, which platforms call, writes results.json") {
        const fs::path out = room.folder / "results";
        ended =
            room.call({"container", room.handed_in + "/ada", out, "--folder", room.assignments});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        CHECK(nlohmann::json::parse(read_file(out / "results.json")).at("score") == 30);
    }
}

TEST_CASE("`grade one` gives a verdict on one file") {
    std::string solution = REPOSITORY / "solutions/03_tiled/kernel.cu";
    Ended ended = run_to_end({grade, "one", "03", solution, "--json"});
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    CHECK(nlohmann::json::parse(ended.output).at("mark") == "OK");
    // The exit code is 0 even if the score is low, because the grader itself has succeeded.
    ended = run_to_end({grade, "one", "03", REPOSITORY / "exercises/03_tiled/kernel.cu"});
    CHECK(ended.code == 0);
    CHECK(ended.output.starts_with("WA"));
    CHECK(run_to_end({grade, "one", "03", "/no/such/file"}).code == 2);
    CHECK(run_to_end({grade, "one", "77", solution}).code == 2);
}

TEST_CASE("mistakes of the teacher are reported") {
    Classroom room(grade);
    CHECK(room.graded({"--submissions", "/no/such/folder"}).code == 2);
    CHECK(room.graded({"--resume"}).code == 2);
    CHECK(room.graded({"--resume", "--submissions", room.handed_in}).code == 2);
    CHECK(room.graded({"--submissions", room.handed_in, "--jobs", "0"}).code == 2);
    CHECK(room.call({"run", "nothing", "--folder", room.assignments, "--resume"}).code == 2);
    CHECK(room.call({"frobnicate"}).code == 2);
    CHECK(room.call({"assignment", "new", "hw1", "--exercises", "02", "--folder", room.assignments})
              .code == 2);
    CHECK(room.call({"--help"}).code == 0);
}

TEST_CASE("an assignment is proved") {
    Classroom room(grade);
    Ended ended = room.call({"assignment", "verify", "hw1", "--folder", room.assignments});
    CHECK_MESSAGE(ended.code == 0, ended.output);
    CHECK(ended.output.find("gave the expected result") != std::string::npos);
    // The manifest gives too many points for correct results. The proof must report that the
    // previous lesson's solution gets these points without any further work.
    std::string manifest = read_file(room.teacher / "assignment.toml");
    const std::string shares = "{ correct = 5, clean = 3, counters = 12 }";
    REQUIRE(manifest.find(shares) != std::string::npos);
    manifest.replace(manifest.find(shares), shares.size(),
                     "{ correct = 12, clean = 4, counters = 4 }");
    std::ofstream(room.teacher / "assignment.toml") << manifest;
    ended = room.call({"assignment", "verify", "hw1", "--folder", room.assignments});
    CHECK_MESSAGE(ended.code == 1, ended.output);
    CHECK(ended.output.find("the solution of the previous lesson: OK uncoalesced-stores, 16 of 20, "
                            "but this kernel may get at most 8") != std::string::npos);
    // The skeleton replaces a solution, so the proof must fail.
    fs::copy_file(room.folder / "assignments/hw1/handout/exercises/02_naive/kernel.cu",
                  room.teacher / "solutions/02_naive/kernel.cu",
                  fs::copy_options::overwrite_existing);
    ended = room.call({"assignment", "verify", "hw1", "--folder", room.assignments});
    CHECK_MESSAGE(ended.code != 0, ended.output);
}

TEST_CASE("the help of every command fits 80 columns") {
    std::vector<std::string> commands = {
        "",     "run",    "plan",   "chunk",          "status",           "merge", "one", "student",
        "show", "export", "doctor", "assignment new", "assignment verify"};
    for (const std::string& command : commands) {
        CAPTURE(command);
        Ended ended = run_to_end({"/bin/sh", "-c", "exec \"$0\" " + command + " --help", grade});
        CHECK(ended.code == 0);
        CHECK(ended.output.find("--help") != std::string::npos);
        std::istringstream lines(ended.output);
        for (std::string line; std::getline(lines, line);) {
            CHECK_MESSAGE(line.size() <= 80, line);
        }
    }
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    grade = argv[1];
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
