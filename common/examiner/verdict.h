/// \file
/// What came out of an examination: one structure, from which everything that is shown is made.
///
/// As JSON (`to_json`, `verdict_from_json`), one object with these keys, all of them always there:
///
///     {
///       "format": 3,
///       "file": "exercises/03_tiled/kernel.cu",
///       "kernel": "transpose",
///       "source_hash": "16 hexadecimal digits, of the file's text",
///       "outcome": "passed" | "failed" | "not-examined",
///       "device": "...", "is_simulated": true | false,
///       "compiler": "NVRTC 13.0",
///       "failures": [                         the most important first; [] when passed
///         {"id": "missing-barrier",           see failure.h: ids never change
///          "headline": "...", "place": {"file": "...", "line": 12, "column": 0},
///          "shape": {"rows": 64, "cols": 64}, 0 x 0 when seen without any input
///          "details": "...", "next": "...", "map": "..."}],
///       "messages": [{"severity": "error" | "warning" | "note", "place": {...}, "text": "..."}],
///       "shapes": [{"shape": {...}, "passed", "launch": {"grid": [x, y, z], "block": [x, y, z],
///                   "shared_bytes"}}],
///       "counted": {"rows", "cols"},
///       "counters": {...} | null,             simulated, at "counted"
///       "solution_counters": {...} | null,    the same of the solution
///       "lines": [{"line": 12, "counters": {...}}],
///       "output": "what the kernel printed", "output_is_cut": false,
///       "predicted": {"shape", "gpu", "measured_gpu", "copy_gbps", "ms", "gbps", "error_band",
///                     "launches": [...]} | null,
///                                             of a GPU that is not there: timing/prediction.h
///       "solution_predicted": {...} | null,   the same of the solution
///       "milliseconds": {"compile", "shapes", "counters", "predicted", "total"}
///     }
///
/// Counters have the names of the simulator's JSON. Milliseconds are of this computer: no grade
/// rests on them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examiner/compile.h"
#include "examiner/failure.h"
#include "examiner/launch_shape.h"
#include "examiner/simulated.h"
#include "harness/counters.h"
#include "harness/predicted.h"

namespace coalesce {

/// One shape that was tried.
struct ShapeTried {
    Shape shape{0, 0};    ///< rows and columns of the input
    bool passed = false;  ///< right and clean
    LaunchShape launch;   ///< as configure gave it
};

/// Where the time went, in milliseconds of this computer.
struct Milliseconds {
    double compile = 0;    ///< file to PTX
    double shapes = 0;     ///< right and clean on every shape
    double counters = 0;   ///< costs, the solution's included
    double predicted = 0;  ///< the time on a GPU
    double total = 0;      ///< all of it
};

/// What was found.
struct Verdict {
    /// How it ended.
    enum class Outcome {
        passed,        ///< right, clean, and no more expensive than asked
        failed,        ///< `failures` says why
        not_examined,  ///< nothing was found out, through no fault of the learner
    };
    Outcome outcome = Outcome::not_examined;      ///< how it ended
    std::vector<Failure> failures;                ///< the most important first
    std::string file;                             ///< as messages name it
    std::string kernel;                           ///< the function's name
    std::string source_hash;                      ///< of the text that was examined
    std::string source;                           ///< that text, where it is known; not in the JSON
    std::string device;                           ///< its name
    bool is_simulated = false;                    ///< counters, no times
    std::string compiler;                         ///< that made the PTX
    std::vector<Message> messages;                ///< of the compiler, warnings included
    std::vector<ShapeTried> shapes;               ///< in the order in which they were tried
    Shape counted{0, 0};                          ///< where its costs were looked at
    std::optional<Counters> counters;             ///< the learner's; simulated
    std::optional<Counters> solution_counters;    ///< the solution's
    std::vector<LineCounters> lines;              ///< by line
    std::string output;                           ///< what the kernel printed, its beginning
    bool output_is_cut = false;                   ///< it printed more than that
    std::optional<Predicted> predicted;           ///< its time on a GPU, if it is right
    std::optional<Predicted> solution_predicted;  ///< the solution's, without a time line
    Milliseconds milliseconds;                    ///< where the time went

    /// Adds a failure. What is wrong with this computer says nothing of the kernel.
    void fail(Failure failure) {
        const bool is_learners = failure.kind != FailureKind::no_compiler &&
                                 failure.kind != FailureKind::environment_problem;
        outcome = is_learners ? Outcome::failed : Outcome::not_examined;
        failures.push_back(std::move(failure));
    }
    /// Whether the kernel is right, clean and cheap enough.
    bool passed() const { return outcome == Outcome::passed; }
    /// The first failure's identifier: "missing-barrier"; "" when it passed.
    std::string failure_id() const { return failures.empty() ? "" : failures.front().id(); }
};

/// The verdict as JSON: see above.
std::string to_json(const Verdict& verdict);
/// Reads what to_json wrote. Throws codec::Error (a std::runtime_error) for anything else.
Verdict verdict_from_json(const std::string& json);
}  // namespace coalesce
