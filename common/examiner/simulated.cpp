#include "examiner/simulated.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "examiner/cache.h"
#include "examiner/wrapper.h"
#include "harness/simulator_function.h"
#include "harness/text.h"

namespace coalesce::simulated {
namespace {

Place place_of(const char* file, unsigned line, const std::string& file_name) {
    if (line == 0) return {};
    const bool is_learners = std::string(file) == kLearnerFile;
    return {is_learners ? file_name : file, static_cast<int>(line), 0};
}

void copy(const unsigned (&from)[3], std::array<unsigned, 3>& to) {
    std::copy(std::begin(from), std::end(from), to.begin());
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t i = text.find(what); i != text.npos; i = text.find(what, i + with.size())) {
        text.replace(i, what.size(), with);
    }
}

/// Replaces the name that the compiler uses for the file with the name that the learner knows. The
/// compiler calls the file "/learner/kernel.cu", or "kernel.cu:12" within a message.
std::string replace_file_name(std::string text, const std::string& file_name) {
    const std::string hidden = kLearnerFile;
    const std::string last_part = " " + hidden.substr(hidden.rfind('/') + 1) + ":";
    replace_all(text, last_part, " " + file_name + ":");
    replace_all(text, hidden, file_name);
    return text;
}

Report to_report(const CoalesceReport& from, const std::string& file_name) {
    Report to;
    to.check = from.check;
    to.kind = from.kind;
    to.message = replace_file_name(from.message, file_name);
    to.cure = replace_file_name(from.cure, file_name);
    to.place = place_of(from.file, from.line, file_name);
    to.other_place = place_of(from.other_file, from.other_line, file_name);
    copy(from.block, to.thread.block);
    copy(from.thread, to.thread.thread);
    copy(from.other_block, to.other_thread.block);
    copy(from.other_thread, to.other_thread.thread);
    to.address = from.address;
    return to;
}

/// Calls `visit(index, kernel)` for each launched kernel called `name`.
void for_each_kernel(const std::string& name, const auto& visit) {
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetKernels)();
    auto* get = SIMULATOR_FUNCTION(coalesceGetKernel);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceKernel kernel{};
        if (get(i, &kernel) == 0 && kernel.launches > 0 && kernel.name == name) visit(i, kernel);
    }
}

std::string format_coordinates(const std::array<unsigned, 3>& at) {
    if (at[2] == 0) return format("(%u,%u)", at[0], at[1]);
    return format("(%u,%u,%u)", at[0], at[1], at[2]);
}

}  // namespace

std::string Thread::text() const {
    return "block " + format_coordinates(block) + ", thread " + format_coordinates(thread);
}

bool Report::matches(const char* wanted_check, const char* wanted_kind) const {
    return check == wanted_check && (*wanted_kind == '\0' || kind == wanted_kind);
}

std::vector<Report> reports(const std::string& file_name) {
    std::vector<Report> all;
    simulator_library::for_each_report(
        [&](const CoalesceReport& report) { all.push_back(to_report(report, file_name)); });
    return all;
}

Counters counters_of(const std::string& kernel) {
    Counters sum;
    for_each_kernel(kernel, [&](std::size_t, const CoalesceKernel& one) {
        simulator_library::add(one.counters, sum);
        sum.kernels += one.launches;
    });
    return sum;
}

std::vector<LineCounters> lines_of(const std::string& kernel) {
    std::vector<LineCounters> lines;
    auto* count = SIMULATOR_FUNCTION(coalesceGetLineCount);
    auto* get = SIMULATOR_FUNCTION(coalesceGetLine);
    for_each_kernel(kernel, [&](std::size_t index, const CoalesceKernel&) {
        for (std::size_t i = 0; i < count(index); ++i) {
            CoalesceLine from{};
            if (get(index, i, &from) != 0 || std::string(from.file) != kLearnerFile) continue;
            LineCounters line{static_cast<int>(from.line), {}};
            simulator_library::add(from.counters, line.counters);
            if (line.counters.has_memory_requests()) lines.push_back(line);
        }
    });
    return lines;
}

void mark_unwritten(const void* begin, std::size_t bytes) {
    SIMULATOR_FUNCTION(coalesceMarkUnwritten)(reinterpret_cast<std::uint64_t>(begin), bytes);
}

void randomize_addresses(std::uint64_t seed) {
    if (SIMULATOR_FUNCTION(coalesceDrawAddresses)(seed) != 0) {
        throw std::runtime_error(
            "addresses cannot be randomized while the simulated GPU has memory in use");
    }
}

std::vector<Access> traced() {
    std::vector<Access> accesses;
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetAccessCount)();
    auto* get = SIMULATOR_FUNCTION(coalesceGetAccess);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceAccess from{};
        if (get(i, &from) != 0) continue;
        const bool is_learners = std::string(from.file) == kLearnerFile;
        Access to{.line = is_learners ? static_cast<int>(from.line) : 0,
                  .is_shared = from.shared != 0,
                  .is_store = from.store != 0,
                  .bytes_per_lane = from.bytes_per_lane,
                  .active = from.active,
                  .cost = from.cost,
                  .ideal = from.ideal};
        std::copy(std::begin(from.addresses), std::end(from.addresses), to.addresses.begin());
        accesses.push_back(to);
    }
    return accesses;
}

std::string block_trace() {
    std::string text;
    const auto keep = [](const char* begin, std::size_t size, void* to) {
        static_cast<std::string*>(to)->assign(begin, size);
    };
    if (SIMULATOR_FUNCTION(coalesceGetTrace)(keep, &text) != 0) {
        if (text.empty()) return "";  // there is no trace if the launch was refused
        throw std::runtime_error(text);
    }
    return text;
}

void prepare(const char* checks, std::uint64_t most_warp_instructions) {
    SIMULATOR_FUNCTION(coalesceSetChecks)(checks);
    SIMULATOR_FUNCTION(coalesceSetMaxInstructions)(most_warp_instructions);
    simulator_library::set_quiet(true);
}

std::string identity() {
    Dl_info info{};
    void* function = dlsym(RTLD_DEFAULT, "coalesceSimulatorVersion");
    return function && dladdr(function, &info) ? file_fingerprint(info.dli_fname) : "";
}

}  // namespace coalesce::simulated
