#include "harness/counters.h"

#include "base/errors.h"
#include "harness/simulator_function.h"
#include "harness/text.h"

namespace coalesce::simulator_library {
namespace {

std::string format_source_line(const char* file, unsigned line) {
    return *file ? std::string(file) + ":" + std::to_string(line) : "an unknown line";
}

std::string thread_name(const unsigned (&block)[3], const unsigned (&thread)[3]) {
    return format("block (%u,%u,%u), thread (%u,%u,%u)", block[0], block[1], block[2], thread[0],
                  thread[1], thread[2]);
}

std::string to_text(const CoalesceReport& report) {
    std::string text = std::string(report.check) + ": " + report.kind + " in " + report.kernel +
                       " at " + format_source_line(report.file, report.line);
    if (report.count > 1) text += ", " + std::to_string(report.count) + " times";
    text += "\n  " + thread_name(report.block, report.thread) + ": " + report.message;
    if (report.other_line) {
        text +=
            "\n  The other access: " + format_source_line(report.other_file, report.other_line) +
            ", " + thread_name(report.other_block, report.other_thread) + ".";
    }
    if (*report.cure) text += std::string("\n  ") + report.cure;
    return text;
}

}  // namespace

/// Returns a function's name without its scope and parameters: "transpose" for "void
/// deep::(anonymous namespace)::transpose<32>(float*)".
static std::string trim_to_plain_name(std::string name) {
    const std::string unnamed_namespace = "(anonymous namespace)";
    for (auto namespace_position = name.find(unnamed_namespace);
         namespace_position != std::string::npos;
         namespace_position = name.find(unnamed_namespace)) {
        name.erase(namespace_position, unnamed_namespace.size());
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
    Counters total_counters;
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetKernels)();
    auto* get_kernel = SIMULATOR_FUNCTION(coalesceGetKernel);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceKernel kernel{};
        if (get_kernel(i, &kernel) != 0) continue;
        total_counters.kernels += kernel.launches;
        if (kernel.launches > 0) total_counters.kernel = trim_to_plain_name(kernel.name);
        add(kernel.counters, total_counters);
    }
    return total_counters;
}

std::vector<std::string> reports() {
    std::vector<std::string> report_texts;
    for_each_report([&](const CoalesceReport& report) { report_texts.push_back(to_text(report)); });
    return report_texts;
}

bool has_shared_race_report() {
    bool has_race = false;
    for_each_report([&](const CoalesceReport& report) {
        has_race |= std::string(report.check) == "racecheck";
    });
    return has_race;
}

void clear_reports() {
    SIMULATOR_FUNCTION(coalesceClearReports)();
    SIMULATOR_FUNCTION(coalesceClearError)();
}

void set_quiet(bool is_quiet) {
    SIMULATOR_FUNCTION(coalesceSetQuiet)(is_quiet);
}

}  // namespace coalesce::simulator_library
