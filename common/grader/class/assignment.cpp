#include "grader/class/assignment.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <random>

#include "course/course.h"
#include "exercises/skeleton.h"
#include "grader/class/handout.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

std::string new_key() {
    Digest bytes;
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw Infrastructure(std::string("no random bytes for the key: ") + strerror(errno));
    }
    return hex(bytes);
}

// Shapes that nobody can guess: of each kind that the course's own have, and of none of their sizes.
class HiddenShapes {
public:
    explicit HiddenShapes(const Exercise& exercise) : exercise(exercise) {}

    std::vector<Shape> make() {
        int side = any(100, 220);
        add(side, side);
        add(any(130, 260), any(20, 90));
        add(any(20, 90), any(130, 260));
        add(any(33, 63), any(65, 127));
        add(1, any(71, 300));
        add(any(71, 300), 1);
        return shapes;
    }

private:
    int any(int least, int most) { return std::uniform_int_distribution<int>(least, most)(device); }

    static int rounded(int count, int multiple) {
        return (count + multiple - 1) / multiple * multiple;
    }

    void add(int rows, int cols) {
        Shape shape = exercise.fitted(rounded(rows, exercise.rows_multiple),
                                      rounded(cols, exercise.cols_multiple));
        // No published one, and none twice.
        while (std::ranges::count(exercise.public_shapes, shape) > 0 ||
               std::ranges::count(shapes, shape) > 0) {
            (rows == 1 ? shape.cols : shape.rows) +=
                rows == 1 ? exercise.cols_multiple : exercise.rows_multiple;
            // Of a square that grew on one side the other side grows too.
            const int longer = std::max(shape.rows, shape.cols);
            if (exercise.takes_squares()) shape = {longer, longer};
        }
        shapes.push_back(shape);
    }

    const Exercise& exercise;
    std::random_device device;
    std::vector<Shape> shapes;
};

const Exercise& course_exercise(const std::vector<Exercise>& all, const std::string& wanted) {
    for (const Exercise& exercise : all) {
        std::string number = exercise.name.substr(0, 2);
        if (wanted == exercise.name || wanted == number || "0" + wanted == number) return exercise;
    }
    std::string names;
    for (const Exercise& exercise : all) names += (names.empty() ? "" : ", ") + exercise.name;
    throw Usage("there is no exercise \"" + wanted + "\"; there are " + names);
}

// Most of the points are for what is right.
Points shared_out(double points) {
    return {.correct = points * 6 / 10, .clean = points * 2 / 10, .counters = points * 2 / 10};
}

// A solution as the repository has it, with its marks.
std::string marked_solution(const fs::path& repository, const std::string& exercise) {
    return read_file(repository / "solutions" / exercise / "kernel.cu");
}

exercises::Skeleton skeleton(const fs::path& repository, const std::string& exercise) {
    return exercises::skeleton_of(marked_solution(repository, exercise),
                                  "solutions/" + exercise + "/kernel.cu");
}

Assignment assignment_of(const NewAssignment& request) {
    course::Course course = course::read_course(request.repository / "course.toml");
    std::vector<Exercise> all = course_exercises(request.repository);
    std::string name = request.folder.filename().string();
    Assignment made{.folder = request.folder,
                    .name = name,
                    .title = request.title.empty() ? name : request.title,
                    .exercises = {},
                    .key = new_key()};
    for (std::size_t i = 0; i < request.exercises.size(); ++i) {
        Exercise exercise = course_exercise(all, request.exercises[i]);
        if (made.find(exercise.name) != nullptr) throw Usage(exercise.name + " is named twice");
        const course::Step* step = course.find(exercise.name);
        double points = step == nullptr || step->points == 0 ? 10 : step->points;
        if (!request.points.empty()) points = request.points[i];
        exercise.points = shared_out(points);
        exercise.hidden_shapes = HiddenShapes(exercise).make();
        exercise.solution = skeleton(request.repository, exercise.name).solved();
        made.exercises.push_back(std::move(exercise));
    }
    return made;
}

void write_handout(const NewAssignment& request, const Assignment& assignment, const fs::path& to) {
    for (const Exercise& exercise : assignment.exercises) {
        fs::path folder = to / "exercises" / exercise.name;
        make_folder(folder);
        write_whole(folder / "kernel.cu", skeleton(request.repository, exercise.name).blank());
        write_whole(folder / "checks.cpp",
                    read_file(request.repository / "exercises" / exercise.name / "checks.cpp"));
    }
    write_whole(to / "README.md", handout_readme(assignment));
}

void write_teachers_part(const NewAssignment& request, const Assignment& assignment,
                         const fs::path& to) {
    make_folder(to, 0700);
    for (const Exercise& exercise : assignment.exercises) {
        fs::path folder = to / "solutions" / exercise.name;
        make_folder(folder);
        write_whole(folder / "kernel.cu", exercise.solution);
        write_whole(folder / "mutants.toml",
                    read_file(request.repository / "solutions" / exercise.name / "mutants.toml"));
    }
    write_whole(to / "assignment.toml", manifest_text(assignment));
    write_whole(to / "hidden.toml", hidden_text(assignment), 0600);
    write_whole(to / "key", assignment.key + "\n", 0600);
}

}  // namespace

void make_assignment(const NewAssignment& request) {
    if (fs::exists(request.folder)) {
        throw Usage(request.folder.string() + " is there already; choose another name");
    }
    if (request.exercises.empty()) throw Usage("no exercises; name some: --exercises 02,03,04");
    if (!request.points.empty() && request.points.size() != request.exercises.size()) {
        throw Usage("there are " + std::to_string(request.exercises.size()) + " exercises and " +
                    std::to_string(request.points.size()) + " points; give one for each");
    }
    Assignment assignment = assignment_of(request);
    // All in a folder beside it, which then gets its name: an assignment is there whole.
    fs::path making = request.folder;
    making += ".unfinished-" + std::to_string(getpid());
    make_folder(making);
    write_handout(request, assignment, making / "handout");
    write_teachers_part(request, assignment, making / "teacher");
    std::error_code error;
    fs::rename(making, request.folder, error);
    if (error) throw Infrastructure(request.folder.string() + ": " + error.message());
}

}  // namespace coalesce::grader
