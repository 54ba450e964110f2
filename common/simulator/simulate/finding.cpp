// See finding.h.
#include "simulator/simulate/finding.h"

#include <algorithm>

#include "simulator/report/selection.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

std::string format_thread(const Json& block, const Json& thread) {
    const auto index = [](const Json& xyz) {
        return format_index({xyz[0].get<u32>(), xyz[1].get<u32>(), xyz[2].get<u32>()});
    };
    return "block " + index(block) + ", thread " + index(thread);
}

std::string message_of(const Json& report) {
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

std::vector<Finding> findings_of_reports(const Json& run) {
    std::vector<Finding> all;
    for (const Json& report : run["reports"]) {
        Finding one{.rule = report["check"],
                    .kind = report["kind"],
                    .kernel = report["kernel"],
                    .file = path_to_show(report["file"]),
                    .line = report["line"],
                    .message = message_of(report),
                    .other_file = path_to_show(report["other_file"]),
                    .other_line = report["other_line"]};
        one.is_missing_work = is_about_missing_work(one.rule, one.kind);
        all.push_back(one);
    }
    return all;
}

}  // namespace coalesce::simulator
