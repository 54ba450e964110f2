// Tests plans: that their files are correct, and that grading a class in chunks gives the same
// results as a single run.

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "base/files.h"
#include "grader/class/export.h"
#include "grader/class/plan.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"

namespace codec = coalesce::codec;
using coalesce::read_file;
using coalesce::TemporaryFolder;
using coalesce::UsageError;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;  // path of the grader's program
const fs::path REPOSITORY = COALESCE_REPOSITORY;

// An assignment of exercise 03, and a class of four students.
struct Classroom {
    TemporaryFolder folder;
    std::string assignments = folder / "assignments", handed_in = folder / "class";
    fs::path teacher = folder.path / "assignments/hw1/teacher", plan = folder / "plan";

    Classroom() {
        generate_class(REPOSITORY, handed_in, {"03_tiled"}, 4, 5);
        // This student submits nothing.
        fs::create_directories(fs::path(handed_in) / "\xff\x1b[31m");
        must({"assignment", "new", "hw1", "--exercises", "03"});
    }
    Ended call(std::vector<std::string> words) const {
        words.insert(words.begin(), grade);
        words.insert(words.end(), {"--folder", assignments});
        return run_to_end(words);
    }
    std::string must(const std::vector<std::string>& words, int code = 0) const {
        Ended ended = call(words);
        REQUIRE_MESSAGE(ended.code == code, ended.output);
        return ended.output;
    }
    void make_plan(std::vector<std::string> more = {"--chunks", "3"}) const {
        std::vector<std::string> words = {"plan",    "hw1",  "--submissions",
                                          handed_in, "--to", plan.string()};
        words.insert(words.end(), more.begin(), more.end());
        must(words);
    }
    Ended chunk(int number) const { return call({"chunk", plan.string(), std::to_string(number)}); }
    bool has_grades() const { return fs::exists(teacher / "results/grades.csv"); }
    std::string csv() const { return read_file(teacher / "results/grades.csv"); }
    fs::path some_result() const { return fs::directory_iterator(plan / "results")->path(); }
};

Assignment with_key(const std::string& key) {
    Assignment assignment;
    assignment.key = key;
    return assignment;
}

}  // namespace

TEST_CASE("names of arbitrary bytes are unchanged after writing and reading") {
    std::vector<Entry> entries = {
        {.student = "ada", .exercise = "03_tiled", .key = "k", .source = "s"},
        {.student = std::string("\xff\0\n\"", 4),
         .exercise = "03_tiled",
         .key = "l",
         .problem = "no-file",
         .details = "\xc3("}};
    CHECK(codec::read<std::vector<Entry>>(codec::write(entries)) == entries);
}

TEST_CASE("a result is sealed, and can be opened only with its own keys") {
    Assignment mine = with_key("secret"), other = with_key("another");
    std::string sealed = seal_result(mine, "key1", "{\"points\": 3}\n");
    CHECK(open_sealed_result(mine, "key1", sealed) == "{\"points\": 3}\n");
    CHECK_THROWS_AS(open_sealed_result(other, "key1", sealed), InfrastructureError);
    CHECK_THROWS_AS(open_sealed_result(mine, "key2", sealed), InfrastructureError);
    CHECK_THROWS_AS(open_sealed_result(mine, "key1", sealed.substr(0, sealed.size() - 1)),
                    InfrastructureError);
    CHECK_THROWS_AS(open_sealed_result(mine, "key1", sealed.replace(sealed.find('3'), 1, "9")),
                    InfrastructureError);
    CHECK_THROWS_AS(open_sealed_result(mine, "key1", ""), InfrastructureError);
}

TEST_CASE("a platform's file is written only if all of its variables have values") {
    CHECK(quote_for_shell("it's") == "'it'\\''s'");
    std::map<std::string, std::string> words = {
        {"NAME", "hw1"}, {"CHUNKS", "7"}, {"LOGS", "/l"}, {"PLAN", "'/p'"}, {"GRADE", "'/g'"}};
    CHECK_THROWS_AS(fill_platform_template("slurm/slurm.sbatch", words), InfrastructureError);
    words["FOLDER"] = "'/f'";
    std::string text = fill_platform_template("slurm/slurm.sbatch", words);
    CHECK(text.find("#SBATCH --array=1-7\n") != text.npos);
    CHECK(text.find("plan='/p'\n") != text.npos);
    CHECK_THROWS_AS(fill_platform_template("slurm/none", words), UsageError);
}

