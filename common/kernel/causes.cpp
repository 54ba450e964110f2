#include "kernel/causes.h"

#include <algorithm>
#include <cstdlib>

#include "harness/text.h"
#include "kernel/advice.h"
#include "kernel/batch_causes.h"
#include "kernel/grid_causes.h"
#include "kernel/index_terms.h"
#include "kernel/left_out.h"
#include "kernel/local_arrays.h"
#include "kernel/messages.h"
#include "kernel/source_lines.h"
#include "kernel/storing_line.h"
#include "kernel/value_causes.h"

namespace coalesce {
namespace {

using simulated::Report;

const Report* find_report(const Trial& trial, const char* check, const char* kind = "") {
    const auto found = std::find_if(trial.reports.begin(), trial.reports.end(),
                                    [&](const Report& report) { return report.is(check, kind); });
    return found == trial.reports.end() ? nullptr : &*found;
}

/// A place in the learner's file; a compiler-made line elsewhere is none to look at.
Place place_in(const Place& place, const Evidence& evidence) {
    const std::string& file_name = evidence.source.name;
    if (place.file != file_name) return {file_name, 0, 0};
    return {file_name, line_of_word(evidence.source.text, place.line), place.column};
}

/// How the exercise calls its matrices.
const char* name_of_matrix(bool is_out, const Evidence& evidence) {
    if (evidence.exercise.task().in_place) return "data";
    return is_out ? "out" : "in";
}

/// The simulator knows allocations by size and number; here they have names.
std::string with_matrix_names(const Report& report, const Trial& trial, const Evidence& evidence) {
    const std::string begin = "the allocation of ", end = ")";
    const std::size_t first = report.message.find(begin);
    const std::size_t last = report.message.find(end, first);
    if (first == report.message.npos || last == report.message.npos) return report.message;
    const auto holds = [&](std::uint64_t matrix) {
        return report.address >= matrix && report.address < matrix + 4 * trial.elements();
    };
    if (!holds(trial.in_address) && !holds(trial.out_address)) return report.message;
    std::string message = report.message;
    return message.replace(
        first, last + end.size() - first,
        std::string("`") + name_of_matrix(!holds(trial.in_address), evidence) + "`");
}

/// What a report says, with its threads and the other access.
std::string details_of(const Report& report, const Trial& trial, const Evidence& evidence) {
    std::string text =
        wrap(report.thread.text() + ": " + with_matrix_names(report, trial, evidence));
    if (report.other_place.line > 0) {
        const bool is_learners = report.other_place.file == evidence.source.name;
        const Place other =
            is_learners ? place_in(report.other_place, evidence) : report.other_place;
        text += wrap("The other access: " + other.text() + ", " + report.other_thread.text() + ".");
    }
    return text;
}

Failure from_report(FailureKind kind, const Report& report, const Trial& trial,
                    const Evidence& evidence, const std::string& headline,
                    const std::string& next) {
    return {.kind = kind,
            .headline = headline,
            .place = place_in(report.place, evidence),
            .shape = trial.shape,
            .details = details_of(report, trial, evidence),
            .next = next};
}

// ---- outside of the matrices ----

/// Elements of one access: the report begins with its verb and its bytes.
std::int64_t elements_of_access(const Report& report) {
    const std::size_t number = report.message.find_first_of("0123456789");
    if (number == report.message.npos) return 1;
    return std::max(1, std::atoi(report.message.c_str() + number) / 4);
}

/// "element 4813 of `in`, which has 4810". Far outside an address is near to nothing, so the access
/// says which matrix is meant: `in` is read and `out` is written.
std::string element_text(const Report& report, const Trial& trial, const Evidence& evidence) {
    const bool is_out = !report.message.starts_with("Reads");
    const std::uint64_t begin = is_out ? trial.out_address : trial.in_address;
    const auto element =
        (static_cast<std::int64_t>(report.address) - static_cast<std::int64_t>(begin)) / 4;
    const std::int64_t count = elements_of_access(report);
    const std::string which = count == 1
                                  ? "element " + std::to_string(element)
                                  : "elements " + std::to_string(element) + " to " +
                                        std::to_string(element + count - 1) + ", in one access,";
    return which + " of `" + name_of_matrix(is_out, evidence) + "`, which has " +
           std::to_string(trial.elements());
}

/// A kernel that has a row, or takes the matrix as one long row.
bool knows_rows(const Source& source) {
    const std::string code = code_alone(source.text);
    for (std::size_t at = code.find("row"); at != code.npos; at = code.find("row", at + 1)) {
        if (code.compare(at, 4, "rows") != 0) return true;
    }
    return false;
}

std::string advice_on_bounds(const Evidence& evidence) {
    if (evidence.exercise.task().in_place) {
        return "Where the tiles do not fit the matrix, some threads have no element: let them do "
               "nothing. Compare both indices with the side before each access.";
    }
    if (!knows_rows(evidence.source)) {
        return "Some threads have no element, or fewer than the others: compare the index of the "
               "last one that a thread accesses with rows * cols.";
    }
    if (copies_by_mbarrier(evidence.source.text)) {
        return "Where the tiles do not fit the matrix, some rows of a tile are not there: let a "
               "thread ask for a row only if the matrix has it.";
    }
    const std::string code = code_alone(evidence.source.text);
    const bool has_offset = code.find("row +") != code.npos || code.find("row+") != code.npos;
    return std::string(
               "Where the tiles do not fit the matrix, some threads have no element: let "
               "them do nothing. Compare ") +
           (has_offset ? "what you access, before each access: where that is row + k, row + k "
                         "with rows, not row alone."
                       : "row with rows and col with cols before each access.");
}

Failure no_bounds_check(const Trial& trial, const Place& place, const std::string& details,
                        const Evidence& evidence) {
    return {.kind = FailureKind::no_bounds_check,
            .headline =
                "threads outside of the matrix touch memory that is not theirs: a check of the "
                "bounds is missing or wrong.",
            .place = place,
            .shape = trial.shape,
            .details = details,
            .next = advice_on_bounds(evidence)};
}

Failure wrong_result(const Trial& trial, const Comparison& comparison, const Evidence& evidence);

/// The result when accesses outside do not stop the kernel; nothing when it cannot be had.
std::optional<Comparison> result_without_checks(const Trial& trial, const Evidence& evidence) {
    if (!evidence.can_try_again) return trial.comparison;
    return evidence.try_again({.shape = trial.shape, .watch = Watch::result_alone}).comparison;
}

/// A wrong index may lead outside at one shape, and show what it is at another: of whole tiles, and
/// longer one way than the other.
std::optional<Failure> index_mistake(const Trial& trial, const Evidence& evidence) {
    const auto mistake_at = [&](const Trial& seen) -> std::optional<Failure> {
        if (!seen.comparison || !names_the_mistake(seen.comparison->fault())) return std::nullopt;
        return wrong_result(seen, *seen.comparison, evidence);
    };
    // Where tiles are cut off, a missing check of the bounds looks like many a wrong index.
    if (has_whole_tiles(trial.shape) || !evidence.was_right_on_whole_tiles) {
        Trial here = trial;
        here.comparison = result_without_checks(trial, evidence);
        if (auto found = mistake_at(here)) return found;
    }
    if (!evidence.can_try_again) return std::nullopt;
    for (const Shape shape : {Shape{64, 128}, Shape{128, 64}}) {
        const bool is_taken = shape.rows % evidence.exercise.rows_multiple == 0 &&
                              shape.cols % evidence.exercise.cols_multiple == 0;
        if (evidence.exercise.takes_squares() || !is_taken) continue;
        const TrialOrder order{
            .shape = shape, .watch = Watch::result_alone, .wants_counters = true};
        if (auto found = mistake_at(evidence.try_again(order))) return found;
    }
    return std::nullopt;
}

/// Whether it is right on a matrix of whole tiles of any size.
bool is_right_on_large_tiles(const Evidence& evidence) {
    return evidence.can_try_again &&
           evidence.try_again({.shape = evidence.exercise.counted}).is_good();
}

/// "... it fits out[row * 4 + col] ...; or it fits in[row * 1024 + col] ...": what an access shows
/// leaves one of the two.
std::string with_one_explanation(const std::string& text, const std::string& matrix) {
    const std::size_t first = text.find("it fits "), bar = text.find("; or it fits ", first);
    if (bar == text.npos) return text;
    const std::string wanted = "it fits " + matrix + "[";
    if (text.compare(first, wanted.size(), wanted) == 0) return with_end(text.substr(0, bar));
    const std::size_t second = text.find("it fits ", bar);
    if (text.compare(second, wanted.size(), wanted) != 0) return text;
    return text.substr(0, first) + text.substr(second);
}

/// An access outside: of all its causes the one that fits.
Failure outside(const Trial& trial, const Place& place, const std::string& details,
                const Evidence& evidence) {
    // A wrong index leads outside as well; then the index is what is wrong.
    if (std::optional<Failure> failure = index_mistake(trial, evidence)) {
        failure->place = place;
        failure->details = wrap("With rows = " + std::to_string(trial.shape.rows) +
                                " and cols = " + std::to_string(trial.shape.cols) +
                                " it goes outside of the matrix:") +
                           details + failure->details;
        return *failure;
    }
    const bool is_ragged = !has_whole_tiles(trial.shape);
    if (is_ragged && evidence.was_right_on_whole_tiles) {
        return no_bounds_check(trial, place, details, evidence);
    }
    // The tile may be larger than the matrix.
    if (!evidence.was_right_on_whole_tiles && is_right_on_large_tiles(evidence)) {
        return no_bounds_check(trial, place, details, evidence);
    }
    return {.kind = FailureKind::out_of_bounds,
            .headline = "the kernel touches memory outside of its matrices.",
            .place = place,
            .shape = trial.shape,
            .details = details,
            .next = "Work out the index by hand for the thread that is named."};
}

Failure outside(const Trial& trial, const Report& report, const Evidence& evidence) {
    const bool reads = report.message.starts_with("Reads");
    const std::string details = wrap(report.thread.text() + (reads ? " reads " : " writes ") +
                                     element_text(report, trial, evidence) + ".");
    Failure failure = outside(trial, place_in(report.place, evidence), details, evidence);
    failure.headline = with_one_explanation(failure.headline, reads ? "in" : "out");
    return failure;
}

bool is_in_shared_memory(const Report& report) {
    return report.message.find("shared memory") != report.message.npos;
}

Failure outside_shared(const Trial& trial, const Report& report, const Evidence& evidence) {
    Failure failure =
        from_report(FailureKind::outside_shared_memory, report, trial, evidence,
                    "an access outside of the shared array.",
                    "Compare the indices with the array's dimensions. " + report.cure);
    if (!has_dynamic_array(evidence.source.text)) return failure;
    const long long bytes = trial.launch.shared_bytes;
    if (bytes == 0) {
        failure.headline = "the shared array has no memory: configure gives no shared_bytes.";
        failure.next = "Let configure give .shared_bytes: the bytes of the whole array.";
        return failure;
    }
    failure.details += wrap("configure gives it " + std::to_string(bytes) + " shared_bytes.");
    return failure;
}

Failure outside_local(const Trial& trial, const Report& report, const Evidence& evidence) {
    const LocalArray array = local_array_on(evidence.source.text, report.place.line);
    const std::string has = "`" + array.name + "`, which has " +
                            count_of(static_cast<std::uint64_t>(array.length), "element") + ".";
    return from_report(FailureKind::outside_local_array, report, trial, evidence,
                       array.name.empty() ? "an access outside of a thread's own array."
                                          : "an access outside of the thread's array " + has,
                       "Work out the index by hand for the thread that is named: the first element "
                       "is number 0.");
}

std::optional<Failure> memory_error(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "memcheck", "misaligned")) {
        return from_report(FailureKind::misaligned, *report, trial, evidence,
                           "a vector access at an address that is not a multiple of its size.",
                           "A float4 needs an address that is a multiple of 16 bytes, a float2 of "
                           "8: let its first element's index be a multiple of 4, or of 2.");
    }
    if (const Report* report = find_report(trial, "memcheck", "stack overflow")) {
        return from_report(FailureKind::stack_overflow, *report, trial, evidence,
                           "a function calls itself until the thread's stack is full.",
                           "Which argument ends the calls? Let it come nearer with each call; or "
                           "write a loop.");
    }
    const Report* report = find_report(trial, "memcheck");
    if (!report) return std::nullopt;
    if (is_in_shared_memory(*report)) return outside_shared(trial, *report, evidence);
    if (report->message.find("local memory") != report->message.npos) {
        return outside_local(trial, *report, evidence);
    }
    return outside(trial, *report, evidence);
}

