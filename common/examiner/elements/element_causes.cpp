#include <algorithm>
#include <limits>
#include <utility>

#include "base/first_found.h"
#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/line_rules.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// The position of an address: an array, and the index of an element in it.
struct ArrayPlace {
    const Parameter* array = nullptr;
    std::int64_t count = 0;  ///< elements of the array
    std::int64_t index = 0;  ///< index of the element, which may lie outside the array
};

/// Returns the array that is nearest to an address.
ArrayPlace find_array(std::uint64_t address, const Trial& trial, const Evidence& evidence) {
    const ElementTask& task = *evidence.exercise.elements;
    ArrayPlace nearest_array;
    std::int64_t least_distance = std::numeric_limits<std::int64_t>::max();
    std::size_t number = 0;
    for (const Parameter& parameter : task.parameters) {
        if (!parameter.is_array || number >= trial.arrays.size()) continue;
        const auto bytes = static_cast<std::int64_t>(parameter.type.bytes());
        const std::int64_t count = count_elements(task.extents(parameter, trial.shape));
        const auto at = static_cast<std::int64_t>(address - trial.arrays[number++].address);
        const std::int64_t distance =
            at < 0 ? -at : std::max<std::int64_t>(0, at - count * bytes + 1);
        if (distance >= least_distance) continue;
        least_distance = distance;
        nearest_array = {&parameter, count, at < 0 ? -((-at + bytes - 1) / bytes) : at / bytes};
    }
    return nearest_array;
}

/// Replaces the simulator's description of an allocation with the name of the array.
std::string add_array_name(const Report& report, const Trial& trial, const Evidence& evidence) {
    const std::string begin = "the allocation of ", end = ")";
    const std::size_t name_begin = report.message.find(begin);
    const std::size_t name_end = report.message.find(end, name_begin);
    const ArrayPlace array_place = find_array(report.address, trial, evidence);
    if (name_begin == report.message.npos || name_end == report.message.npos ||
        !array_place.array) {
        return report.message;
    }
    std::string message = report.message;
    return message.replace(name_begin, name_end + end.size() - name_begin,
                           "`" + array_place.array->name + "`");
}

/// Removes the word "tile" from a failure's text. The text was written for transposes, and other
/// kernels use shared memory for other purposes.
void rename_tile(std::string& text) {
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"the whole tile", "the whole array"},
        {"parts of the tile", "parts of the shared array"},
        {"Fill the tile first", "Fill the array first"},
        {"The tile", "Shared memory"},
        {"the tile", "shared memory"},
        {"tile", "array"}};
    for (const auto& [word, replacement] : words) {
        for (std::size_t at = text.find(word); at != text.npos;
             at = text.find(word, at + replacement.size())) {
            text.replace(at, word.size(), replacement);
        }
    }
}

/// Applies a rule that was written for transposes, and removes the word "tile" from its failure.
template <auto rule>
std::optional<Failure> find_missing_tile(const Trial& trial, const Evidence& evidence) {
    std::optional<Failure> failure = rule(trial, evidence);
    if (!failure) return failure;
    rename_tile(failure->headline);
    rename_tile(failure->advice);
    return failure;
}

Failure explain_report(FailureKind kind, const Report& report, const Trial& trial,
                       const Evidence& evidence, const std::string& headline,
                       const std::string& advice) {
    Failure failure = failure_from_report(kind, report, trial, evidence, headline, advice);
    failure.details = wrap(report.thread.text() + ": " + add_array_name(report, trial, evidence));
    if (report.other_place.line > 0) {
        failure.details += wrap("The other access: " + report.other_place.text() + ", " +
                                report.other_thread.text() + ".");
    }
    return failure;
}

/// Does the same as explain_report, for a report that leaves the cause open.
Failure describe_report(FailureKind kind, const Report& report, const Trial& trial,
                        const Evidence& evidence, const std::string& headline,
                        const std::string& advice) {
    Failure failure = explain_report(kind, report, trial, evidence, headline, advice);
    failure.is_cause_open = true;
    return failure;
}

// ---- accesses outside an array ----

std::string advice_on_missing_check(const Parameter& array) {
    if (array.extents.size() != 2) {
        return "Test the index against the size before this access: some threads of the last block "
               "have no element.";
    }
    return "Before this access, compare the row with " + array.extents[0] +
           " and the column with " + array.extents[1] + ". A test of the index of `" + array.name +
           "` alone is not enough: a column beyond the end of its row is an element of the next "
           "row.";
}

