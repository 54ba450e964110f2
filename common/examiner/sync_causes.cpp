#include "examiner/matches.h"
#include "examiner/rules.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

namespace {

/// Returns a report about an access to shared memory to which an asynchronous copy may still have
/// been writing, or nullptr.
const Report* find_pending_copy(const Trial& trial) {
    const auto is_pending = [](const Report& report) {
        return report.matches("racecheck") &&
               report.message.find("asynchronous copy has not yet") != report.message.npos;
    };
    const auto pending_report =
        std::find_if(trial.reports.begin(), trial.reports.end(), is_pending);
    return pending_report == trial.reports.end() ? nullptr : &*pending_report;
}

constexpr const char* kWaitedOnce =
    "the kernel asks only once whether the copies have arrived, and continues even if they have "
    "not.";
constexpr const char* kWaitInLoop =
    "Repeat try_wait until it returns true: it may return false after some time, and test_wait "
    "returns at once.";

/// Returns the line of a try_wait or test_wait that no loop repeats, or 0 if there is none.
int find_wait_without_loop(const std::string& text) {
    static const TextPattern test_wait(R"(mbarrier[.](try|test)_wait)");
    const std::vector<Loop> loops = find_loops(text);
    for (const TextMatch& match : find_matches(text, test_wait)) {
        const int line = line_of_match(text, match);
        const bool is_repeated = find_innermost_loop(loops, line) ||
                                 code_on_line(text, line).find("bra") != std::string::npos;
        if (!is_repeated) return line;
    }
    return 0;
}

/// Reports whether the earlier access of a race is an assignment, rather than a copy.
bool is_plain_store(const Report& race, const Evidence& evidence) {
    static const TextPattern assignment(R"(\]\s*=[^=])");
    const int line = place_in_learner_file(race.other_place, evidence).line;
    const std::string code = code_on_line(evidence.source.text, line);
    TextMatch match;
    return search(code, match, assignment);
}

}  // namespace

std::optional<Failure> find_copy_error(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_pending_copy(trial);
    // A thread that ends before the barrier leaves its copies in flight.
    if (!report || find_report(trial, "synccheck", "exit before barrier")) return std::nullopt;
    if (never_commits(evidence.source.text)) {
        return failure_from_report(
            FailureKind::copy_not_committed, *report, trial, evidence,
            "nothing has waited for these copies, because no group is ever committed.",
            "Close the group of each tile's copies with __pipeline_commit(): a kernel can wait "
            "only for groups.");
    }
    const auto make_failure = [&](const std::string& headline, const std::string& advice) {
        return failure_from_report(FailureKind::copy_not_waited_for, *report, trial, evidence,
                                   headline, advice);
    };
    const bool is_read = report->matches("racecheck", "read after write");
    const bool is_same_thread = report->thread.text() == report->other_thread.text();
    if (tracks_copies_with_mbarrier(evidence.source.text)) {
        if (const int line = find_wait_without_loop(evidence.source.text)) {
            Failure failure = make_failure(kWaitedOnce, kWaitInLoop);
            failure.place.line = line;
            return failure;
        }
        const std::string wait =
            "A copy has arrived when the phase of its mbarrier is complete: does every thread wait "
            "for this phase before it ";
        return make_failure(
            is_read ? "the tile is read before its copy has arrived."
                    : "this writes to shared memory while a copy is still writing there.",
            wait + (is_read ? "reads" : "writes") +
                ", at the right mbarrier, for the right phase, and for all bytes?");
    }
    if (!is_read) {
        return make_failure(
            "this writes to shared memory while an earlier copy is still writing there.",
            "Is this the stage that is not in use? If so, has the kernel waited for the "
            "earlier copy into this stage?");
    }
    if (is_same_thread) {
        return make_failure(
            "the tile is read before its copy has arrived.",
            "Count the groups: which groups have been committed here, and how many does "
            "the wait leave in flight?");
    }
    // The report does not say whether the copy writes this tile or the next one.
    return make_failure(
        "the tile is read while a copy still writes to it.",
        "Does the kernel wait for this tile's copies: which groups are committed here, and "
        "how many does the wait leave in flight? If it does, look at the next tile's copy: "
        "does it go to the other stage, and are all threads done with that stage?");
}

