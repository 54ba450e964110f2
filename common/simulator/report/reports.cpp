// Implements the list of reports and their text on the terminal. See reports.h.
//
// Watch   Many workers add reports concurrently, and an incorrect kernel may cause millions of
//         reports. Therefore, reports are stored in a map by their site. Repeating a known report
//         costs only a lookup and an increment.
#include "simulator/report/reports.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "simulator/base/options.h"
#include "simulator/report/progress.h"
#include "simulator/report/selection.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

constexpr const char* kReportPrefix = "coalesce: ";

/// The maximum number of sites whose reports are printed. Reports of further sites are only
/// counted, because nobody would read them.
constexpr u64 kMaxPrintedSites = 100;

/// The maximum number of stored reports about the host. Without this limit, a program that calls a
/// function in a loop with different arguments could add reports indefinitely.
constexpr std::size_t kMaxHostReports = 1000;

/// The index of a report that was not added to the list.
constexpr std::size_t kLeftOutSite = ~std::size_t{0};

/// Reports whether the report refers to a location in a kernel. All other reports are about the
/// host, such as a leak or a call.
bool has_site(const Report& r) {
    return r.where.line != 0 || (!r.kernel.empty() && r.check != "apicheck");
}

/// Reports whether a device thread caused the report. Reports of launches that are refused or
/// cannot be simulated have no such thread.
bool has_thread(const Report& r) {
    return !r.kernel.empty() && r.check != "apicheck" && r.check != "streamcheck" &&
           !is_about_missing_work(r.check, r.kind);
}

/// The key of a report. Reports with the same key are merged into one. For reports about the host,
/// the key includes the address and the message.
using SiteKey = std::tuple<std::string, std::string, std::string, std::string, u32, std::string,
                           u32, u64, std::string>;

SiteKey make_site_key(const Report& r) {
    return {r.check,
            r.kind,
            r.kernel,
            r.where.file,
            r.where.line,
            r.other.file,
            r.other.line,
            has_site(r) ? 0 : r.address,
            has_site(r) ? "" : r.message};
}

/// Returns a key that sorts reports by block and then by thread, in the order in which CUDA numbers
/// them.
auto sort_rank(const Report& r) {
    return std::tuple(r.block.z, r.block.y, r.block.x, r.thread.z, r.thread.y, r.thread.x);
}

bool is_first_index(Dim3 index) {
    return index == Dim3{0, 0, 0};
}

