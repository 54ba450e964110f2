#include "examiner/elements/report_rules.h"

#include <algorithm>
#include <limits>

#include "examiner/elements/input_axes.h"
#include "examiner/expressions.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

ArrayPlace find_array(std::uint64_t address, const Trial& trial, const Evidence& evidence) {
    const ElementTask& task = *evidence.exercise.elements;
    ArrayPlace nearest;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t number = 0;
    for (const Parameter& one : task.parameters) {
        if (!one.is_array || number >= trial.arrays.size()) continue;
        const auto bytes = static_cast<std::int64_t>(one.type.bytes());
        const std::int64_t count = count_elements(task.extents(one, trial.shape));
        const auto at = static_cast<std::int64_t>(address - trial.arrays[number++].address);
        const std::int64_t distance =
            at < 0 ? -at : std::max<std::int64_t>(0, at - count * bytes + 1);
        if (distance >= least) continue;
        least = distance;
        nearest = {&one, count, at < 0 ? -((-at + bytes - 1) / bytes) : at / bytes};
    }
    return nearest;
}

namespace {

/// Replaces the simulator's description of an allocation with the name of the array.
std::string with_array_name(const Report& report, const Trial& trial, const Evidence& evidence) {
    const std::string begin = "the allocation of ", end = ")";
    const std::size_t first = report.message.find(begin);
    const std::size_t last = report.message.find(end, first);
    const ArrayPlace place = find_array(report.address, trial, evidence);
    if (first == report.message.npos || last == report.message.npos || !place.array) {
        return report.message;
    }
    std::string message = report.message;
    return message.replace(first, last + end.size() - first, "`" + place.array->name + "`");
}

}  // namespace

Failure explain_report(FailureKind kind, const Report& report, const Trial& trial,
                       const Evidence& evidence, const std::string& headline,
                       const std::string& next) {
    Failure failure = failure_from_report(kind, report, trial, evidence, headline, next);
    failure.details = wrap(report.thread.text() + ": " + with_array_name(report, trial, evidence));
    if (report.other_place.line > 0) {
        failure.details += wrap("The other access: " + report.other_place.text() + ", " +
                                report.other_thread.text() + ".");
    }
    return failure;
}

std::optional<OtherRowLength> find_other_row_length(const Parameter& array, int line,
                                                    const Evidence& evidence) {
    const ElementTask& task = *evidence.exercise.elements;
    const Axes axes = axes_of(array, task, evidence.exercise.shapes.back());
    const MatrixIndex index = find_matrix_index(evidence.source.text, line, array.name);
    if (axes.names.size() != 2 || index.pitch == axes.names[1] ||
        std::ranges::count(task.sizes, index.pitch) == 0) {
        return std::nullopt;
    }
    return OtherRowLength{index.pitch, axes.names[1]};
}

}  // namespace coalesce
