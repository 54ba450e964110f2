// Tests that a problem with the computer never leads to zero points, and that the run continues
// once the problem is fixed.

#include <doctest/doctest.h>

#include <cstdlib>

#include "grader/store/store.h"
#include "grader/tests/small_class.h"

using coalesce::read_file;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;            // the program
std::string shim;             // a library that simulates problems
std::string without_sandbox;  // a program that runs another where no sandbox works

// Sets an environment variable for as long as it exists.
class Set {
public:
    Set(const char* name, const std::string& value) : name(name) { setenv(name, value.c_str(), 1); }
    ~Set() { unsetenv(name); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

private:
    const char* name;
};

// Checks that the grader stopped because of a problem of its own, and gave no grades.
// `expect_recovery` checks that the run can then be completed.
void expect_trouble(const Classroom& room, const Ended& ended) {
    CHECK_MESSAGE(ended.code == 3, ended.output);
    CHECK_FALSE(fs::exists(room.teacher / "results/grades.csv"));
}
void expect_recovery(const Classroom& room) {
    bool has_run = Store(room.teacher / "store.sqlite").run().has_value();
    Ended ended = has_run ? room.graded({"--resume"}) : room.graded();
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    CHECK(room.csv().find("\r\nada,30,30,") != std::string::npos);
}

}  // namespace

TEST_CASE("a full disk is never a zero, and the run goes on when there is room") {
    Classroom room(grade);
    // Limit files to 64 blocks of 1024 bytes, which acts like a full disk.
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
    Classroom room(grade);
    // The grader needs the sandbox program, so without it nothing can be judged.
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
    Classroom room(grade);
    {
        Database other(room.teacher / "store.sqlite");
        Transaction lock(other);
        Ended ended = room.graded();
        CHECK_MESSAGE(ended.code == 3, ended.output);
        CHECK(ended.output.find("locked") != std::string::npos);
    }
    CHECK(room.graded().code == 0);
}

TEST_CASE("no compiler is never a zero") {
    Classroom room(grade);
    {
        // A request for NVRTC must fail rather than fall back to clang, even if clang built the
        // course.
        Set preload("LD_PRELOAD", shim), hide("COALESCE_TEST_HIDE", "nvrtc"),
            choose("COALESCE_COMPILER", "nvcc");
        Ended ended = room.graded();
        expect_trouble(room, ended);
        CHECK(ended.output.find("NVRTC was not found") != std::string::npos);
        CHECK(ended.output.find("\\x0a") == std::string::npos);
    }
    expect_recovery(room);
}

TEST_CASE("no sandbox is never a zero, and nothing is run") {
    Classroom room(grade);
    Ended ended = run_to_end({without_sandbox, grade, "run", "hw1", "--folder", room.assignments,
                              "--submissions", room.handed_in});
    expect_trouble(room, ended);
    CHECK(ended.output.find("there is no sandbox") != std::string::npos);
    expect_recovery(room);
}

TEST_CASE("few open files are told as what they are, and are enough or never a zero") {
    for (const char* most : {"20", "10"}) {
        CAPTURE(most);
        Classroom room(grade);
        const Ended ended = run_to_end(
            {"/bin/sh", "-c",
             "ulimit -n \"$3\"; exec \"$0\" run hw1 --folder \"$1\" --submissions \"$2\" --jobs 1",
             grade, room.assignments, room.handed_in, most});
        CHECK_MESSAGE(ended.output.find("not stopped") == std::string::npos, ended.output);
        if (ended.code == 0) continue;
        expect_trouble(room, ended);
        CHECK(ended.output.find("Too many open files") != std::string::npos);
        expect_recovery(room);
    }
}

TEST_CASE("a clock that jumps changes nothing") {
    Classroom room(grade);
    {
        Set preload("LD_PRELOAD", shim), jumps("COALESCE_TEST_CLOCK", "jumps");
        // Check that the shim makes the clock jump.
        CHECK(run_to_end({"/bin/date", "+%Y"}).output != run_to_end({"/bin/date", "+%Y"}).output);
        Ended ended = room.graded();
        REQUIRE_MESSAGE(ended.code == 0, ended.output);
    }
    std::string csv = room.csv(), json = read_file(room.teacher / "results/grades.json");
    REQUIRE(room.graded({"--submissions", room.handed_in, "--again"}).code == 0);
    CHECK(room.csv() == csv);
    CHECK(read_file(room.teacher / "results/grades.json") == json);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    grade = argv[1];
    shim = argv[2];
    without_sandbox = argv[3];
    doctest::Context context(argc - 3, argv + 3);
    return context.run();
}
