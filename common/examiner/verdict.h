/// \file
/// The verdict: the result of an examination, from which all output is generated.
///
/// As JSON (`to_json`, `verdict_from_json`), the verdict is an object that always has these keys:
///
///     {
///       "format": 3,
///       "file": "exercises/03_tiled/kernel.cu",
///       "kernel": "transpose",
///       "source_hash": "16 hexadecimal digits, of the file's text",
///       "outcome": "passed" | "failed" | "not-examined",
///       "device": "...", "is_simulated": true | false,
///       "compiler": "NVRTC 13.0",
///       "failures": [                         sorted by importance; [] if passed
///         {"id": "missing-barrier",           see failure.h: ids never change
///          "headline": "...", "place": {"file": "...", "line": 12, "column": 0},
///          "shape": {"rows": 64, "cols": 64}, 0 x 0 if independent of the input
///          "details": "...", "next": "...", "map": "..."}],
///       "messages": [{"severity": "error" | "warning" | "note", "place": {...}, "text": "..."}],
///       "shapes": [{"shape": {...}, "passed", "launch": {"grid": [x, y, z], "block": [x, y, z],
///                   "shared_bytes"}}],
///       "sizes": ["n"],                       only for an ElementTask: a shape's "rows", "cols"
///                                             and "depth" are then these sizes
///       "counted": {"rows", "cols"},
///       "counters": {...} | null,             simulated, at "counted"
///       "solution_counters": {...} | null,    the same for the solution
///       "lines": [{"line": 12, "counters": {...}}],
///       "output": "what the kernel printed", "output_is_cut": false,
///       "predicted": {"shape", "gpu", "measured_gpu", "copy_gbps", "ms", "gbps", "error_band",
///                     "launches": [...]} | null,
///                                             for a real GPU: timing/prediction.h
///       "solution_predicted": {...} | null,   the same for the solution
///       "passing_change": {"place": {...},    only if such a change was searched for and found
///                          "sentence": "...", "before": "...", "after": "..."},
///       "milliseconds": {"compile", "shapes", "counters", "predicted", "total"}
///     }
///
/// Counters have the same names as in the simulator's JSON. Milliseconds are measured on this
/// computer and do not affect any grade.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examiner/compile.h"
#include "examiner/course/element_task.h"
#include "examiner/failure.h"
#include "examiner/launch_shape.h"
#include "examiner/passing_change.h"
#include "examiner/simulated.h"
#include "harness/counters.h"
#include "harness/predicted.h"

namespace coalesce {

/// A shape on which the kernel was tried.
struct TriedShape {
    Shape shape{0, 0};    ///< shape of the input
    bool passed = false;  ///< whether the kernel was correct and no check reported anything
    LaunchShape launch;   ///< the launch that configure returned
};

/// The duration of each step in milliseconds, measured on this computer.
struct Milliseconds {
    double compile = 0;    ///< compiling the file to PTX
    double shapes = 0;     ///< the trials on all shapes
    double counters = 0;   ///< counting the costs of the kernel and of the solution
    double predicted = 0;  ///< predicting how long the kernel takes on a GPU
    double total = 0;      ///< the whole examination
};

/// The result of an examination.
struct Verdict {
    /// The outcomes of an examination.
    enum class Outcome {
        /// the output is correct, no check reports anything, and all costs are within the
        /// exercise's limits
        passed,
        failed,        ///< `failures` says why
        not_examined,  ///< the examination itself failed, through no fault of the learner
    };
    Outcome outcome = Outcome::not_examined;  ///< how the examination ended
    std::vector<Failure> failures;            ///< sorted by importance
    std::string file;                         ///< the file's name in messages
    std::string kernel;                       ///< name of the kernel's function
    std::string source_hash;                  ///< hash of the examined text
    std::string source;                       ///< the examined text, if known; not in the JSON
    std::string device;                       ///< name of the device
    bool is_simulated = false;                ///< whether the device is the simulator
    std::string compiler;                     ///< the compiler that produced the PTX
    std::vector<Message> messages;            ///< messages of the compiler, including warnings
    /// the names of the sizes in a shape, such as "rows"; empty if the kernel takes matrices
    std::vector<std::string> sizes;
    std::vector<TriedShape> shapes;             ///< the tried shapes, in order
    Shape counted_shape{0, 0};                  ///< the shape for which costs were counted
    std::optional<Counters> counters;           ///< costs of the learner's kernel; simulated only
    std::optional<Counters> solution_counters;  ///< costs of the solution
    BulkCopies bulk_copies;                     ///< the bulk copies in `counters`; not in the JSON
    std::vector<LineCounters> lines;            ///< costs by line
    std::string ptx;                            ///< PTX of the compiled kernel; not in the JSON
    std::uint64_t print_call_count = 0;  ///< printf calls, counted once per warp; not in the JSON
    std::string output;                  ///< the beginning of the kernel's output
    bool output_is_truncated = false;    ///< whether the kernel printed more
    std::optional<Predicted> predicted;  ///< predicted time of a correct kernel on a GPU
    /// predicted time of the solution, without the timeline
    std::optional<Predicted> solution_predicted;
    /// the change of the text with which the kernel passes, if one was searched for and found
    std::optional<PassingChange> passing_change;
    Milliseconds milliseconds;

    /// Adds a failure, and sets the outcome: `not_examined` if this computer caused the failure,
    /// otherwise `failed`.
    void fail(Failure failure) {
        const bool is_learner_fault = failure.kind != FailureKind::no_compiler &&
                                      failure.kind != FailureKind::environment_problem;
        outcome = is_learner_fault ? Outcome::failed : Outcome::not_examined;
        failures.push_back(std::move(failure));
    }
    /// Formats a shape: "256 x 256", or "rows = 256, cols = 100" if the sizes have names.
    std::string shape_name(Shape shape) const {
        return sizes.empty() ? shape.name() : describe_sizes(sizes, shape);
    }
    /// Reports whether the kernel passed: its output is correct, no check reported anything, and
    /// its costs are within the limits.
    bool passed() const { return outcome == Outcome::passed; }
    /// Returns the identifier of the first failure, such as "missing-barrier", or "" if the kernel
    /// passed.
    std::string failure_id() const { return failures.empty() ? "" : failures.front().id(); }
};

/// Returns the verdict as JSON, in the format described at the beginning of this file.
std::string to_json(const Verdict& verdict);
/// Parses the JSON of a verdict, as returned by to_json. Throws codec::Error if the JSON is
/// invalid.
Verdict verdict_from_json(const std::string& json);
}  // namespace coalesce
