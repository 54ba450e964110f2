/// \file
/// An exercise of the course, and the requirements that a kernel must meet. The examiner, the
/// learner's command and the grader all read the requirements from solutions/NN_name/exercise.toml.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examiner/course/element_task.h"
#include "harness/options.h"

namespace coalesce {

/// The limits on a kernel's costs. The costs are counted on the shape `Exercise::counted_shape`,
/// and only for a correct kernel. 0 means no limit.
struct Limits {
    double load = 0;                      ///< maximum sectors per load
    double store = 0;                     ///< maximum sectors per store
    double shared_load = 0;               ///< maximum wavefronts per load from shared memory
    double shared_store = 0;              ///< maximum wavefronts per store to shared memory
    double elements_per_thread = 0;       ///< minimum matrix elements per thread
    double most_elements_per_thread = 0;  ///< maximum matrix elements per thread
    double elements_per_block = 0;        ///< minimum matrix elements per block
    /// minimum number of loads that a warp issues before it waits for the first load
    double loads_in_flight = 0;
    /// minimum number of bytes that asynchronous copies have in flight when a tile is read
    double copies_in_flight = 0;
    double predicted_fraction_of_copy =
        0;  ///< minimum predicted speed on a GPU, as a fraction of a copy's speed
    /// limit on the total sectors, requests, wavefronts and atomics, as a multiple of the
    /// solution's total; only for an ElementTask
    double fraction_of_solution = 0;
};

/// The limits, with their names in exercise.toml.
inline constexpr std::pair<const char*, double Limits::*> kLimits[] = {
    {"load", &Limits::load},
    {"store", &Limits::store},
    {"shared_load", &Limits::shared_load},
    {"shared_store", &Limits::shared_store},
    {"elements_per_thread", &Limits::elements_per_thread},
    {"most_elements_per_thread", &Limits::most_elements_per_thread},
    {"elements_per_block", &Limits::elements_per_block},
    {"loads_in_flight", &Limits::loads_in_flight},
    {"copies_under_way", &Limits::copies_in_flight},
    {"of_copy_predicted", &Limits::predicted_fraction_of_copy},
    {"of_solution", &Limits::fraction_of_solution},
};

/// The kinds of results that an exercise can require in `out`, with their names in exercise.toml.
inline constexpr std::pair<const char*, Produces> kTasks[] = {
    {"transpose", {Produces::transpose}},
    {"copy", {Produces::copy}},
    {"transposed-tiles", {Produces::transposed_tiles}},
    {"moved-tiles", {Produces::moved_tiles}},
    {"transpose-in-place", in_place()},
    {"stack-of-64", stack_of(64)},
};

/// The orders of tiles that an exercise can require. examiner/block_order.cpp defines them.
inline constexpr const char* kBlockOrders[] = {"diagonal", "any-diagonal", "in-turn"};

/// A rule by which the grader generates secret shapes. Each side is drawn from its range, and then
/// rounded up to a multiple that the exercise requires.
struct HiddenShape {
    std::array<int, 2> rows{};  ///< minimum and maximum number of rows
    std::array<int, 2> cols{};  ///< minimum and maximum number of columns
    bool is_square = false;     ///< whether both sides must be equal
};

/// The names of a hint's levels in exercise.toml. Each level reveals more than the previous one.
inline constexpr std::array<const char*, 4> kHintLevels = {"question", "picture", "api", "line"};

/// A hint for certain failures, or a general hint.
struct Hint {
    std::vector<std::string> failures;  ///< identifiers from failure.h; empty for a general hint
    /// Text of each level; if empty, the general hint's text is used.
    std::array<std::string, kHintLevels.size()> levels;
    int line = 0;  ///< line of the hint in its TOML file
};

/// The default tolerance for a learner's prediction, as a relative error. The tolerance allows for
/// rounding.
inline constexpr double kRoundingTolerance = 0.02;

/// The value of Prediction::counter for a question that asks for the kernel's speed on a GPU, as a
/// percentage of a copy's speed. The time model computes the answer.
inline constexpr const char* kCopyPercentQuestion = "of_copy_predicted";

/// A question about a kernel's cost, asked before the cost is shown. The answer is a property of
/// the learner's own kernel: a counter's average per request, or the kernel's speed as predicted by
/// the time model.
struct Prediction {
    std::string
        counter;  ///< "load", "store", "shared_load", "shared_store" or kCopyPercentQuestion
    std::string question;  ///< the question for the learner
    double tolerance =
        kRoundingTolerance;  ///< allowed relative error; larger if the question says "about"
};

/// The prefix of the names of exercises without a lesson, such as x_row_sums.
inline constexpr std::string_view kBeyondPrefix = "x_";
/// Reports whether this is the name of an exercise without a lesson.
inline bool is_beyond(const std::string& step) {
    return step.starts_with(kBeyondPrefix);
}
/// Returns the number of a step: "03" for "03_tiled". An exercise without a lesson has no number,
/// so the function returns its name.
inline std::string step_number(const std::string& step) {
    return is_beyond(step) ? step : step.substr(0, 2);
}
/// Reports whether `typed_name`, such as "03_tiled", "03" or "3", names this step. The prefix "x_"
/// may be omitted: "row_sums" names "x_row_sums".
bool names_step(const std::string& typed_name, const std::string& step);

/// An exercise, or the bug hunt of a lesson.
struct Exercise {
    std::string name = "";               ///< name of the exercise's step, such as "03_tiled"
    bool is_hunt = false;                ///< whether this is a bug hunt, whose file is hunt.cu
    bool is_program = false;             ///< whether this is a whole program, on shapes of one row
    std::string kernel = "transpose";    ///< name of the __global__ function
    std::string produces = "transpose";  ///< the kind of result required in `out`: a name in kTasks
    int rows_multiple = 1;               ///< the number of rows must be a multiple of this
    int cols_multiple = 1;               ///< the number of columns must be a multiple of this
    std::vector<Shape> shapes = {};      ///< shapes for the trials, simplest first
    Shape counted_shape = {256, 256};    ///< the shape for which costs are counted
    /// limits that apply in addition to the comparison with the solution's costs
    Limits limits = {};
    /// required order of the blocks: one of kBlockOrders, or "" for any
    std::string block_order = "";
    std::vector<HiddenShape> hidden_shape_rules = {};  ///< rules for the shapes that a grader adds
    int points = 0;                                    ///< points for passing the exercise
    std::vector<Hint> hints = {};                      ///< hints; the first one is general
    std::vector<Prediction> predictions = {};          ///< questions, in the order they are asked
    /// The task if it is defined element by element, or nothing if the task is to move a matrix.
    std::optional<ElementTask> elements = {};

