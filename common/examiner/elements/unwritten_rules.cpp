#include <algorithm>

#include "examiner/elements/report_rules.h"
#include "examiner/elements/shared_elements.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

namespace {

/// Reports whether the kernel reads only corners of shared arrays without writing them first.
bool are_all_corners(const Trial& trial, const Evidence& evidence) {
    return std::ranges::all_of(trial.reports, [&](const Report& report) {
        if (!report.matches("initcheck", "uninitialised shared read")) return true;
        const auto element = find_shared_element(report, evidence.source.text);
        return element && element->is_corner();
    });
}

/// Returns the condition on a size that decides whether any line stores to the array, or nothing
/// if there is none, or if another line stores without such a condition.
std::optional<Condition> find_condition_of_stores(const std::string& array,
                                                  const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    std::optional<Condition> first;
    for (const int line : list_store_lines(text, array)) {
        const auto found = find_condition_on(evidence.exercise.elements->sizes, text, line);
        if (!found) return std::nullopt;
        if (!first) first = found;
    }
    return first;
}

Failure explain_shared_read(const Report& report, const Trial& trial, const Evidence& evidence) {
    Failure failure = explain_report(FailureKind::uninitialised_shared, report, trial, evidence,
                                     "this reads shared memory that was never written.",
                                     "Which thread should write this element first? Does it do so "
                                     "in every block, including the last one?");
    const auto element = find_shared_element(report, evidence.source.text);
    if (!element) return failure;
    failure.headline = "this reads " + element->text() + ", which was never written.";
    const std::string& array = element->array.name;
    if (const auto condition = find_condition_of_stores(array, evidence)) {
        failure.details += wrap("Line " + std::to_string(condition->line) + " stores in `" + array +
                                "` only if `" + condition->text + "`.");
        failure.next =
            "Store a value that changes nothing, such as 0 for a sum, where the condition does not "
            "hold: condition ? value : 0.";
        failure.place.line = condition->line;
    } else if (are_all_corners(trial, evidence)) {
        failure.details += wrap(element->text() + " is a corner of the array.");
        failure.next =
            "The corners are needed too. Which threads load the four of them? A loop over all "
            "elements of the array leaves none out.";
    }
    return failure;
}

}  // namespace

std::optional<Failure> find_unwritten_read(const Trial& trial, const Evidence& evidence) {
    if (const Report* report = find_report(trial, "initcheck", "uninitialised shared read")) {
        return explain_shared_read(*report, trial, evidence);
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

}  // namespace coalesce
