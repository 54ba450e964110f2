#include "grader/class/assignment.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <random>

#include "base/text.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/safe_text.h"
#include "grader/class/results.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

std::string make_key() {
    Digest bytes;
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw InfrastructureError(std::string("cannot read random bytes for the key: ") +
                                  strerror(errno));
    }
    return hex(bytes);
}

// Draws hidden shapes according to the course's rules. None of them is published.
class HiddenShapePicker {
public:
    explicit HiddenShapePicker(const AssignedExercise& exercise) : exercise_(exercise) {}

    std::vector<Shape> pick_shapes() {
        if (exercise_.elements) return draw_sizes();
        for (const HiddenShape& rule : exercise_.hidden_shape_rules) {
            const int rows = draw_from(rule.rows);
            const int cols =
                rule.is_square || exercise_.requires_square() ? rows : draw_from(rule.cols);
            add_unknown_shape(exercise_.round_up_shape(rows, cols));
        }
        return shapes_;
    }

    // Draws the second shape for which costs are counted, so that a kernel cannot be cheap merely
    // by recognizing the size of the public shape. The shape consists of whole tiles in every
    // lesson, so that the limits per request apply. It is square only if the exercise requires a
    // square.
    Shape pick_counted_shape() {
        if (exercise_.elements) return draw_counted_sizes();
        // Side lengths in tiles; the public shape has 4 tiles per side.
        constexpr int tile = 128, min_tiles = 4, max_tiles = 9;
        for (;;) {
            const int tile_rows = draw_from({1, max_tiles}),
                      tile_cols =
                          exercise_.requires_square() ? tile_rows : draw_from({1, max_tiles});
            const Shape shape =
                exercise_.round_up_shape(tile_rows * tile + exercise_.counted_shape.rows % tile,
                                         tile_cols * tile + exercise_.counted_shape.cols % tile);
            const bool is_square = tile_rows == tile_cols;
            if (tile_rows * tile_cols < min_tiles || tile_rows * tile_cols > max_tiles ||
                shape == exercise_.counted_shape)
                continue;
            if (is_square == exercise_.requires_square()) return shape;
        }
    }

private:
    // Returns the largest value that the exercise allows for a size.
    int max_size(std::size_t size) const {
        const ElementTask& task = *exercise_.elements;
        return task.max_sizes.empty() ? 1 << 20 : task.max_sizes[size];
    }

    // Draws sizes up to one and a half times the public ones.
    std::vector<Shape> draw_sizes() {
        constexpr std::size_t shape_count = 4;
        const std::size_t sizes = exercise_.elements->sizes.size();
        for (int attempts = 0; shapes_.size() < shape_count && attempts < 100; ++attempts) {
            std::vector<int> drawn_sizes;
            for (std::size_t i = 0; i < sizes; ++i) {
                int max_published_size = 0;
                for (const Shape shape : exercise_.shapes) {
                    max_published_size = std::max(max_published_size, size_at(shape, i));
                }
                drawn_sizes.push_back(draw_from(
                    {1, std::min(max_published_size + max_published_size / 2 + 1, max_size(i))}));
            }
            if (!is_known(make_shape(drawn_sizes))) shapes_.push_back(make_shape(drawn_sizes));
        }
        return shapes_;
    }

    // Draws a size close to the size at which costs are counted: a multiple of a quarter of that
    // size. If a quarter is less than a warp, draws a multiple of a half instead, so that warps are
    // full.
    int draw_counted_size(std::size_t size) {
        constexpr int warp = 32, size_quarters = 4;
        const int published_size = size_at(exercise_.counted_shape, size);
        if (published_size < 2 * warp) return published_size;
        const int drawn_size = published_size / size_quarters < warp
                                   ? published_size / 2 * draw_from({1, 3})
                                   : published_size / size_quarters * draw_from({2, 6});
        return drawn_size <= max_size(size) ? drawn_size : published_size;
    }