// ---- what does not end, or ends badly ----

/// Far too much work may come to an end all the same: a small matrix shows it.
std::optional<Failure> too_much_work(const Trial& trial, const Report& report,
                                     const Evidence& evidence) {
    if (!evidence.can_try_again) return std::nullopt;
    constexpr int side = 8;
    const Exercise& exercise = evidence.exercise;
    const Shape small =
        exercise.of_multiples((side + exercise.rows_multiple - 1) / exercise.rows_multiple,
                              (side + exercise.cols_multiple - 1) / exercise.cols_multiple);
    const Trial seen =
        evidence.try_again({.shape = small, .watch = Watch::result_alone, .wants_counters = true});
    // Each store of a warp is of one element at least.
    const std::uint64_t times = seen.counters.store_requests / seen.elements();
    if (!seen.has_ended() || times < 4) return std::nullopt;
    Failure failure = from_report(
        FailureKind::too_much_work, report, trial, evidence,
        "threads repeat what others have done, far more than the task takes.",
        "Which elements are this thread's own, by blockIdx and threadIdx? Let it do only those.");
    failure.details = wrap(
        "With rows = " + std::to_string(small.rows) + " and cols = " + std::to_string(small.cols) +
        " each element is stored " + std::to_string(times) + " times or more, on average.");
    failure.place.line = seen.store_line;
    return failure;
}

