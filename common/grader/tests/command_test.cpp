// The real program: from nothing to grades.csv, again, resumed, and when things are as they should not
// be.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/class/names.h"
#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"
#include "grader/tests/temporary_folder.h"

using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;  // the program
const fs::path REPOSITORY = COALESCE_REPOSITORY;

// An assignment of 02 and 03 with a small class, one of each kind.
struct Classroom {
    TemporaryFolder folder;
    std::string assignments = folder / "assignments", handed_in = folder / "class";
    fs::path teacher = folder.path() / "assignments/hw1/teacher";

    Classroom() {
        Ended made = call({"assignment", "new", "hw1", "--exercises", "02,03", "--points", "10,20",
                           "--folder", assignments});
        REQUIRE_MESSAGE(made.code == 0, made.output);
        for (std::string exercise : {"02_naive", "03_tiled"}) {
            std::string solution = read_file(teacher / "solutions" / exercise / "kernel.cu");
            std::string blank = read_file(folder.path() / "assignments/hw1/handout/exercises" /
                                          exercise / "kernel.cu");
            hand_in("ada", exercise, solution);
            hand_in("blank", exercise, blank);
            hand_in("=SUM(A1:A9)", exercise, solution + "\n}\n");
            hand_in("<img src=x>\x1b[31m\xff", exercise, "\xff\xfe not even text");
        }
        hand_in("late", "02_naive", "");
        fs::remove(fs::path(handed_in) / "late/02_naive/kernel.cu");
    }

    void hand_in(const std::string& student, const std::string& exercise,
                 const std::string& source) {
        fs::create_directories(fs::path(handed_in) / student / exercise);
        std::ofstream(fs::path(handed_in) / student / exercise / "kernel.cu", std::ios::binary)
            << source;
    }

    static Ended call(std::vector<std::string> words) {
        words.insert(words.begin(), grade);
        return run_to_end(words);
    }
    Ended graded(std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {"run", "hw1", "--folder", assignments, "--jobs", "2"};
        if (more.empty()) more = {"--submissions", handed_in};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    }
    std::string csv() const { return read_file(teacher / "results/grades.csv"); }
};

}  // namespace

TEST_CASE("from nothing to grades.csv") {
    Classroom room;
    Ended ended = room.graded();
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    std::string csv = room.csv();
    CHECK(csv.find("\r\nada,30,30,10,OK,,20,OK,\r\n") != std::string::npos);
    CHECK(csv.find("\r\nblank,0,30,0,WA,") != std::string::npos);
    CHECK(csv.find("\r\n\"'=SUM(A1:A9)\",0,30,0,CE,") != std::string::npos);
    CHECK(csv.find("\r\nlate,0,30,0,REJ,no-file,0,REJ,no-file\r\n") != std::string::npos);
    std::string feedback =
        read_file(room.teacher / "results/feedback" / (file_name("blank") + ".md"));
    CHECK(feedback.find("Next:") != std::string::npos);
    for (std::string report : {"junit.xml", "grades.json", "similarity.md"}) {
        CHECK(fs::exists(room.teacher / "results" / report));
    }
    CHECK_FALSE(fs::exists(room.teacher / "work"));

    SUBCASE("again it is the same to the last byte, judged or not") {
        std::string json = read_file(room.teacher / "results/grades.json");
        ended = room.graded();
        CHECK(ended.output.find("Nothing had to be judged") != std::string::npos);
        ended = room.graded({"--submissions", room.handed_in, "--again"});
        CHECK_MESSAGE(ended.code == 0, ended.output);
        CHECK(room.csv() == csv);
        CHECK(read_file(room.teacher / "results/grades.json") == json);
        CHECK(Store(room.teacher / "store.sqlite").run()->number == 3);
    }
    SUBCASE("a changed manifest grades anew, and keeps both") {
        Store store(room.teacher / "store.sqlite");
        std::vector<Entry> before = store.entries(1);
        std::string manifest = read_file(room.teacher / "assignment.toml");
        manifest.replace(manifest.find("correct = 6"), 11, "correct = 7");
        write_whole(room.teacher / "assignment.toml", manifest);
        ended = room.graded({"--resume"});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        CHECK(room.csv().find("\r\nada,31,31,11,OK,") != std::string::npos);
        for (const Entry& entry : before) CHECK(store.result(entry.key));
        CHECK(store.entries(2).at(0).key != before.at(0).key);
        // 03 has not changed, and is not judged again.
        CHECK(store.entries(2).at(1).key == before.at(1).key);
    }
    SUBCASE("one student is shown, and whoever is not there is told") {
        ended = Classroom::call({"show", "blank", "--folder", room.assignments});
        CHECK(ended.code == 0);
        CHECK(ended.output.find("Attempts, the oldest first") != std::string::npos);
        ended = Classroom::call({"show", "nobody", "--folder", room.assignments});
        CHECK(ended.code == 2);
    }
    SUBCASE("exports") {
        ended = Classroom::call({"export", "hw1", "--csv", "--folder", room.assignments});
        CHECK(ended.output == csv);
        std::string zip = room.folder / "autograder.zip";
        ended = Classroom::call(
            {"export", "hw1", "--gradescope", "--to", zip, "--folder", room.assignments});
        CHECK_MESSAGE(ended.code == 0, ended.output);
        CHECK(fs::file_size(zip) > 100000);
        ended = Classroom::call({"export", "hw1", "--classroom50", "--to", room.folder / "c50",
                                 "--folder", room.assignments});
        CHECK(fs::exists(room.folder / "c50/autograder.py"));
        ended =
            Classroom::call({"export", "hw1", "--csv", "--junit", "--folder", room.assignments});
        CHECK(ended.code == 2);
    }
    SUBCASE("what a platform calls") {
        std::string out = room.folder / "result.json";
        ended = Classroom::call({"student", room.handed_in + "/ada", "--folder", room.assignments,
                                 "--format", "classroom50", "--to", out});
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
        CHECK(nlohmann::json::parse(read_file(out)).at("score") == 30);
    }
}