    // Draws sizes that are not the public ones, so that a kernel cannot be cheap merely by
    // recognizing them. Returns 0 x 0 if the public sizes are the only ones close enough.
    Shape draw_counted_sizes() {
        for (int attempts = 0; attempts < 100; ++attempts) {
            std::vector<int> drawn_sizes;
            for (std::size_t i = 0; i < exercise_.elements->sizes.size(); ++i) {
                drawn_sizes.push_back(draw_counted_size(i));
            }
            if (make_shape(drawn_sizes) != exercise_.counted_shape) return make_shape(drawn_sizes);
        }
        return {0, 0};
    }

    int draw_from(std::array<int, 2> range) {
        return std::uniform_int_distribution<int>(range[0], range[1])(random_device_);
    }

    bool is_known(Shape shape) const {
        return std::ranges::count(exercise_.shapes, shape) > 0 ||
               std::ranges::count(shapes_, shape) > 0;
    }

    // Adds a shape. If the shape is public or has been added before, makes its longer side longer
    // until the shape is new.
    void add_unknown_shape(Shape shape) {
        while (is_known(shape)) {
            const bool is_wide = shape.cols > shape.rows;
            if (is_wide || exercise_.requires_square()) shape.cols += exercise_.cols_multiple;
            if (!is_wide || exercise_.requires_square()) shape.rows += exercise_.rows_multiple;
        }
        shapes_.push_back(shape);
    }

    const AssignedExercise& exercise_;
    std::random_device random_device_;
    std::vector<Shape> shapes_;
};

const AssignedExercise& find_course_exercise(const std::vector<AssignedExercise>& exercises,
                                             const std::string& name) {
    for (const AssignedExercise& exercise : exercises) {
        if (exercise.has_name(name)) return exercise;
    }
    throw UsageError("there is no exercise \"" + name + "\"; the exercises are " +
                     joined(exercises, ", ", &AssignedExercise::name));
}

// Divides an exercise's points among its goals. Most points depend on the counters, which show
// whether the student has learned the subject of the lesson. A correct result earns less, because
// the skeleton or the kernel of the previous lesson may already produce it.
Points divide_points(double points) {
    return {.correct = points / 4, .clean = points * 3 / 20, .counters = points * 6 / 10};
}

Assignment build_assignment(const NewAssignment& request) {
    const std::vector<AssignedExercise> known_exercises = course_exercises(course_folder());
    std::string name = request.folder.filename().string();
    Assignment assignment{.folder = request.folder,
                          .name = name,
                          .title = request.title.empty() ? name : request.title,
                          .exercises = {},
                          .key = make_key()};
    for (std::size_t i = 0; i < request.exercises.size(); ++i) {
        AssignedExercise exercise = find_course_exercise(known_exercises, request.exercises[i]);
        if (assignment.find(exercise.name) != nullptr)
            throw UsageError("give the exercise " + exercise.name + " only once");
        exercise.possible_points =
            divide_points(request.points.empty() ? exercise.points : request.points[i]);
        HiddenShapePicker shape_picker(exercise);
        exercise.hidden_shapes = shape_picker.pick_shapes();
        exercise.hidden_counted_shape = shape_picker.pick_counted_shape();
        assignment.exercises.push_back(std::move(exercise));
    }
    return assignment;
}

std::string points_table(const Assignment& assignment) {
    std::string text = "| exercise | correct | clean | counters | total |\n|---|---|---|---|---|\n";
    for (const AssignedExercise& exercise : assignment.exercises) {
        const auto format_points = [&](const auto& named_points) {
            return format_short(exercise.possible_points.*named_points.second);
        };
        text += "| " + exercise.name + " | " + joined(kPoints, " | ", format_points) + " | " +
                format_short(exercise.possible_points.total()) + " |\n";
    }
    return text;
}

std::string describe_limits(const AssignedExercise& exercise) {
    const auto format_limit = [&](const auto& named_limit) {
        const double value = exercise.limits.*named_limit.second;
        return value > 0 ? named_limit.first + (" " + format_short(value)) : "";
    };
    return "- " + exercise.name + ": " + joined(kLimits, ", ", format_limit) + "\n";
}