std::optional<Failure> execution_error(const Trial& trial, const Evidence& evidence) {
    const auto make = [&](FailureKind kind, const Report& report, const std::string& headline,
                          const std::string& next) {
        return from_report(kind, report, trial, evidence, headline, next);
    };
    if (const Report* report = find_report(trial, "synccheck", "deadlock")) {
        return make(
            FailureKind::deadlock, *report, "threads wait here for something that never comes.",
            report->cure.empty() ? "Who should wake them? Follow that thread." : report->cure);
    }
    if (const Report* report = find_report(trial, "execution", "instruction budget")) {
        if (auto found = too_much_work(trial, *report, evidence)) return found;
        Failure failure =
            make(FailureKind::endless_loop, *report, "the kernel does not end.",
                 "Look at the loop around this line: does its counter reach its end?");
        failure.details = wrap(report->thread.text() + " was here after " +
                               "many times the work that the task takes.");
        return failure;
    }
    if (const Report* report = find_report(trial, "execution", "assertion failed")) {
        return make(FailureKind::assertion_failed, *report, "an assertion in the kernel failed.",
                    "Take it as a hint: what it says must be true is not true.");
    }
    if (const Report* report = find_report(trial, "execution", "trap")) {
        return make(FailureKind::assertion_failed, *report, "the kernel stopped itself.",
                    "Take __trap() out, or find out why it is reached.");
    }
    if (const Report* report = find_report(trial, "execution", "unsupported")) {
        return make(FailureKind::not_simulated, *report,
                    "the kernel uses something that the simulated GPU does not have.",
                    "Write it without; no exercise needs it.");
    }
    if (const Report* report = find_report(trial, "execution")) {
        return make(FailureKind::kernel_failed, *report, "the kernel was stopped.", report->cure);
    }
    return std::nullopt;
}

