// Tests assignments. A manifest must be readable after it is written, error messages must name the
// line of a mistake, and every change of the assignment must change the keys.

#include <doctest/doctest.h>

#include <algorithm>

#include "base/files.h"
#include "grader/class/assignment.h"
#include "grader/class/gradebook.h"
#include "grader/class/manifest.h"
#include "grader/class/reports.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

using coalesce::read_file;
using coalesce::TemporaryFolder;
using coalesce::UsageError;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

// An assignment with two exercises, in a temporary folder.
struct Made {
    TemporaryFolder folder;
    fs::path place = folder / "hw1";
    fs::path manifest = place / "teacher/assignment.toml";

    Made() {
        make_assignment({.folder = place,
                         .title = "Tiles \"first\"",
                         .exercises = {"2", "03_tiled"},
                         .points = {10, 15}});
    }
    // Replaces `from` with `to` in the manifest, and returns the resulting error message.
    std::string complaint(const std::string& from, const std::string& to) {
        std::string text = read_file(manifest), changed = text;
        std::size_t at = changed.find(from);
        REQUIRE_MESSAGE(at != std::string::npos, from);
        write_atomically(manifest, changed.replace(at, from.size(), to));
        std::string message = "nothing";
        try {
            read_assignment(place);
        } catch (const UsageError& error) {
            message = error.what();
        }
        write_atomically(manifest, text);
        return message;
    }
};

bool is_private(const fs::path& file) {
    return (fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
           fs::perms::none;
}

}  // namespace

TEST_CASE("a new assignment is read back as it was written") {
    Made made;
    Assignment read = read_assignment(made.place);
    CHECK(read.name == "hw1");
    CHECK(read.title == "Tiles \"first\"");
    REQUIRE(read.exercises.size() == 2);
    CHECK(read.exercises[0].name == "02_naive");
    CHECK(read.exercises[0].possible_points == Points{2.5, 1.5, 6});
    CHECK(read.exercises[1].possible_points == Points{3.75, 2.25, 9});
    CHECK(read.points() == 25);
    CHECK(read.exercises[1].limits.load == 4);
    CHECK(manifest_text(read) == read_file(made.manifest));
    CHECK(hidden_text(read) == read_file(made.place / "teacher/hidden.toml"));
}

TEST_CASE("students receive the skeletons, but none of the teacher's files") {
    Made made;
    std::string key = read_assignment(made.place).key;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(made.place / "handout")) {
        if (!entry.is_regular_file()) continue;
        ++files;
        CAPTURE(entry.path());
        std::string text = read_file(entry.path());
        CHECK(text.find(key) == std::string::npos);
        CHECK(text.find("__syncthreads()") == std::string::npos);
        CHECK(text.find("hidden") == std::string::npos);
    }
    CHECK(files == 3);
    CHECK(read_file(made.place / "handout/exercises/03_tiled/kernel.cu").find("TODO") !=
          std::string::npos);
    CHECK(is_private(made.place / "teacher"));
    CHECK(is_private(made.place / "teacher/key"));
    CHECK(is_private(made.place / "teacher/hidden.toml"));
}

TEST_CASE("hidden shapes are not published, and differ between assignments") {
    Made one, two;
    Assignment first = read_assignment(one.place), second = read_assignment(two.place);
    CHECK(first.key != second.key);
    CHECK(hidden_text(first) != hidden_text(second));
    for (const AssignedExercise& exercise : first.exercises) {
        for (auto shape : exercise.hidden_shapes) {
            for (auto known : exercise.shapes) CHECK_FALSE(shape == known);
        }
    }
}

TEST_CASE("hidden shapes are multiples of the sizes that an exercise requires") {
    TemporaryFolder folder;
    make_assignment({.folder = folder / "v", .title = "", .exercises = {"08", "09"}, .points = {}});
    CHECK_NOTHROW(read_assignment(folder / "v"));
}

TEST_CASE("secrets differ between exercises, epochs and keys") {
    Made made;
    Assignment assignment = read_assignment(made.place);
    Secret first = assignment.secret(assignment.exercises[0]);
    CHECK(first != assignment.secret(assignment.exercises[1]));
    assignment.epoch = 2;
    CHECK(first != assignment.secret(assignment.exercises[0]));
    assignment.epoch = 1;
    CHECK(first == assignment.secret(assignment.exercises[0]));
    assignment.key[0] = assignment.key[0] == 'a' ? 'b' : 'a';
    CHECK(first != assignment.secret(assignment.exercises[0]));
}

