#include "harness/counters.h"

#include "base/errors.h"
#include "harness/simulator_function.h"
#include "harness/text.h"

namespace coalesce::simulator_library {
namespace {

std::string format_place(const char* file, unsigned line) {
    return *file ? std::string(file) + ":" + std::to_string(line) : "an unknown line";
}

std::string thread_name(const unsigned (&block)[3], const unsigned (&thread)[3]) {
    return format("block (%u,%u,%u), thread (%u,%u,%u)", block[0], block[1], block[2], thread[0],
                  thread[1], thread[2]);
}

std::string to_text(const CoalesceReport& report) {
    std::string text = std::string(report.check) + ": " + report.kind + " in " + report.kernel +
                       " at " + format_place(report.file, report.line);
    if (report.count > 1) text += ", " + std::to_string(report.count) + " times";
    text += "\n  " + thread_name(report.block, report.thread) + ": " + report.message;
    if (report.other_line) {
        text += "\n  The other access: " + format_place(report.other_file, report.other_line) +
                ", " + thread_name(report.other_block, report.other_thread) + ".";
    }
    if (*report.cure) text += std::string("\n  ") + report.cure;
    return text;
}

}  // namespace

/// Returns a function's name without its scope and parameters: "transpose" for "void
/// deep::(anonymous namespace)::transpose<32>(float*)".
static std::string plain_name(std::string name) {
    const std::string unnamed = "(anonymous namespace)";
    for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed)) {
        name.erase(at, unnamed.size());
    }
    name = name.substr(0, name.find_first_of("<("));
    return name.substr(name.find_last_of(": ") + 1);
}

bool is_loaded() {
    auto* version = look_up<decltype(coalesceSimulatorVersion)>("coalesceSimulatorVersion");
    if (!version) return false;
    if (version() != COALESCE_SIMULATOR_VERSION) {
        throw UsageError(
            format("the loaded simulator has version %d of its interface, but this program needs "
                   "version %d: build both from the same source",
                   version(), COALESCE_SIMULATOR_VERSION));
    }
    return true;
}

void reset_counters() {
    SIMULATOR_FUNCTION(coalesceResetCounters)();
}

void add(const CoalesceCounters& from, Counters& to) {
    for (const auto& [name, member] : kCounterNames) to.*member += from.*member;
}

Counters counters() {
    Counters sum;
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetKernels)();
    auto* get = SIMULATOR_FUNCTION(coalesceGetKernel);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceKernel kernel{};
        if (get(i, &kernel) != 0) continue;
        sum.kernels += kernel.launches;
        if (kernel.launches > 0) sum.kernel = plain_name(kernel.name);
        add(kernel.counters, sum);
    }
    return sum;
}

std::vector<std::string> reports() {
    std::vector<std::string> texts;
    for_each_report([&](const CoalesceReport& report) { texts.push_back(to_text(report)); });
    return texts;
}

bool has_shared_race_report() {
    bool found = false;
    for_each_report(
        [&](const CoalesceReport& report) { found |= std::string(report.check) == "racecheck"; });
    return found;
}

void clear_reports() {
    SIMULATOR_FUNCTION(coalesceClearReports)();
    SIMULATOR_FUNCTION(coalesceClearError)();
}

void set_quiet(bool quiet) {
    SIMULATOR_FUNCTION(coalesceSetQuiet)(quiet);
}

}  // namespace coalesce::simulator_library