// ---- barriers and races ----

/// A report of shared memory that an asynchronous copy was still writing.
const Report* find_pending_copy(const Trial& trial) {
    const auto is_pending = [](const Report& report) {
        return report.is("racecheck") &&
               report.message.find("asynchronous copy has not yet") != report.message.npos;
    };
    const auto found = std::find_if(trial.reports.begin(), trial.reports.end(), is_pending);
    return found == trial.reports.end() ? nullptr : &*found;
}

std::optional<Failure> copy_error(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_pending_copy(trial);
    if (!report) return std::nullopt;
    if (never_commits(evidence.source.text)) {
        return from_report(
            FailureKind::copy_not_committed, *report, trial, evidence,
            "copies are on their way that nothing has waited for: no group is ever committed.",
            "Close the group of a tile's copies with __pipeline_commit(): waiting is for groups.");
    }
    const auto make = [&](const std::string& headline, const std::string& next) {
        return from_report(FailureKind::copy_not_waited_for, *report, trial, evidence, headline,
                           next);
    };
    const bool is_read = report->is("racecheck", "read after write");
    const bool is_own = report->thread.text() == report->other_thread.text();
    if (copies_by_mbarrier(evidence.source.text)) {
        const std::string wait =
            "A copy has arrived when the phase of its mbarrier is over: does every thread wait for "
            "that before it ";
        return make(is_read ? "the tile is read before its copy has arrived."
                            : "this writes to shared memory where a copy is still on its way.",
                    wait + (is_read ? "reads" : "writes") +
                        ", at that mbarrier, for that phase, and for all bytes that come?");
    }
    if (!is_read) {
        return make(
            "this writes to shared memory where an earlier copy is still on its way.",
            "Is it the right stage: not the one in use, but the other one in turn? If it is: "
            "has the copy that went there before been waited for?");
    }
    if (is_own) {
        return make("the tile is read before its copy has arrived.",
                    "Count the groups: which have been committed here, and how many does the wait "
                    "leave under way?");
    }
    // Whether that copy is of this tile or of the next one is not known.
    return make("the tile is read while a copy still writes to it.",
                "Have this tile's copies been waited for: which groups are committed here, and how "
                "many does the wait leave under way? If they have, it is the next tile's copy: "
                "does it go to the other stage, and are all threads done with that one?");
}