TEST_CASE("any change of an exercise changes its digest") {
    Made made;
    AssignedExercise exercise = read_assignment(made.place).exercises[1];
    std::string digest = requirements_digest(exercise);
    AssignedExercise other = exercise;
    other.possible_points.clean += 0.001;
    CHECK(requirements_digest(other) != digest);
    other = exercise;
    other.hidden_shapes[0].rows += 1;
    CHECK(requirements_digest(other) != digest);
    other = exercise;
    other.solution += " ";
    CHECK(requirements_digest(other) != digest);
    other = exercise;
    other.resources.launch_mb += 1;
    CHECK(requirements_digest(other) != digest);
    CHECK(requirements_digest(exercise) == digest);
}

TEST_CASE("an assignment without requirements of its own has those of the course") {
    Made made;
    std::string text = read_file(made.manifest);
    CHECK(text.find("shapes =") == std::string::npos);
    std::string digest = requirements_digest(read_assignment(made.place).exercises[0]);
    text.insert(text.find("points = "),
                "shapes = [[8, 8], [9, 5]]\nlimits = { load = 5 }\ncounted = [64, 64]\n");
    write_atomically(made.manifest, text);
    AssignedExercise asked = read_assignment(made.place).exercises[0];
    REQUIRE(asked.shapes.size() == 2);
    CHECK(asked.shapes[1].rows == 9);
    CHECK(asked.counted_shape.cols == 64);
    CHECK(asked.limits.load == 5);
    CHECK(asked.limits.store == 0);
    CHECK(requirements_digest(asked) != digest);
}

TEST_CASE("mistakes in the manifest are reported with their line") {
    Made made;
    CHECK(made.complaint("allow = [", "alow = [").find("unknown key `alow`") != std::string::npos);
    CHECK(made.complaint("allow = [", "alow = [").find("assignment.toml:") != std::string::npos);
    CHECK(made.complaint("correct = 2.5", "correct = -6").find("`correct`") != std::string::npos);
    CHECK(made.complaint("correct = 2.5", "correct = nan").find("`correct`") != std::string::npos);
    CHECK(made.complaint("allow = []", "allow = []\ncounted = [0, 256]").find("`counted`") !=
          std::string::npos);
    CHECK(made.complaint("name = \"03_tiled\"", "name = \"33_tiled\"").find("no exercise") !=
          std::string::npos);
    // Lesson 00 is a whole program. The grader does not run host code of students.
    CHECK(made.complaint("name = \"03_tiled\"", "name = \"00_program\"").find("a whole program") !=
          std::string::npos);
    CHECK(made.complaint("epoch = 1", "epoch = 0").find("`epoch`") != std::string::npos);
    CHECK(made.complaint("format = 2", "format = 3").find("format") != std::string::npos);
    CHECK(made.complaint("name = \"03_tiled\"", "name = \"02_naive\"").find("twice") !=
          std::string::npos);
    CHECK(made.complaint("title =", "title").find("fix this line") != std::string::npos);
    CHECK(made.complaint("epoch = 1", "epoch = 2") == "nothing");
}

TEST_CASE("a key that other users can read is refused") {
    Made made;
    fs::path key = made.place / "teacher/key";
    fs::permissions(key, fs::perms::group_read, fs::perm_options::add);
    CHECK_THROWS_AS(read_assignment(made.place), UsageError);
    fs::permissions(key, fs::perms::group_read, fs::perm_options::remove);
    CHECK_NOTHROW(read_assignment(made.place));
    write_atomically(key, "short", 0600);
    CHECK_THROWS_AS(read_assignment(made.place), UsageError);
}

TEST_CASE("an assignment that cannot be created leaves no files") {
    TemporaryFolder folder;
    NewAssignment request{
        .folder = folder / "x", .title = "", .exercises = {"02", "77"}, .points = {}};
    CHECK_THROWS_AS(make_assignment(request), UsageError);
    request.exercises = {"02", "2"};
    CHECK_THROWS_AS(make_assignment(request), UsageError);
    request.exercises = {"02", "03"};
    request.points = {1};
    CHECK_THROWS_AS(make_assignment(request), UsageError);
    CHECK(fs::is_empty(folder.path));
    for (std::string name : {"", "..", "a/b", "-x", "a b", ".hidden"}) {
        CHECK_THROWS_AS(assignment_folder(folder.path, name), UsageError);
    }
}

TEST_CASE("costs are also counted on a hidden shape that is not square") {
    Made made;
    for (const AssignedExercise& exercise : read_assignment(made.place).exercises) {
        const coalesce::Shape counted = exercise.hidden_counted_shape;
        CHECK(counted.rows != counted.cols);
        CHECK(counted.rows * counted.cols >= 4 * 128 * 128);
        // At least one hidden shape must have too many elements for 16-bit indices.
        CHECK(std::ranges::any_of(exercise.hidden_shapes, [](coalesce::Shape shape) {
            return shape.rows > 1024 && shape.rows * shape.cols > 65536;
        }));
        AssignedExercise other = exercise;
        other.hidden_counted_shape.rows += 128;
        CHECK(requirements_digest(other) != requirements_digest(exercise));
    }
}