    /// Returns the number of the exercise's step, such as "03".
    std::string number() const { return step_number(name); }
    /// Returns the names of the sizes that make up a shape.
    std::vector<std::string> size_names() const {
        return elements ? elements->sizes : std::vector<std::string>{"rows", "cols"};
    }
    /// Returns the name of the learner's file: "kernel.cu", "hunt.cu" or "program.cu".
    std::string file() const {
        if (is_program) return "program.cu";
        return is_hunt ? "hunt.cu" : "kernel.cu";
    }
    /// Returns the kind of result that the exercise asks for. Throws std::invalid_argument if
    /// `produces` is not in kTasks.
    Produces task() const;
    /// Reports whether the exercise accepts only square matrices.
    bool requires_square() const { return task().in_place; }
    /// Returns the shape with `rows` * `rows_multiple` rows and `cols` * `cols_multiple` columns.
    /// Ignores `cols` if the exercise accepts only square matrices.
    Shape shape_from_multiples(int rows, int cols) const {
        return {rows * rows_multiple, (requires_square() ? rows : cols) * cols_multiple};
    }
    /// Returns the smallest allowed shape with at least this many rows and columns.
    Shape round_up_shape(int rows, int cols) const {
        return shape_from_multiples((rows + rows_multiple - 1) / rows_multiple,
                                    (cols + cols_multiple - 1) / cols_multiple);
    }
    /// Reports whether the exercise accepts matrices of this shape.
    bool accepts(Shape shape) const {
        return shape.rows % rows_multiple == 0 && shape.cols % cols_multiple == 0 &&
               (shape.rows == shape.cols || !requires_square());
    }
    /// Reports whether the learner's text, such as "03", names this exercise.
    bool has_name(const std::string& typed_name) const { return names_step(typed_name, name); }
};

/// Formats a number for exercise.toml, with the fewest digits that still parse to the same number.
std::string to_toml(double number);
/// Formats the first `sizes` numbers of a shape as a TOML array.
std::string to_toml(Shape shape, std::size_t sizes = 2);
std::string to_toml(const std::vector<Shape>& shapes, std::size_t sizes = 2);

/// Returns an exercise's requirements in the format of exercise.toml. The text serves to show the
/// requirements and to detect changes.
std::string serialize_exercise(const Exercise& exercise);

}  // namespace coalesce