/// Outside of an array in registers there is nothing to report either: the compiler leaves out what such an
/// access would have done, or does something else.
std::optional<Failure> local_array_left(const Trial& trial, const Evidence& evidence) {
    const ArrayOverrun found = array_overrun(evidence.source.text);
    if (found.line == 0) return std::nullopt;
    const std::string access = "`" + found.array + "[" + found.index + "]`";
    return Failure{
        .kind = FailureKind::outside_local_array,
        .headline = access + " goes outside of its array: `" + found.array + "` has " +
                    count_of(static_cast<std::uint64_t>(found.length), "element") + ", and " +
                    found.index + " gets as far as " + std::to_string(found.last) + ".",
        .place = {evidence.source.name, found.line, 0},
        .shape = trial.shape,
        .details = wrap("What becomes of such a value is left to the compiler, which may drop it."),
        .next = "The elements are numbered from 0 to " + std::to_string(found.length - 1) +
                ": which one belongs to this turn of the loop?"};
}

/// An array without __shared__ gives no report: other threads' elements are just not in it.
std::optional<Failure> tile_of_one_thread(const Trial& trial, const Evidence& evidence) {
    const Declared tile = array_not_shared(evidence.source.text);
    if (tile.line == 0 || !trial.comparison || trial.comparison->is_right()) return std::nullopt;
    return Failure{.kind = FailureKind::tile_not_shared,
                   .headline = "`" + tile.name +
                               "` is not shared: each thread has one of its own, in which it finds "
                               "nothing that another thread wrote.",
                   .place = {evidence.source.name, tile.line, 0},
                   .shape = trial.shape,
                   .next = "Declare it __shared__: then the block has one, for all its threads."};
}

/// Threads of a block that do not wait for each other.
std::optional<Failure> shared_race_error(const Trial& trial, const Evidence& evidence) {
    const auto make = [&](FailureKind kind, const Report& report, const std::string& headline,
                          const std::string& next) {
        return from_report(kind, report, trial, evidence, headline, next);
    };
    if (const Report* report = find_report(trial, "racecheck", "write after write")) {
        if (!find_report(trial, "racecheck", "read after write") &&
            !find_report(trial, "racecheck", "write after read")) {
            return make(
                FailureKind::shared_race, *report,
                "two threads write to the same place in shared memory.",
                "Give each thread its own place: the index needs threadIdx.x and threadIdx.y.");
        }
    }
    const Report* race = find_report(trial, "racecheck", "read after write");
    if (!race) race = find_report(trial, "racecheck");
    if (race && race->message.find("mbarrier") != race->message.npos) {
        return make(
            FailureKind::missing_barrier, *race,
            "the mbarrier is used before all threads can know that it is one: a barrier is "
            "missing.",
            "Put __syncthreads() between init and what uses the mbarrier, where every thread "
            "of the block reaches it.");
    }
    if (race && copies_by_mbarrier(evidence.source.text)) {
        return make(FailureKind::missing_barrier, *race,
                    "threads read the tile while it may still be written: they have not waited "
                    "for the copies themselves, nor met those that have.",
                    "Let every thread that reads wait at the mbarrier, whoever asked for the "
                    "copies; or put __syncthreads() after the wait.");
    }
    if (race) {
        return make(
            FailureKind::missing_barrier, *race,
            "threads read the tile while others still write it: a barrier is missing.",
            "Put __syncthreads() between the two, where every thread of the block reaches it.");
    }
    return std::nullopt;
}

