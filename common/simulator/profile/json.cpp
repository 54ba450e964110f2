// See json.h.
#include "simulator/profile/json.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "simulator/report/host_work.h"
#include "timing/prediction_codec.h"

namespace coalesce::simulator {

namespace {

using Json = nlohmann::ordered_json;

Json to_array(Dim3 dim) {
    return Json::array({dim.x, dim.y, dim.z});
}

std::string to_hex(u64 value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

Json line_to_json(const LineRow& line, bool knows_instructions) {
    Json json{{"file", line.place.file}, {"line", line.place.line}};
    for (const NamedCounter& counter : kCounters) {
        if (counter.is_counted_per_line) json[counter.name] = line.counters.*counter.value;
    }
    // Omit the number of instructions if it is unknown, instead of writing a wrong 0.
    if (!knows_instructions) json.erase("warp_instructions");
    return json;
}

Json kernel_to_json(const KernelRow& kernel) {
    Json json{{"name", kernel.name},
              {"launches", kernel.launches},
              {"stopped", kernel.stopped_launches},
              {"grid", to_array(kernel.grid)},
              {"block", to_array(kernel.block)}};
    if (kernel.registers) json["registers"] = kernel.registers;
    if (kernel.unchecked_launches) json["only_counted"] = kernel.unchecked_launches;
    if (kernel.launches == 0) return json;
    for (const NamedCounter& counter : kCounters) {
        json[counter.name] = kernel.counters.*counter.value;
    }
    json["lines"] = Json::array();
    for (const LineRow& line : kernel.lines) {
        json["lines"].push_back(line_to_json(line, kernel.has_instructions_by_line));
    }
    return json;
}

Json prediction_to_json(const PredictedKernel& kernel, const timing::Gpu& gpu) {
    Json json{{"gpu", gpu.name},
              {"measured_gpu", gpu.is_measured},
              {"ms", kernel.ms},
              {"launches_like_others", kernel.repeated_launches},
              {"launches_left_out", kernel.unpredicted_launches},
              {"error_band", kernel.error_band},
              {"unknown", codec::encode(kernel.unknown_aspects)}};
    if (kernel.unpredicted_launches) json["left_out_because"] = kernel.unpredicted_reason;
    if (!kernel.longest_launch) return json;
    json["longest"] = codec::encode(*kernel.longest_launch);
    json["longest"].erase("time_line");
    json["binds"] = json["longest"]["binds"];
    if (!kernel.savings.empty()) json["savings"] = codec::encode(kernel.savings);
    return json;
}

Json report_to_json(const Report& report) {
    return {{"check", report.check},
            {"kind", report.kind},
            {"file", report.where.file},
            {"line", report.where.line},
            {"kernel", report.kernel},
            {"block", to_array(report.block)},
            {"thread", to_array(report.thread)},
            {"count", report.count},
            {"address", to_hex(report.address)},
            {"message", report.message},
            {"cure", report.cure},
            {"other_file", report.other.file},
            {"other_line", report.other.line},
            {"other_block", to_array(report.other_block)},
            {"other_thread", to_array(report.other_thread)}};
}

Json exactness_to_json(const ExactnessSummary& summary) {
    return {{"warp_instructions", summary.instructions},
            {"exact", summary.exact_instructions},
            {"last_bits", Json(summary.last_bit_differences)},
            {"values", Json(summary.value_differences)},
            {"no_effect", Json(summary.instructions_without_effect)},
            {"host_functions", Json(summary.host_functions)},
            {"newer_targets", Json(summary.newer_targets)},
            {"checks_off", Json(summary.disabled_checks)},
            {"launches_only_counted", summary.unchecked_launches},
            {"not_covered", Json(summary.uncovered_features)}};
}

auto sort_key(const Report& r) {
    return std::tie(r.kernel, r.where.file, r.where.line, r.check, r.kind, r.other.file,
                    r.other.line, r.address, r.message);
}

}  // namespace

std::string to_json(const std::string& device, const std::vector<KernelRow>& kernels,
                    std::vector<Report> reports, const PredictedTimes* predicted_times,
                    const ExactnessSummary* exactness) {
    std::stable_sort(reports.begin(), reports.end(),
                     [](const Report& a, const Report& b) { return sort_key(a) < sort_key(b); });
    Json json{{"schema_version", kSchemaVersion},
              {"device", device},
              {"kernels", Json::array()},
              {"reports", Json::array()}};
    for (const KernelRow& kernel : kernels) {
        json["kernels"].push_back(kernel_to_json(kernel));
        const PredictedKernel* predicted_kernel =
            predicted_times ? predicted_times->find_kernel(kernel.name) : nullptr;
        if (predicted_kernel)
            json["kernels"].back()["predicted"] =
                prediction_to_json(*predicted_kernel, predicted_times->gpu());
    }
    for (const auto& [function, calls] : host_work())
        json["host_work"].push_back({{"function", function}, {"calls", calls}});
    for (const Report& report : reports) json["reports"].push_back(report_to_json(report));
    if (const u64 suppressed_count = simulator::reports().suppressed_count())
        json["suppressed"] = suppressed_count;
    if (exactness) json["exactness"] = exactness_to_json(*exactness);
    // A name that is not valid UTF-8 (such as an old file name) must not make the whole report
    // fail.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace coalesce::simulator
