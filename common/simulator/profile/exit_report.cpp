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
    const char* process_id_text = std::getenv("COALESCE_SIM_PID");
    return !process_id_text || std::strtol(process_id_text, nullptr, 10) == getpid();
}

std::vector<const Kernel*> selected_kernels() {
    std::vector<const Kernel*> kernels = list_kernels();
    std::erase_if(kernels,
                  [](const Kernel* kernel) { return !is_selected_kernel(kernel->display_name); });
    return kernels;
}

/// Returns the name of the program that this process runs.
std::string program_name() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "a program" : path.filename().string();
}

void write_file(const std::string& file, const std::string& text) {
    std::FILE* output_file = std::fopen(file.c_str(), "w");
    bool is_written = output_file != nullptr;
    if (output_file) {
        is_written = std::fwrite(text.data(), 1, text.size(), output_file) == text.size();
        is_written = std::fclose(output_file) == 0 && is_written;
    }
    if (!is_written) {
        std::fprintf(stderr, "coalesce: cannot write %s: %s; name another file\n", file.c_str(),
                     std::strerror(errno));
    }
}

std::string format_own_reports(const std::vector<Report>& all_reports) {
    if (all_reports.empty()) return "no reports";
    u64 printed_reports = 0;
    bool has_unprinted = false;
    for (const Report& report : all_reports) {
        printed_reports += report.count;
        has_unprinted |= report.count == kMaxReportCount;
    }
    // The total also includes reports that are missing from the list.
    if (!has_unprinted) printed_reports = reports().total_count();
    return format_with_commas(all_reports.size()) +
           (all_reports.size() == 1 ? " report" : " reports") + " (seen " +
           format_with_commas(printed_reports) + (printed_reports == 1 ? " time" : " times") +
           (has_unprinted ? " or more)" : ")");
}

/// Returns the number of child processes that have ended and have written reports.
u64 count_children_with_reports() {
    if (options().json_folder.empty() || !is_main_process()) return 0;
    u64 count = 0;
    std::error_code error;
    const std::string own_process_id = std::to_string(getpid());
    for (const auto& entry : std::filesystem::directory_iterator(options().json_folder, error)) {
        const std::string text = coalesce::read_if_exists(entry.path()).value_or("");
        // Files without the key "check" do not contain reports.
        count += entry.path().stem() != own_process_id && text.find("\"check\":") != text.npos;
    }
    return count;
}

std::string format_summary() {
    std::string text = format_own_reports(reports().all());
    if (const u64 suppressed_count = reports().suppressed_count())
        text += ", " + format_with_commas(suppressed_count) + " suppressed";
    if (const u64 processes_with_reports = count_children_with_reports();
        processes_with_reports > 0)
        text += "; " + format_with_commas(processes_with_reports) +
                (processes_with_reports == 1 ? " child process printed reports (see above)"
                                             : " child processes printed reports (see above)");
    return text;
}

void write_text(const std::vector<KernelRow>& rows, const ExactnessSummary& exactness) {
    const Options& chosen_options = options();
    // Flush the program's output first, so that it precedes the report even if both go to the same
    // file.
    std::fflush(stdout);
    const bool uses_colour = wants_colour(STDERR_FILENO);
    std::string text = "\n";
    if (!is_main_process())
        text += "process " + std::to_string(getpid()) + ", " + program_name() + "\n";
    if (chosen_options.prints_report)
        text += profile_text(DeviceModel::name, rows, uses_colour, predicted_times()) +
                host_work_text();
    if (chosen_options.prints_lines) text += annotated_text(rows, read_source, uses_colour);
    if (chosen_options.prints_lines || !chosen_options.predicted_gpu.empty()) {
        const std::string next_action_text = describe_next_action(rows, predicted_times());
        if (!next_action_text.empty()) text += "\n" + next_action_text;
    }
    text += "\n" + format_summary() + "\n" + format_exactness(exactness);
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
    const Options& chosen_options = options();
    const bool wants_text = chosen_options.prints_report || chosen_options.prints_lines;
    if (!has_written && !chosen_options.trace_file.empty()) write_trace();
    if (has_written || (chosen_options.json_folder.empty() && !wants_text)) return;

    const std::vector<const Kernel*> kernels = selected_kernels();
    const std::vector<KernelRow> rows = make_kernel_table(kernels);
    const std::vector<Report> found_reports = reports().all();
    if (!is_main_process() && rows.empty() && found_reports.empty()) return;
    has_written = true;
    const ExactnessSummary exactness = summarize_exactness(kernels);
    if (!chosen_options.json_folder.empty()) {
        write_file(chosen_options.json_folder + "/" + std::to_string(getpid()) + ".json",
                   to_json(DeviceModel::name, rows, found_reports, predicted_times(), &exactness));
    }
    const bool has_work = !rows.empty() || !found_reports.empty();
    if (wants_text && (has_work || !chosen_options.is_launcher)) write_text(rows, exactness);
}

void prepare_exit_report() {
    if (!options().trace_file.empty())
        trace_keeper().request_trace({.launch = options().trace_launch,
                                      .block = options().trace_block,
                                      .steps = kDefaultTraceSteps});
    if (options().json_folder.empty()) return;
    // The counters so far belong to the parent. Reports has its own fork handler, because reports
    // are also printed without `simulate`.
    pthread_atfork(nullptr, nullptr, clear_counters);
    watch_for_signals(write_exit_report);
}

}  // namespace coalesce::simulator
