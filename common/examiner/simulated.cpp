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

Place source_place(const char* file, unsigned line, const std::string& file_name) {
    if (line == 0) return {};
    const bool is_learner_file = std::string(file) == kLearnerFile;
    return {is_learner_file ? file_name : file, static_cast<int>(line), 0};
}

void copy(const unsigned (&source)[3], std::array<unsigned, 3>& target) {
    std::copy(std::begin(source), std::end(source), target.begin());
}

void replace_all(std::string& text, const std::string& old_text, const std::string& new_text) {
    for (std::size_t i = text.find(old_text); i != text.npos;
         i = text.find(old_text, i + new_text.size())) {
        text.replace(i, old_text.size(), new_text);
    }
}

/// Replaces the name that the compiler uses for the file with the name that the learner knows. The
/// compiler calls the file "/learner/kernel.cu", or "kernel.cu:12" within a message.
std::string replace_file_name(std::string text, const std::string& file_name) {
    const std::string hidden_name = kLearnerFile;
    const std::string last_part = " " + hidden_name.substr(hidden_name.rfind('/') + 1) + ":";
    replace_all(text, last_part, " " + file_name + ":");
    replace_all(text, hidden_name, file_name);
    return text;
}

Report to_report(const CoalesceReport& source, const std::string& file_name) {
    Report report;
    report.check = source.check;
    report.kind = source.kind;
    report.message = replace_file_name(source.message, file_name);
    report.cure = replace_file_name(source.cure, file_name);
    report.place = source_place(source.file, source.line, file_name);
    report.other_place = source_place(source.other_file, source.other_line, file_name);
    copy(source.block, report.thread.block);
    copy(source.thread, report.thread.thread);
    copy(source.other_block, report.other_thread.block);
    copy(source.other_thread, report.other_thread.thread);
    report.address = source.address;
    return report;
}

/// Calls `visitor(index, kernel)` for each launched kernel called `name`.
void for_each_kernel(const std::string& name, const auto& visitor) {
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetKernels)();
    auto* get = SIMULATOR_FUNCTION(coalesceGetKernel);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceKernel kernel{};
        if (get(i, &kernel) == 0 && kernel.launches > 0 && kernel.name == name) visitor(i, kernel);
    }
}

CoalesceSpecialRequests special_requests(std::size_t index) {
    CoalesceSpecialRequests special{};
    SIMULATOR_FUNCTION(coalesceGetSpecialRequests)(index, &special);
    return special;
}

std::string format_coordinates(const std::array<unsigned, 3>& at) {
    if (at[2] == 0) return format("(%u,%u)", at[0], at[1]);
    return format("(%u,%u,%u)", at[0], at[1], at[2]);
}

}  // namespace

std::string Thread::text() const {
    return "block " + format_coordinates(block) + ", thread " + format_coordinates(thread);
}

bool Report::matches(const char* required_check, const char* required_kind) const {
    return check == required_check && (*required_kind == '\0' || kind == required_kind);
}

std::vector<Report> reports(const std::string& file_name) {
    std::vector<Report> report_list;
    simulator_library::for_each_report(
        [&](const CoalesceReport& report) { report_list.push_back(to_report(report, file_name)); });
    return report_list;
}

Counters read_counters(const std::string& kernel, std::uint64_t max_polls) {
    Counters sum;
    std::uint64_t polls = 0, repeated_polls = 0;
    for_each_kernel(kernel, [&](std::size_t index, const CoalesceKernel& kernel_counters) {
        simulator_library::add(kernel_counters.counters, sum);
        sum.kernels += kernel_counters.launches;
        const CoalesceSpecialRequests special = special_requests(index);
        sum.load_requests -= special.variable_load_requests;
        sum.load_sectors -= special.variable_load_sectors;
        polls += special.polls;
        repeated_polls += special.repeated_polls;
    });
    const std::uint64_t left_out = repeated_polls + std::min(polls - repeated_polls, max_polls);
    sum.shared_load_requests -= left_out;
    sum.shared_load_wavefronts -= left_out;
    sum.shared_load_ideal -= left_out;
    return sum;
}

BulkCopies read_bulk_copies(const std::string& kernel) {
    BulkCopies sum;
    for_each_kernel(kernel, [&](std::size_t index, const CoalesceKernel&) {
        const CoalesceSpecialRequests special = special_requests(index);
        sum.load_requests += special.bulk_load_requests;
        sum.load_sectors += special.bulk_load_sectors;
        sum.store_requests += special.bulk_store_requests;
        sum.store_sectors += special.bulk_store_sectors;
    });
    return sum;
}

std::vector<LineCounters> read_line_counters(const std::string& kernel) {
    std::vector<LineCounters> lines;
    auto* count = SIMULATOR_FUNCTION(coalesceGetLineCount);
    auto* get = SIMULATOR_FUNCTION(coalesceGetLine);
    for_each_kernel(kernel, [&](std::size_t index, const CoalesceKernel&) {
        for (std::size_t i = 0; i < count(index); ++i) {
            CoalesceLine line_record{};
            if (get(index, i, &line_record) != 0 || std::string(line_record.file) != kLearnerFile)
                continue;
            LineCounters line{static_cast<int>(line_record.line), {}};
            simulator_library::add(line_record.counters, line.counters);
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
        CoalesceAccess access_record{};
        if (get(i, &access_record) != 0) continue;
        const bool is_learner_file = std::string(access_record.file) == kLearnerFile;
        Access access{.line = is_learner_file ? static_cast<int>(access_record.line) : 0,
                      .is_shared = access_record.shared != 0,
                      .is_store = access_record.store != 0,
                      .bytes_per_lane = access_record.bytes_per_lane,
                      .active = access_record.active,
                      .cost = access_record.cost,
                      .ideal = access_record.ideal};
        std::copy(std::begin(access_record.addresses), std::end(access_record.addresses),
                  access.addresses.begin());
        accesses.push_back(access);
    }
    return accesses;
}

std::string block_trace() {
    std::string text;
    const auto copy_text = [](const char* begin, std::size_t size, void* target) {
        static_cast<std::string*>(target)->assign(begin, size);
    };
    if (SIMULATOR_FUNCTION(coalesceGetTrace)(copy_text, &text) != 0) {
        if (text.empty()) return "";  // there is no trace if the launch was refused
        throw std::runtime_error(text);
    }
    return text;
}

void prepare(const char* checks, std::uint64_t max_warp_instructions) {
    SIMULATOR_FUNCTION(coalesceSetChecks)(checks);
    SIMULATOR_FUNCTION(coalesceSetMaxInstructions)(max_warp_instructions);
    simulator_library::set_quiet(true);
}

std::string identity() {
    Dl_info info{};
    void* function = dlsym(RTLD_DEFAULT, "coalesceSimulatorVersion");
    return function && dladdr(function, &info) ? file_fingerprint(info.dli_fname) : "";
}

}  // namespace coalesce::simulated