std::optional<Failure> barrier_error(const Trial& trial, const Evidence& evidence) {
    const auto make = [&](FailureKind kind, const Report& report, const std::string& headline,
                          const std::string& next) {
        return from_report(kind, report, trial, evidence, headline, next);
    };
    for (const char* kind : {"divergent barrier", "exit before barrier"}) {
        if (const Report* report = find_report(trial, "synccheck", kind)) {
            return make(FailureKind::divergent_barrier, *report,
                        "not every thread of the block reaches this __syncthreads().",
                        "Put the condition around the loads and stores, not around the barrier, "
                        "and let no thread return before it.");
        }
    }
    if (const Report* report = find_report(trial, "synccheck", "copy not waited for")) {
        return make(FailureKind::copy_not_waited_for, *report,
                    "a block ends while a copy of its own is still on its way.", report->cure);
    }
    if (const Report* report = find_report(trial, "synccheck", "too few bytes")) {
        return make(FailureKind::copy_not_waited_for, *report,
                    "fewer bytes are announced than copies bring: nobody waits for the rest.",
                    "Which bytes does each copy bring? Announce all of them, in bytes.");
    }
    if (const Report* report = find_report(trial, "synccheck", "bad barrier")) {
        return make(FailureKind::divergent_barrier, *report,
                    "warps do not wait at this barrier for the same threads.",
                    "Let all who meet at a barrier name the same number of threads, a multiple of "
                    "32, or none "
                    "for the whole block.");
    }
    if (const Report* report = find_report(trial, "synccheck")) {
        const bool is_mbarrier = report->message.find("mbarrier") != report->message.npos;
        const char* const next =
            is_mbarrier ? "Who arrives, and how often? Compare the arrivals of one phase with the "
                          "count that the mbarrier was made for."
                        : "Let the mask name the lanes that take part, all of them and no others.";
        return make(FailureKind::bad_warp_mask, *report,
                    is_mbarrier ? "an mbarrier is not used the way it was made."
                                : "a warp operation names lanes that do not take part in it.",
                    report->cure.empty() ? next : report->cure);
    }
    return shared_race_error(trial, evidence);
}

std::optional<Failure> uninitialised(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "initcheck", "uninitialised shared read")) {
        Failure failure = from_report(FailureKind::uninitialised_shared, *report, trial, evidence,
                                      "this reads a place in shared memory that nothing wrote.",
                                      "Fill the tile first: do all its elements have a thread that "
                                      "writes them, and is it read with the same layout?");
        if (const auto left_out = elements_left_out(trial, evidence)) {
            failure.details += wrap("On the way: " + left_out->sentence);
            failure.place.line = left_out->line;
            failure.next = left_out->next;
        }
        return failure;
    }
    if (const Report* report = find_report(trial, "initcheck")) {
        return from_report(FailureKind::uninitialised_read, *report, trial, evidence,
                           "this reads device memory that nothing wrote.",
                           "Read from `in` only, where the input is.");
    }
    return std::nullopt;
}

// ---- the result ----

/// Guard bands saw it: something before or behind a matrix was touched.
bool is_outside(const Finding& finding) {
    return finding.fault == Fault::read_outside || finding.fault == Fault::written_after ||
           finding.fault == Fault::written_before;
}

/// The line to look at first: of a load when its index is what is wrong. What a compiler moves out
/// of a loop it may give the line of a brace: the statement is before it.
int line_of_mistake(const Trial& trial, const Finding& finding, const Evidence& evidence) {
    const int store_line = line_of_statement(evidence.source.text, trial.store_line);
    const auto says = [&](const char* words) {
        return finding.sentence.find(words) != std::string::npos;
    };
    const std::string& text = evidence.source.text;
    int line = 0;
    if (finding.fault == Fault::wrong_origin) line = line_of_move(text, "in");
    if (finding.fault == Fault::half_exchanged) line = line_that_stored_wrong(trial, evidence);
    if (finding.fault == Fault::never_written && says("on the diagonal")) {
        line = line_of_leaving_diagonal(text);
    }
    if (line > 0) return line;
    const bool is_of_load = finding.fault == Fault::wrong_origin ||
                            (finding.fault == Fault::wrong_pitch && says("fits in["));
    if (!is_of_load || !evidence.can_try_again) return store_line;
    const Trial seen = evidence.try_again(
        {.shape = trial.shape, .watch = Watch::result_alone, .wants_counters = true});
    for (const simulated::Line& one : seen.lines) {
        if (one.counters.load_requests > 0) return one.number;
    }
    return store_line;
}

