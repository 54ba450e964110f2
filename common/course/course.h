/// \file
/// The course as course.toml states it: its steps in order, their kernels, and what each must cost.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::course {

/// Something in course.toml that cannot be right. The text begins with file and line, and ends with
/// what to do.
struct CourseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The counters that can be expected of a kernel, by their names in course.toml.
inline constexpr const char* EXPECTABLE[] = {"load", "store", "shared_load", "shared_store"};

/// One kernel of a step, or one piece of host code.
struct Variant {
    std::string name;                      ///< as its program's --list and --variant have it
    std::string kernel;                    ///< the __global__ function; empty for host code
    std::map<std::string, double> expect;  ///< of EXPECTABLE: sectors or wavefronts a request
    int rows_multiple = 1, cols_multiple = 1;
    int line = 0;  ///< in course.toml
};

/// The levels of a hint, each saying more than the one before, by their names in course.toml.
inline constexpr std::array<const char*, 4> HINT_LEVELS = {"question", "picture", "api", "line"};

/// Help with one mistake, or with none in particular.
struct Hint {
    std::vector<std::string> failures;  ///< names of kernel/failure.h; empty: for all
    std::array<std::string, HINT_LEVELS.size()> levels;  ///< "": left to the hint for all
    int line = 0;                                        ///< in course.toml
};

/// How far a prediction may be off, as a part of what was counted: rounding.
inline constexpr double ROUNDING = 0.02;

/// A question about what a kernel costs, asked before the counters are shown. What answers it is
/// counted in the learner's own run: the average of all requests.
struct Prediction {
    std::string counter;       ///< of EXPECTABLE
    std::string question;      ///< for the learner
    double within = ROUNDING;  ///< more where requests differ, and the question says "about"
};

/// A kernel that looks right and is not, to be mended.
struct Hunt {
    int points = 0;  ///< for mending it
    Hint hint;       ///< for all
};

/// One program of the course. Its first variant is the headline.
struct Step {
    std::string name;       ///< "02_naive", the name of its folder too
    std::string title;      ///< "Naive: one thread moves one element"
    std::string builds_on;  ///< the name of an earlier step; empty for the first
    std::vector<Variant> variants;
    int points = 0;                            ///< of its exercise; 0: it has none
    std::vector<Hint> hints = {};              ///< the first is for all, the others for failures
    std::vector<Prediction> predictions = {};  ///< in the order in which they are asked
    std::optional<Hunt> hunt = {};             ///< the bug hunt, where there is one
    int line = 0;                              ///< in course.toml

    /// "02"
    std::string number() const { return name.substr(0, 2); }
    /// The variant of that name, or nullptr.
    const Variant* find(const std::string& variant) const;
};

/// All steps, in the order in which they are to be read.
struct Course {
    std::vector<Step> steps;
    std::vector<Hint> hints;  ///< for failures, whatever the step

    /// The step of that name or number ("02_naive", "02", "2"), or nullptr.
    const Step* find(const std::string& name_or_number) const;

    /// The hint for a failure ("" for none) in a step's exercise: the step's own one, else the course's,
    /// with the levels that it lacks taken from the one for all. Its `failures` are those of the hint
    /// that was chosen.
    Hint hint_for(const Step& step, const std::string& failure) const;
};

/// Reads course.toml; throws CourseError.
Course read_course(const std::filesystem::path& file);

}  // namespace coalesce::course