// Lists the tolerances of the exercises whose results need not be exact.
std::string describe_tolerances(const Assignment& assignment) {
    std::string tolerance_lines;
    for (const AssignedExercise& exercise : assignment.exercises) {
        if (!exercise.elements) continue;
        if (exercise.elements->tolerance.kind == Tolerance::Kind::bits) continue;
        tolerance_lines += "- " + exercise.name + ": " + exercise.elements->tolerance.text() + "\n";
    }
    return tolerance_lines.empty()
               ? ""
               : "\nAn element may differ from its expected value by at most the exercise's "
                 "tolerance:\n\n" +
                     tolerance_lines;
}

std::string format_shapes(const AssignedExercise& exercise) {
    const auto format_shape = [&](Shape shape) {
        return exercise.elements ? describe_sizes(exercise.elements->sizes, shape) : shape.name();
    };
    return "- " + exercise.name + ": " +
           joined(exercise.shapes, exercise.elements ? "; " : ", ", format_shape) + "\n";
}

// Lists constructs that give correct results, but unexpectedly cost points.
std::string describe_costly_kernels() {
    return "These kernels are correct, but cost more than one might expect:\n\n"
           "- `memcpy` between a `float*` and a vector copies byte by byte, because a float may "
           "start\n  anywhere within a vector: cast the pointer instead.\n"
           "- `cuda::std::barrier`, latches, semaphores and flags of your own load from shared "
           "memory again\n  and again while they wait, and these loads count: use "
           "`__syncthreads`, or a\n  `cuda::barrier` of thread scope block.\n"
           "- Each call of a virtual function loads the function's address, and these loads "
           "count.\n"
           "- Copies that report to a `cuda::barrier` or to a pipeline with shared state do not "
           "count as\n  being in flight: collect them in groups with `__pipeline_commit()`.\n"
           "- `cuda::memcpy_async` to a `cuda::barrier` may use the copy engine, which sees an "
           "initialized\n  barrier only after "
           "`cuda::device::experimental::fence_proxy_async_shared_cta()`.\n\n"
           "A grader without the CUDA toolkit compiles with clang, which supports fewer headers. "
           "From libcu++\nit has only `cuda/atomic`, `cuda/barrier` and, in `cuda/std`, `array`, "
           "`atomic`, `cmath`, `cstddef`,\n`cstdint`, `limits`, `span`, `type_traits` and "
           "`utility`. Its cooperative groups have no copies.\n\n";
}

// Lists what the grader refuses in a kernel.
std::string describe_refused_code(const Assignment& assignment) {
    std::string text =
        "\n## What is refused\n\n"
        "`./learn check " +
        step_number(assignment.exercises.front().name) +
        " --as-graded` refuses the same kernels, and shows the line:\n\n";
    // All exercises have the rules of the first exercise, unless the teacher has changed the rules
    // of an exercise.
    for (const std::string& rule : describe_rules(ptx_rules(assignment.exercises.front())))
        text += "- " + rule + "\n";
    return text +
           "\nA kernel may print, contain asserts, call functions through pointers, allocate "
           "memory and read\nclocks. The result must not depend on a clock: the grader launches "
           "each kernel with different clocks.\n\n" +
           describe_costly_kernels();
}