/// What was seen, without what it may come from.
std::string first_sentence(const std::string& text) {
    return text.substr(0, text.find(". ") + 1);
}

/// Such cells may have any index at fault: of the load, the tile or the store.
bool leaves_open_where(Fault fault) {
    return fault == Fault::part_of_each_tile || fault == Fault::scrambled_in_tile ||
           fault == Fault::mixed_in_tile || fault == Fault::wrong_tile ||
           fault == Fault::scattered || fault == Fault::never_written;
}

/// A result says that elements are missing, or are at other places; a warp's accesses say where.
void look_at_elements(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const auto left_out = elements_left_out(trial, evidence);
    if (!left_out) return;
    failure.kind = FailureKind::elements_left_out;
    failure.fault = Fault::none;
    failure.details += wrap(first_sentence(failure.headline));
    failure.headline = left_out->sentence;
    failure.place.line = left_out->line;
    failure.next = left_out->next;
}

/// Whatever became of it: a sum of which one part alone is multiplied is no index.
bool tell_missing_brackets(Failure& failure, const Evidence& evidence) {
    const MissingBrackets found = missing_brackets(evidence.source.text);
    if (found.line == 0) return false;
    failure.kind = FailureKind::wrong_result;
    failure.fault = Fault::wrong_pitch;
    failure.details = wrap(first_sentence(failure.headline)) + failure.details;
    failure.headline = "`" + found.text + "` multiplies " + found.factor + " alone by " +
                       found.pitch + ", since * comes before +: brackets are missing.";
    failure.place.line = found.line;
    failure.next = "Put all that is to be multiplied into brackets: (... + " + found.factor +
                   ") * " + found.pitch + ".";
    return true;
}

Failure wrong_result(const Trial& trial, const Comparison& comparison, const Evidence& evidence) {
    const Finding& first = comparison.findings.front();
    const bool is_of_launch =
        first.fault == Fault::grid_too_small || first.fault == Fault::bounds_exchanged ||
        first.fault == Fault::part_of_each_tile || first.fault == Fault::never_written;
    if (is_of_launch) {
        if (auto found = exchanged_grid(trial, evidence)) return *found;
    }
    Failure failure{.kind = FailureKind::wrong_result,
                    .fault = first.fault,
                    .headline = with_end(first.sentence),
                    .place = {evidence.source.name, line_of_mistake(trial, first, evidence), 0},
                    .shape = trial.shape,
                    .next = next_after(first.fault, evidence.exercise.task())};
    for (std::size_t i = 1; i < comparison.findings.size(); ++i) {
        // A wrong index leads outside too: that is no second mistake.
        if (is_outside(comparison.findings[i]) && names_the_mistake(first.fault)) continue;
        failure.details += wrap(with_end(comparison.findings[i].text()));
    }
    const bool lacks_brackets = tell_missing_brackets(failure, evidence);
    const bool is_told =
        lacks_brackets || (is_of_launch && look_at_launch(failure, trial, evidence));
    if (!is_told && !first.guess.empty()) failure.headline += " " + with_end(first.guess);
    if (!lacks_brackets) look_at_values(failure, trial, evidence);
    look_at_batches(failure, trial, evidence);
    if (!is_told && failure.fault == first.fault && leaves_open_where(first.fault)) {
        look_at_elements(failure, trial, evidence);
    }
    if (comparison.wrong + comparison.untouched > 0) {
        failure.details += wrap(std::to_string(comparison.right) + " cells right, " +
                                std::to_string(comparison.wrong) + " wrong, " +
                                std::to_string(comparison.untouched) + " never written.");
        failure.map = comparison.map;
    }
    return failure;
}

/// What guard bands saw, where no memcheck watches: a real GPU.
const Finding* outside_finding(const Comparison& comparison) {
    if (names_the_mistake(comparison.fault())) return nullptr;
    const auto found =
        std::find_if(comparison.findings.begin(), comparison.findings.end(), is_outside);
    return found == comparison.findings.end() ? nullptr : &*found;
}

/// In place all lines index one matrix: of two that race the one is to blame that takes its rows to
/// be longer or shorter than all others do.
void look_at_pitches(Failure& failure, const Report& race, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (!task.in_place) return;
    const std::string matrix = name_of_matrix(true, evidence);
    const OddPitch odd = odd_pitch(evidence.source.text, matrix);
    if (odd.line == 0) return;
    if (odd.line != race.place.line && odd.line != race.other_place.line) return;
    failure.place.line = odd.line;
    failure.details +=
        wrap("Line " + std::to_string(odd.line) + " takes a row of `" + matrix + "` to be " +
             odd.pitch + " elements long, all others " + odd.usual + ".");
    failure.next = next_after(Fault::wrong_pitch, task);
}