TEST_CASE("chunks give the same grades as a single run, whatever their order") {
    Classroom room;
    room.make_plan();
    CHECK(room.must({"merge", room.plan.string()}, 3).find("chunks: 1 2 3") != std::string::npos);
    CHECK(room.chunk(3).code == 0);
    CHECK(room.chunk(1).code == 0);
    std::string told = room.must({"merge", room.plan.string()}, 3);
    CHECK(told.find("Unfinished chunks: 2\n") != told.npos);
    CHECK_FALSE(room.has_grades());
    CHECK(room.chunk(2).code == 0);
    CHECK(room.chunk(2).output.find("all results already exist") != std::string::npos);
    CHECK(room.chunk(4).code == 2);
    CHECK(room.chunk(0).code == 2);
    room.must({"merge", room.plan.string()});
    CHECK(fs::is_empty(room.plan / "work"));

    // A second merge completes an interrupted run, but does not change a complete run.
    std::string csv = room.csv(), json = read_file(room.teacher / "results/grades.json");
    room.must({"merge", room.plan.string()});
    Store store(room.teacher / "store.sqlite");
    CHECK(store.run()->run_number == 1);
    CHECK(store.run()->is_finished);
    std::set<std::string> judged;
    for (const Attempt& attempt : store.attempts()) CHECK(judged.insert(attempt.key).second);

    // Judging again on this computer fails unless all results are byte-identical.
    room.must({"run", "hw1", "--submissions", room.handed_in, "--again", "--quiet"});
    CHECK(room.csv() == csv);

    // A new plan must omit submissions that already have a result.
    fs::remove_all(room.plan);
    room.make_plan({});
    CHECK(read_file(room.plan / "matrix.json") == "{\"chunk\":[]}\n");
    room.must({"merge", room.plan.string()});
    CHECK(room.csv() == csv);
}

TEST_CASE("two computers may judge the same chunk simultaneously") {
    Classroom room;
    room.make_plan({"--chunks", "1"});
    std::vector<std::string> command = {grade, "chunk",    room.plan.string(),
                                        "1",   "--folder", room.assignments};
    pid_t one = start(command, room.folder / "one"), two = start(command, room.folder / "two");
    CHECK(wait_for(one) == 0);
    CHECK(wait_for(two) == 0);
    room.must({"merge", room.plan.string()});
    for (const fs::directory_entry& file : fs::directory_iterator(room.plan / "results")) {
        CHECK(file.path().filename().string().size() == 64);
    }
}

TEST_CASE("a merge can be continued even if it is killed at any moment") {
    Classroom room;
    room.make_plan({"--chunks", "1"});
    REQUIRE(room.chunk(1).code == 0);
    int killed = 0;
    for (int milliseconds = 0; killed < 10 && milliseconds < 400; milliseconds += 5) {
        pid_t merging = start({grade, "merge", room.plan.string(), "--folder", room.assignments},
                              room.folder / "output");
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        kill(merging, SIGKILL);
        if (wait_for(merging) == 0) break;
        ++killed;
    }
    CHECK(killed > 0);
    room.must({"merge", room.plan.string()});
    Store store(room.teacher / "store.sqlite");
    CHECK(store.run()->run_number == 1);
    std::set<std::string> judged;
    for (const Attempt& attempt : store.attempts()) CHECK(judged.insert(attempt.key).second);
    std::string csv = room.csv();
    room.must({"run", "hw1", "--submissions", room.handed_in, "--again", "--quiet"});
    CHECK(room.csv() == csv);
}

