#include <algorithm>
#include <cstdlib>

#include "examiner/elements/array_update.h"
#include "examiner/elements/report_rules.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

std::optional<Failure> find_array_race(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    if (!race) return std::nullopt;
    const ArrayPlace at = find_array(race->address, trial, evidence);
    const std::string name = at.array ? "`" + at.array->name + "`" : "device memory";
    if (at.array) {
        const auto other = find_other_row_length(*at.array, race->place.line, evidence);
        if (other) {
            return explain_report(FailureKind::race_between_blocks, *race, trial, evidence,
                                  "a row of " + name + " has `" + other->wanted +
                                      "` elements, but the index " + "multiplies the row by `" +
                                      other->used + "`, so rows overlap.",
                                  "Multiply the row by `" + other->wanted + "`.");
        }
    }
    // A statement such as out[0] += x both reads and writes the element.
    const auto updates = [&](const Place& place) {
        return bool(find_array_update(code_on_line(evidence.source.text, place.line)));
    };
    const bool both_write = race->matches("globalrace", "write after write") ||
                            race->place.line == race->other_place.line || updates(race->place) ||
                            updates(race->other_place);
    return explain_report(
        FailureKind::race_between_blocks, *race, trial, evidence,
        both_write
            ? "several threads write the same element of " + name + " in no defined order."
            : "threads read an element of " + name + " that others write in no defined order.",
        both_write
            ? "Let one thread own the element; or, if all threads contribute to the element, "
              "combine their values first, or use an atomic operation such as atomicAdd."
            : "Blocks do not wait for each other. Let the same block write and read the "
              "element, with a barrier in between; or read the old value from a copy.");
}

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

namespace {

/// Returns the update of an element by a line, or by two lines of which the first reads the element
/// into a variable and the second stores a value that is computed from the variable.
ArrayUpdate find_update_of_lines(const std::string& text, int one, int other) {
    if (one == other) return find_array_update(code_on_line(text, one));
    static const TextPattern read(R"((\w+)\s*=[^=])");
    const std::string reader = code_on_line(text, std::min(one, other));
    const std::string writer = code_on_line(text, std::max(one, other));
    TextMatch variable;
    const std::vector<ElementText> from = list_elements(reader), to = list_elements(writer);
    if (from.empty() || to.empty() || from.front() != to.front() || std::abs(one - other) > 3 ||
        !search(reader, variable, read) || !contains_word(writer, variable.str(1))) {
        return {};
    }
    return {.changed = to.front(), .is_addition = writer.find('+') != writer.npos};
}

/// Returns the name of the shared variable, which is not an array, that a line changes by computing
/// its new value from the old one. Returns "" if there is none.
std::string find_changed_scalar(const std::string& text, int line) {
    static const TextPattern scalar(R"(\b__shared__\s+[\w\s]*\b(\w+)\s*;)");
    const std::string all = code_for_search(text), code = code_on_line(text, line);
    for (const TextMatch& one : find_matches(all, scalar)) {
        const std::string name = one.str(1);
        const TextPattern change("(\\b" + name + "\\s*([-+*|&^]=|\\+\\+|--)|(\\+\\+|--)" + name +
                                 "\\b|\\b" + name + "\\s*=[^=;]*\\b" + name + "\\b)");
        if (contains(code, change)) return name;
    }
    return "";
}

/// Returns the update that two threads of a block make at the same time, or an empty one. `race` is
/// set to the report.
ArrayUpdate find_racing_update(const Trial& trial, const Evidence& evidence, const Report*& race) {
    race = find_report(trial, "racecheck");
    if (!race || find_report(trial, "synccheck") || race->place.file != evidence.source.name ||
        race->other_place.file != evidence.source.name) {
        return {};
    }
    const ArrayUpdate update =
        find_update_of_lines(evidence.source.text, race->place.line, race->other_place.line);
    const auto arrays = list_shared_arrays(evidence.source.text);
    const bool is_shared = std::ranges::any_of(
        arrays, [&](const SharedArray& one) { return one.name == update.changed.array; });
    return is_shared ? update : ArrayUpdate{};
}

}  // namespace

std::optional<Failure> find_lost_update(const Trial& trial, const Evidence& evidence) {
    const Report* race = nullptr;
    const ArrayUpdate update = find_racing_update(trial, evidence, race);
    if (!race || find_report(trial, "synccheck") || !update.others.empty()) return std::nullopt;
    const bool is_one_line = race->place.line == race->other_place.line;
    const std::string changed = update ? update.changed.text()
                                : is_one_line
                                    ? find_changed_scalar(evidence.source.text, race->place.line)
                                    : "";
    if (changed.empty()) return std::nullopt;
    return explain_report(
        FailureKind::shared_race, *race, trial, evidence,
        "several threads change `" + changed + "` at the same time, so changes get lost.",
        (update.is_addition || !update ? "Use atomicAdd(&" + changed + ", ...)"
                                       : std::string("Use an atomic operation")) +
            ", which reads and writes the element without interruption. A barrier does not help, "
            "because the threads are in the same step.");
}

std::optional<Failure> find_mixed_step(const Trial& trial, const Evidence& evidence) {
    const Report* race = nullptr;
    const ArrayUpdate update = find_racing_update(trial, evidence, race);
    if (!update || update.others.empty() || race->place.line != race->other_place.line) {
        return std::nullopt;
    }
    const std::vector<Loop> loops = find_loops(evidence.source.text);
    const Loop* const loop = innermost_loop(loops, race->place.line);
    if (!loop || loop->barrier_line == 0) return std::nullopt;
    for (const Condition& one : find_conditions(evidence.source.text, loop->barrier_line)) {
        if (one.line >= loop->first_line) return std::nullopt;
    }
    const std::string code = code_on_line(evidence.source.text, race->place.line);
    const bool is_for_some = code.find('%') != code.npos;
    return explain_report(
        FailureKind::missing_barrier, *race, trial, evidence,
        "threads change elements of `" + update.changed.array +
            "` while other threads still read the old values in the same step.",
        is_for_some ? "Which threads change an element in this step? None of these elements may "
                      "be read by another thread: if the distance doubles in each step, only "
                      "every second of these threads may change one."
                    : "Split the step: read " + update.others.front().text() +
                          " into a variable, __syncthreads(), add it to " + update.changed.text() +
                          ", __syncthreads().");
}

}  // namespace coalesce
