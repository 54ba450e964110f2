#include "grader/judge/judge.h"

#include <signal.h>

#include <algorithm>
#include <chrono>

#include "grader/judge/block_orders.h"
#include "grader/judge/pictures.h"
#include "grader/judge/produces.h"
#include "grader/judge/ptx_rules.h"
#include "grader/judge/telling.h"
#include "grader/judge/trials.h"
#include "grader/judge/verdicts.h"
#include "grader/judge/workplace.h"
#include "grader/store/sha256.h"
#include "harness/text.h"
#include "kernel/block_order.h"
#include "kernel/causes.h"
#include "kernel/costs.h"
#include "kernel/source.h"
#include "kernel/stretch.h"

namespace coalesce::grader {
namespace {

/// What is wrong with this computer, or with us.
struct SystemTrouble : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Produces produces_of(const Exercise& exercise) {
    if (const auto produces = produces_called(exercise.produces)) return *produces;
    throw SystemTrouble("the manifest wants '" + exercise.produces + "', which nobody knows");
}

/// Compiles in the compiler's jail. What is wrong with the submission is in Compiled::failure;
/// `verdict` says more where that is of the compiler's limits.
class JailedCompiler {
public:
    JailedCompiler(Jail& jail, const JudgeLimits& limits) : jail_(jail), limits_(limits) {}

    /// The failure's id, for what kernel/failure.h has no name for.
    std::string limit_id;
    /// What the compiler computed.
    double processor_milliseconds = 0;

    Compiled compile(const CompileJob& job) {
        JobResult result = run(job, 2.0 * limits_.compile_seconds - 0.5);
        const bool is_odd = result.end.how == JobEnd::How::out_of_time ||
                            result.end.how == JobEnd::How::jail_failed;
        if (is_odd) result = run(job, 6.0 * limits_.compile_seconds);
        if (result.end.how == JobEnd::How::exited && result.end.code == 0 && result.is_sealed) {
            return read(result);
        }
        return failed(result, job.name);
    }

private:
    JobResult run(const CompileJob& job, double wall_seconds) {
        const std::string request = to_json(job);
        // JSON doubles signs at worst, and the messages need room too.
        JobResult result = jail_.run({.request = request,
                                      .answer_bytes = (2 * limits_.ptx_kb + 1024) << 10,
                                      .limits = {.processor_seconds = limits_.compile_seconds,
                                                 .wall_seconds = wall_seconds,
                                                 .memory_mb = limits_.compile_mb}});
        processor_milliseconds += result.end.processor_milliseconds;
        return result;
    }

    Compiled read(const JobResult& result) {
        Compiled compiled;
        try {
            compiled = compile_answer(result.text());
        } catch (const std::runtime_error& error) {
            throw SystemTrouble(std::string("the compiler's jail gave no answer: ") + error.what());
        }
        if (compiled.ok() && compiled.ptx.empty()) throw SystemTrouble("the compiler gave nothing");
        const bool has_no_memory =
            compiled.failure.headline.find("out of memory") != std::string::npos;
        if (compiled.failure.kind == FailureKind::does_not_compile && has_no_memory) {
            limit_id = "compiler-out-of-memory";
        }
        return compiled;
    }

    Compiled failed(const JobResult& result, const std::string& name) {
        Compiled none;
        none.failure.kind = FailureKind::compile_time_out;
        none.failure.place.file = name;
        none.failure.next =
            "Look for templates, macros or constexpr functions that grow without end.";
        switch (result.end.how) {
            case JobEnd::How::out_of_processor:
                none.failure.headline = "the compiler was still busy after " +
                                        std::to_string(limits_.compile_seconds) + " seconds.";
                return none;
            case JobEnd::How::out_of_memory:
                limit_id = "compiler-out-of-memory";
                none.failure.headline = "the compiler needs more than " +
                                        std::to_string(limits_.compile_mb) + " MB for the file.";
                return none;
            case JobEnd::How::signalled:
                // Somebody else ended it: no compiler does that to itself.
                if (result.end.code == SIGKILL || result.end.code == SIGTERM) {
                    throw SystemTrouble("the compiler was ended by signal " +
                                        std::to_string(result.end.code));
                }
                limit_id = "compiler-crashed";
                none.failure.headline = "the compiler breaks down over the file.";
                return none;
            case JobEnd::How::exited:
                if (result.end.code == 3) {
                    limit_id = "ptx-too-large";
                    none.failure.headline = "the compiled kernel has more than " +
                                            std::to_string(limits_.ptx_kb) + " KB.";
                    return none;
                }
                throw SystemTrouble(result.is_sealed ? "the compiler's jail ended with status " +
                                                           std::to_string(result.end.code)
                                                     : "the compiler's answer can not be sealed");
            case JobEnd::How::out_of_time:
                throw SystemTrouble("the compiler did not end in time: is this computer busy?");
            case JobEnd::How::jail_failed: break;
        }
        throw SystemTrouble(result.end.problem);
    }

