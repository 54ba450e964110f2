// See finding.h.
#include "simulator/simulate/finding.h"

#include <algorithm>

#include "simulator/report/selection.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

std::string format_thread(const Json& block, const Json& thread) {
    const auto format_xyz = [](const Json& xyz) {
        return format_index({xyz[0].get<u32>(), xyz[1].get<u32>(), xyz[2].get<u32>()});
    };
    return "block " + format_xyz(block) + ", thread " + format_xyz(thread);
}

std::string make_message(const Json& report) {
    std::string text = report["message"];
    if (report["other_line"] != 0)
        text += " The other access: " + format_place(report["other_file"], report["other_line"]) +
                ", " + format_thread(report["other_block"], report["other_thread"]) + ".";
    if (report["cure"] != "") text += " Cure: " + report["cure"].get<std::string>();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

std::string Finding::title() const {
    return rule + ": " + kind + (kernel.empty() ? "" : " in " + shorten_name(kernel));
}

std::vector<Finding> make_report_findings(const Json& run) {
    std::vector<Finding> findings;
    for (const Json& report : run["reports"]) {
        Finding finding{.rule = report["check"],
                        .kind = report["kind"],
                        .kernel = report["kernel"],
                        .file = shorten_path(report["file"]),
                        .line = report["line"],
                        .message = make_message(report),
                        .other_file = shorten_path(report["other_file"]),
                        .other_line = report["other_line"]};
        finding.is_missing_work = is_about_missing_work(finding.rule, finding.kind);
        findings.push_back(finding);
    }
    return findings;
}

}  // namespace coalesce::simulator