std::optional<Failure> find_unshared_tile(const Trial& trial, const Evidence& evidence) {
    const Declaration tile = find_unshared_array(evidence.source.text);
    if (tile.line == 0 || !trial.comparison || trial.comparison->is_right()) return std::nullopt;
    return Failure{
        .kind = FailureKind::tile_not_shared,
        .headline = "`" + tile.name +
                    "` is not shared: each thread has its own array, and does not see what other "
                    "threads write.",
        .place = {evidence.source.name, tile.line, 0},
        .shape = trial.shape,
        .advice = "Declare the array __shared__: then all threads of the block use the same one."};
}

namespace {

/// Reports whether a line uses both threadIdx.x and threadIdx.y.
bool uses_both_thread_indices(const Evidence& evidence, int line) {
    const std::string text = code_on_line(evidence.source.text, line);
    return text.find("threadIdx.x") != text.npos && text.find("threadIdx.y") != text.npos;
}

/// Reports whether a loop contains a barrier and both accesses of a race, and fills a different
/// part of the tile in each iteration. The parts are different if the index of a store contains the
/// loop's counter. Such a loop reads elements that are written only in later iterations.
bool is_barrier_in_loop_of_both(const Report& race, const Evidence& evidence) {
    static const TextPattern access(R"(\b(\w+)\[([^\[\]]*))");
    const std::vector<Loop> loops = find_loops(evidence.source.text);
    const int race_line = place_in_learner_file(race.place, evidence).line,
              other_line = place_in_learner_file(race.other_place, evidence).line;
    std::string stored_indices;  // the indices of the array elements that the two lines assign
    for (const int line : {race_line, other_line}) {
        const std::string text = code_on_line(evidence.source.text, line);
        for (const TextMatch& match :
             find_matches(std::string_view(text).substr(0, text.find(" = ")), access)) {
            const std::string array = match.str(1);
            if (array != "out" && array != "in" && array != "data")
                stored_indices += match.str(2) + " ";
        }
    }
    return std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
        const auto is_in_loop = [&](int line) {
            return line >= loop.first_line && line <= loop.last_line;
        };
        if (loop.barrier_line == 0 || loop.counter.empty() || !is_in_loop(race_line) ||
            !is_in_loop(other_line))
            return false;
        return contains_word(stored_indices, loop.counter);
    });
}

/// Returns the failure for a bulk copy that lacks a fence, or for an mbarrier whose next phase
/// begins too early.
std::optional<Failure> find_asynchronous_race(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "racecheck", "missing proxy fence")) {
        const bool is_initialization = report->message.find("mbarrier") != report->message.npos;
        return failure_from_report(
            FailureKind::missing_barrier, *report, trial, evidence,
            is_initialization
                ? "a copy may start before it can see the initialized mbarrier: a fence is "
                  "missing."
                : "a bulk copy may not see what the threads have stored in shared memory: "
                  "a fence is missing.",
            is_initialization
                ? "Put fence.mbarrier_init.release.cluster or fence.proxy.async after the "
                  "initialization, in the same thread."
                : "Put fence.proxy.async after the stores, in every thread that stores, "
                  "before the barrier.");
    }
    if (const Report* report = find_report(trial, "racecheck", "mbarrier reused too early")) {
        return failure_from_report(
            FailureKind::missing_barrier, *report, trial, evidence,
            "a thread arrives for the next phase of an mbarrier while others may not have arrived "
            "for the previous one.",
            "Wait for the phase before you arrive again, or use another mbarrier.");
    }
    return std::nullopt;
}

