#include "lab/proof/validate/compare_counters.h"

#include <algorithm>
#include <map>
#include <regex>
#include <stdexcept>
#include <string_view>

#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// A case in which the simulator and the profiler count different things by design. Such
/// differences are listed, but they are evidence neither for nor against the simulator.
struct KnownDifference {
    const char* step;   ///< prefix of the case's name
    const char* shape;  ///< suffix of the case's name
    const char* counter_name;
    const char* reason;
};
constexpr KnownDifference kKnownDifferences[] = {
    {"12_async ", "", "shared_store_wavefronts",
     "Nsight Compute counts asynchronous copies in a separate metric. It is lower in some runs "
     "than in others, and higher if rows start within a sector"},
    {"12_async ", " 1000 x 780", "load_sectors",
     "asynchronous copies of rows that start within a sector sometimes request one more sector"},
    {"13_tma ", "", "load_sectors",
     "the only metric for bulk copies counts the bytes that arrive, including bytes outside of the "
     "matrix"},
};

const KnownDifference* find_known_difference(const std::string& name,
                                             const CounterMetric& counter) {
    if (!counter.is_exact) return nullptr;
    for (const KnownDifference& known : kKnownDifferences) {
        const bool is_case_affected = name.starts_with(known.step) && name.ends_with(known.shape);
        if (is_case_affected && std::string_view(known.counter_name) == counter.counter)
            return &known;
    }
    return nullptr;
}

/// Reports whether a profiled name such as "void ns::copy_tile<32, 8>(float *)" refers to the
/// kernel "copy_tile".
bool is_kernel(const std::string& profiled_name, const std::string& name) {
    return std::regex_search(profiled_name, std::regex("\\b" + name + "\\b"));
}

void check_launches_match(const Json& cases, const std::vector<ProfiledLaunch>& launches) {
    const std::size_t both = std::min(cases.size(), launches.size());
    for (std::size_t i = 0; i < both; ++i) {
        const std::string kernel = cases[i].at("kernel");
        if (is_kernel(launches[i].kernel, kernel)) continue;
        throw std::runtime_error("launch " + std::to_string(i) + " should be " + kernel + " (" +
                                 cases[i].at("name").get<std::string>() + "), but ncu profiled " +
                                 launches[i].kernel);
    }
    if (cases.size() == launches.size()) return;
    throw std::runtime_error(std::to_string(cases.size()) + " kernels were launched, but ncu " +
                             "profiled " + std::to_string(launches.size()));
}

bool is_within_noise(const CounterMetric& counter, double simulated, double measured) {
    if (counter.is_exact) return false;
    const double metric_excess = measured - simulated;
    return metric_excess >= 0 &&
           metric_excess <= std::max(kPipeNoiseWavefronts, kPipeNoiseFraction * simulated);
}

/// Reports whether the metric of the pipe equals the simulator's count, although the metric of the
/// instruction differs.
bool matches_pipe_metric(const CounterMetric& counter, double simulated,
                         const ProfiledLaunch& launch) {
    if (!counter.is_exact) return false;
    return std::ranges::any_of(counter_metrics(), [&](const CounterMetric& other) {
        return !other.is_exact && std::string_view(other.counter) == counter.counter &&
               sum_metrics_of(launch, other) == simulated;
    });
}

