/// \file
/// From one submission to one verdict, safely: the grader's side. It owns the secret, prepares the
/// inputs, and compares the outputs; a submission is compiled in one jail and run in another, and
/// neither ever decides anything. What is examined, and what is told, is the examiner's
/// (examiner/examine.h): the grader adds rules, hidden shapes and points.
///
///     Judge judge({.work_folder = "/tmp/work"});
///     Result result = judge.judge(text, exercise, secret);
///     std::puts(told(result, exercise).c_str());
///
/// A Judge keeps its two jails from one submission to the next, so that a compiler is warm. It is to
/// be used, and destroyed, by the thread that made it; several threads or processes may each have one.
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

/// Points that an exercise can give, or that a submission got.
struct Points {
    double correct = 0;   ///< every bit right on every shape
    double clean = 0;     ///< and no check of memory, races or barriers has anything to say
    double counters = 0;  ///< and no more expensive than the lesson asks; with right and clean only
    /// The sum.
    double total() const { return correct + clean + counters; }
    /// The same points.
    bool operator==(const Points&) const = default;
};

/// The parts by their names in assignment.toml.
inline constexpr std::pair<const char*, double Points::*> kPoints[] = {
    {"correct", &Points::correct}, {"clean", &Points::clean}, {"counters", &Points::counters}};

/// What a submission may use. All of it is a part of the manifest.
struct Resources {
    int compile_seconds = 5;           ///< of the processor
    int launch_seconds = 5;            ///< of the processor, for one shape
    std::size_t compile_mb = 1024;     ///< memory of the compiler
    std::size_t launch_mb = 1024;      ///< memory of the simulated GPU
    std::size_t source_kb = 256;       ///< the submission
    std::size_t ptx_kb = 4096;         ///< what the compiler makes of it
    std::size_t shared_bytes = 49152;  ///< of __shared__ arrays of a kernel
    std::size_t local_bytes = 65536;   ///< of local memory of a thread
};

/// An exercise as an assignment asks it: the course's record, and what grading adds to it.
struct Assigned : coalesce::Exercise {
    std::vector<Shape> hidden_shapes = {};  ///< only the teacher knows them
    Shape hidden_counted{0, 0};  ///< where its costs are counted once more; 0 x 0: nowhere
    std::string solution = "";   ///< its source, whose cost is the measure; "": none
    Points possible = {.correct = 25, .clean = 15, .counters = 60};  ///< what there is to get
    /// What PTX may have that is refused otherwise: "printf" (with assert), "malloc", "clock",
    /// "smid", "createpolicy", "global" (variables in global memory).
    std::vector<std::string> allow = {};
    Resources resources = {};  ///< time, memory, sizes
};

/// 32 bytes that nobody but the teacher knows; the inputs are derived from them.
using Secret = std::array<std::uint8_t, 32>;

/// What was found.
struct Result {
    Mark mark = Mark::system;  ///< how it ended
    Verdict verdict;           ///< what is told; what would give a hidden shape away is not in it
    std::string picture;     ///< what one warp touches at the counted shape, when it costs too much
    bool is_hidden = false;  ///< the failure was seen on a hidden shape
    int public_passed = 0;   ///< shapes
    int public_tried = 0;    ///< of all of them, until the first that failed
    int hidden_passed = 0;   ///< likewise
    int hidden_tried = 0;    ///< likewise
    Points points;           ///< what it got
    std::string sandbox;     ///< "A", "B" or "unsandboxed"
    std::string problem;     ///< SYS: what is wrong with this computer, for the teacher only

    // Of this computer, in no JSON.
    double milliseconds = 0;            ///< all of it
    double processor_milliseconds = 0;  ///< what the jails' workers computed

    /// "missing-barrier"; "" when nothing is wrong.
    std::string failure_id() const { return verdict.failure_id(); }
};

/// As one JSON object: the same bytes for the same submission, exercise, secret and grader. Without
/// times, paths and process ids. For the teacher: `problem` is in it.
std::string to_json(const Result& result);
/// Reads what to_json wrote. Throws std::runtime_error for anything else.
Result result_from_json(const std::string& json);

/// The result of what was not launched, for one reason.
Result result_of_failure(Mark mark, const Failure& failure, const std::string& sandbox);

/// How submissions are judged on this computer.
struct JudgeOptions {
    /// The best that works here when nothing. `unsandboxed` is --no-sandbox, for development alone; asking for
    /// less than the best is for tests.
    std::optional<Tier> tier = {};
    std::filesystem::path work_folder = {};  ///< 0700, ours to use and to clear; {}: one in /tmp
};

/// What solutions cost, by its kind and by what that depends on: kept from one submission to the next.
using SolutionCosts = std::map<std::pair<std::string, std::string>, std::string>;

/// Judges submissions, one after the other.
class Judge {
public:
    /// Looks at what sandbox there is. Never throws: what is missing is told by each Result as SYS.
    explicit Judge(const JudgeOptions& options);

    /// Judges a file by its bytes, whatever they are. Messages name it "03_tiled/kernel.cu" for everybody: a
    /// result must not depend on who handed it in. What is wrong with this computer gives Mark::system; never
    /// throws for it.
    Result judge(const std::string& text, const Assigned& exercise, const Secret& secret);

    /// Compiles and looks at what came out, no more; nothing when it is not accepted. Throws
    /// std::runtime_error for what is wrong with this computer.
    std::optional<Compiled> compile(const std::string& text, const Assigned& exercise);

    /// Which sandbox is used.
    Tier tier() const { return tier_; }

private:
    std::optional<TemporaryFolder> own_folder_;  // where no other is named
    Tier tier_ = Tier::none;
    std::string problem_;  // why nothing can be judged; "" when all is well
    std::optional<Jail> compiler_, launcher_;
    SolutionCosts solution_costs_;
};

/// Changes whenever another answer is possible: the compiler, the simulator, the jailed programs and
/// this one. For the key under which results are kept.
std::string judge_identity();

/// The exercises of the course as they are in the repository, with their solutions. Throws
/// std::runtime_error when the course or a solution cannot be read.
std::vector<Assigned> course_exercises(const std::filesystem::path& repository);

}  // namespace coalesce::grader
