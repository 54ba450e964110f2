/// \file
/// An exercise of the course: the requirements on a kernel. Its record, solutions/NN_name/exercise.toml, is the only
/// place that states them; the examiner, the learner's command and the grader all read that record.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "harness/options.h"

namespace coalesce {

/// The limits on a kernel's costs at `Exercise::counted`, which apply once the kernel is right. 0: no limit.
struct Limits {
    double load = 0;                 ///< most sectors per load
    double store = 0;                ///< most sectors per store
    double shared_load = 0;          ///< most wavefronts per load from shared memory
    double shared_store = 0;         ///< most wavefronts per store to shared memory
    double elements_per_thread = 0;  ///< fewest elements of the matrix per thread
    double elements_per_block = 0;   ///< fewest elements of the matrix per block
    double loads_in_flight = 0;      ///< fewest loads that a warp starts before it waits
    double copies_under_way = 0;     ///< fewest bytes in flight to shared memory while it is read
    double of_copy_predicted = 0;    ///< smallest fraction of a copy's speed, predicted for a GPU
};

/// The limits by their names in exercise.toml.
inline constexpr std::pair<const char*, double Limits::*> kLimits[] = {
    {"load", &Limits::load},
    {"store", &Limits::store},
    {"shared_load", &Limits::shared_load},
    {"shared_store", &Limits::shared_store},
    {"elements_per_thread", &Limits::elements_per_thread},
    {"elements_per_block", &Limits::elements_per_block},
    {"loads_in_flight", &Limits::loads_in_flight},
    {"copies_under_way", &Limits::copies_under_way},
    {"of_copy_predicted", &Limits::of_copy_predicted},
};

/// The results that an exercise can ask for in `out`, by name in exercise.toml.
inline constexpr std::pair<const char*, Produces> kTasks[] = {
    {"transpose", {Produces::transpose}},
    {"copy", {Produces::copy}},
    {"transposed-tiles", {Produces::transposed_tiles}},
    {"moved-tiles", {Produces::moved_tiles}},
    {"transpose-in-place", in_place()},
    {"stack-of-64", stack_of(64)},
};

/// The orders in which an exercise can ask blocks to take tiles. examiner/block_order.cpp defines them.
inline constexpr const char* kBlockOrders[] = {"diagonal", "any-diagonal", "in-turn"};

/// A rule for shapes that a grader adds in secret: each side is drawn from its range, then rounded up to the
/// exercise's multiples.
struct HiddenShape {
    std::array<int, 2> rows{};  ///< minimum and maximum
    std::array<int, 2> cols{};  ///< minimum and maximum
    bool is_square = false;     ///< columns equal rows
};

/// The levels of a hint, by name in exercise.toml. Each says more than the previous one.
inline constexpr std::array<const char*, 4> kHintLevels = {"question", "picture", "api", "line"};

/// Help for certain failures, or general help.
struct Hint {
    std::vector<std::string> failures;  ///< identifiers of failure.h; empty for a general hint
    std::array<std::string, kHintLevels.size()> levels;  ///< "": taken from the general hint
    int line = 0;                                        ///< line in its record
};

/// The relative error that a prediction may have: rounding.
inline constexpr double kRounding = 0.02;

/// A question that no counter answers: the percentage of a copy's speed on a GPU, by the time model.
inline constexpr const char* kOfCopy = "of_copy_predicted";

/// A question about a kernel's cost, asked before the cost is shown. The answer comes from the learner's own run: the
/// average of all requests, or the time model's prediction.
struct Prediction {
    std::string counter;        ///< "load", "store", "shared_load", "shared_store" or kOfCopy
    std::string question;       ///< the question for the learner
    double within = kRounding;  ///< larger if requests differ, and the question says "about"
};

/// Reports whether the typed "03_tiled", "03" or "3" means this step.
bool means(const std::string& typed, const std::string& step);

/// An exercise, or the bug hunt of one.
struct Exercise {
    std::string name = "";             ///< name of its step: "03_tiled"
    bool is_hunt = false;              ///< a bug hunt: the file is hunt.cu
    bool is_program = false;           ///< a whole program, program.cu; its shapes are 1 x elements
    std::string kernel = "transpose";  ///< name of the __global__ function
    std::string produces = "transpose";    ///< the result in `out`, one of kTasks
    int rows_multiple = 1;                 ///< rows are multiples of this
    int cols_multiple = 1;                 ///< columns are multiples of this
    std::vector<Shape> shapes = {};        ///< shapes for the trials, the simplest first
    Shape counted = {256, 256};            ///< the shape at which costs are counted
    Limits limits = {};                    ///< limits in addition to the solution's costs
    std::string block_order = "";          ///< the order of tiles, one of kBlockOrders; "": any
    std::vector<HiddenShape> hidden = {};  ///< rules for a grader's additional shapes
    int points = 0;                        ///< for passing it
    std::vector<Hint> hints = {};          ///< the first is general, the others are for failures
    std::vector<Prediction> predictions = {};  ///< in the order of the questions

    /// "03"
    std::string number() const { return name.substr(0, 2); }
    /// Returns "kernel.cu", "hunt.cu" or "program.cu".
    std::string file() const {
        if (is_program) return "program.cu";
        return is_hunt ? "hunt.cu" : "kernel.cu";
    }
    /// Returns the required result. Throws std::invalid_argument if `produces` is not in kTasks.
    Produces task() const;
    /// Reports whether it takes only square matrices.
    bool takes_squares() const { return task().in_place; }
    /// Returns a shape of this many multiples, or a square if only squares are allowed.
    Shape of_multiples(int rows, int cols) const {
        return {rows * rows_multiple, (takes_squares() ? rows : cols) * cols_multiple};
    }
    /// Returns the smallest allowed shape that is at least this large.
    Shape at_least(int rows, int cols) const {
        return of_multiples((rows + rows_multiple - 1) / rows_multiple,
                            (cols + cols_multiple - 1) / cols_multiple);
    }
    /// Reports whether the exercise takes matrices of this shape.
    bool takes(Shape shape) const {
        return shape.rows % rows_multiple == 0 && shape.cols % cols_multiple == 0 &&
               (shape.rows == shape.cols || !takes_squares());
    }
    /// Reports whether the typed word means this exercise.
    bool is_called(const std::string& typed) const { return means(typed, name); }
};

/// Formats values as in exercise.toml. Numbers have the shortest digits that read back as the same number.
std::string toml_text(double number);
std::string toml_text(Shape shape);
std::string toml_text(const std::vector<Shape>& shapes);

/// Returns the requirements as text in the form of the record, for people and for detecting changes.
std::string text_of(const Exercise& exercise);

}  // namespace coalesce
