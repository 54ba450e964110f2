#include "examiner/rules.h"

#include <algorithm>

#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

const Report* find_report(const Trial& trial, const char* check, const char* kind) {
    const auto report_entry =
        std::find_if(trial.reports.begin(), trial.reports.end(),
                     [&](const Report& report) { return report.matches(check, kind); });
    return report_entry == trial.reports.end() ? nullptr : &*report_entry;
}

Place place_in_learner_file(const Place& place, const Evidence& evidence) {
    const std::string& file_name = evidence.source.name;
    if (place.file != file_name) return {file_name, 0, 0};
    return {file_name, find_caller_of_asm(evidence.source.text, place.line), place.column};
}

const char* matrix_name(bool is_out, const Evidence& evidence) {
    if (evidence.exercise.task().in_place) return "data";
    return is_out ? "out" : "in";
}

namespace {

/// Returns the report's message, with the simulator's description of the allocation replaced by the
/// name of the matrix.
std::string substitute_matrix_names(const Report& report, const Trial& trial,
                                    const Evidence& evidence) {
    const std::string begin = "the allocation of ", end = ")";
    const std::size_t name_begin = report.message.find(begin);
    const std::size_t name_end = report.message.find(end, name_begin);
    if (name_begin == report.message.npos || name_end == report.message.npos) return report.message;
    const auto is_inside_matrix = [&](std::uint64_t matrix) {
        return report.address >= matrix && report.address < matrix + 4 * trial.elements();
    };
    if (!is_inside_matrix(trial.in_address) && !is_inside_matrix(trial.out_address))
        return report.message;
    std::string message = report.message;
    return message.replace(
        name_begin, name_end + end.size() - name_begin,
        std::string("`") + matrix_name(!is_inside_matrix(trial.in_address), evidence) + "`");
}

/// Returns the text of a report, including its thread and a description of the other access.
std::string report_details(const Report& report, const Trial& trial, const Evidence& evidence) {
    std::string text =
        wrap(report.thread.text() + ": " + substitute_matrix_names(report, trial, evidence));
    if (report.other_place.line > 0) {
        const bool is_learner_file = report.other_place.file == evidence.source.name;
        const Place shown_place = is_learner_file
                                      ? place_in_learner_file(report.other_place, evidence)
                                      : report.other_place;
        text += wrap("The other access: " + shown_place.text() + ", " + report.other_thread.text() +
                     ".");
    }
    return text;
}

}  // namespace

Failure failure_from_report(FailureKind kind, const Report& report, const Trial& trial,
                            const Evidence& evidence, const std::string& headline,
                            const std::string& advice) {
    return {.kind = kind,
            .headline = headline,
            .place = place_in_learner_file(report.place, evidence),
            .shape = trial.shape,
            .details = report_details(report, trial, evidence),
            .advice = advice};
}

std::optional<Failure> find_reported_failure(std::initializer_list<ReportRule> rules,
                                             const Trial& trial, const Evidence& evidence) {
    for (const ReportRule& rule : rules) {
        const Report* report = find_report(trial, rule.check, rule.kind);
        if (!report) continue;
        const bool is_cured = rule.prefers_own_advice && !report->cure.empty();
        return failure_from_report(rule.failure, *report, trial, evidence, rule.headline,
                                   is_cured ? report->cure : rule.advice);
    }
    return std::nullopt;
}

}  // namespace coalesce
