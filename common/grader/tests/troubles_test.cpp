// Tests that a problem with the computer never results in zero points, and that the run can be
// continued once the problem is solved.

#include <doctest/doctest.h>

#include <cstdlib>

#include "grader/store/store.h"
#include "grader/tests/small_class.h"

using coalesce::read_file;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;            // path of the grader's program
std::string shim;             // path of a library that simulates problems
std::string without_sandbox;  // path of a program that runs a command where no sandbox works

// Sets an environment variable until the end of the scope.
class Set {
public:
    Set(const char* name, const std::string& value) : name(name) { setenv(name, value.c_str(), 1); }
    ~Set() { unsetenv(name); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

private:
    const char* name;
};

// Checks that the grader stopped because of a problem with the computer and gave no grades.
// expect_recovery() then checks that the run can be completed.
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

TEST_CASE("a full disk never results in a zero, and the run can be continued once there is space") {
    Classroom room(grade);
    // A file size limit of 64 blocks of 1024 bytes has the effect of a full disk.
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

TEST_CASE("a missing judging program never results in a zero") {
    Classroom room(grade);
    // Without the sandbox program, the grader cannot judge anything.
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

TEST_CASE("a locked database is reported, and the run can be continued") {
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

TEST_CASE("a missing compiler never results in a zero") {
    Classroom room(grade);
    {
        // If NVRTC is requested, the grader must fail instead of using clang, even if clang built
        // the course.
        Set preload("LD_PRELOAD", shim), hide("COALESCE_TEST_HIDE", "nvrtc"),
            choose("COALESCE_COMPILER", "nvcc");
        Ended ended = room.graded();
        expect_trouble(room, ended);
        CHECK(ended.output.find("NVRTC was not found") != std::string::npos);
        CHECK(ended.output.find("\\x0a") == std::string::npos);
    }
    expect_recovery(room);
}

TEST_CASE("without a sandbox, no submission is run and no student gets a zero") {
    Classroom room(grade);
    Ended ended = run_to_end({without_sandbox, grade, "run", "hw1", "--folder", room.assignments,
                              "--submissions", room.handed_in});
    expect_trouble(room, ended);
    CHECK(ended.output.find("no sandbox works on this computer") != std::string::npos);
    expect_recovery(room);
}

TEST_CASE("a limit on open files is reported, and never results in a zero") {
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

TEST_CASE("a clock that jumps does not change any result") {
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