/// Returns the failure for a race with the initialization of an mbarrier, or with bulk copies.
std::optional<Failure> find_race_with_copies(const Report& race, const Trial& trial,
                                             const Evidence& evidence) {
    const auto make_failure = [&](FailureKind kind, const char* headline, const char* advice) {
        return failure_from_report(kind, race, trial, evidence, headline, advice);
    };
    if (race.message.find("mbarrier") != race.message.npos) {
        return make_failure(
            FailureKind::missing_barrier,
            "the mbarrier may be used before it is initialized: a barrier is "
            "missing.",
            "Put __syncthreads() between init and the first use of the mbarrier, where "
            "every thread "
            "of the block reaches it.");
    }
    if (tracks_copies_with_mbarrier(evidence.source.text) && !is_plain_store(race, evidence)) {
        if (const int line = find_wait_without_loop(evidence.source.text)) {
            Failure failure =
                make_failure(FailureKind::copy_not_waited_for, kWaitedOnce, kWaitInLoop);
            failure.place.line = line;
            return failure;
        }
        return make_failure(
            FailureKind::missing_barrier,
            "threads read the tile while copies may still write it: they have neither "
            "waited for the copies nor synchronized with a thread that has waited.",
            "Let every thread that reads wait at the mbarrier, whichever thread started "
            "the copies; or put __syncthreads() after the wait.");
    }
    return std::nullopt;
}

/// Reports whether each access of a shared array on these lines uses an element that belongs to the
/// thread's warp: the index depends on the number of the warp in the block.
bool has_elements_of_own_warp(const std::string& text, const std::vector<int>& lines,
                              const LaunchShape& launch) {
    static const TextPattern number_of_warp(R"(/\s*32|>>\s*5|warpSize)");
    for (const SharedArray& array : list_shared_arrays(text)) {
        const TextPattern use("\\b" + array.name + R"(\s*\[)");
        for (const int line : lines) {
            const std::string code = code_on_line(text, line);
            for (const TextMatch& match : find_matches(code, use)) {
                const std::string index = expand(text, code.substr(match_end(match)), line);
                const bool is_own = contains(index, number_of_warp) ||
                                    (launch.block[0] == 32 && contains_word(index, "threadIdx.y"));
                if (!is_own) return false;
            }
        }
    }
    return true;
}

/// Reports whether only lanes of the same warp exchange values on the two lines of a race: a block
/// has only one warp, each warp has its own elements, or a condition admits only the first warp.
bool is_code_of_one_warp(const Report& race, const LaunchShape& launch, const std::string& text) {
    if (launch.threads() <= 32) return true;
    const int line = race.place.line;
    if (code_for_search(text).find("__syncthreads") == std::string::npos &&
        has_elements_of_own_warp(text, {line, race.other_place.line}, launch))
        return true;
    for (const Condition& condition : find_conditions(text, line)) {
        for (const ComparisonTerm& term : condition.comparisons) {
            const auto bound = constant_value(text, term.right_side);
            if (!condition.is_exit && term.op == "<" && bound && *bound == 32) return true;
        }
    }
    return false;
}

/// Returns the line of a barrier that separates the passes of the loop around both accesses of a
/// race, if no barrier separates the two accesses in the same pass. Otherwise returns 0.
int find_barrier_between_passes(int line, int other_line, const std::string& text) {
    static const TextPattern barrier(R"(\b__syncthreads\s*\()");
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (!loop || find_innermost_loop(loops, other_line) != loop) return 0;
    const std::string code = code_for_search(text);
    int barrier_line = 0;
    for (const TextMatch& match : find_matches(code, barrier)) {
        const int at = line_of_match(code, match);
        if (at < loop->first_line || at > loop->last_line) continue;
        const bool is_between =
            std::min(line, other_line) <= at && at <= std::max(line, other_line);
        if (is_between || find_innermost_loop(loops, at) != loop) return 0;
        for (const Condition& condition : find_conditions(text, at)) {
            if (condition.line > loop->first_line) return 0;
        }
        barrier_line = at;
    }
    return barrier_line;
}

/// Returns the failure for threads that overwrite elements which others still read in the same pass
/// of a loop, although a barrier separates the passes.
std::optional<Failure> find_race_within_pass(const Report& race, const Trial& trial,
                                             const Evidence& evidence) {
    const bool is_write_last = race.matches("racecheck", "write after read");
    if (!is_write_last && !race.matches("racecheck", "read after write")) return std::nullopt;
    const int read_line = is_write_last ? race.other_place.line : race.place.line;
    const int write_line = is_write_last ? race.place.line : race.other_place.line;
    if (read_line == 0 || read_line > write_line) return std::nullopt;
    const int barrier_line =
        find_barrier_between_passes(read_line, write_line, evidence.source.text);
    if (barrier_line == 0) return std::nullopt;
    const bool is_one_line = read_line == write_line;
    return failure_from_report(
        FailureKind::missing_barrier, race, trial, evidence,
        "threads overwrite the tile while others still read it in the same pass of the loop: the "
        "barrier in line " +
            std::to_string(barrier_line) + " only separates the passes.",
        std::string(is_one_line ? "In each pass, read into local variables first, and write in a "
                                  "second statement"
                                : "In each pass, read into local variables first, and write "
                                  "afterwards") +
            ", with another __syncthreads() in between that all threads reach.");
}

