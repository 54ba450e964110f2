/// \file
/// From one submission to one verdict, safely: the grader's side. It owns the secret, prepares the
/// inputs, and compares the outputs; a submission is compiled in one jail and run in another, and
/// neither ever decides anything.
///
///     Judge judge({.work_folder = "/tmp/work"});
///     Result result = judge.judge({.name = "ada/kernel.cu", .source = text}, exercise, secret);
///     std::puts(result.text.c_str());
///
/// A Judge keeps its two jails from one submission to the next, so that a compiler is warm. It is to
/// be used, and destroyed, by the thread that made it; several threads or processes may each have one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/sandbox/tier.h"
#include "harness/counters.h"
#include "harness/options.h"
#include "kernel/examine.h"

namespace coalesce::grader {

/// How a submission ended. The names that grades use are given by `code_of`.
enum class VerdictKind {
    ok,               ///< OK: right and clean; it may still be dearer than asked (see Points)
    compile_error,    ///< CE: it does not compile, or has no such kernel
    compile_limit,    ///< CL: compiling it takes more time, memory or output than is allowed
    rejected,         ///< REJ: it does what the assignment forbids
    wrong_answer,     ///< WA: wrong bits
    memory,           ///< MEM: outside of its memory, misaligned, or more memory than is allowed
    race,             ///< RACE: threads access one place without any order
    uninitialised,    ///< INIT: it reads what nothing wrote
    synchronisation,  ///< SYNC: barriers that not all threads reach, wrong masks
    time_limit,       ///< TLE: far more instructions than the task takes
    cheat,            ///< CHEAT: it tries to get round the grader
    system,           ///< SYS: our fault, never a mark: try again
};

/// "WA"
const char* code_of(VerdictKind kind);
/// The kind with that code; nothing for other texts.
std::optional<VerdictKind> verdict_of(const std::string& code);

/// What a student hands in.
struct Submission {
    std::string name;    ///< as messages name the file: "kernel.cu"
    std::string source;  ///< its bytes, whatever they are
};

/// Points that an exercise can give, or that a submission got.
struct Points {
    double correct = 0;   ///< every bit right on every shape
    double clean = 0;     ///< and no check of memory, races or barriers has anything to say
    double counters = 0;  ///< and no dearer than the lesson asks; with right and clean only
    /// The sum.
    double total() const { return correct + clean + counters; }
    /// The same points.
    bool operator==(const Points&) const = default;
};

/// What a submission may use. All of it is a part of the manifest.
struct JudgeLimits {
    int compile_seconds = 5;           ///< of the processor
    int launch_seconds = 5;            ///< of the processor, for one shape
    std::size_t compile_mb = 1024;     ///< memory of the compiler
    std::size_t launch_mb = 1024;      ///< memory of the simulated GPU
    std::size_t source_kb = 256;       ///< the submission
    std::size_t ptx_kb = 4096;         ///< what the compiler makes of it
    std::size_t shared_bytes = 49152;  ///< of __shared__ arrays of a kernel
    std::size_t local_bytes = 65536;   ///< of local memory of a thread
};

/// What is asked: an entry of the manifest.
struct Exercise {
    std::string name;                       ///< "03_tiled"
    std::string kernel = "transpose";       ///< the __global__ function's name
    /// That shape, or the square of its rows where squares alone are taken: in place.
    Shape fitted(int rows, int cols) const {
        return takes_squares() ? Shape{rows, rows} : Shape{rows, cols};
    }
    /// Whether it takes squares alone.
    bool takes_squares() const { return produces == "transpose-in-place"; }