std::optional<Failure> find_element_overrun(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_report(trial, "memcheck");
    if (!report || report->matches("memcheck", "misaligned")) return std::nullopt;
    for (const char* memory_kind : {"shared memory", "local memory", "stack"}) {
        if (report->message.find(memory_kind) != report->message.npos) return std::nullopt;
    }
    const ArrayPlace at = find_array(report->address, trial, evidence);
    if (!at.array || (at.index >= 0 && at.index < at.count)) return std::nullopt;
    const bool is_read = report->message.starts_with("Reads");
    const std::string& name = at.array->name;
    const std::string element = name + "[" + std::to_string(at.index) + "]";
    const bool is_edge = at.index >= at.count &&
                         (evidence.was_correct_before ||
                          evidence.relaunch({.shape = evidence.exercise.counted_shape}).is_good());
    Failure failure{.kind = is_edge ? FailureKind::no_bounds_check : FailureKind::out_of_bounds,
                    .headline = std::string("the kernel ") + (is_read ? "reads " : "writes ") +
                                element + ", but `" + name + "` has " +
                                format_count(static_cast<std::uint64_t>(at.count), "element") + ".",
                    .place = place_in_learner_file(report->place, evidence),
                    .shape = trial.shape,
                    .details = wrap(report->thread.text() + (is_read ? " reads " : " writes ") +
                                    element + ", which is not part of the array."),
                    .advice = is_edge ? advice_on_missing_check(*at.array)
                                      : "Work out the index by hand for the thread named above.",
                    .is_cause_open = !is_edge};
    const LineMistake mistake = first_mistake(
        [&] { return find_condition_that_always_holds(evidence.source.text); },
        [&] {
            return find_check_of_other_element(name, failure.place.line, evidence.source.text);
        });
    if (mistake.line > 0) {
        blame(failure, mistake);
        failure.is_cause_open = false;
        return failure;
    }
    if (at.index < 0) {
        failure.advice =
            "The index is below zero: how should the kernel treat the first elements, which have "
            "no neighbour before them?";
    }
    return failure;
}

// ---- reads of uninitialized memory ----

std::optional<Failure> find_unwritten_read(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "initcheck", "uninitialised shared read")) {
        return describe_report(FailureKind::uninitialised_shared, *report, trial, evidence,
                               "this reads shared memory that was never written.",
                               "Which thread should write this element first? Does it do so in "
                               "every block, including the last one?");
    }
    if (const Report* report = find_report(trial, "initcheck", "uninitialised local read")) {
        return explain_report(
            FailureKind::uninitialised_read, *report, trial, evidence,
            "this reads an element of a local array that the thread has never written.",
            "Write every element before it is read, or initialize the array where it is declared.");
    }
    const Report* report = find_report(trial, "initcheck");
    if (!report) return std::nullopt;
    const ArrayPlace at = find_array(report->address, trial, evidence);
    const bool is_output = at.array && at.array->is_output();
    if (!is_output) {
        return explain_report(FailureKind::uninitialised_read, *report, trial, evidence,
                              "this reads device memory that was never written.",
                              "Read only the inputs, or values that the kernel has written.");
    }
    return explain_report(
        FailureKind::uninitialised_read, *report, trial, evidence,
        "this reads `" + at.array->name + "`, which has no values yet when the kernel starts.",
        "Compute the value in a register or in shared memory, and store it once "
        "with a plain assignment.");
}

// ---- races ----

std::optional<Failure> find_array_race(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    if (!race) return std::nullopt;
    const ArrayPlace at = find_array(race->address, trial, evidence);
    const std::string name = at.array ? "`" + at.array->name + "`" : "device memory";
    // A statement such as out[0] += x both reads and writes the element.
    const bool are_both_writes = race->matches("globalrace", "write after write") ||
                                 race->place.line == race->other_place.line;
    return describe_report(
        FailureKind::race_between_blocks, *race, trial, evidence,
        are_both_writes
            ? "several threads write the same element of " + name + " in no defined order."
            : "threads read an element of " + name + " that others write in no defined order.",
        are_both_writes
            ? "Let one thread own the element; or, if all threads contribute to the element, "
              "combine their values first, or use an atomic operation such as atomicAdd."
            : "Blocks do not wait for each other. Let the same block write and read the "
              "element, with a barrier in between; or read the old value from a copy.");
}

std::optional<Failure> find_unshared_array_of_block(const Trial& trial, const Evidence& evidence) {
    if (!trial.element_comparison || trial.element_comparison->is_right()) return std::nullopt;
    const Declaration array = find_unshared_array(evidence.source.text);
    if (array.line == 0) return std::nullopt;
    return Failure{
        .kind = FailureKind::tile_not_shared,
        .headline = "`" + array.name +
                    "` is not shared: each thread has its own array, and does not see what other "
                    "threads write.",
        .place = {evidence.source.name, array.line, 0},
        .shape = trial.shape,
        .advice = "Declare the array __shared__: then all threads of the block use the same one."};
}

/// Returns a failure if plain stores to shared memory race with other threads' atomics.
std::optional<Failure> find_race_with_atomic(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "racecheck", "write after write");
    if (!race) return std::nullopt;
    const auto is_atomic = [&](const Place& place) {
        return code_on_line(evidence.source.text, place.line).find("atomic") != std::string::npos;
    };
    if (is_atomic(race->place) == is_atomic(race->other_place)) return std::nullopt;
    return explain_report(
        FailureKind::missing_barrier, *race, trial, evidence,
        "threads initialize an element in shared memory while others already change it with an "
        "atomic operation: a barrier is missing.",
        "Put __syncthreads() between the two accesses, where every thread of the block reaches "
        "it.");
}

