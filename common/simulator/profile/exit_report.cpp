// See exit_report.h.
#include "simulator/profile/exit_report.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/files.h"
#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/device/device.h"
#include "simulator/profile/exactness_summary.h"
#include "simulator/profile/json.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/profile/next_action.h"
#include "simulator/profile/profile_text.h"
#include "simulator/report/host_work.h"
#include "simulator/report/last_words.h"
#include "simulator/report/reports.h"
#include "simulator/report/selection.h"
#include "simulator/report/text.h"
#include "simulator/trace/trace_keeper.h"

namespace coalesce::simulator {

namespace {

/// Reports whether this is the process that `simulate` started. Also returns true in a process that
/// runs without `simulate`.
bool is_main_process() {
    const char* wanted = std::getenv("COALESCE_SIM_PID");
    return !wanted || std::strtol(wanted, nullptr, 10) == getpid();
}

std::vector<const Kernel*> selected_kernels() {
    std::vector<const Kernel*> kernels = all_kernels();
    std::erase_if(kernels, [](const Kernel* one) { return !is_selected_kernel(one->demangled); });
    return kernels;
}

/// Returns the name of the program that this process runs.
std::string program_name() {
    std::error_code failed;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? "a program" : path.filename().string();
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
    // The total also includes reports that are missing from the list.
    if (!is_more) seen = reports().total();
    return with_commas(all.size()) + (all.size() == 1 ? " report" : " reports") + " (seen " +
           with_commas(seen) + (seen == 1 ? " time" : " times") + (is_more ? " or more)" : ")");
}

/// Returns the number of child processes that have ended and have written reports.
u64 count_children_with_reports() {
    if (options().json_folder.empty() || !is_main_process()) return 0;
    u64 count = 0;
    std::error_code failed;
    const std::string own = std::to_string(getpid());
    for (const auto& entry : std::filesystem::directory_iterator(options().json_folder, failed)) {
        const std::string text = coalesce::read_if_exists(entry.path()).value_or("");
        // Files without the key "check" do not contain reports.
        count += entry.path().stem() != own && text.find("\"check\":") != text.npos;
    }
    return count;
}

std::string summary() {
    std::string text = format_own_reports(reports().all());
    if (const u64 suppressed = reports().suppressed())
        text += ", " + with_commas(suppressed) + " suppressed";
    if (const u64 children = count_children_with_reports(); children > 0)
        text += "; " + with_commas(children) +
                (children == 1 ? " child process printed reports (see above)"
                               : " child processes printed reports (see above)");
    return text;
}

void write_text(const std::vector<KernelRow>& rows, const ExactnessSummary& exactness) {
    const Options& wanted = options();
    // Flush the program's output first, so that it precedes the report even if both go to the same
    // file.
    std::fflush(stdout);
    const bool colour = wants_colour(STDERR_FILENO);
    std::string text = "\n";
    if (!is_main_process())
        text += "process " + std::to_string(getpid()) + ", " + program_name() + "\n";
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

/// Writes the trace of a block, or prints to stderr why there is no trace.
void write_trace() {
    const std::optional<BlockTrace>& trace = trace_keeper().trace();
    if (trace) return write_file(options().trace_file, to_json(*trace));
    if (!is_main_process()) return;
    const std::string& problem = trace_keeper().problem();
    std::fprintf(stderr, "coalesce: no trace was written: %s\n",
                 problem.empty() ? "the program made no such launch; choose another launch with "
                                   "--kernel and --trace-launch"
                                 : problem.c_str());
}

}  // namespace

void write_exit_report() {
    static std::mutex& mutex = *new std::mutex;
    static bool has_written = false;
    const std::lock_guard lock(mutex);
    const Options& wanted = options();
    const bool wants_text = wanted.print_report || wanted.print_lines;
    if (!has_written && !wanted.trace_file.empty()) write_trace();
    if (has_written || (wanted.json_folder.empty() && !wants_text)) return;

    const std::vector<const Kernel*> kernels = selected_kernels();
    const std::vector<KernelRow> rows = kernel_table(kernels);
    const std::vector<Report> found = reports().all();
    if (!is_main_process() && rows.empty() && found.empty()) return;
    has_written = true;
    const ExactnessSummary exactness = summarize_exactness(kernels);
    if (!wanted.json_folder.empty()) {
        write_file(wanted.json_folder + "/" + std::to_string(getpid()) + ".json",
                   to_json(DeviceModel::name, rows, found, predicted_times(), &exactness));
    }
    const bool has_work = !rows.empty() || !found.empty();
    if (wants_text && (has_work || !wanted.is_launcher)) write_text(rows, exactness);
}

void prepare_exit_report() {
    if (!options().trace_file.empty())
        trace_keeper().begin({.launch = options().trace_launch,
                              .block = options().trace_block,
                              .steps = kUsualTraceSteps});
    if (options().json_folder.empty()) return;
    // The counters so far belong to the parent. Reports has its own fork handler, because reports
    // are also printed without `simulate`.
    pthread_atfork(nullptr, nullptr, clear_counters);
    watch_for_signals(write_exit_report);
}

}  // namespace coalesce::simulator
