// Collects the reports of the checks. There is one report for each place at which an error occurs.
//
// A report names the place in the source, the kernel, the block and thread, and the likely cure. If
// the same error occurs again at the same place, only the count of the report increases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Place {
    std::string file;  ///< the path in the line information; empty if the place is unknown
    u32 line = 0;
};

struct Report {
    /// The name of the check: memcheck, racecheck, globalrace, initcheck, synccheck, leakcheck,
    /// apicheck, streamcheck or execution.
    std::string check;
    /// The type of error, such as "out of bounds", "misaligned" or "write after read". Tests rely
    /// on these strings, so they must not change.
    std::string kind;
    Place where;
    std::string kernel;  ///< the demangled name of the kernel
    Dim3 block{0, 0, 0}, thread{0, 0, 0};
    u64 address = 0;
    std::string message;  ///< one or two sentences that describe the error and the allocation
    std::string cure;     ///< one sentence of advice, or empty
    /// The place of a race's other access; `other.line` is 0 if there is no other access.
    Place other;
    Dim3 other_block{0, 0, 0}, other_thread{0, 0, 0};
    u64 count = 1;  ///< the number of times the error occurred, at most kMaxReportCount
};

/// The maximum of Report::count. A broken kernel can repeat a mistake a billion times.
constexpr u64 kMaxReportCount = 100'000;

/// All reports of the process. Thread-safe.
class Reports {
public:
    Reports();
    ~Reports();
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;

    /// Adds a report. If there already is an equal report, only increments its count. Otherwise
    /// prints the new report to stderr if printing is enabled. Reports are equal if they have the
    /// same check, kind, kernel and places. Equal reports about the host also have the same address
    /// and message. Of several equal reports, the one with the lowest block and thread is kept, so
    /// that the list does not depend on the order in which the workers run blocks.
    void add(const Report& report);
    std::vector<Report> all() const;
    u64 total_count() const;       ///< the sum of the counts of all added reports
    u64 suppressed_count() const;  ///< the number of sites at which reports were suppressed
    void clear();
    void print_immediately(bool is_enabled);
    /// Ensures that a process forked from this process starts with an empty list of reports.
    void forget_in_forked_processes();

private:
    struct ReportState;
    std::unique_ptr<ReportState> state_;
};

Reports& reports();

/// Returns the report as several lines of text, such as "racecheck: write after read in transpose
/// at main.cu:12 ...". Each line has at most 80 columns unless a name is too long.
std::string to_text(const Report& report);

}  // namespace coalesce::simulator
