// Tests the check of the repository's exercises. Each test breaks a copy of the repository in one
// of the ways that the check must detect.
#include "examiner/exercises/tree.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/files.h"

using namespace coalesce;
using namespace coalesce::exercises;
namespace fs = std::filesystem;

namespace {

// A copy of the files that the check reads. The copy contains no git history.
struct Copy {
    fs::path root = fs::temp_directory_path() / ("coalesce_tree_" + std::to_string(getpid()));

    Copy() {
        fs::remove_all(root);
        for (const char* folder : {"solutions", "exercises", "steps"}) {
            fs::create_directories(root / folder);
            fs::copy(fs::path(COALESCE_REPOSITORY) / folder, root / folder,
                     fs::copy_options::recursive);
        }
        fs::copy_file(fs::path(COALESCE_REPOSITORY) / "course.toml", root / "course.toml");
        // Restore the skeletons, because a learner may have edited the exercises.
        ExerciseTree(root).generate();
    }
    ~Copy() { fs::remove_all(root); }

    void write(const std::string& path, const std::string& text) const {
        std::ofstream(root / path) << text;
    }
    void change(const std::string& path, const std::string& from, const std::string& to) const {
        std::string text = read_file(root / path);
        std::size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        write(path, text.replace(place, from.size(), to));
    }
    bool has_fault(const std::string& part) const {
        std::vector<std::string> faults = ExerciseTree(root).faults();
        return std::ranges::any_of(faults, [&](const std::string& fault) {
            return fault.find(part) != std::string::npos;
        });
    }
};

}  // namespace

TEST_CASE("the exercises of the repository have no faults") {
    Copy copy;
    ExerciseTree tree(copy.root);
    for (auto& fault : tree.faults()) FAIL_CHECK(fault);
    CHECK(tree.names().size() >= 9);
    for (auto& name : tree.names()) {
        for (auto& file : tree.files(name)) CHECK(tree.skeleton(name, file).blank_count() >= 1);
    }
    CHECK(tree.generate().empty());
}

TEST_CASE(
    "a skeleton that differs from the generated one is reported, and can be generated again") {
    Copy copy;
    std::string file = "exercises/02_naive/kernel.cu";
    SUBCASE("a skeleton with a change in an unmarked line") {
        copy.change(file, "int col", "int column");
    }
    SUBCASE("a skeleton that contains the solution") {
        copy.write(file, ExerciseTree(copy.root).skeleton("02_naive", "kernel.cu").solved_text());
    }
    SUBCASE("a line is missing") {
        copy.change(file, "constexpr Launch", "Launch");
    }
    SUBCASE("a skeleton with a change in the indentation of a line") {
        copy.change(file, "    // TODO", "// TODO");
    }
    CHECK(copy.has_fault(file));
    CHECK(ExerciseTree(copy.root).generate() == std::vector<std::string>{file});
    CHECK(ExerciseTree(copy.root).faults().empty());
}

TEST_CASE("a learner may edit a committed skeleton") {
    Copy copy;
    std::string git = "cd '" + copy.root.string() + "' && git -c user.name=x -c user.email=x@y ";
    std::string committed = git + "init -q . >/dev/null && git add . && " +
                            git.substr(git.find("git")) + "commit -q -m x >/dev/null";
    if (std::system(committed.c_str()) != 0) {
        MESSAGE("git is not there: not tested");
        return;
    }
    std::string file = "exercises/02_naive/kernel.cu";
    copy.write(file, ExerciseTree(copy.root).skeleton("02_naive", "kernel.cu").solved_text());
    for (auto& fault : ExerciseTree(copy.root).faults()) FAIL_CHECK(fault);
    CHECK(ExerciseTree(copy.root).list_edited_files() == std::vector<std::string>{file});
    // If the solution also changes, the committed file is no longer the skeleton of the solution.
    copy.change("solutions/02_naive/kernel.cu", "TODO: if", "TODO: when");
    CHECK(copy.has_fault(file));
}