CounterSummary summarize_counter(const CounterMetric& counter, const Json& cases,
                                 const std::vector<ProfiledLaunch>& launches,
                                 CounterComparison& comparison) {
    CounterSummary summary{.counter = counter};
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const std::optional<double> measured = sum_metrics_of(launches[i], counter);
        if (!measured) continue;
        const double simulated = cases[i].at("counters").at(counter.counter).get<double>();
        ++summary.compared_cases;
        summary.largest_count = std::max({summary.largest_count, simulated, *measured});
        if (simulated > 0) {
            summary.largest_excess = std::max(summary.largest_excess, *measured / simulated - 1);
        }
        if (*measured == simulated) {
            ++summary.equal_cases;
        } else if (is_within_noise(counter, simulated, *measured)) {
            ++summary.cases_within_noise;
        } else if (matches_pipe_metric(counter, simulated, launches[i])) {
            ++summary.cases_settled_by_pipe;
        } else if (const auto* known = find_known_difference(cases[i].at("name"), counter)) {
            ++summary.known_differences;
            const std::string why =
                std::string(known->step) + counter.counter + ": " + known->reason;
            if (!std::ranges::count(comparison.known, why)) comparison.known.push_back(why);
        } else {
            comparison.differences.push_back(
                {cases[i].at("name"), counter.counter, counter.metric, simulated, *measured});
        }
    }
    return summary;
}

std::string format_count(double count) {
    return format("%.0f", count);
}

}  // namespace