std::string handout_readme(const Assignment& assignment) {
    std::string first_name = assignment.exercises.front().name;
    std::string step = step_number(first_name);
    std::string text =
        "# " + escape_markdown(assignment.title) +
        "\n\n"
        "Each exercise is one file, `exercises/NN_name/kernel.cu`: a kernel with blanks. In each\n"
        "blank, a TODO says what to write. You need no GPU, because the course includes a "
        "simulated one.\n\n"
        "## Work\n\n"
        "1. Get the course, and run `./learn` in its folder once. This installs and builds all "
        "of it.\n"
        "2. Copy the folder `exercises/` of this handout over the one in the course.\n"
        "3. Write the kernels, and check them as often as you like:\n\n"
        "   ```\n   ./learn check " +
        step +
        "        # what is wrong, where, what to do next\n"
        "   ./learn hint " +
        step +
        "         # when you are stuck\n   ```\n\n"
        "The grader runs your kernels on these shapes (rows x columns), so try them yourself. It\n"
        "also uses other shapes, which are not published, and other values in the matrix.\n\n";
    for (const AssignedExercise& exercise : assignment.exercises) text += format_shapes(exercise);
    text +=
        "\n## Points\n\n" + points_table(assignment) +
        "\n- `correct`: every element is correct, bit for bit, for every shape.\n- `clean`: there "
        "is no access outside the matrices, no race, no barrier that some\n  threads do not "
        "reach, and no read of memory that was never written.\n- `counters`: the kernel costs "
        "no more than the solution, and stays within the limits\n  below. `load` and `store` are "
        "the most sectors per request to global memory, and\n  `shared_load` and `shared_store` "
        "the most wavefronts per request to shared memory\n  (simulated). `elements_per_thread` "
        "and `elements_per_block` are minimums.\n\n";
    for (const AssignedExercise& exercise : assignment.exercises) text += describe_limits(exercise);
    text += describe_tolerances(assignment);
    text += describe_refused_code(assignment);
    text +=
        "## Hand in\n\nHand in a zip archive that contains your files under these names:\n\n```\n";
    for (const AssignedExercise& exercise : assignment.exercises) {
        text += "exercises/" + exercise.name + "/kernel.cu\n";
    }
    return text + "```\n\nFor example, run `zip -r handin.zip exercises`.\n";
}

void write_exercise(const AssignedExercise& exercise, const fs::path& handout,
                    const fs::path& teacher) {
    const fs::path course_solution = course_folder() / "solutions" / exercise.name;
    const fs::path blank_folder = handout / "exercises" / exercise.name;
    const fs::path solution = teacher / "solutions" / exercise.name;
    make_folder(blank_folder);
    write_atomically(blank_folder / "kernel.cu",
                     exercises::parse_skeleton(read_file(course_solution / "kernel.cu"),
                                               course_solution / "kernel.cu")
                         .blank_text());
    make_folder(solution);
    write_atomically(solution / "kernel.cu", exercise.solution);
    if (!exercise.elements) {
        write_atomically(solution / "mutants.toml", read_file(course_solution / "mutants.toml"));
    }
}

void write_assignment(const Assignment& assignment, const fs::path& handout,
                      const fs::path& teacher) {
    make_folder(teacher, 0700);
    for (const AssignedExercise& exercise : assignment.exercises) {
        write_exercise(exercise, handout, teacher);
    }
    write_atomically(handout / "README.md", handout_readme(assignment));
    write_atomically(teacher / "assignment.toml", manifest_text(assignment));
    write_atomically(teacher / "hidden.toml", hidden_text(assignment), 0600);
    write_atomically(teacher / "key", assignment.key + "\n", 0600);
}

}  // namespace

void make_assignment(const NewAssignment& request) {
    if (fs::exists(request.folder)) {
        throw UsageError(request.folder.string() + " already exists; choose another name");
    }
    if (request.exercises.empty())
        throw UsageError("no exercises were given; name the exercises: --exercises 02,03,04");
    if (!request.points.empty() && request.points.size() != request.exercises.size()) {
        throw UsageError("there are " + std::to_string(request.exercises.size()) +
                         " exercises, but " + std::to_string(request.points.size()) +
                         " values for --points; give one value for each exercise");
    }
    Assignment assignment = build_assignment(request);
    // Write the assignment to a temporary folder and rename it, so that the destination is never
    // incomplete.
    fs::path unfinished_folder = request.folder;
    unfinished_folder += ".unfinished-" + std::to_string(getpid());
    make_folder(unfinished_folder);
    write_assignment(assignment, unfinished_folder / "handout", unfinished_folder / "teacher");
    std::error_code error;
    fs::rename(unfinished_folder, request.folder, error);
    if (error) throw InfrastructureError(request.folder.string() + ": " + error.message());
}

}  // namespace coalesce::grader
