// A temporary course for a test. It contains the real steps and solutions, the unchanged exercises,
// and no progress.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/child.h"
#include "base/files.h"
#include "examiner/course/course.h"
#include "examiner/exercises/skeleton.h"
#include "learn/json_file.h"
#include "learn/work.h"

namespace coalesce::learn {

// The path of the program to test: build/bin/learn, or a replacement.
inline std::filesystem::path learn_program;

// A temporary course. The destructor removes its folder.
class ScratchCourse {
public:
    explicit ScratchCourse(const std::filesystem::path& learn = learn_program) : program(learn) {
        std::string name = (std::filesystem::temp_directory_path() / "course-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        root = name;
        for (const char* part : {"course.toml", "steps", "solutions"}) {
            std::filesystem::create_symlink(repository / part, root / part);
        }
        const auto course = course::read_course(repository);
        for (auto& work : list_exercises_and_hunts(course)) {
            const std::string name = work.step->name, file = work.requirements().file();
            std::filesystem::create_directories(root / "exercises" / name);
            write("exercises/" + name + "/" + file, skeleton(name, file).blank_text());
        }
    }
    ~ScratchCourse() {
        std::error_code ignored;
        std::filesystem::remove_all(root, ignored);
    }
    ScratchCourse(const ScratchCourse&) = delete;
    ScratchCourse& operator=(const ScratchCourse&) = delete;

    std::filesystem::path path(const std::string& file) const { return root / file; }
    std::string read(const std::string& file) const {
        return read_if_exists(root / file).value_or("");
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(root / file, std::ios::binary) << text;
    }

    // Returns the text of an exercise's solution.
    static std::string solution(const std::string& step, const std::string& file = "") {
        return skeleton(step, file.empty() ? file_of(step) : file).solved_text();
    }
    // Returns the solution with one passage replaced. The test fails if the solution does not
    // contain the passage.
    static std::string solution_with(const std::string& step, const std::string& from,
                                     const std::string& to) {
        std::string text = solution(step);
        size_t place = text.find(from);
        if (place == std::string::npos) throw std::runtime_error(step + " has no " + from);
        return text.replace(place, from.size(), to);
    }
    void solve(const std::string& step) const {
        write("exercises/" + step + "/" + file_of(step), solution(step));
    }

    // Returns a command that runs `learn WORDS` in this course, with its environment.
    Command command(const std::vector<std::string>& words) const {
        return {.program = program,
                .arguments = words,
                .environment = {"COALESCE_COURSE=" + root.string(), "NO_COLOR=1"},
                .folder = root,
                .captures_stderr = true};
    }
    // Runs `learn WORDS`. Returns its exit code and its output (stdout and stderr together).
    ProcessResult learn(const std::vector<std::string>& words) const {
        constexpr int MILLISECONDS = 120'000;
        Child child(command(words));
        if (!child.wait(MILLISECONDS)) child.stop();
        return child.outcome();
    }
    Json learn_json(const std::vector<std::string>& words) const {
        return Json::parse(learn(words).output);
    }
    // Returns an exercise's entry in the output of `learn progress --json`, or null if it has none.
    Json progress_of(const std::string& step, bool is_hunt = false) const {
        Json all = learn_json({"progress", "--json"});
        for (auto& exercise : all["exercises"]) {
            if (exercise["exercise"] == step && exercise["hunt"] == is_hunt) return exercise;
        }
        return nullptr;
    }

private:
    static std::string file_of(const std::string& step) {
        const std::string program = "program.cu";
        return std::filesystem::exists(repository / "solutions" / step / program) ? program
                                                                                  : "kernel.cu";
    }
    static exercises::Skeleton skeleton(const std::string& step, const std::string& file) {
        std::filesystem::path marked = repository / "solutions" / step / file;
        return exercises::parse_skeleton(read_file(marked), marked.string());
    }

    static inline const std::filesystem::path repository = COALESCE_REPOSITORY;
    std::filesystem::path program, root;
};

}  // namespace coalesce::learn