TEST_CASE("one file has one verdict") {
    std::string solution = REPOSITORY / "solutions/03_tiled/kernel.cu";
    Ended ended = run_to_end({grade, "one", "03", solution, "--json"});
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    CHECK(nlohmann::json::parse(ended.output).at("verdict") == "OK");
    // A bad score is a verdict too: the grader worked.
    ended = run_to_end({grade, "one", "03", REPOSITORY / "exercises/03_tiled/kernel.cu"});
    CHECK(ended.code == 0);
    CHECK(ended.output.starts_with("WA"));
    CHECK(run_to_end({grade, "one", "03", "/no/such/file"}).code == 2);
    CHECK(run_to_end({grade, "one", "77", solution}).code == 2);
}

TEST_CASE("a full disk is never a zero, and the run goes on when there is room") {
    Classroom room;
    // No file may grow past 64 blocks of 1024 bytes: as on a full disk.
    Ended ended = run_to_end(
        {"/bin/sh", "-c", "ulimit -f 64; exec \"$0\" run hw1 --folder \"$1\" --submissions \"$2\"",
         grade, room.assignments, room.handed_in});
    CHECK_MESSAGE(ended.code == 3, ended.output);
    CHECK_FALSE(fs::exists(room.teacher / "results/grades.csv"));
    bool has_run = Store(room.teacher / "store.sqlite").run().has_value();
    ended = has_run ? room.graded({"--resume"}) : room.graded();
    CHECK_MESSAGE(ended.code == 0, ended.output);
    CHECK(room.csv().find("\r\nada,30,30,") != std::string::npos);
}

TEST_CASE("no judging process is never a zero") {
    Classroom room;
    // Without the programs that it runs in the sandbox, nothing can be judged.
    setenv("COALESCE_GRADER_PROGRAMS", "/nonexistent", 1);
    Ended ended = room.graded();
    unsetenv("COALESCE_GRADER_PROGRAMS");
    CHECK_MESSAGE(ended.code == 3, ended.output);
    CHECK_FALSE(fs::exists(room.teacher / "results/grades.csv"));
    bool has_run = Store(room.teacher / "store.sqlite").run().has_value();
    ended = has_run ? room.graded({"--resume"}) : room.graded();
    CHECK_MESSAGE(ended.code == 0, ended.output);
    CHECK(room.csv().find("\r\nada,30,30,") != std::string::npos);
}

TEST_CASE("a locked database is told, and passes") {
    Classroom room;
    {
        Database other(room.teacher / "store.sqlite");
        Transaction lock(other);
        Ended ended = room.graded();
        CHECK_MESSAGE(ended.code == 3, ended.output);
        CHECK(ended.output.find("locked") != std::string::npos);
    }
    CHECK(room.graded().code == 0);
}

TEST_CASE("slips of the teacher's are told") {
    Classroom room;
    CHECK(room.graded({"--submissions", "/no/such/folder"}).code == 2);
    CHECK(room.graded({"--resume"}).code == 2);
    CHECK(room.graded({"--resume", "--submissions", room.handed_in}).code == 2);
    CHECK(room.graded({"--submissions", room.handed_in, "--jobs", "0"}).code == 2);
    CHECK(Classroom::call({"run", "nothing", "--folder", room.assignments, "--resume"}).code == 2);
    CHECK(Classroom::call({"frobnicate"}).code == 2);
    CHECK(Classroom::call(
              {"assignment", "new", "hw1", "--exercises", "02", "--folder", room.assignments})
              .code == 2);
    CHECK(Classroom::call({"--help"}).code == 0);
}

TEST_CASE("an assignment is proved") {
    Classroom room;
    Ended ended = Classroom::call({"assignment", "verify", "hw1", "--folder", room.assignments});
    CHECK_MESSAGE(ended.code == 0, ended.output);
    CHECK(ended.output.find("came out as they have to") != std::string::npos);
    // A solution that is none is found out.
    fs::copy_file(room.folder / "assignments/hw1/handout/exercises/02_naive/kernel.cu",
                  room.teacher / "solutions/02_naive/kernel.cu",
                  fs::copy_options::overwrite_existing);
    ended = Classroom::call({"assignment", "verify", "hw1", "--folder", room.assignments});
    CHECK_MESSAGE(ended.code != 0, ended.output);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    grade = argv[1];
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
