#include "lab/campaign/translator/simulated_run.h"

#include "lab/campaign/run/launch.h"

namespace coalesce::random_kernels {

namespace {

std::string first_report() {
    CoalesceReport report;
    if (coalesceGetReports() == 0 || coalesceGetReport(0, &report) != 0) return "";
    return std::string(report.check) + ", line " + std::to_string(report.line) + ": " +
           report.message;
}

void launch_and_count(const std::string& ptx, const Kernel& kernel, Outcome& outcome) {
    const campaign::LoadedModule library(ptx);
    const campaign::Launch& launch = kernel.launch;
    for (const std::vector<unsigned char>& bytes :
         campaign::launch_once(library.kernel(kernel.name), launch, launch.total_threads()))
        outcome.output_memory.insert(outcome.output_memory.end(), bytes.begin(), bytes.end());
    if (coalesceGetCounters(nullptr, &outcome.counters) != 0)
        throw std::runtime_error("the launch was not counted");
    CoalesceLine line;
    for (std::size_t k = 0; coalesceGetKernels() == 1 && coalesceGetLine(0, k, &line) == 0; ++k)
        outcome.lines[line.line] = line.counters;
}

}  // namespace

bool loads_successfully(const std::string& ptx) {
    // Let the simulator print to stderr why it rejects PTX.
    coalesceSetQuiet(0);
    try {
        const campaign::LoadedModule library(ptx);
        return true;
    } catch (const std::exception&) {
        cudaGetLastError();
        return false;
    }
}

Outcome run(const std::string& ptx, const Kernel& kernel) {
    coalesceSetQuiet(1);
    coalesceSetMaxInstructions(campaign::kDefaultMaxWarpInstructions);
    coalesceResetCounters();
    coalesceClearReports();
    Outcome outcome;
    try {
        launch_and_count(ptx, kernel, outcome);
    } catch (const std::exception& problem) {
        outcome.problem = problem.what();
        cudaGetLastError();
    }
    if (const std::string report = first_report(); !report.empty())
        outcome.problem += (outcome.problem.empty() ? "" : ": ") + report;
    coalesceClearError();
    return outcome;
}

std::string describe_difference(const Outcome& back_end, const Outcome& translated) {
    if (!back_end.problem.empty()) return "by the back end: " + back_end.problem;
    if (!translated.problem.empty()) return "translated: " + translated.problem;
    for (std::size_t k = 0; k < back_end.output_memory.size(); ++k) {
        if (back_end.output_memory[k] == translated.output_memory[k]) continue;
        const std::size_t byte_count = back_end.output_memory.size();
        return "byte " + std::to_string(k) + " of " + std::to_string(byte_count) +
               " of the results";
    }
    return "";
}

std::string describe_different_counter(const Outcome& back_end, const Outcome& translated) {
    struct Counter {
        const char* name;
        uint64_t CoalesceCounters::*counter_member;
    };
    static constexpr Counter kComparedCounters[] = {
        {"load requests", &CoalesceCounters::load_requests},
        {"load sectors", &CoalesceCounters::load_sectors},
        {"store requests", &CoalesceCounters::store_requests},
        {"store sectors", &CoalesceCounters::store_sectors},
        {"atomic requests", &CoalesceCounters::atomic_requests},
        {"atomic sectors", &CoalesceCounters::atomic_sectors},
        {"shared load requests", &CoalesceCounters::shared_load_requests},
        {"shared load wavefronts", &CoalesceCounters::shared_load_wavefronts},
        {"shared store requests", &CoalesceCounters::shared_store_requests},
        {"shared store wavefronts", &CoalesceCounters::shared_store_wavefronts},
        {"shared atomic wavefronts", &CoalesceCounters::shared_atomic_wavefronts}};
    for (const Counter& counter : kComparedCounters) {
        const uint64_t a = back_end.counters.*counter.counter_member,
                       b = translated.counters.*counter.counter_member;
        if (a == b) continue;
        std::string text = std::string(counter.name) + ": " + std::to_string(a) +
                           " by the back end, " + std::to_string(b) + " translated";
        for (const auto& [line, theirs] : back_end.lines) {
            const auto translated_line = translated.lines.find(line);
            const uint64_t translated_value = translated_line == translated.lines.end()
                                                  ? 0
                                                  : translated_line->second.*counter.counter_member;
            if (theirs.*counter.counter_member == translated_value) continue;
            return text + "; line " + std::to_string(line) + ": " +
                   std::to_string(theirs.*counter.counter_member) + " and " +
                   std::to_string(translated_value);
        }
        return text;
    }
    return "";
}

}  // namespace coalesce::random_kernels