std::optional<Failure> result_error(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    const bool is_wrong = trial.comparison && !trial.comparison->is_right();
    if (race && (!is_wrong || !names_the_mistake(trial.comparison->fault()))) {
        Failure failure =
            from_report(FailureKind::race_between_blocks, *race, trial, evidence,
                        "threads access one place in memory, and at least one writes: which comes "
                        "first is chance.",
                        std::string("Each element of `") + name_of_matrix(true, evidence) +
                            "` is for one thread: which index do two of them share?");
        look_at_pitches(failure, *race, evidence);
        look_at_batch_race(failure, *race, evidence);
        tell_missing_brackets(failure, evidence);
        return failure;
    }
    if (!is_wrong) return std::nullopt;
    const Comparison& comparison = *trial.comparison;
    if (const Finding* finding = outside_finding(comparison)) {
        return outside(trial, {evidence.source.name, trial.store_line, 0},
                       wrap(with_end(finding->text())), evidence);
    }
    return wrong_result(trial, comparison, evidence);
}

/// Errors that a real GPU returns, where nobody says more.
Failure device_error(const Trial& trial, const Evidence& evidence) {
    const Place place{evidence.source.name, 0, 0};
    const std::string says =
        std::string(cudaGetErrorName(trial.error)) + ": " + cudaGetErrorString(trial.error) + ".";
    switch (trial.error) {
        case cudaErrorIllegalAddress: return outside(trial, place, wrap(says), evidence);
        case cudaErrorMisalignedAddress:
            return {.kind = FailureKind::misaligned,
                    .headline = "a vector access at an address that is not a multiple of its size.",
                    .place = place,
                    .shape = trial.shape,
                    .details = wrap(says),
                    .next = "Check it on the simulated GPU, which names the line."};
        case cudaErrorLaunchTimeout:
            return {.kind = FailureKind::endless_loop,
                    .headline = "the kernel does not end.",
                    .place = place,
                    .shape = trial.shape,
                    .next = "Check it on the simulated GPU, which names the line."};
        case cudaErrorAssert:
            return {.kind = FailureKind::assertion_failed,
                    .headline = "an assertion in the kernel failed.",
                    .place = place,
                    .shape = trial.shape,
                    .next = "Take it as a hint: what it says must be true is not true."};
        default:
            return {.kind = FailureKind::kernel_failed,
                    .headline = "the device stopped the kernel: " + says,
                    .place = place,
                    .shape = trial.shape,
                    .next = "Check it on the simulated GPU, which says more."};
    }
}

}  // namespace

bool has_whole_tiles(Shape shape) {
    constexpr int largest_side = 64;
    return shape.rows % largest_side == 0 && shape.cols % largest_side == 0;
}

namespace {

/// What refuses a launch knows the file's name alone.
Failure with_line_of_launch(Failure refused, const Evidence& evidence) {
    if (refused.place.line > 0) return refused;
    const bool is_of_block = refused.kind == FailureKind::block_too_large ||
                             refused.headline.find("gives blocks of") != std::string::npos;
    if (is_of_block || refused.kind == FailureKind::bad_launch) {
        refused.place.line = line_of_launch(evidence.source.text, is_of_block ? ".block" : ".grid");
    }
    return refused;
}

}  // namespace

Failure cause_of(const Trial& trial, const Evidence& evidence) {
    if (auto found = local_array_left(trial, evidence)) return *found;
    if (auto found = memory_error(trial, evidence)) return *found;
    if (auto found = execution_error(trial, evidence)) return *found;
    if (trial.refused.kind != FailureKind::none) {
        return with_line_of_launch(trial.refused, evidence);
    }
    if (auto found = copy_error(trial, evidence)) return *found;
    if (auto found = barrier_error(trial, evidence)) return *found;
    if (auto found = tile_of_one_thread(trial, evidence)) return *found;
    if (auto found = uninitialised(trial, evidence)) return *found;
    if (auto found = result_error(trial, evidence)) return *found;
    return device_error(trial, evidence);
}

}  // namespace coalesce