TEST_CASE("a missing or unknown file is reported") {
    Copy copy;
    fs::remove(copy.root / "exercises/02_naive/hunt.cu");
    CHECK(copy.has_fault("exercises/02_naive/hunt.cu is missing"));
    copy.write("exercises/03_tiled/notes.txt", "x");
    CHECK(copy.has_fault("exercises/03_tiled/notes.txt belongs to no exercise"));
    fs::create_directory(copy.root / "steps/10_more");
    CHECK(copy.has_fault("solutions/10_more is missing"));
    CHECK(copy.has_fault("exercises/10_more is missing"));
    fs::remove(copy.root / "solutions/04_padded/hunt.cu");
    CHECK(copy.has_fault("solutions/04_padded/hunt.cu"));
}

TEST_CASE("a solution that differs from the step's kernel is reported") {
    Copy copy;
    copy.change("steps/02_naive/main.cu", "out[col * rows + row]", "out[row + col * rows]");
    CHECK(copy.has_fault("both must be the same kernel, which the step marks"));
}

TEST_CASE("an invalid mutant is reported") {
    Copy copy;
    std::string file = "solutions/02_naive/mutants.toml";
    SUBCASE("a mutant whose failure does not exist") {
        copy.change(file, "no-bounds-check", "no-bound-check");
        CHECK(copy.has_fault("no failure is called \"no-bound-check\""));
    }
    SUBCASE("a mutant whose text to replace does not occur in the solution") {
        copy.change(file, "replace = \"if (row", "replace = \"if (line");
        CHECK(copy.has_fault("does not occur"));
    }
}

TEST_CASE("mistakes in the hints are reported") {
    Copy copy;
    copy.change("course.toml", "[\"misaligned\"]", "[\"misalined\"]");
    auto course = coalesce::course::read_course(copy.root);
    auto faults = find_hint_faults(course);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("a hint for \"misalined\", but no failure has that name") !=
          std::string::npos);

    CHECK(failures_without_hint(course, "02_naive", {"misaligned", "deadlock", "misalined"}) ==
          std::vector<std::string>{"misaligned"});
    CHECK_FALSE(ExerciseTree(copy.root).find_faults_in_hints().empty());
}

TEST_CASE("a whole program has a skeleton, but no bug hunt") {
    Copy copy;
    CHECK(ExerciseTree(copy.root).files("00_program") == std::vector<std::string>{"program.cu"});
    SUBCASE("a bug hunt that should not exist is reported") {
        copy.write("solutions/00_program/hunt.cu", "x");
        CHECK(copy.has_fault("solutions/00_program/hunt.cu belongs to no exercise"));
    }
    SUBCASE("a bug hunt whose expected failure does not exist is reported") {
        copy.change("solutions/00_program/mutants.toml", "[[mutant]]",
                    "[hunt]\nfailure = \"not-launched\"\nfirst_shape = \"wrong\"\n[[mutant]]");
        CHECK(copy.has_fault("[hunt] is allowed only where there is a hunt.cu"));
    }
    SUBCASE("a bug hunt without an expected failure is reported") {
        copy.change("solutions/02_naive/mutants.toml",
                    "[hunt]\nfailure = \"grid-exchanged\"\nfirst_shape = \"right\"\n", "");
        CHECK(copy.has_fault(
            "02_naive/mutants.toml: [hunt] is allowed only where there is a hunt.cu"));
    }
    SUBCASE("a changed skeleton is reported") {
        copy.change("exercises/00_program/program.cu", "int main", "int my_main");
        CHECK(copy.has_fault("exercises/00_program/program.cu"));
    }
}

TEST_CASE("a folder that is not a git repository is rejected") {
    CHECK_THROWS_WITH_AS(ExerciseTree("/nowhere"), doctest::Contains("no folder solutions/"),
                         UsageError);
}