const std::vector<CounterMetric>& counter_metrics() {
    static const std::vector<CounterMetric> all = {
        {"load_requests",
         "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
         {"smsp__inst_executed_op_tma_ld.sum"}},
        {"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
        {"store_requests",
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
         {"smsp__inst_executed_op_tma_st.sum"}},
        {"store_sectors",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
         {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"}},
        {"shared_load_wavefronts",
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
         {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum"}},
        {"shared_store_wavefronts",
         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
         {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum"}},
        {"shared_load_requests",
         "smsp__sass_inst_executed_op_shared_ld.sum",
         {"smsp__sass_inst_executed_op_ldsm.sum"},
         true,
         false},
        {"shared_store_requests",
         "smsp__sass_inst_executed_op_shared_st.sum",
         {"smsp__sass_inst_executed_op_shared_stsm.sum", "smsp__sass_inst_executed_op_ldgsts.sum"},
         true,
         false},
        {"shared_load_wavefronts",
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
         {},
         false,
         false},
        {"shared_store_wavefronts",
         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
         {},
         false,
         false},
    };
    return all;
}

std::optional<double> sum_metrics_of(const ProfiledLaunch& launch, const CounterMetric& counter) {
    const auto found = launch.value_by_metric.find(counter.metric);
    if (found == launch.value_by_metric.end()) return std::nullopt;
    double sum = found->second;
    for (const char* metric : counter.more) {
        const auto more = launch.value_by_metric.find(metric);
        if (more != launch.value_by_metric.end()) sum += more->second;
    }
    return sum;
}

bool CounterComparison::is_equal() const {
    if (cases == 0) return false;
    return std::ranges::all_of(counters, [&](const CounterSummary& summary) {
        const CounterMetric& counter = summary.counter;
        if (!counter.is_exact) return true;
        if (summary.compared_cases == 0) return !counter.is_required;
        // A counter passes if it was compared in every case and was not always 0. In most cases,
        // the metric itself must be equal. In the remaining cases, it is sufficient that the metric
        // of the pipe is equal, or that the difference is a known one.
        return static_cast<std::size_t>(summary.compared_cases) == cases &&
               summary.equal_cases + summary.cases_settled_by_pipe + summary.known_differences ==
                   summary.compared_cases &&
               summary.equal_cases > summary.cases_settled_by_pipe + summary.known_differences &&
               summary.largest_count > 0;
    });
}

CounterComparison compare_counters(const Json& cases, const std::vector<ProfiledLaunch>& launches) {
    check_launches_match(cases, launches);
    CounterComparison comparison;
    comparison.cases = launches.size();
    for (const CounterMetric& counter : counter_metrics()) {
        comparison.counters.push_back(summarize_counter(counter, cases, launches, comparison));
        if (comparison.counters.back().compared_cases == 0)
            comparison.missing_metrics.push_back(counter.metric);
    }
    return comparison;
}

std::vector<CounterDifference> compare_with_recorded_counters(const Json& cases,
                                                              const Json& recorded_launches) {
    std::map<std::string, const Json*> counters_by_case;
    for (const Json& one : cases) counters_by_case[one.at("name")] = &one.at("counters");
    std::vector<CounterDifference> differences;
    for (const Json& launch : recorded_launches) {
        const std::string name = launch.at("case");
        const auto found = counters_by_case.find(name);
        if (found == counters_by_case.end()) throw std::runtime_error("no case is called " + name);
        for (const auto& [counter, count] : launch.at("measured").items()) {
            const double measured = count.get<double>();
            const double simulated = found->second->at(counter).get<double>();
            if (simulated != measured) {
                differences.push_back({name, counter, "", simulated, measured});
            }
        }
    }
    return differences;
}

std::string to_text(const CounterComparison& comparison) {
    std::string text = format("%-25s%6s%7s%9s%7s%7s%11s  %s\n", "counter", "cases", "equal",
                              "by pipe", "noise", "known", "different", "");
    for (const CounterSummary& one : comparison.counters) {
        const int explained_cases = one.equal_cases + one.cases_settled_by_pipe +
                                    one.cases_within_noise + one.known_differences;
        text += format("%-25s%6d%7d%9d%7d%7d%11d  %s\n", one.counter.counter, one.compared_cases,
                       one.equal_cases, one.cases_settled_by_pipe, one.cases_within_noise,
                       one.known_differences, one.compared_cases - explained_cases,
                       one.counter.is_exact ? "exact" : "pipe");
    }
    for (const std::string& why : comparison.known) text += wrap("known: " + why) + "\n";
    for (const std::string& metric : comparison.missing_metrics)
        text += "ncu did not report: " + metric + "\n";
    constexpr std::size_t shown = 12;
    for (std::size_t i = 0; i < std::min(shown, comparison.differences.size()); ++i) {
        const CounterDifference& one = comparison.differences[i];
        text += "\n" + wrap(one.name + ": " + one.counter + " is " + format_count(one.simulated) +
                            " simulated, " + format_count(one.measured) + " measured (" +
                            one.metric + ")");
    }
    if (comparison.differences.size() > shown) {
        text += format("... and %zu more differences (all are in the JSON)\n",
                       comparison.differences.size() - shown);
    }
    return text;
}

Json to_json(const CounterComparison& comparison, const Json& cases,
             const std::vector<ProfiledLaunch>& launches) {
    Json json{{"cases", comparison.cases},
              {"equal", comparison.is_equal()},
              {"counters", Json::array()},
              {"differences", Json::array()},
              {"not_given", comparison.missing_metrics},
              {"launches", Json::array()}};
    for (const CounterSummary& one : comparison.counters) {
        json["counters"].push_back({{"counter", one.counter.counter},
                                    {"metric", one.counter.metric},
                                    {"exact", one.counter.is_exact},
                                    {"cases", one.compared_cases},
                                    {"equal", one.equal_cases},
                                    {"settled_by_pipe", one.cases_settled_by_pipe},
                                    {"within_noise", one.cases_within_noise},
                                    {"known_differences", one.known_differences},
                                    {"most_beyond", one.largest_excess},
                                    {"largest", one.largest_count}});
    }
    for (const CounterDifference& one : comparison.differences) {
        json["differences"].push_back({{"case", one.name},
                                       {"counter", one.counter},
                                       {"metric", one.metric},
                                       {"simulated", one.simulated},
                                       {"measured", one.measured}});
    }
    for (std::size_t i = 0; i < launches.size(); ++i) {
        Json measured = Json::object();
        for (const CounterMetric& counter : counter_metrics()) {
            if (!counter.is_exact) continue;
            if (const auto value = sum_metrics_of(launches[i], counter)) {
                measured[counter.counter] = static_cast<std::uint64_t>(*value);
            }
        }
        json["launches"].push_back({{"case", cases[i].at("name")},
                                    {"simulated", cases[i].at("counters")},
                                    {"measured", measured}});
    }
    return json;
}

}  // namespace coalesce::proof