    Jail& jail_;
    JudgeLimits limits_;
};

/// The steps of judging one submission, in their order. Each says whether to go on.
class Judging {
public:
    Judging(Jail& compiler, Jail& launcher, std::map<std::string, Counters>& solution_costs,
            const Submission& submission, const Exercise& exercise, const Secret& secret)
        : compiler_(compiler),
          solution_costs_(solution_costs),
          submission_(submission),
          exercise_(exercise),
          trials_(launcher, exercise.limits, secret, exercise.name) {}

    Result run();
    /// The kernel as it would be launched; nothing when it is not accepted.
    std::optional<JudgedKernel> accepted();

private:
    bool look_at_source();
    bool compile_it();
    bool look_at_ptx(const std::string& ptx, const std::string& entry);
    bool try_shapes(const std::vector<Shape>& shapes, bool are_hidden);
    bool count();
    void hold_against_limits();
    void ask_for_right_results();

    void fail(const Failure& failure, bool is_hidden = false);
    void fail_as(VerdictKind verdict, const std::string& id);
    void look_into(const Trial& trial, bool is_hidden);
    std::optional<Counters> cost_of_solution();
    std::vector<Shape> public_shapes() const;

    Jail& compiler_;
    std::map<std::string, Counters>& solution_costs_;
    const Submission& submission_;
    const Exercise& exercise_;
    Trials trials_;
    Source source_;
    JudgedKernel kernel_;
    Examination found_;  ///< as the rules about costs want it
    LaunchShape counted_launch_;
    bool was_right_on_whole_tiles_ = false;
    Result result_;
};

void Judging::fail(const Failure& failure, bool is_hidden) {
    result_.verdict = verdict_for(failure.kind);
    if (result_.verdict == VerdictKind::system) throw SystemTrouble(failure.headline);
    tell(failure, is_hidden, result_);
}

void Judging::fail_as(VerdictKind verdict, const std::string& id) {
    result_.verdict = verdict;
    result_.failure_id = id;
}

bool Judging::look_at_source() {
    source_ = source_of_text(submission_.source, harmless(submission_.name));
    if (submission_.source.size() > exercise_.limits.source_kb << 10) {
        source_.problem = {.kind = FailureKind::file_too_large,
                           .headline = "the file has more than " +
                                       std::to_string(exercise_.limits.source_kb) + " KB.",
                           .place = {source_.name, 0, 0},
                           .next = "Hand in the kernel and its configure, nothing else."};
    }
    if (source_.is_good()) return true;
    fail(source_.problem);
    return false;
}

bool Judging::compile_it() {
    const Stretch stretch(result_.milliseconds.compile);
    JailedCompiler compiler(compiler_, exercise_.limits);
    const Compiled compiled = compiler.compile({source_.name, source_.text, exercise_.kernel});
    result_.milliseconds.processor += compiler.processor_milliseconds;
    result_.messages = compiled.messages;
    result_.compiler = compiled.compiler.empty() ? compiler_.greeting() : compiled.compiler;
    if (!compiled.ok()) {
        fail(compiled.failure);
        if (!compiler.limit_id.empty()) fail_as(VerdictKind::compile_limit, compiler.limit_id);
        return false;
    }
    kernel_ = {
        .file_name = source_.name,
        .kernel = exercise_.kernel,
        .ptx = compiled.ptx,
        .entry = "_Z" + std::to_string(exercise_.kernel.size()) + exercise_.kernel + "PfPKfii",
        .produces = produces_of(exercise_)};
    return look_at_ptx(compiled.ptx, kernel_.entry);
}

bool Judging::look_at_ptx(const std::string& ptx, const std::string& entry) {
    const PtxProblem problem =
        grader::look_at_ptx(ptx, {.entry = entry,
                                  .allow = exercise_.allow,
                                  .most_bytes = exercise_.limits.ptx_kb << 10,
                                  .most_shared = exercise_.limits.shared_bytes,
                                  .most_local = exercise_.limits.local_bytes});
    if (problem.ok()) return true;
    tell({.headline = problem.headline,
          .place = {source_.name, problem.line, 0},
          .next = problem.next},
         false, result_);
    switch (problem.kind) {
        case PtxProblem::Kind::none:
        case PtxProblem::Kind::refused: fail_as(VerdictKind::rejected, "ptx-refused"); break;
        case PtxProblem::Kind::too_large: fail_as(VerdictKind::rejected, "ptx-too-large"); break;
        case PtxProblem::Kind::forged: fail_as(VerdictKind::cheat, "ptx-forged"); break;
    }
    return false;
}

std::vector<Shape> Judging::public_shapes() const {
    return exercise_.public_shapes.empty()
               ? usual_shapes(exercise_.rows_multiple, exercise_.cols_multiple)
               : exercise_.public_shapes;
}

/// A launch that was not good becomes the one failure that is told.
void Judging::look_into(const Trial& trial, bool is_hidden) {
    const auto is_right_on_large_tiles = [&] {
        return trials_.run(kernel_, exercise_.counted, Watch::everything).trial.is_good();
    };
    const auto result_without_checks = [&] {
        return trials_.run(kernel_, trial.shape, Watch::result_alone).trial.comparison;
    };
    Failure failure = cause_of(trial, {.file_name = source_.name,
                                       .was_right_on_whole_tiles = was_right_on_whole_tiles_,
                                       .is_right_on_large_tiles = is_right_on_large_tiles,
                                       .result_without_checks = result_without_checks});
    // Hidden or not, what kind of shape it was is told.
    if (failure.shape.rows == 0) failure.shape = trial.shape;
    fail(failure, is_hidden);
    // Only values look as if a barrier were missing; no check saw a race.
    if (trial.reports.empty() && result_.verdict == VerdictKind::race) {
        result_.verdict = VerdictKind::wrong_answer;
    }
}

bool Judging::try_shapes(const std::vector<Shape>& shapes, bool are_hidden) {
    for (const Shape shape : shapes) {
        const Trial trial = trials_.run(kernel_, shape, Watch::everything).trial;
        ++(are_hidden ? result_.hidden_tried : result_.public_tried);
        if (!trial.is_good()) {
            look_into(trial, are_hidden);
            return false;
        }
        ++(are_hidden ? result_.hidden_passed : result_.public_passed);
        was_right_on_whole_tiles_ |= has_whole_tiles(shape);
    }
    return true;
}

bool Judging::count() {
    JudgedTrial counted = trials_.run(kernel_, exercise_.counted, Watch::everything, true);
    ++result_.public_tried;
    if (!counted.trial.is_good()) {
        look_into(counted.trial, false);
        return false;
    }
    ++result_.public_passed;
    counted_launch_ = counted.trial.launch;
    found_.file = source_.name;
    found_.kernel = exercise_.kernel;
    found_.is_simulated = true;
    found_.counted = exercise_.counted;
    found_.counters = counted.counters;
    for (const simulated::Line& line : counted.lines) {
        found_.lines.push_back({line.number, line.counters});
        result_.lines.push_back({line.number, line.counters});
    }
    found_.solution_counters = cost_of_solution();
    result_.counters = found_.counters;
    result_.solution_counters = found_.solution_counters;
    return true;
}

/// Counted in the same jails as a submission's, once.
std::optional<Counters> Judging::cost_of_solution() {
    if (exercise_.solution.empty()) return std::nullopt;
    const std::string key = sha256_of_parts({exercise_.name, exercise_.kernel, exercise_.produces,
                                             exercise_.counted.name(), exercise_.solution});
    if (const auto known = solution_costs_.find(key); known != solution_costs_.end()) {
        return known->second;
    }
    JailedCompiler compiler(compiler_, exercise_.limits);
    const Compiled compiled = compiler.compile({"solution", exercise_.solution, exercise_.kernel});
    if (!compiled.ok()) throw SystemTrouble("the solution fails: " + compiled.failure.headline);
    JudgedKernel solution = kernel_;
    solution.file_name = "solution";
    solution.ptx = compiled.ptx;
    const JudgedTrial counted = trials_.run(solution, exercise_.counted, Watch::everything, true);
    if (!counted.trial.is_good()) throw SystemTrouble("the solution is not right itself");
    return solution_costs_[key] = counted.counters;
}

void Judging::hold_against_limits() {
    std::vector<Failure> failures = too_dear(found_, counted_launch_, exercise_.costs);
    if (const auto order = block_order_called(exercise_.block_order)) {
        const auto launch = [&](Shape shape, const TracedWarp& traced) {
            return trials_.run(kernel_, shape, Watch::everything, false, traced).trial;
        };
        auto failure = wrong_block_order(*order, source_.name, launch);
        if (failure) failures.push_back(std::move(*failure));
    } else if (!exercise_.block_order.empty()) {
        throw SystemTrouble("the manifest wants the block order '" + exercise_.block_order +
                            "', which nobody knows");
    }
    result_.verdict = VerdictKind::ok;
    result_.points = exercise_.points;
    if (failures.empty()) return;
    result_.points.counters = 0;
    tell(failures.front(), false, result_);
    for (std::size_t i = 1; i < failures.size(); ++i) {
        result_.other_failures.push_back(failures[i].id());
        result_.other_headlines.push_back(failures[i].headline);
    }
    result_.picture = picture_of_warp(kernel_, source_, exercise_.counted, trials_);
}

/// Not clean, but perhaps right: that is worth its points.
void Judging::ask_for_right_results() {
    const bool may_be_right = result_.verdict == VerdictKind::memory ||
                              result_.verdict == VerdictKind::race ||
                              result_.verdict == VerdictKind::uninitialised ||
                              result_.verdict == VerdictKind::synchronisation;
    if (!may_be_right) return;
    std::vector<Shape> shapes = public_shapes();
    shapes.insert(shapes.end(), exercise_.hidden_shapes.begin(), exercise_.hidden_shapes.end());
    shapes.push_back(exercise_.counted);
    const bool is_right = std::all_of(shapes.begin(), shapes.end(), [&](Shape shape) {
        return trials_.run(kernel_, shape, Watch::result_alone).trial.is_good();
    });
    if (is_right) result_.points.correct = exercise_.points.correct;
}

std::optional<JudgedKernel> Judging::accepted() {
    if (look_at_source() && compile_it()) return kernel_;
    return std::nullopt;
}

Result Judging::run() {
    try {
        if (look_at_source() && compile_it()) {
            const Stretch stretch(result_.milliseconds.run);
            if (try_shapes(public_shapes(), false) && try_shapes(exercise_.hidden_shapes, true) &&
                count()) {
                hold_against_limits();
            } else {
                ask_for_right_results();
            }
        }
    } catch (const LaunchTrouble& trouble) {
        switch (trouble.kind) {
            case LaunchTrouble::Kind::ours: throw SystemTrouble(trouble.what());
            case LaunchTrouble::Kind::out_of_memory:
                tell({.headline = "a launch takes more memory than the grader gives."}, false,
                     result_);
                fail_as(VerdictKind::memory, "launch-out-of-memory");
                break;
            case LaunchTrouble::Kind::out_of_time:
                tell({.headline = "a launch takes more time than the grader gives."}, false,
                     result_);
                fail_as(VerdictKind::time_limit, "launch-out-of-time");
                break;
            case LaunchTrouble::Kind::escaped:
                tell({.headline = "the kernel got out of its sandbox."}, false, result_);
                fail_as(VerdictKind::cheat, "sandbox-escape");
                break;
        }
        result_.points = {};
    }
    result_.launches = trials_.launches();
    result_.milliseconds.processor += trials_.processor_milliseconds();
    return std::move(result_);
}

Result no_result(const std::string& problem) {
    Result result;
    result.verdict = VerdictKind::system;
    result.failure_id = "grader-problem";
    result.headline = "the grader has a problem of its own, so this is no mark.";
    result.next = "It will be graded again; there is nothing for you to do.";
    result.problem = problem;
    return result;
}

}  // namespace

std::optional<AcceptedKernel> Judge::compile(const Submission& submission,
                                             const Exercise& exercise) {
    if (!workplace_->problem.empty()) throw std::runtime_error(workplace_->problem);
    Judging judging(*workplace_->compiler, *workplace_->launcher, workplace_->solution_costs,
                    submission, exercise, {});
    const auto kernel = judging.accepted();
    if (!kernel) return std::nullopt;
    return AcceptedKernel{kernel->ptx, kernel->entry};
}

Result Judge::judge(const Submission& submission, const Exercise& exercise, const Secret& secret) {
    const auto begin = Clock::now();
    Result result;
    try {
        if (!workplace_->problem.empty()) throw SystemTrouble(workplace_->problem);
        Judging judging(*workplace_->compiler, *workplace_->launcher, workplace_->solution_costs,
                        submission, exercise, secret);
        result = judging.run();
    } catch (const std::exception& error) {
        result = no_result(error.what());
    }
    result.sandbox = name_of(workplace_->tier);
    write_text(submission, exercise, result);
    result.milliseconds.total =
        std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return result;
}

}  // namespace coalesce::grader
