// See exit_report.h.
#include "simulator/profile/exit_report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/device/device.h"
#include "simulator/profile/exactness_summary.h"
#include "simulator/profile/json.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/profile/next_action.h"
#include "simulator/profile/profile_text.h"
#include "simulator/report/host_work.h"
#include "simulator/report/reports.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

bool is_selected_process() {
    const char* wanted = std::getenv("COALESCE_SIM_PID");
    return !wanted || std::strtol(wanted, nullptr, 10) == getpid();
}

void write_file(const std::string& file, const std::string& text) {
    std::FILE* out = std::fopen(file.c_str(), "w");
    bool good = out != nullptr;
    if (out) {
        good = std::fwrite(text.data(), 1, text.size(), out) == text.size();
        good = std::fclose(out) == 0 && good;
    }
    if (!good) {
        std::fprintf(stderr, "coalesce: cannot write %s: %s; name another file\n", file.c_str(),
                     std::strerror(errno));
    }
}

std::string format_own_reports(const std::vector<Report>& all) {
    if (all.empty()) return "no reports";
    u64 seen = 0;
    bool is_more = false;
    for (const Report& one : all) {
        seen += one.count;
        is_more |= one.count == kMaxReportCount;
    }
    // The total includes reports that were not kept in any list.
    if (!is_more) seen = reports().total();
    return with_commas(all.size()) + (all.size() == 1 ? " report" : " reports") + " (seen " +
           with_commas(seen) + (seen == 1 ? " time" : " times") + (is_more ? " or more)" : ")");
}

/// A process that was forked from the selected one, or started by it, writes its reports to a file
/// beside the selected process's JSON file. Its name is followed by a dot and the process ID.
void write_reports_of_child() {
    const std::vector<Report> all = reports().all();
    if (all.empty() || options().json_file.empty()) return;
    write_file(options().json_file + "." + std::to_string(getpid()),
               to_json(DeviceModel::name, {}, all));
}

/// Returns the number of child processes that have ended and left reports.
u64 count_children_with_reports() {
    namespace fs = std::filesystem;
    const fs::path file = options().json_file;
    if (file.empty() || !std::getenv("COALESCE_SIM_PID")) return 0;
    u64 count = 0;
    std::error_code error;
    const std::string start = file.filename().string() + ".";
    for (const auto& entry : fs::directory_iterator(file.parent_path(), error))
        count += entry.path().filename().string().starts_with(start);
    return count;
}

std::string summary() {
    const std::vector<Report> all = reports().all();
    if (const u64 children = count_children_with_reports(); children > 0)
        return format_own_reports(all) + "; " + with_commas(children) +
               (children == 1 ? " child process has reports, printed above"
                              : " child processes have reports, printed above");
    return format_own_reports(all);
}

}  // namespace

void write_exit_report() {
    const Options& wanted = options();
    const bool wants_text = wanted.print_report || wanted.print_lines;
    if (wanted.json_file.empty() && !wants_text) return;
    if (!is_selected_process()) return write_reports_of_child();

    const std::vector<KernelRow> rows = kernel_table(all_kernels());
    const ExactnessSummary exactness = summarize_exactness(all_kernels());
    if (!wanted.json_file.empty()) {
        write_file(wanted.json_file, to_json(DeviceModel::name, rows, reports().all(),
                                             predicted_times(), &exactness));
    }
    if (!wants_text) return;

    // Flush the program's output first, so that it precedes the report even if both go to the same
    // file.
    std::fflush(stdout);
    const bool colour = wants_colour(STDERR_FILENO);
    std::string text = "\n";
    if (wanted.print_report)
        text += profile_text(DeviceModel::name, rows, colour, predicted_times()) + host_work_text();
    if (wanted.print_lines) text += annotated_text(rows, read_source, colour);
    if (wanted.print_lines || !wanted.predicted_gpu.empty()) {
        const std::string next = next_action(rows, predicted_times());
        if (!next.empty()) text += "\n" + next;
    }
    text += "\n" + summary() + "\n" + format_exactness(exactness);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace coalesce::simulator
