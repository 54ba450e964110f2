/// \file
/// Parses the arguments of `learn run` into a request. Finds all mistakes before the first program
/// starts.
#pragma once

#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::learn {

/// The arguments as the learner typed them. Arguments that were not given are empty.
struct RunArguments {
    std::vector<std::string> steps;
    std::string device, rows, cols, variant, json;
    std::string predicted_gpu,
        predicted_shape;  ///< the GPU and the shape for which to predict times
};

/// The parsed request.
struct RunRequest {
    std::vector<const course::Step*> steps;  ///< the steps to run, in the course's order
    /// the lesson that is a whole program, if it was requested; otherwise null
    const course::Step* program = nullptr;
    /// whether to run rival kernels, such as those of cuBLAS; `on_gpu` means only on a real GPU
    enum class Rivals { no, on_gpu, yes } rivals = Rivals::no;
    std::vector<std::string> options;  ///< options for every program
    bool needs_gpu = false;            ///< whether --device gpu was given
    bool is_predicted = false;         ///< whether --time or --at was given
    bool only_first_variants = false;  ///< whether to run only the first variant of each step
    std::string json;                  ///< a JSON file to write; "" for none
};

/// Parses the arguments. If they are invalid, throws a UsageError with a one-line message.
RunRequest parse_request(const RunArguments& arguments, const course::Course& course);

}  // namespace coalesce::learn