TEST_CASE("a student whose submission is abandoned gets no points, but other students get theirs") {
    Made made;
    const Assignment assignment = read_assignment(made.place);
    Store store(assignment.store());
    std::vector<Entry> entries;
    for (const char* student : {"ada", "eve"}) {
        entries.push_back({student, "02_naive", std::string("key of ") + student, "", "", ""});
    }
    const std::int64_t run = store.start_run("hw1", "", entries, {});
    Result right;
    right.mark = Mark::ok;
    right.points = assignment.exercises[0].possible_points;
    store.add_result(run, entries[0], to_json(right));
    CHECK(grades_csv(read_results(assignment, store)).find("\r\neve,,") != std::string::npos);
    store.give_up(run, entries[1], "exit code 9");
    const ClassResults results = read_results(assignment, store);
    CHECK(grades_csv(results).find("\r\nada,10,10,10,OK,\r\neve,0,10,0,FAULT,grader-fault\r\n") !=
          std::string::npos);
    CHECK(describe_open_questions(results).find("  eve, 02_naive") != std::string::npos);
    // A later attempt may succeed, and then its result counts.
    store.add_result(run, entries[1], to_json(right));
    CHECK(describe_open_questions(read_results(assignment, store)).empty());
}

TEST_CASE("in every report, a teacher's decision applies only to the file that it was made for") {
    Made made;
    const Assignment assignment = read_assignment(made.place);
    Store store(assignment.store());
    const Entry first{.student = "ada", .exercise = "02_naive", .key = "k1", .source = ""};
    Entry second = first;
    second.key = "k2";
    second.problem = "no-file";
    std::int64_t run = store.start_run("hw1", "", {first}, {});
    Result wrong;
    wrong.mark = Mark::wrong_answer;
    store.add_result(run, first, to_json(wrong));
    store.add_decision({"ada", "02_naive", "", 7.5, "right, except for a typing error"});
    const ClassResults results = read_results(assignment, store);
    const StudentResults& ada = results.students.at(0);
    CHECK(ada.points() == 7.5);
    const std::string csv = grades_csv(results);
    CHECK(csv.find(",decided by the teacher\r\nada,7.5,10,7.5,WA,") != std::string::npos);
    CHECK(csv.find(",\"02_naive: right, except for a typing error\"\r\n") != std::string::npos);
    CHECK(grades_json(results).find("\"why\": \"right, except for") != std::string::npos);
    CHECK(junit_xml(results).find("Your teacher decided on 7.5 points") != std::string::npos);
    CHECK(format_feedback(results, ada).find("**7.5 of 10 points**, set by your teacher: right") !=
          std::string::npos);
    CHECK(gradebook_csv(results, {{"ada", Identity{}}}, {}, "moodle").find(",7.5,") !=
          std::string::npos);
    // The last decision counts. A decision without points restores the points from the judge.
    store.add_decision({"ada", "02_naive", "", 0, "copied"});
    CHECK(read_results(assignment, store).students.at(0).points() == 0);
    store.add_decision({"ada", "02_naive", "", std::nullopt, "not copied after all"});
    CHECK_FALSE(read_results(assignment, store).students.at(0).graded.at(0).decision);
    // A decision about a different file does not count, and the teacher sees a message.
    store.add_decision({"ada", "02_naive", "another digest", 10, "right"});
    const ClassResults stale = read_results(assignment, store);
    CHECK(stale.students.at(0).points() == 0);
    CHECK(describe_open_questions(stale).find("newer file has been handed in:\n  ada, 02_naive") !=
          std::string::npos);
}

TEST_CASE("a list of proofs contains solutions, skeletons, cheats and mutants") {
    Made made;
    Assignment assignment = read_assignment(made.place);
    std::vector<ProofCase> proofs = list_proofs(assignment);
    int solutions = 0, cheats = 0, mutants = 0, little = 0;
    for (const ProofCase& proof : proofs) {
        solutions += proof.must_pass ? 1 : 0;
        cheats += proof.description.starts_with("cheat") ? 1 : 0;
        mutants += proof.description.starts_with("mutant") ? 1 : 0;
        if (!proof.must_pass) CHECK(proof.source != assignment.find(proof.exercise)->solution);
        little += proof.max_share == kMaxShareWithoutWork ? 1 : 0;
    }
    // The skeletons of both exercises, and the solutions of lessons 01 and 02, may get only a few
    // points.
    CHECK(little == 4);
    CHECK(solutions == 2);
    CHECK(cheats == 12);
    CHECK(mutants >= 8);
}
