/// \file
/// From a learner's file to a verdict: is the kernel right on every shape, clean under every check,
/// and does it move no more than the lesson asks? If not, the one cause, by name.
///
///     Request request = {.limits = {.load = 4, .store = 4, .solution = "solutions/03/kernel.cu"}};
///     Examination found = examine("exercises/03_tiled/kernel.cu", request);
///     std::puts(found.text().c_str());
///
/// It runs on the libcudart that this process has loaded: on the simulated GPU with all checks and
/// counters; on a real one the result alone is judged, and costs are not. It may be called again
/// and again, after any failure. A kernel that crashes the simulator or hangs a real GPU takes its
/// process with it: who must go on runs it in a process of its own.
///
/// The verdict as JSON (`to_json`), one object:
///
///     {
///       "format": 1,
///       "file": "exercises/03_tiled/kernel.cu",
///       "kernel": "transpose",
///       "source_hash": "16 hexadecimal digits, of the file's text",
///       "outcome": "passed" | "failed" | "not-examined",
///       "passed": true | false,
///       "device": {"name": "...", "kind": "sim" | "gpu"},
///       "compiler": "NVRTC 13.0",
///       "failures": [                         the most important first; [] when passed
///         {"id": "missing-barrier",           see failure.h: ids never change
///          "headline": "...", "file": "...", "line": 12, "column": 0,
///          "rows": 64, "cols": 64,            0 when seen without any input
///          "details": "...", "next": "...", "map": "..."}],
///       "messages": [{"severity": "error" | "warning" | "note", "line", "column", "text"}],
///       "shapes": [{"rows", "cols", "passed", "grid": [x, y, z], "block": [x, y, z],
///                   "shared_bytes"}],
///       "counters": {...} | null,             simulated; at "counted": {"rows", "cols"}
///       "solution_counters": {...} | null,    the same of the solution
///       "lines": [{"line": 12, "counters": {...}}],
///       "output": "what the kernel printed", "output_is_cut": false,
///       "milliseconds": {"compile", "load", "shapes", "counters", "total"}
///     }
///
/// Counters have the names of the simulator's JSON. Milliseconds are of this computer: no grade
/// rests on them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/counters.h"
#include "harness/harness.h"
#include "harness/options.h"
#include "harness/problem.h"
#include "kernel/compile.h"
#include "kernel/failure.h"
#include "kernel/loaded_kernel.h"

namespace coalesce {

/// What a kernel may cost at `Request::counted`; looked at when everything is right. 0: not asked.
/// Ratios are per request, that is per warp-wide access.
struct Limits {
    double load = 0;          ///< sectors that a load touches
    double store = 0;         ///< sectors that a store touches
    double shared_load = 0;   ///< wavefronts that a load from shared memory takes
    double shared_store = 0;  ///< wavefronts that a store to shared memory takes
    /// Elements of the matrix for each thread of the grid.
    double elements_per_thread = 0;
    /// Elements of the matrix for each block of the grid.
    double elements_per_block = 0;
    /// A file whose kernel must not be beaten by the learner's in sectors, requests or wavefronts,
    /// in total; "": none.
    std::filesystem::path solution = {};
};

/// Which tile each block has to take: two kernels whose blocks take other tiles cost the same on
/// the simulated GPU, and not on a real one.
struct BlockOrder {
    /// The tile, as its row and column among tiles, of block (x, y) of a grid `wide` x `tall`.
    std::function<Cell(int x, int y, int wide, int tall)> tile_of;
    int tile = 32;            ///< the side of a tile
    Shape shape = {96, 128};  ///< the shape on which it is looked at: each block is a launch
};

/// What is asked of a kernel.
struct Request {
    std::string kernel = "transpose";            ///< the __global__ function's name
    Produces produces = {Produces::transpose};   ///< what it should leave in `out`
    int rows_multiple = 1;                       ///< it takes multiples of this only
    int cols_multiple = 1;                       ///< likewise
    std::vector<Shape> shapes = {};              ///< to try it on, simplest first; {}: the usual
    Shape counted = {256, 256};                  ///< the shape at which costs are counted
    Limits limits = {};                          ///< what it may cost
    std::optional<BlockOrder> block_order = {};  ///< which tiles its blocks have to take
    std::uint64_t seed = 0;                      ///< another seed, another input
    std::filesystem::path cache = {};            ///< folder for what is slow to make; "": none
    Compiler compiler = Compiler::any;           ///< which compiler
    std::string shown_as = "";                   ///< the file's name in messages; "": its path
    int seconds_on_gpu = 10;                     ///< a real GPU that is busy for longer is hung
};

/// One shape that was tried.
struct ShapeTried {
    Shape shape{0, 0};    ///< rows and columns of the input
    bool passed = false;  ///< right and clean
    LaunchShape launch;   ///< as configure gave it
};

/// What one line of the learner's file cost.
struct LineCounters {
    int line = 0;       ///< from 1
    Counters counters;  ///< `kernels` is 0
};

/// Where the time went, in milliseconds of this computer.
struct Milliseconds {
    double compile = 0;   ///< file to PTX
    double load = 0;      ///< PTX to a kernel on the device
    double shapes = 0;    ///< right and clean on every shape
    double counters = 0;  ///< costs, the solution's included
    double total = 0;     ///< all of it
};

/// What was found.
struct Examination {
    /// How it ended.
    enum class Outcome {
        passed,        ///< right, clean, and no dearer than asked
        failed,        ///< `failures` says why
        not_examined,  ///< nothing was found out, through no fault of the learner
    };
    Outcome outcome = Outcome::not_examined;    ///< how it ended
    std::vector<Failure> failures;              ///< the most important first
    std::string file;                           ///< as messages name it
    std::string kernel;                         ///< the function's name
    std::string source;                         ///< the text that was examined
    std::string device;                         ///< its name
    bool is_simulated = false;                  ///< counters, no times
    std::string compiler;                       ///< that made the PTX
    std::vector<Message> messages;              ///< of the compiler, warnings included
    std::vector<ShapeTried> shapes;             ///< in the order in which they were tried
    Shape counted{0, 0};                        ///< where its costs were looked at
    std::optional<Counters> counters;           ///< the learner's; simulated
    std::optional<Counters> solution_counters;  ///< the solution's
    std::vector<LineCounters> lines;            ///< by line
    std::string output;                         ///< what the kernel printed, its beginning
    bool output_is_cut = false;                 ///< it printed more than that
    Milliseconds milliseconds;                  ///< where the time went

    /// Whether the kernel is right, clean and cheap enough.
    bool passed() const { return outcome == Outcome::passed; }
    /// The first failure's identifier: "missing-barrier"; "" when it passed.
    std::string failure_id() const;
    /// All of it for a terminal, in lines of at most 80 columns.
    std::string text() const;
};

/// Examines a file.
Examination examine(const std::filesystem::path& file, const Request& request);
/// Examines a text that is no file.
Examination examine(const Source& source, const Request& request);

/// The shapes that a kernel is tried on unless the request has its own: squares, both rectangular
/// ways, ragged edges, one row, one column; rounded up to the multiples. Simplest first.
std::vector<Shape> usual_shapes(int rows_multiple, int cols_multiple);

/// The verdict as JSON: see above.
std::string to_json(const Examination& examination);
/// Writes it to a file, whole or not at all. Throws UsageError when it can not be written.
void write_verdict(const std::filesystem::path& file, const Examination& examination);

}  // namespace coalesce