    std::string produces = "transpose";     ///< or another name of produces.h
    int rows_multiple = 1;                  ///< shapes are multiples of this
    int cols_multiple = 1;                  ///< likewise
    std::vector<Shape> public_shapes = {};  ///< students know them; {}: the usual ones
    std::vector<Shape> hidden_shapes = {};  ///< only the teacher does
    Shape counted = {256, 256};             ///< where costs are counted; public
    coalesce::Limits costs = {};            ///< `solution` is not looked at: see below
    std::string block_order = "";           ///< "diagonal", "in-turn": of 06, 14; "": any
    std::string solution = "";              ///< its source, whose cost is the measure; "": none
    Points points = {.correct = 60, .clean = 20, .counters = 20};  ///< what there is to get
    /// What PTX may have that is refused otherwise: "printf" (with assert), "malloc", "clock",
    /// "smid", "createpolicy", "global" (variables in global memory).
    std::vector<std::string> allow = {};
    JudgeLimits limits = {};  ///< time, memory, sizes
};

/// 32 bytes that nobody but the teacher knows; the inputs are derived from them.
using Secret = std::array<std::uint8_t, 32>;

/// What one source line cost, at the counted shape.
struct LineCost {
    int line = 0;       ///< from 1
    Counters counters;  ///< `kernels` is 0
};

/// What was found.
struct Result {
    VerdictKind verdict = VerdictKind::system;  ///< how it ended
    /// "missing-barrier": see kernel/failure.h; besides those "ptx-refused", "ptx-too-large",
    /// "ptx-forged", "compiler-out-of-memory", "compiler-crashed", "launch-out-of-memory",
    /// "launch-out-of-time", "sandbox-escape" and "grader-problem". "" when nothing is wrong.
    std::string failure_id;
    std::string headline;     ///< a sentence: what is wrong
    std::string details;      ///< more, lines of at most 80 columns; "" on hidden shapes
    std::string next;         ///< a sentence: what to do next
    std::string map;          ///< the picture of right and wrong cells; "" on hidden shapes
    int line = 0;             ///< in the student's file; 0: not known
    int column = 0;           ///< 0: not known
    std::string source_line;  ///< that line of their file; ""
    std::string picture;  ///< what one warp touches at the counted shape, when costs are too high
    bool is_hidden = false;  ///< it was seen on a hidden shape, which is not told
    Shape shape{0, 0};       ///< the public shape on which it was seen; 0 x 0: none or hidden
    std::vector<std::string> other_failures = {};   ///< ids of the others, costs for instance
    std::vector<std::string> other_headlines = {};  ///< and what they say
    std::string text;  ///< all of the above for the student, lines of at most 80 columns
    std::vector<Message> messages = {};         ///< of the compiler
    int public_passed = 0;                      ///< shapes
    int public_tried = 0;                       ///< of all of them, until the first that failed
    int hidden_passed = 0;                      ///< likewise
    int hidden_tried = 0;                       ///< likewise
    std::optional<Counters> counters;           ///< the student's at the counted shape; simulated
    std::optional<Counters> solution_counters;  ///< the solution's
    std::vector<LineCost> lines = {};           ///< by line
    Points points;                              ///< what it got
    std::string sandbox;                        ///< "A", "B" or "unsandboxed"
    std::string compiler;                       ///< "NVRTC 13.0"
    std::string problem;  ///< SYS: what is wrong with this computer, for the teacher only

    /// Where the time went; of this computer, in no JSON.
    struct Milliseconds {
        double compile = 0;    ///< source to PTX
        double run = 0;        ///< all launches
        double total = 0;      ///< all of it
        double processor = 0;  ///< what the jails' workers computed, of all that
    };
    Milliseconds milliseconds;  ///< not in to_json
    int launches = 0;           ///< processes that ran the kernel; not in to_json
};

/// As one JSON object: the same bytes for the same submission, exercise, secret and grader. Without
/// times, paths and process ids. `for_student`: without `problem` as well.
std::string to_json(const Result& result, bool for_student = false);
/// Reads what to_json wrote. Throws std::runtime_error for anything else.
Result result_from_json(const std::string& json);

/// A kernel that was compiled in a jail, and whose PTX has nothing in it that is forbidden.
struct AcceptedKernel {
    std::string ptx;    ///< the module
    std::string entry;  ///< the kernel's name in there
};

/// How submissions are judged on this computer.
struct JudgeOptions {
    bool sandboxed = true;  ///< false: --no-sandbox, for development alone
    /// The best that works here when nothing; asking for less is for tests.
    std::optional<Tier> tier = {};
    std::filesystem::path work_folder = {};  ///< 0700, ours to use and to clear; {}: one in /tmp
};

/// Judges submissions, one after the other.
class Judge {
public:
    /// Looks at what sandbox there is. Never throws: what is missing is told by each Result as SYS.
    explicit Judge(const JudgeOptions& options);
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    /// Judges. What is wrong with this computer gives VerdictKind::system; never throws for it.
    Result judge(const Submission& submission, const Exercise& exercise, const Secret& secret);

    /// Compiles and looks at what came out, no more; nothing when it is not accepted. Throws
    /// std::runtime_error for what is wrong with this computer.
    std::optional<AcceptedKernel> compile(const Submission& submission, const Exercise& exercise);

    /// Which sandbox is used.
    Tier tier() const;

private:
    class Workplace;
    std::unique_ptr<Workplace> workplace_;
};

/// Changes whenever another answer is possible: the compiler, the simulator, the jailed programs and
/// this one. For the key under which results are kept.
std::string judge_identity();

/// The exercises of the course as they are in the repository, with their solutions, for a manifest
/// to begin with. `repository` has exercises/ and solutions/. Throws std::runtime_error when a
/// solution is missing.
std::vector<Exercise> course_exercises(const std::filesystem::path& repository);

}  // namespace coalesce::grader
