#include "lab/proof/validate/tutorial_record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "lab/proof/validate/compare_counters.h"

namespace coalesce::proof {
namespace {

constexpr const char *kMeasuredFile = "measured.json", *kHeldBackFile = "held_back.json";

struct TimedKernel {
    std::string name;
    double ms = 0;
};

/// Parses the lines "NAME MS ms" of a program's output.
std::vector<TimedKernel> parse_timed_kernels(const std::string& text) {
    std::vector<TimedKernel> kernels;
    for (const std::string& line : lines_of(text)) {
        std::istringstream words(line);
        TimedKernel kernel;
        std::string unit;
        if (words >> kernel.name >> kernel.ms >> unit && unit == "ms") kernels.push_back(kernel);
    }
    return kernels;
}

/// Returns the nonzero counters, as integers where possible.
Json sum_recorded_counters(const ProfiledLaunch& launch,
                           const std::vector<RecordedCounter>& counters) {
    Json values = Json::object();
    for (const RecordedCounter& counter : counters) {
        double sum = 0;
        for (const std::string& metric : counter.metrics) {
            const auto metric_value = launch.value_by_metric.find(metric);
            if (metric_value != launch.value_by_metric.end()) sum += metric_value->second;
        }
        if (sum == 0) continue;
        if (sum == std::floor(sum)) {
            values[counter.name] = static_cast<std::int64_t>(sum);
        } else {
            values[counter.name] = std::round(sum * 100) / 100;
        }
    }
    return values;
}

/// Removes the return type and the parameters from a name such as "void ns::reduce<256>(float *)".
std::string parse_kernel_name(const std::string& profiled_name) {
    constexpr std::string_view type = "void ";
    const std::size_t begin = profiled_name.starts_with(type) ? type.size() : 0;
    return profiled_name.substr(begin, profiled_name.find('(') - begin);
}

std::string format_kernels(const Json& run, const Json& kernels) {
    std::string text = "{\n\"run\": " + run.dump() + ",\n\"kernels\": [";
    for (std::size_t i = 0; i < kernels.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + kernels[i].dump();
    return text + "\n]\n}\n";
}

std::vector<RecordedCounter> make_recorded_counters() {
    std::vector<RecordedCounter> recorded_counters;
    const std::string wavefronts = "_wavefronts";
    for (const CounterMetric& counter : counter_metrics()) {
        RecordedCounter recorded_counter{counter.counter, {counter.metric}};
        recorded_counter.metrics.insert(recorded_counter.metrics.end(),
                                        counter.further_metrics.begin(),
                                        counter.further_metrics.end());
        if (!counter.is_exact)
            recorded_counter.name.replace(recorded_counter.name.find(wavefronts), wavefronts.size(),
                                          "_pipe");
        // Add the wavefronts of asynchronous copies, which the simulator counts as stores.
        if (recorded_counter.name == "shared_store_wavefronts")
            recorded_counter.metrics.emplace_back(
                "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum");
        recorded_counters.push_back(recorded_counter);
    }
    const auto global_memory_metric = [](const std::string& what, const std::string& operation) {
        return "l1tex__t_" + what + "_pipe_lsu_mem_" + operation + ".sum";
    };
    for (const std::string what : {"requests", "sectors"}) {
        recorded_counters.push_back({"atomic_" + what,
                                     {global_memory_metric(what, "global_op_atom"),
                                      global_memory_metric(what, "global_op_red")}});
        recorded_counters.push_back(
            {"local_load_" + what, {global_memory_metric(what, "local_op_ld")}});
        recorded_counters.push_back(
            {"local_store_" + what, {global_memory_metric(what, "local_op_st")}});
    }
    recorded_counters.push_back(
        {"shared_atomic_requests", {"smsp__inst_executed_op_shared_atom.sum"}});
    recorded_counters.push_back(
        {"shared_atomic_wavefronts", {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}});
    return recorded_counters;
}

}  // namespace

const std::vector<std::string>& list_tutorial_themes() {
    static const std::vector<std::string> all_themes = {
        "reduce",  "scan",   "sort",      "matmul", "convolution", "stencil", "norm",
        "structs", "stream", "histogram", "shared", "compute",     "sparse"};
    return all_themes;
}

bool is_held_back_kernel(const std::string& kernel) {
    // This is an FNV-1a hash. Its lowest bits depend on few bits of the input, so use a higher bit.
    std::uint32_t hash = 2166136261u;
    for (const char c : kernel) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return (hash >> 16 & 1) != 0;
}

const std::vector<RecordedCounter>& counters_of_small_launches() {
    static const std::vector<RecordedCounter> all_counters = make_recorded_counters();
    return all_counters;
}

const std::vector<RecordedCounter>& counters_of_large_launches() {
    static const std::vector<RecordedCounter> all_counters = {
        {"cycles", {"sm__cycles_elapsed.max"}},
        {"dram_read", {"dram__bytes_read.sum"}},
        {"dram_written", {"dram__bytes_write.sum"}},
        {"l2_read", {"lts__t_sectors_op_read.sum"}},
        {"l2_written", {"lts__t_sectors_op_write.sum"}},
        {"load_sectors", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
        {"l1_hits", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"}},
        {"instructions", {"smsp__inst_executed.sum"}},
        {"fma", {"smsp__inst_executed_pipe_fma.sum"}},
        {"alu", {"smsp__inst_executed_pipe_alu.sum"}},
        {"xu", {"smsp__inst_executed_pipe_xu.sum"}},
        {"lsu", {"smsp__inst_executed_pipe_lsu.sum"}},
        {"registers", {"launch__registers_per_thread"}},
        {"warps", {"sm__warps_active.avg.per_cycle_active"}},
    };
    return all_counters;
}

std::string join_metric_names(const std::vector<RecordedCounter>& counters) {
    return joined(counters, ",",
                  [](const RecordedCounter& counter) { return joined(counter.metrics, ","); });
}

ThemeRecord make_theme_record(const ThemeOutput& output) {
    const std::vector<TimedKernel> kernels = parse_timed_kernels(output.times);
    const std::vector<ProfiledLaunch> small_launches = parse_ncu_csv(output.small),
                                      large_launches = parse_ncu_csv(output.full);
    if (kernels.empty() || small_launches.size() != kernels.size() ||
        large_launches.size() != kernels.size()) {
        throw std::runtime_error(output.theme + ": " + std::to_string(kernels.size()) +
                                 " kernels were timed, " + std::to_string(small_launches.size()) +
                                 " and " + std::to_string(large_launches.size()) +
                                 " launches were profiled");
    }
    ThemeRecord record;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (small_launches[i].kernel != large_launches[i].kernel) {
            throw std::runtime_error(output.theme + ": launch " + std::to_string(i) + " is " +
                                     small_launches[i].kernel + " at one size, and " +
                                     large_launches[i].kernel + " at the other");
        }
        Json kernel = {
            {"theme", output.theme},
            {"name", kernels[i].name},
            {"kernel", parse_kernel_name(small_launches[i].kernel)},
            {"counters", sum_recorded_counters(small_launches[i], counters_of_small_launches())}};
        Json timed_kernel = {
            {"ms", kernels[i].ms},
            {"full", sum_recorded_counters(large_launches[i], counters_of_large_launches())}};
        if (is_held_back_kernel(kernels[i].name)) {
            Json held_back = {{"theme", output.theme}, {"name", kernels[i].name}};
            held_back.update(timed_kernel);
            record.held_back.push_back(held_back);
        } else {
            kernel.update(timed_kernel);
        }
        record.measured.push_back(kernel);
    }
    return record;
}

namespace {

/// Returns the minimum and maximum of each counter that differs between runs.
Json find_counter_ranges(const std::vector<Json>& runs) {
    Json ranges = Json::object();
    for (const RecordedCounter& counter : counters_of_small_launches()) {
        double min_count = std::numeric_limits<double>::max(), most = 0;
        for (const Json& run : runs) {
            const double value = run.value(counter.name, 0.0);
            min_count = std::min(min_count, value);
            most = std::max(most, value);
        }
        if (min_count < most)
            ranges[counter.name] = {static_cast<std::int64_t>(min_count),
                                    static_cast<std::int64_t>(most)};
    }
    return ranges;
}

}  // namespace

void add_runs(const std::vector<Json*>& kernels, const std::vector<ProfiledLaunch>& launches,
              std::size_t launches_per_kernel) {
    if (launches.size() != kernels.size() * launches_per_kernel)
        throw std::runtime_error("expected " + std::to_string(launches_per_kernel) +
                                 " launches of each of " + std::to_string(kernels.size()) +
                                 " kernels, but " + std::to_string(launches.size()) +
                                 " launches were profiled");
    auto launch = launches.begin();
    for (Json* kernel : kernels) {
        std::vector<Json> runs{kernel->at("counters")};
        for (std::size_t i = 0; i < launches_per_kernel; ++i, ++launch) {
            const auto& expected_name = kernel->at("kernel").get_ref<const std::string&>();
            if (parse_kernel_name(launch->kernel) != expected_name)
                throw std::runtime_error("ncu profiled " + launch->kernel + " instead of " +
                                         expected_name);
            runs.push_back(sum_recorded_counters(*launch, counters_of_small_launches()));
        }
        (*kernel)["runs"] = runs.size();
        const Json ranges = find_counter_ranges(runs);
        kernel->erase("ranges");
        if (!ranges.empty()) (*kernel)["ranges"] = ranges;
    }
}

void TutorialRecord::add(const ThemeRecord& theme) {
    measured.insert(measured.end(), theme.measured.begin(), theme.measured.end());
    held_back.insert(held_back.end(), theme.held_back.begin(), theme.held_back.end());
}

void TutorialRecord::write(const std::filesystem::path& folder) const {
    write_file(folder / kMeasuredFile, format_kernels(run, measured));
    write_file(folder / kHeldBackFile, format_kernels(run, held_back));
}

TutorialRecord TutorialRecord::read(const std::filesystem::path& folder, bool reads_held_back) {
    const Json measured = Json::parse(read_file(folder / kMeasuredFile));
    TutorialRecord record{measured.at("run"), measured.at("kernels"), Json::array()};
    if (reads_held_back)
        record.held_back = Json::parse(read_file(folder / kHeldBackFile)).at("kernels");
    return record;
}

}  // namespace coalesce::proof
