// Collects the reports of the checks, one for each site.
//
// A report names the place in the source, the kernel, the block and thread, and the likely cure. If
// the same error occurs again at the same site, only the count of the report increases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Place {
    std::string file;  ///< as the compiler saw it; empty if built without line information
    u32 line = 0;
};

struct Report {
    /// The name of the check: memcheck, racecheck, globalrace, initcheck, synccheck, leakcheck,
    /// apicheck or execution.
    std::string check;
    /// The type of error, such as "out of bounds", "misaligned" or "write after read". Tests rely
    /// on these words, so they must not change.
    std::string kind;
    Place where;
    std::string kernel;  ///< demangled
    Dim3 block{0, 0, 0}, thread{0, 0, 0};
    u64 address = 0;
    std::string message;  ///< one or two sentences about what happened, and to which allocation
    std::string cure;     ///< one sentence, or nothing
    Place other;          ///< the other access of a race; its line is 0 if there is none
    Dim3 other_block{0, 0, 0}, other_thread{0, 0, 0};
    u64 count = 1;  ///< how often a kept report occurred, capped at kMaxReportCount
};

/// The count stops at this number. A broken kernel can repeat a mistake a billion times, and nobody
/// needs the exact number.
constexpr u64 kMaxReportCount = 100'000;

/// All reports of the process. Thread-safe.
class Reports {
public:
    Reports();
    ~Reports();
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;

    /// Adds a report. If there is already one with the same check, kind, kernel and places (for
    /// reports about the host, also the same address and message), increments its count instead. If
    /// printing is on, a new report is immediately printed to stderr. Among equal reports, the one
    /// from the lowest block and thread is kept, so that the list does not depend on which worker
    /// was first.
    void add(const Report& report);
    std::vector<Report> all() const;
    u64 total() const;       ///< the sum of the counts of all added reports
    u64 suppressed() const;  ///< the number of sites whose reports were left out
    void clear();
    void print_immediately(bool on);
    /// Lets a process that is forked from this one begin without reports.
    void forget_in_forked_processes();

private:
    struct State;
    std::unique_ptr<State> state_;
};

Reports& reports();

/// Returns the report as several lines of text, such as "racecheck: write after read in transpose
/// at main.cu:12 ...". Each line has at most 80 columns if the names allow it.
std::string to_text(const Report& report);

}  // namespace coalesce::simulator
