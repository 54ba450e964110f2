// A small class for tests of the grader's program.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "grader/store/files.h"
#include "grader/tests/programs.h"

namespace coalesce::grader {

/// An assignment of exercises 02 and 03, and a small class in which each student represents a
/// different case.
struct Classroom {
    std::string program;
    TemporaryFolder folder;
    std::string assignments = folder / "assignments", handed_in = folder / "class";
    std::filesystem::path teacher = folder.path / "assignments/hw1/teacher";

    explicit Classroom(std::string program) : program(std::move(program)) {
        Ended made = call({"assignment", "new", "hw1", "--exercises", "02,03", "--points", "10,20",
                           "--folder", assignments});
        REQUIRE_MESSAGE(made.code == 0, made.output);
        for (std::string exercise : {"02_naive", "03_tiled"}) {
            std::string solution = read_file(teacher / "solutions" / exercise / "kernel.cu");
            std::string blank = read_file(folder.path / "assignments/hw1/handout/exercises" /
                                          exercise / "kernel.cu");
            hand_in("ada", exercise, solution);
            hand_in("blank", exercise, blank);
            hand_in("=SUM(A1:A9)", exercise, solution + "\n}\n");
            hand_in("<img src=x>\x1b[31m\xff", exercise, "\xff\xfe not even text");
        }
        hand_in("late", "02_naive", "");
        std::filesystem::remove(std::filesystem::path(handed_in) / "late/02_naive/kernel.cu");
    }

    void hand_in(const std::string& student, const std::string& exercise,
                 const std::string& source) {
        std::filesystem::create_directories(std::filesystem::path(handed_in) / student / exercise);
        std::ofstream(std::filesystem::path(handed_in) / student / exercise / "kernel.cu",
                      std::ios::binary)
            << source;
    }

    Ended call(std::vector<std::string> words) const {
        words.insert(words.begin(), program);
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

}  // namespace coalesce::grader
