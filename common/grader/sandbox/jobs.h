/// \file
/// What a jail is asked, and what it answers, as JSON. The grader believes no answer: whatever is not
/// as it should be makes reading it throw std::runtime_error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "examiner/compile.h"
#include "examiner/trial_codec.h"
#include "harness/predicted.h"

namespace coalesce::grader {

/// Compile this.
struct CompileJob {
    std::string name;    ///< of the file in messages
    std::string source;  ///< its text
    std::string kernel;  ///< the function
};

/// Launch this once.
struct LaunchJob {
    Compiled kernel;                ///< its PTX and the names that belong to it
    TrialOrder order;               ///< which launch
    bool is_in_place = false;       ///< there is one matrix
    bool is_predicted = false;      ///< how long it would take; no matrices come or go
    std::uint64_t guard_bytes = 0;  ///< before and after each matrix
    std::uint64_t address_seed =
        0;  ///< says where the device's memory lies; 0: where it always does
    bool is_out_unwritten = false;  ///< what `out` is filled with counts as written by nobody
    /// Of a prediction: its blocks load values that are made from it. 0: what they move is not looked at.
    std::uint64_t value_seed = 0;
};

// Jobs are written and read by base/codec.h as they are: the grader's side makes them.
void describe(auto& codec, CompileJob& job) {
    fields(codec, "name", job.name, "source", job.source, "kernel", job.kernel);
}
void describe(auto& codec, LaunchJob& job) {
    fields(codec, "file", job.kernel.file, "kernel", job.kernel.kernel, "ptx", job.kernel.ptx,
           "entry", job.kernel.entry, "order", job.order, "is_in_place", job.is_in_place,
           "is_predicted", job.is_predicted, "guard_bytes", job.guard_bytes, "address_seed",
           job.address_seed, "is_out_unwritten", job.is_out_unwritten, "value_seed",
           job.value_seed);
}

std::string to_json(const Compiled& compiled);
Compiled compile_answer(std::string_view json);
/// What a launch left beside the matrices: no comparison, and the shape that was asked for.
std::string to_json(const Trial& trial);
Trial trial_answer(std::string_view json);

/// How long a launch would take on a GPU.
struct ForetoldTime {
    std::optional<Predicted> predicted;  ///< nothing: there is no time for it
    bool is_moved = true;  ///< false: its blocks do not store what they should, or not everything
};
std::string to_json(const ForetoldTime& foretold);
/// Only what the model says of the one launch is taken from there; the rest follows from the shape, and from
/// what is known here of the GPU. No kernel can be as fast as none could. Throws std::runtime_error for what no
/// simulator says.
ForetoldTime predicted_answer(std::string_view json, Shape shape);

/// A worker's note: the kernel is loaded and has a launch, the matrices may come.
constexpr std::string_view kImagesWanted = "loaded";

/// Where the two matrices lie in the memory that holds them, each with its guards: `in` first.
struct ImageLayout {
    std::size_t matrix_bytes = 0, guard_bytes = 0;
    std::size_t one() const { return matrix_bytes + 2 * guard_bytes; }
    std::size_t both() const { return 2 * one(); }
};
/// Of a job.
ImageLayout layout_of(const LaunchJob& job);
/// In a launch's answer the images come first, then, from here on, the text.
std::size_t text_offset(const ImageLayout& layout);
/// Room for that text.
constexpr std::size_t kMostAnswerText = std::size_t{4} << 20;
/// What of it a trial may fill, whatever a kernel makes the simulator say.
constexpr std::size_t kMostTrialText = kMostAnswerText - 64;

}  // namespace coalesce::grader