/// Attributes a failure to a line whose mistake is obvious, whatever the symptom.
bool explain_element_lines(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const Report* race = find_report(trial, "globalrace", "write after write");
    const bool is_race_in_warp = race && failure.kind == FailureKind::race_between_blocks &&
                                 race->thread.block == race->other_thread.block &&
                                 race->place.line == race->other_place.line &&
                                 race->thread.thread[1] == race->other_thread.thread[1];
    const bool is_outside_shared = failure.kind == FailureKind::outside_shared_memory;
    const LineMistake mistake = first_mistake(
        [&] { return find_exchanged_lane(text); }, [&] { return find_lost_exchange(text); },
        [&] {
            const bool is_wrong = failure.kind == FailureKind::wrong_elements;
            const bool has_arrays = text.find("__shared__") != std::string::npos;
            return is_wrong && !has_arrays ? find_short_shuffle(text) : LineMistake{};
        },
        [&] {
            return failure.kind == FailureKind::wrong_elements
                       ? find_lane_along_y(text, trial.launch)
                       : LineMistake{};
        },
        [&] {
            return is_race_in_warp ? find_store_by_all_lanes(text, failure.place.line, trial.launch)
                                   : LineMistake{};
        },
        [&] {
            return is_outside_shared ? find_loop_beyond_array(text, failure.place.line)
                                     : LineMistake{};
        });
    if (mistake.line == 0) return false;
    failure.details = wrap(failure.headline) + failure.details;
    blame(failure, mistake);
    failure.is_cause_open = false;
    return true;
}

/// Explains vectors in a matrix whose rows do not begin at a multiple of the vector's size, or in a
/// shared array with such rows. Returns false if there are none.
bool explain_misaligned_element_rows(Failure& failure, const Report& report, const Trial& trial,
                                     const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const bool is_float4 = report.message.find("16 bytes") != report.message.npos;
    const std::int64_t width = is_float4 ? 4 : 2;
    const std::string vector = "a float" + std::to_string(width);
    if (report.message.find("shared memory") != report.message.npos) {
        for (const SharedArray& array : list_shared_arrays(text)) {
            const bool is_float =
                code_on_line(text, array.line).find(" float ") != std::string::npos;
            if (array.lengths.size() != 2 || array.lengths[1] % width == 0 || !is_float) continue;
            const bool is_used = report.message.find("byte") != report.message.npos;
            if (!is_used) continue;
            failure.headline = "a row of `" + array.name + "` has " +
                               std::to_string(array.lengths[1]) +
                               " floats, so not every row begins at a multiple of " +
                               std::to_string(4 * width) + " bytes, as " + vector + " requires.";
            failure.place.line = array.line;
            failure.advice = "Choose a row length that is a multiple of " + std::to_string(width) +
                             ", or access the array float by float.";
            return true;
        }
        return false;
    }
    const ArrayPlace at = find_array(report.address, trial, evidence);
    if (!at.array || at.array->extents.empty()) return false;
    const std::string& extent = at.array->extents.back();
    const std::string row_size = trimmed(extent.substr(extent.rfind('*') + 1));
    const auto size = evidence.elements->task().find_size(row_size, trial.shape);
    if (!size || *size % width == 0 || at.index < *size) return false;
    failure.headline = "a row of `" + at.array->name + "` has " + std::to_string(*size) +
                       " elements, so not every row begins at a multiple of " +
                       std::to_string(4 * width) + " bytes, as " + vector + " requires.";
    failure.advice = "Load single elements; or use vectors only if " + row_size +
                     " is a multiple of " + std::to_string(width) + ".";
    return true;
}

std::optional<Failure> find_memory_error_of_block(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_report(trial, "memcheck");
    if (!report) return std::nullopt;
    if (const Report* misaligned_report = find_report(trial, "memcheck", "misaligned")) {
        Failure failure = explain_report(
            FailureKind::misaligned, *misaligned_report, trial, evidence,
            "a vector access uses an address that is not a multiple of the vector's size.",
            "The address of a float4 must be a multiple of 16 bytes, and that of a float2 a "
            "multiple of 8 bytes: make the index of the first element a multiple of 4 or 2.");
        explain_misaligned_element_rows(failure, *misaligned_report, trial, evidence);
        return failure;
    }
    return find_missing_tile<find_memory_error>(trial, evidence);
}

}  // namespace

std::optional<Failure> find_element_cause(const Trial& trial, const Evidence& evidence) {
    std::optional<Failure> failure = first_found(
        {find_local_array_overrun, find_element_overrun, find_memory_error_of_block,
         find_execution_error, find_refused_launch, find_missing_tile<find_copy_error>,
         find_race_with_atomic, find_missing_tile<find_barrier_error>, find_unshared_array_of_block,
         find_unwritten_read, find_array_race, find_wrong_elements},
        trial, evidence);
    if (failure && !explain_element_lines(*failure, trial, evidence))
        explain_by_element_lines(*failure, trial, evidence);
    return failure;
}

}  // namespace coalesce
