/// \file
/// Judges one submission safely. The judge owns the secret, prepares the inputs and compares the outputs. A
/// submission is compiled in one jail and runs in another, and neither makes any decision. The examination and its
/// texts are those of examiner/examine.h; the grader adds rules, hidden shapes and points.
///
///     Judge judge({.work_folder = "/tmp/work"});
///     Result result = judge.judge(text, exercise, secret);
///     std::puts(told(result, exercise).c_str());
///
/// A Judge keeps its two jails between submissions, so that the compiler stays warm. It must be used and destroyed by
/// the thread that made it; several threads or processes may each have one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "examiner/course/exercise.h"
#include "examiner/verdict.h"
#include "grader/judge/marks.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// The points of an exercise or of a submission.
struct Points {
    double correct = 0;   ///< for a result that is right in every bit on every shape
    double clean = 0;     ///< also no report of memory, race or barrier checks
    double counters = 0;  ///< also within the lesson's costs; requires the other two
    /// Returns the sum.
    double total() const { return correct + clean + counters; }
    bool operator==(const Points&) const = default;
};

/// The parts by name in assignment.toml.
inline constexpr std::pair<const char*, double Points::*> kPoints[] = {
    {"correct", &Points::correct}, {"clean", &Points::clean}, {"counters", &Points::counters}};

/// The resources that a submission may use. All of them are part of the manifest.
struct Resources {
    int compile_seconds = 5;           ///< processor time of the compiler
    int launch_seconds = 5;            ///< processor time for one shape
    std::size_t compile_mb = 1024;     ///< memory of the compiler
    std::size_t launch_mb = 1024;      ///< memory of the simulated GPU
    std::size_t source_kb = 256;       ///< size of the submission
    std::size_t ptx_kb = 4096;         ///< size of its PTX
    std::size_t shared_bytes = 49152;  ///< bytes of __shared__ arrays of a kernel
    std::size_t local_bytes = 65536;   ///< bytes of local memory of a thread
};

/// An exercise in an assignment: the course's record, and what grading adds.
struct Assigned : coalesce::Exercise {
    std::vector<Shape> hidden_shapes = {};  ///< known only to the teacher
    Shape hidden_counted{0, 0};             ///< shape at which costs are counted again; 0 x 0: none
    std::string solution = "";              ///< its source, whose cost is the measure; "": none
    Points possible = {.correct = 25, .clean = 15, .counters = 60};  ///< the possible points
    /// PTX features that are allowed although they are forbidden by default: "printf" (with assert), "malloc",
    /// "clock", "smid", "createpolicy", "global" (variables in global memory).
    std::vector<std::string> allow = {};
    Resources resources = {};  ///< limits of time, memory and sizes
};

/// 32 bytes that only the teacher knows. The inputs are derived from them.
using Secret = std::array<std::uint8_t, 32>;

/// The result of judging a submission.
struct Result {
    Mark mark = Mark::system;  ///< the mark
    Verdict verdict;  ///< the verdict for the student, without what would reveal a hidden shape
    /// picture of one warp at the counted shape, if the kernel costs too much
    std::string picture;
    bool is_hidden = false;  ///< whether the failure was on a hidden shape
    int public_passed = 0;   ///< public shapes that passed
    int public_tried = 0;    ///< public shapes tried, until the first failure
    int hidden_passed = 0;   ///< the same for hidden shapes
    int hidden_tried = 0;    ///< likewise
    Points points;           ///< the points
    std::string sandbox;     ///< "A", "B" or "unsandboxed"
    std::string problem;     ///< SYS: the computer's problem, for the teacher only

    // Times on this computer, which are not in the JSON.
    double milliseconds = 0;            ///< total time
    double processor_milliseconds = 0;  ///< processor time of the jails' workers

    /// Returns the failure's identifier, such as "missing-barrier", or "".
    std::string failure_id() const { return verdict.failure_id(); }
};

/// Returns the result as one JSON object, which has equal bytes for equal submission, exercise, secret and grader. It
/// has no times, paths or process ids. It contains `problem`, so it is for the teacher.
std::string to_json(const Result& result);
/// Parses the result of to_json. Throws std::runtime_error for anything else.
Result result_from_json(const std::string& json);

/// Returns the result of a submission that was not launched, for one reason.
Result result_of_failure(Mark mark, const Failure& failure, const std::string& sandbox);

/// The options for judging on this computer.
struct JudgeOptions {
    /// The sandbox; empty: the best that works here. `unsandboxed` is --no-sandbox, only for development. A weaker
    /// tier than the best is for tests.
    std::optional<Tier> tier = {};
    /// a private folder (0700) that the judge may clear; {}: one in /tmp
    std::filesystem::path work_folder = {};
};

/// Costs of solutions by kind and dependencies, stored between submissions.
using SolutionCosts = std::map<std::pair<std::string, std::string>, std::string>;

/// Judges submissions one after the other.
class Judge {
public:
    /// Finds a sandbox. Never throws: a problem appears in each Result as SYS.
    explicit Judge(const JudgeOptions& options);

    /// Judges a file with arbitrary content. Messages name it "03_tiled/kernel.cu" for every student, because a
    /// result must not depend on the author. A problem of this computer gives Mark::system and is never thrown.
    Result judge(const std::string& text, const Assigned& exercise, const Secret& secret);

    /// Compiles a file and inspects the PTX. Returns nothing if it is rejected. Throws std::runtime_error for
    /// problems of this computer.
    std::optional<Compiled> compile(const std::string& text, const Assigned& exercise);

    /// Returns the sandbox's tier.
    Tier tier() const { return tier_; }

private:
    std::optional<TemporaryFolder> own_folder_;  // used if no other folder is named
    Tier tier_ = Tier::none;
    std::string problem_;  // why nothing can be judged, or ""
    std::optional<Jail> compiler_, launcher_;
    SolutionCosts solution_costs_;
};

/// Returns an identifier that changes whenever results could: with the compiler, the simulator, the jailed programs
/// and this one. It is part of the key of results.
std::string judge_identity();

/// Returns the exercises of the course in the repository, with their solutions. Throws std::runtime_error if they
/// cannot be read.
std::vector<Assigned> course_exercises(const std::filesystem::path& repository);

}  // namespace coalesce::grader