void print_text(const std::string& text) {
    clear_progress_line();
    const std::string prefixed_text = prefix_lines(kReportPrefix, text);
    // Write the whole report with one call, so that the lines of two reports are not interleaved.
    std::fwrite(prefixed_text.data(), 1, prefixed_text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

struct Reports::ReportState {
    mutable std::mutex mutex;
    std::map<SiteKey, std::size_t>
        index;  ///< for each site, the index of its report in `stored_reports`
    std::vector<Report> stored_reports;  ///< the reports, in the order of their first occurrence
    u64 total_count = 0;
    u64 suppressed_count = 0;
    u64 printed_count = 0;
    bool is_printing = false;

    void print_if_first(const Report& report) {
        if (!is_printing) return;
        if (printed_count == kMaxPrintedSites) {
            print_text(
                wrap(std::to_string(kMaxPrintedSites) +
                         " reports have been printed; further reports are only counted. Fix the "
                         "printed ones first. To list all reports, use simulate --json.",
                     kColumns - 10, "", "  "));
        }
        if (printed_count++ < kMaxPrintedSites) print_text(to_text(report));
    }
};

Reports::Reports() : state_(std::make_unique<ReportState>()) {}
Reports::~Reports() = default;

void Reports::add(const Report& report) {
    const std::lock_guard lock(state_->mutex);
    const bool is_host_list_full =
        !has_site(report) && state_->stored_reports.size() >= kMaxHostReports;
    if (is_host_list_full && !state_->index.contains(make_site_key(report))) {
        state_->total_count += report.count;
        return;
    }
    const auto [found, is_new] =
        state_->index.try_emplace(make_site_key(report), state_->stored_reports.size());
    if (is_new && is_suppressed(report)) {
        found->second = kLeftOutSite;
        ++state_->suppressed_count;
    }
    if (found->second == kLeftOutSite) return;
    state_->total_count += report.count;
    if (!is_new) {
        Report& stored_report = state_->stored_reports[found->second];
        const u64 count = std::min(stored_report.count + report.count, kMaxReportCount);
        if (sort_rank(report) < sort_rank(stored_report)) stored_report = report;
        stored_report.count = count;
        return;
    }
    state_->stored_reports.push_back(report);
    state_->stored_reports.back().count = std::min(report.count, kMaxReportCount);
    state_->print_if_first(report);
}

std::vector<Report> Reports::all() const {
    const std::lock_guard lock(state_->mutex);
    return state_->stored_reports;
}

u64 Reports::total_count() const {
    const std::lock_guard lock(state_->mutex);
    return state_->total_count;
}

u64 Reports::suppressed_count() const {
    const std::lock_guard lock(state_->mutex);
    return state_->suppressed_count;
}

void Reports::clear() {
    const std::lock_guard lock(state_->mutex);
    state_->index.clear();
    state_->stored_reports.clear();
    state_->total_count = 0;
    state_->suppressed_count = 0;
    state_->printed_count = 0;
}

void Reports::print_immediately(bool is_enabled) {
    const std::lock_guard lock(state_->mutex);
    state_->is_printing = is_enabled;
}

void Reports::forget_in_forked_processes() {
#ifndef __EMSCRIPTEN__
    // Hold the mutex during a fork, so that the list in the child is consistent.
    pthread_atfork([] { reports().state_->mutex.lock(); }, [] { reports().state_->mutex.unlock(); },
                   [] {
                       reports().state_->mutex.unlock();
                       reports().clear();
                   });
#endif
}

Reports& reports() {
    // The object is never destroyed, because the report at exit is written after the destructors of
    // static objects have run.
    static Reports* const instance = [] {
        auto* new_reports = new Reports;
        new_reports->print_immediately(!options().is_quiet);
        new_reports->forget_in_forked_processes();
        return new_reports;
    }();
    return *instance;
}

std::string to_text(const Report& report) {
    // Each printed line starts with a prefix, which is part of the line's width.
    const std::size_t columns = kColumns - std::string_view(kReportPrefix).size();
    // A message may consist of several lines, for example if it contains a list of waiting warps.
    const auto format_paragraph = [&](std::string_view text) {
        std::string lines;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            if (end > 0) lines += "\n" + wrap(text.substr(0, end), columns, "  ", "  ");
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return lines;
    };

    std::string title = report.check + ": " + report.kind;
    if (!report.kernel.empty())
        title += (report.check == "apicheck" ? " of " : " in ") + shorten_name(report.kernel);
    std::string text = wrap(title, columns, "", "  ");

    const std::string place_text = format_place(report.where.file, report.where.line);
    // Do not wrap this line, because editors turn it into a link.
    if (!place_text.empty()) text += "\n  at " + place_text;
    if (has_thread(report)) {
        std::string thread_text =
            "by block " + format_index(report.block) + ", thread " + format_index(report.thread);
        // A report about the execution may have no line because the kernel never started, so do not
        // suggest -lineinfo.
        const bool wants_line = place_text.empty() && report.check != "execution";
        if (wants_line) thread_text += " (build with -lineinfo to see the line)";
        text += format_paragraph(thread_text);
    }
    if (!report.message.empty()) text += format_paragraph(report.message);
    if (report.other.line != 0 || !is_first_index(report.other_block) ||
        !is_first_index(report.other_thread)) {
        const std::string other_place_text = format_place(report.other.file, report.other.line);
        const std::string thread_text = "block " + format_index(report.other_block) + ", thread " +
                                        format_index(report.other_thread);
        text += format_paragraph(
            "the other access: " + other_place_text +
            (has_thread(report) ? (other_place_text.empty() ? "" : ", ") + thread_text : ""));
    }
    if (!report.cure.empty()) text += format_paragraph("cure: " + report.cure);
    return text;
}

}  // namespace coalesce::simulator
