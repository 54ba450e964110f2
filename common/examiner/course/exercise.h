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

/// What a kernel may cost at `Exercise::counted`; looked at when everything is right. 0: not asked.
struct Limits {
    double load = 0;          ///< sectors that a load touches, by the request
    double store = 0;         ///< sectors that a store touches
    double shared_load = 0;   ///< wavefronts that a load from shared memory takes
    double shared_store = 0;  ///< wavefronts that a store to shared memory takes
    double elements_per_thread =
        0;  ///< elements of the matrix for each thread of the grid, at least
    double elements_per_block = 0;  ///< elements of the matrix for each block of the grid, at least
    double loads_in_flight = 0;     ///< loads that a warp starts before it waits, at least
    double copies_under_way = 0;  ///< bytes that arrive in shared memory while it is read, at least
    double of_copy_predicted = 0;  ///< part of a copy's speed on a GPU, predicted, at least
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

/// The results that an exercise can ask for in `out`, by their names in exercise.toml.
inline constexpr std::pair<const char*, Produces> kTasks[] = {
    {"transpose", {Produces::transpose}},
    {"copy", {Produces::copy}},
    {"transposed-tiles", {Produces::transposed_tiles}},
    {"moved-tiles", {Produces::moved_tiles}},
    {"transpose-in-place", in_place()},
    {"stack-of-64", stack_of(64)},
};

/// The orders in which blocks can be asked to take their tiles; examiner/block_order.cpp has them.
inline constexpr const char* kBlockOrders[] = {"diagonal", "any-diagonal", "in-turn"};

/// Shapes that a grader adds and that nobody is told: each side is drawn from its range, then
/// rounded up to the exercise's multiples.
struct HiddenShape {
    std::array<int, 2> rows{};  ///< the least and the most
    std::array<int, 2> cols{};  ///< likewise
    bool is_square = false;     ///< as many columns as rows
};

/// The levels of a hint, each saying more than the one before, by their names in exercise.toml.
inline constexpr std::array<const char*, 4> kHintLevels = {"question", "picture", "api", "line"};

/// Help with one mistake, or with none in particular.
struct Hint {
    std::vector<std::string> failures;  ///< names of examiner/failure.h; empty: for all
    std::array<std::string, kHintLevels.size()> levels;  ///< "": left to the hint for all
    int line = 0;                                        ///< in its record
};

/// How far a prediction may be off, as a part of what was counted: rounding.
inline constexpr double kRounding = 0.02;

/// What can be asked about beside counters: percent of a copy's speed on a GPU, as the model of time says.
inline constexpr const char* kOfCopy = "of_copy_predicted";

/// A question about what a kernel costs, asked before it is shown. What answers it comes from the
/// learner's own run: the average of all requests, or what the model of time makes of it.
struct Prediction {
    std::string counter;        ///< "load", "store", "shared_load", "shared_store" or kOfCopy
    std::string question;       ///< for the learner
    double within = kRounding;  ///< more where requests differ, and the question says "about"
};

/// Whether somebody who types "03_tiled", "03" or "3" means the step of that name.
bool means(const std::string& typed, const std::string& step);

/// An exercise, or the bug hunt that goes with one.
struct Exercise {
    std::string name = "";               ///< of its step: "03_tiled"
    bool is_hunt = false;                ///< to be fixed: hunt.cu, not kernel.cu
    bool is_program = false;             ///< a whole program, program.cu: of 1 x elements
    std::string kernel = "transpose";    ///< the __global__ function's name
    std::string produces = "transpose";  ///< what it leaves in `out`: one of kTasks
    int rows_multiple = 1;               ///< rows are multiples of this
    int cols_multiple = 1;               ///< columns are multiples of this
    std::vector<Shape> shapes = {};      ///< to try it on, the simplest first
    Shape counted = {256, 256};          ///< where its costs are counted
    Limits limits = {};                  ///< what it may cost, beside what its solution does
    std::string block_order = "";        ///< which tiles its blocks take: of kBlockOrders; "": any
    std::vector<HiddenShape> hidden = {};      ///< what a grader tries besides
    int points = 0;                            ///< for passing it
    std::vector<Hint> hints = {};              ///< the first is for all, the others for failures
    std::vector<Prediction> predictions = {};  ///< in the order in which they are asked

    /// "03"
    std::string number() const { return name.substr(0, 2); }
    /// "kernel.cu", "hunt.cu" or "program.cu"
    std::string file() const {
        if (is_program) return "program.cu";
        return is_hunt ? "hunt.cu" : "kernel.cu";
    }
    /// What it leaves in `out`. Throws std::invalid_argument for a name that is none of kTasks.
    Produces task() const;
    /// Whether it takes squares alone.
    bool takes_squares() const { return task().in_place; }
    /// So many of its multiples; a square where it takes nothing else.
    Shape of_multiples(int rows, int cols) const {
        return {rows * rows_multiple, (takes_squares() ? rows : cols) * cols_multiple};
    }
    /// The smallest that it takes which is as tall and as wide.
    Shape at_least(int rows, int cols) const {
        return of_multiples((rows + rows_multiple - 1) / rows_multiple,
                            (cols + cols_multiple - 1) / cols_multiple);
    }
    /// Whether it takes matrices of that shape.
    bool takes(Shape shape) const {
        return shape.rows % rows_multiple == 0 && shape.cols % cols_multiple == 0 &&
               (shape.rows == shape.cols || !takes_squares());
    }
    /// Whether somebody who types that means this one.
    bool is_called(const std::string& typed) const { return means(typed, name); }
};

/// As exercise.toml has them; of a number the shortest digits that give it again.
std::string toml_text(double number);
std::string toml_text(Shape shape);
std::string toml_text(const std::vector<Shape>& shapes);

/// All that is asked, as a text in the record's words: for people, and to see whether it changed.
std::string text_of(const Exercise& exercise);

}  // namespace coalesce