/// Returns the failure for threads that read, change and write the same element of shared memory
/// in one statement, such as `counts[bin] += 1`.
std::optional<Failure> find_lost_update(const Report& race, const Trial& trial,
                                        const Evidence& evidence) {
    if (race.place.line != race.other_place.line) return std::nullopt;
    static const TextPattern update(
        R"(\b(\w+)\s*\[([^=;]*)\]\s*(?:(=)\s*(\w+)\s*\[([^=;]*)\]\s*[-+*|&]|[-+*|&^]=|\+\+))");
    const std::string code = code_on_line(evidence.source.text, race.place.line);
    TextMatch match;
    if (!search(code, match, update) || code.find("atomic") != code.npos) return std::nullopt;
    const std::string index = trimmed(match.str(2));
    const bool is_same_element =
        !match[3].matched || (match.str(1) == match.str(4) && index == trimmed(match.str(5)));
    // If each thread has its own element, another access on this line is the mistake.
    const bool is_own = expand(evidence.source.text, index, race.place.line).find("threadIdx") !=
                            std::string::npos &&
                        index.find('[') == std::string::npos;
    const bool reads_another =
        !match[3].matched && code.find(match.str(1) + "[", match_end(match)) != code.npos;
    if (!is_same_element || is_own || reads_another) return std::nullopt;
    return failure_from_report(FailureKind::shared_race, race, trial, evidence,
                               "several threads read, change and write the same element of `" +
                                   match.str(1) +
                                   "` at the same time, so some of their changes are lost.",
                               "Change the element with an atomic operation, such as atomicAdd(&" +
                                   match.str(1) + "[" + index + "], 1).");
}

