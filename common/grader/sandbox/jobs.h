/// \file
/// The requests to a jail and its answers, as JSON. The grader trusts no answer: reading one throws
/// std::runtime_error for everything unexpected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "examiner/compile.h"
#include "examiner/trial_codec.h"
#include "harness/predicted.h"

namespace coalesce::grader {

/// A request to compile a file.
struct CompileJob {
    std::string name;    ///< the file's name in messages
    std::string source;  ///< text of the file
    std::string kernel;  ///< name of the kernel's function
};

/// A request to launch a kernel once.
struct LaunchJob {
    Compiled kernel;                 ///< its PTX and names
    TrialOrder order;                ///< the launch to make
    bool is_in_place = false;        ///< the kernel has one matrix
    bool is_predicted = false;       ///< predict the time; no matrices are sent
    std::uint64_t guard_bytes = 0;   ///< bytes of guard before and after each matrix
    std::uint64_t address_seed = 0;  ///< seed of device addresses; 0: the default
    bool is_out_unwritten = false;   ///< treat the initial content of `out` as unwritten
    /// For predictions: seed of the values that the blocks load. 0: what they move is not checked.
    std::uint64_t value_seed = 0;
};

// Jobs are read and written by base/codec.h without checks, because the grader itself makes them.
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
/// Returns the results of a launch as JSON, without the matrices, the comparison, and the requested shape.
std::string to_json(const Trial& trial);
Trial trial_answer(std::string_view json);

/// The predicted time of a launch on a GPU.
struct ForetoldTime {
    std::optional<Predicted> predicted;  ///< empty if the model cannot predict it
    bool is_moved = true;  ///< false: its blocks store wrong values, or not everything
};
std::string to_json(const ForetoldTime& foretold);
/// Reads a prediction. Only the model's figures for the one launch are taken from the answer; the rest follows from
/// the shape and from the known GPU. No kernel can be predicted to be impossibly fast. Throws std::runtime_error for
/// what no simulator would answer.
ForetoldTime predicted_answer(std::string_view json, Shape shape);

/// The note by which a worker says that the kernel is loaded and has a launch, so that the matrices may be sent.
constexpr std::string_view kImagesWanted = "loaded";

/// The layout of the two matrices in the memory that holds them, each with its guards. `in` is first.
struct ImageLayout {
    std::size_t matrix_bytes = 0, guard_bytes = 0;
    std::size_t one() const { return matrix_bytes + 2 * guard_bytes; }
    std::size_t both() const { return 2 * one(); }
};
/// Returns the layout for a job.
ImageLayout layout_of(const LaunchJob& job);
/// Returns the offset of the text in a launch's answer, after the matrices.
std::size_t text_offset(const ImageLayout& layout);
/// The room for that text.
constexpr std::size_t kMostAnswerText = std::size_t{4} << 20;
/// The part of that room that a trial may fill, whatever a kernel makes the simulator report.
constexpr std::size_t kMostTrialText = kMostAnswerText - 64;

}  // namespace coalesce::grader
