/// \file
/// Judges one submission safely. The judge owns the secret, prepares the inputs and compares the
/// outputs. A submission is compiled in one sandbox and launched in another. Neither sandbox
/// decides the result. examiner/examine.h examines the kernel and describes its failures. The
/// grader adds rules, hidden shapes and points.
///
///     Judge judge({.work_folder = "/tmp/work"});
///     Result result = judge.judge(text, exercise, secret);
///     std::puts(format_result(result, exercise).c_str());
///
/// A Judge keeps its two sandboxes between submissions, so that the compiler stays warm. The thread
/// that creates a Judge must also use and destroy it. Several threads or processes may each have a
/// Judge.
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
#include "examiner/ptx_rules/ptx_rules.h"
#include "examiner/verdict.h"
#include "grader/judge/marks.h"
#include "grader/sandbox/jail.h"

namespace coalesce::grader {

/// The points of an exercise or of a submission.
struct Points {
    double correct = 0;   ///< points for correct output on every shape
    double clean = 0;     ///< points for passing memory, race and barrier checks
    double counters = 0;  ///< points for costs within the limits; 0 unless all others are earned
    /// Returns the sum of the three kinds of points.
    double total() const { return correct + clean + counters; }
    bool operator==(const Points&) const = default;
};

/// The kinds of points, with their names in assignment.toml.
inline constexpr std::pair<const char*, double Points::*> kPoints[] = {
    {"correct", &Points::correct}, {"clean", &Points::clean}, {"counters", &Points::counters}};

/// The resource limits of a submission. assignment.toml can set each limit.
struct Resources {
    int compile_seconds = 5;  ///< limit on the compiler's processor time
    /// time limit for one launch; all launches together may take twice as long
    int launch_seconds = 5;
    std::size_t compile_mb = 1024;     ///< limit on the compiler's memory
    std::size_t launch_mb = 1024;      ///< limit on the simulated GPU's memory
    std::size_t source_kb = 256;       ///< maximum size of the submission
    std::size_t ptx_kb = 4096;         ///< maximum size of the PTX
    std::size_t shared_bytes = 49152;  ///< maximum bytes in a kernel's __shared__ arrays
    std::size_t local_bytes = 65536;   ///< maximum bytes of local memory per thread
};

/// An exercise in an assignment: the exercise from the course, with the grader's settings.
struct AssignedExercise : coalesce::Exercise {
    std::vector<Shape> hidden_shapes = {};  ///< shapes that only the teacher knows
    Shape hidden_counted_shape{0, 0};       ///< second shape for counting costs, or 0 x 0 for none
    /// Shapes that are drawn at random (drawn_shapes.h). Costs are also counted on
    /// `drawn_counted_shape`, which has partial tiles (0 x 0 for none). On the shapes
    /// `drawn_large_shapes`, only some of the blocks are launched.
    Shape drawn_counted_shape{0, 0};
    std::vector<Shape> drawn_large_shapes = {};
    /// source of the solution; "" if there is none
    std::string solution = "";
    Points possible_points = {.correct = 25, .clean = 15, .counters = 60};
    /// PTX features that are allowed in addition to the default ones (ptx_rules.h).
    std::vector<std::string> allow = {};
    Resources resources = {};  ///< limits on time, memory and sizes
};

/// Returns the rules for the PTX of an exercise's submissions.
PtxRules ptx_rules(const AssignedExercise& exercise);

/// A secret of 32 bytes that only the teacher knows. The inputs of kernels are derived from it.
using Secret = std::array<std::uint8_t, 32>;

/// Derives a number from the secret and `label`. Nobody can guess the number without the secret.
std::uint64_t derive_number(const Secret& secret, const std::string& label);

/// The result of judging a submission.
struct Result {
    Mark mark = Mark::system;  ///< how the submission was judged
    Verdict verdict;           ///< the verdict for the student, which reveals no hidden shape
    /// a picture of a warp's accesses on the shape `counted_shape`, if the kernel exceeds a cost
    /// limit
    std::string picture;
    bool is_hidden = false;  ///< whether the failure was on a hidden shape
    int public_passed = 0;   ///< number of public shapes that passed
    int public_tried = 0;    ///< number of public shapes tried, up to the first failure
    int hidden_passed = 0;   ///< number of hidden shapes that passed
    int hidden_tried = 0;    ///< number of hidden shapes tried, up to the first failure
    Points points;           ///< the points that the submission earned
    std::string sandbox;     ///< "A", "B" or "unsandboxed"
    /// a description of a problem with the computer (SYS), for the teacher; or ""
    std::string problem;

    // Times measured on this computer, which are left out of the JSON.
    double milliseconds = 0;            ///< total time
    double processor_milliseconds = 0;  ///< processor time of the jails' workers

    /// Returns the identifier of the failure, such as "missing-barrier", or "" if there is none.
    std::string failure_id() const { return verdict.failure_id(); }
};

/// Returns the result as a JSON object. Times are left out, so that judging a submission again
/// gives the same JSON. The object contains `problem`, so students must not see it.
std::string to_json(const Result& result);
/// Parses the output of to_json. Throws std::runtime_error for anything else.
Result result_from_json(const std::string& json);

/// Returns the result of a submission that was rejected with this failure before it was launched.
Result result_of_failure(Mark mark, const Failure& failure, const std::string& sandbox);

/// The sandbox and the work folder of a judge.
struct JudgeOptions {
    /// The sandbox tier, or empty for the best tier that works on this computer. `unsandboxed` is
    /// for development only.
    std::optional<Tier> tier = {};
    /// a private folder (0700) that the judge may clear, or empty for a folder in /tmp
    std::filesystem::path work_folder = {};
};

/// A cache of the costs of solutions, which is kept between submissions. A key consists of the kind
/// of cost and a text that contains everything that the cost depends on.
using SolutionCosts = std::map<std::pair<std::string, std::string>, std::string>;

/// A judge of submissions. It judges one submission at a time.
class Judge {
public:
    /// Finds a sandbox that works. Never throws. If no sandbox works, each Result has Mark::system.
    explicit Judge(const JudgeOptions& options);

    /// Judges a file with arbitrary contents. Messages call the file "03_tiled/kernel.cu" for every
    /// student, so that a result does not depend on the author. If this computer has a problem,
    /// returns Mark::system instead of throwing.
    Result judge(const std::string& text, const AssignedExercise& exercise, const Secret& secret);

    /// Compiles a file and inspects its PTX. Returns nothing if the file is rejected. Throws
    /// std::runtime_error on problems with this computer.
    std::optional<Compiled> compile(const std::string& text, const AssignedExercise& exercise);

    Tier tier() const { return tier_; }

private:
    std::optional<TemporaryFolder> temporary_folder_;  // used if the options name no folder
    Tier tier_ = Tier::none;
    std::string problem_;  // why nothing can be judged here, or ""
    std::optional<Jail> compiler_, launcher_;
    SolutionCosts solution_costs_;
};

/// Returns an identifier that is part of every result's key. It changes with the compiler, the
/// simulator and the grader's programs, because each of them can change results.
std::string judge_identity();

/// Returns the exercises of the course in the folder `repository`, with their solutions. Throws
/// std::runtime_error if they cannot be read.
std::vector<AssignedExercise> course_exercises(const std::filesystem::path& repository);

}  // namespace coalesce::grader