TEST_CASE("a file that was changed in transit never results in a grade") {
    Classroom room;
    room.make_plan({"--chunks", "1"});
    SUBCASE("a result was changed") {
        CHECK(room.chunk(1).code == 0);
        std::string sealed = read_file(room.some_result());
        std::ofstream(room.some_result(), std::ios::binary) << sealed << " ";
        CHECK(room.must({"merge", room.plan.string()}, 3).find("remove the file") !=
              std::string::npos);
        CHECK_FALSE(room.has_grades());
        fs::remove(room.some_result());
        CHECK(room.chunk(1).code == 0);
        room.must({"merge", room.plan.string()});
    }
    SUBCASE("a source was changed") {
        fs::path source = fs::directory_iterator(room.plan / "sources")->path();
        std::ofstream(source, std::ios::app) << "// and more\n";
        CHECK(room.chunk(1).code == 3);
    }
    SUBCASE("the key of a submission was changed") {
        std::string all = read_file(room.plan / "plan.json");
        std::size_t key = all.find("\"key\": \"") + 8;
        all[key] = all[key] == '0' ? '1' : '0';
        write_atomically(room.plan / "plan.json", all);
        room.must({"merge", room.plan.string()}, 2);
    }
    SUBCASE("the assignment was changed") {
        std::string manifest = read_file(room.teacher / "assignment.toml");
        write_atomically(room.teacher / "assignment.toml",
                         manifest.replace(manifest.find("epoch = 1"), 9, "epoch = 2"));
        CHECK(room.chunk(1).code == 2);
        room.must({"merge", room.plan.string()}, 2);
    }
}

TEST_CASE("a computer with a different grader or compiler refuses to judge") {
    Classroom room;
    room.make_plan({"--chunks", "1"});
    std::string plan = read_file(room.plan / "plan.json");
    for (std::string part : {"\"grader\": \"", "\"toolchain\": \""}) {
        std::string other = plan;
        write_atomically(room.plan / "plan.json",
                         other.insert(other.find(part) + part.size(), "x"));
        Ended ended = room.chunk(1);
        CHECK(ended.code == 3);
        CHECK(ended.output.find("does not have the same " +
                                std::string(part == "\"grader\": \"" ? "grader" : "compiler")) !=
              std::string::npos);
    }
    CHECK(fs::is_empty(room.plan / "results"));
}

TEST_CASE("a plan for computers without namespaces is judged in tier B on every computer") {
    Classroom room;
    Ended planned = room.call({"plan", "hw1", "--submissions", room.handed_in, "--to",
                               room.plan.string(), "--chunks", "1", "--tier", "B"});
    if (planned.code == 3 && planned.output.find("sandbox B does not work") != std::string::npos) {
        MESSAGE("skipped: tier B does not work here");
        return;
    }
    REQUIRE_MESSAGE(planned.code == 0, planned.output);
    CHECK(room.chunk(1).code == 0);
    room.must({"merge", room.plan.string()});
    std::string json = read_file(room.teacher / "results/grades.json");
    CHECK(json.find("\"sandbox\": \"B\"") != json.npos);
    CHECK(json.find("\"sandbox\": \"A\"") == json.npos);
}

TEST_CASE("a chunk that could not be judged does not result in zeros") {
    Classroom room;
    room.make_plan({"--chunks", "1"});
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    CHECK(room.chunk(1).code == 3);
    unsetenv("COALESCE_GRADER_PROGRAMS");
    room.must({"merge", room.plan.string()}, 3);
    // The merge has stored the class, so this computer can judge the missing submissions.
    room.must({"run", "hw1", "--resume", "--quiet"});
    CHECK(room.has_grades());
}

TEST_CASE("mistakes of the teacher are reported") {
    Classroom room;
    room.make_plan({"--chunks", "2"});
    CHECK(room.call({"plan", "hw1", "--submissions", room.handed_in, "--to", room.plan.string()})
              .code == 2);
    CHECK(room.call({"plan", "hw1", "--submissions", room.handed_in, "--to", room.folder / "p",
                     "--chunks", "257"})
              .code == 2);
    CHECK(room.call({"merge", room.folder / "nothing"}).code == 2);
    CHECK(run_to_end({grade, "status", room.handed_in}).code == 2);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    grade = argv[1];
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