/// Returns the failure for threads of a block that do not wait for one another.
std::optional<Failure> find_shared_race(const Trial& trial, const Evidence& evidence) {
    const auto make_failure = [&](FailureKind kind, const Report& report,
                                  const std::string& headline, const std::string& advice) {
        return failure_from_report(kind, report, trial, evidence, headline, advice);
    };
    if (auto failure = find_asynchronous_race(trial, evidence)) return failure;
    if (const Report* report = find_report(trial, "racecheck", "write after write")) {
        if (!find_report(trial, "racecheck", "read after write") &&
            !find_report(trial, "racecheck", "write after read")) {
            Failure failure = make_failure(
                FailureKind::shared_race, *report,
                "two threads write to the same element in shared memory.",
                trial.launch.block[1] == 1 || uses_both_thread_indices(evidence, report->place.line)
                    ? "Work out the index by hand for the two threads named above: the "
                      "results must differ."
                    : "Give each thread its own element: the index needs threadIdx.x and "
                      "threadIdx.y.");
            failure.is_cause_open = true;
            return failure;
        }
    }
    const Report* race = find_report(trial, "racecheck", "read after write");
    if (!race) race = find_report(trial, "racecheck");
    if (race) {
        if (auto failure = find_race_with_copies(*race, trial, evidence)) return failure;
    }
    if (race && !race->matches("racecheck", "write after write") &&
        is_barrier_in_loop_of_both(*race, evidence)) {
        return make_failure(
            FailureKind::missing_barrier, *race,
            "threads read parts of the tile before others have written them: one loop "
            "contains the writes, the barrier and the reads.",
            "Fill the whole tile in one loop, wait at one barrier after this loop, and read "
            "the tile in a second loop.");
    }
    if (race) {
        if (auto failure = find_lost_update(*race, trial, evidence)) return failure;
    }
    if (race && race->message.find("another lane of the same warp") != race->message.npos &&
        is_code_of_one_warp(*race, trial.launch, evidence.source.text)) {
        return make_failure(
            FailureKind::missing_barrier, *race,
            "lanes of a warp access the same element of shared memory, and nothing orders their "
            "accesses: a __syncwarp() is missing.",
            "Separate the reads from the writes by __syncwarp(), in each step: the lanes of a "
            "warp do not run in lockstep.");
    }
    if (race) {
        if (auto failure = find_race_within_pass(*race, trial, evidence)) return failure;
    }
    if (race && race->matches("racecheck", "write after read")) {
        return make_failure(
            FailureKind::missing_barrier, *race,
            "threads overwrite the tile while others still read it: a barrier is missing.",
            "Put __syncthreads() between the read and the next write: in a loop, at the end of "
            "its body.");
    }
    if (race) {
        return make_failure(
            FailureKind::missing_barrier, *race,
            "threads read the tile while others still write it: a barrier is missing.",
            "Put __syncthreads() between the writes and the reads, where every thread of "
            "the block reaches it.");
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> find_second_initialization(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_report(trial, "synccheck", "mbarrier initialised twice");
    if (!report) return std::nullopt;
    return failure_from_report(
        FailureKind::bad_warp_mask, *report, trial, evidence,
        "the mbarrier is initialized a second time, which resets its counts.",
        "Let one thread initialize the mbarrier, once, before any thread uses it.");
}

namespace {

/// If the report states why no wait on an mbarrier covers the copies, names that reason.
void name_wait_without_effect(Failure& failure) {
    std::string report = failure.details;
    std::replace(report.begin(), report.end(), '\n', ' ');
    const auto contains_words = [&](const char* words) {
        return report.find(words) != report.npos;
    };
    if (contains_words("the wait ended at once")) {
        failure.headline =
            "the wait returns at once, because it does not wait for the phase of the copies.";
        return;
    }
    if (contains_words("No bytes were announced to its mbarrier"))
        failure.headline = "nothing waits for the copies, because their bytes are not announced.";
    else if (contains_words("more bytes were started"))
        failure.headline =
            "the mbarrier expects fewer bytes than the copies write, so nothing waits for the "
            "rest.";
    failure.advice +=
        " The first phase of an mbarrier has parity 0, and the next phase has parity 1.";
}

}  // namespace

namespace {

/// Names the condition under which threads reach a barrier. The report names a thread that does not
/// reach it, but not where that thread is.
void name_condition_of_barrier(Failure& failure, const std::string& text) {
    for (const Condition& condition : find_conditions(text, failure.place.line)) {
        const std::string value = expand(text, condition.text, condition.line);
        if (condition.is_exit || value.find("threadIdx") == value.npos) continue;
        failure.details = wrap("Only the threads with `" + condition.text + "` (line " +
                               std::to_string(condition.line) + ") reach the barrier.");
        return;
    }
}

}  // namespace

std::optional<Failure> find_barrier_error(const Trial& trial, const Evidence& evidence) {
    constexpr const char* unreached_barrier =
        "not every thread of the block reaches this __syncthreads().";
    constexpr const char* move_condition =
        "Put the condition around the loads and stores, not around the barrier. Before a barrier, "
        "a "
        "thread may return only if all threads of its block do.";
    auto failure = find_reported_failure(
        {{"synccheck", "divergent barrier", FailureKind::divergent_barrier, unreached_barrier,
          move_condition},
         {"synccheck", "exit before barrier", FailureKind::divergent_barrier, unreached_barrier,
          move_condition},
         {"synccheck", "copy not waited for", FailureKind::copy_not_waited_for,
          "a block ends while one of its copies is still in flight.", "", true},
         {"synccheck", "too few bytes", FailureKind::copy_not_waited_for,
          "the mbarrier expects fewer bytes than the copies write, so nothing waits for the rest.",
          "How many bytes does each copy write? Let the mbarrier expect the sum."},
         {"synccheck", "bad barrier", FailureKind::divergent_barrier,
          "the warps at this barrier do not wait for the same number of threads.",
          "All threads at a barrier must specify the same number of threads, a multiple of 32, or "
          "no number if the whole block takes part."}},
        trial, evidence);
    if (failure) {
        if (failure->kind == FailureKind::divergent_barrier)
            name_condition_of_barrier(*failure, evidence.source.text);
        const bool waits_for_phase = failure->kind == FailureKind::copy_not_waited_for &&
                                     tracks_copies_with_mbarrier(evidence.source.text);
        if (waits_for_phase) name_wait_without_effect(*failure);
        return failure;
    }
    if (const Report* report = find_report(trial, "synccheck", "shuffle from outside")) {
        return failure_from_report(
            FailureKind::bad_warp_mask, *report, trial, evidence,
            "a shuffle reads from a lane that does not take part in the shuffle.",
            "Let all lanes that are read execute the shuffle, and name them in its mask.");
    }
    if (const Report* report = find_report(trial, "synccheck")) {
        const bool is_mbarrier = report->message.find("mbarrier") != report->message.npos;
        const char* const advice =
            is_mbarrier ? "Which threads arrive, and how often? Compare the arrivals of one phase "
                          "with the count that the mbarrier was initialized with."
                        : "Let the mask name exactly the lanes that take part.";
        const bool lacks_lanes =
            report->message.find("does not include all lanes") != report->message.npos;
        const bool is_shuffle =
            code_on_line(evidence.source.text, report->place.line).find("__shfl") !=
            std::string::npos;
        const std::string cure =
            lacks_lanes
                ? "Let the mask name every lane that executes the operation: 0xffffffff for "
                  "all 32."
            : is_shuffle ? "Move the shuffle to a place that all lanes of the mask reach: a lane "
                           "whose value is read must take part too."
                         : report->cure;
        return failure_from_report(
            FailureKind::bad_warp_mask, *report, trial, evidence,
            is_mbarrier   ? "the use of an mbarrier does not match its initialization."
            : lacks_lanes ? "the mask of a warp operation does not name all lanes that execute it."
                          : "a warp operation names lanes that do not take part in the operation.",
            cure.empty() ? advice : cure);
    }
    return find_shared_race(trial, evidence);
}

namespace {

/// Reports whether a kernel contains nothing with which threads wait for each other.
bool has_no_synchronization(const std::string& text) {
    static const TextPattern wait(R"(sync|barrier|bar\.|wait|arrive|fence|volatile\s*\()");
    return !contains(code_for_search(text), wait) && text.find("asm") == text.npos;
}

}  // namespace

std::optional<Failure> find_uninitialised_read(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "initcheck", "uninitialised shared read")) {
        Failure failure =
            failure_from_report(FailureKind::uninitialised_shared, *report, trial, evidence,
                                "this reads shared memory that was never written.",
                                "Fill the tile first: does a thread write each of its elements, "
                                "and is the tile read with the same layout?");
        if (trial.launch.threads() > 32 && has_no_synchronization(evidence.source.text)) {
            failure.kind = FailureKind::missing_barrier;
            failure.headline =
                "this reads an element of the tile that no thread has written yet, and nothing "
                "makes the threads wait for each other: a barrier is missing.";
            failure.advice =
                "Put __syncthreads() between the writes and the reads, where every thread of the "
                "block reaches it.";
            return failure;
        }
        failure.is_cause_open = true;
        if (const auto left_out_stage = find_left_out_stage(trial, evidence)) {
            failure.details += wrap("Along the way: " + left_out_stage->sentence);
            if (failure.place.line > 0 && failure.place.line != left_out_stage->line)
                failure.headline = "line " + std::to_string(failure.place.line) +
                                   " reads shared memory that was never written.";
            failure.place.line = left_out_stage->line;
            failure.advice = left_out_stage->advice;
        }
        return failure;
    }
    return find_reported_failure(
        {{"initcheck", "uninitialised local read", FailureKind::uninitialised_read,
          "this reads an element of a local array that was never "
          "written.",
          "Write every element before it is read, or initialize the array "
          "where it is declared: int a[8] = {}."},
         {"initcheck", "", FailureKind::uninitialised_read,
          "this reads device memory that was never written.",
          "Read only from `in`, which holds the input."}},
        trial, evidence);
}

}  // namespace coalesce
