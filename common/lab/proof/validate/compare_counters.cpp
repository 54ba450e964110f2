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
    for (const KnownDifference& known_difference : kKnownDifferences) {
        const bool is_case_affected =
            name.starts_with(known_difference.step) && name.ends_with(known_difference.shape);
        if (is_case_affected && std::string_view(known_difference.counter_name) == counter.counter)
            return &known_difference;
    }
    return nullptr;
}

/// Reports whether a profiled name such as "void ns::copy_tile<32, 8>(float *)" refers to the
/// kernel "copy_tile".
bool is_kernel(const std::string& profiled_name, const std::string& name) {
    return std::regex_search(profiled_name, std::regex("\\b" + name + "\\b"));
}

void check_launches_match(const Json& cases, const std::vector<ProfiledLaunch>& launches) {
    const std::size_t common_count = std::min(cases.size(), launches.size());
    for (std::size_t i = 0; i < common_count; ++i) {
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

bool is_within_noise(const CounterMetric& counter, double simulated_count, double measured_value) {
    if (counter.is_exact) return false;
    const double metric_excess = measured_value - simulated_count;
    return metric_excess >= 0 &&
           metric_excess <= std::max(kPipeNoiseWavefronts, kPipeNoiseFraction * simulated_count);
}

/// Reports whether the metric of the pipe equals the simulator's count, although the metric of the
/// instruction differs.
bool matches_pipe_metric(const CounterMetric& counter, double simulated,
                         const ProfiledLaunch& launch) {
    if (!counter.is_exact) return false;
    return std::ranges::any_of(counter_metrics(), [&](const CounterMetric& pipe_counter) {
        return !pipe_counter.is_exact &&
               std::string_view(pipe_counter.counter) == counter.counter &&
               sum_metrics_of(launch, pipe_counter) == simulated;
    });
}

CounterSummary summarize_counter(const CounterMetric& counter, const Json& cases,
                                 const std::vector<ProfiledLaunch>& launches,
                                 CounterComparison& comparison) {
    CounterSummary summary{.counter = counter};
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const std::optional<double> metric_sum = sum_metrics_of(launches[i], counter);
        if (!metric_sum) continue;
        const double simulated_count = cases[i].at("counters").at(counter.counter).get<double>();
        ++summary.compared_cases;
        summary.largest_count = std::max({summary.largest_count, simulated_count, *metric_sum});
        if (simulated_count > 0) {
            summary.largest_excess =
                std::max(summary.largest_excess, *metric_sum / simulated_count - 1);
        }
        if (*metric_sum == simulated_count) {
            ++summary.equal_cases;
        } else if (is_within_noise(counter, simulated_count, *metric_sum)) {
            ++summary.cases_within_noise;
        } else if (matches_pipe_metric(counter, simulated_count, launches[i])) {
            ++summary.cases_settled_by_pipe;
        } else if (const auto* known_difference =
                       find_known_difference(cases[i].at("name"), counter)) {
            ++summary.known_differences;
            const std::string explanation = std::string(known_difference->step) + counter.counter +
                                            ": " + known_difference->reason;
            if (!std::ranges::count(comparison.known_reasons, explanation))
                comparison.known_reasons.push_back(explanation);
        } else {
            comparison.differences.push_back({cases[i].at("name"), counter.counter, counter.metric,
                                              simulated_count, *metric_sum});
        }
    }
    return summary;
}

std::string format_count(double count) {
    return format("%.0f", count);
}

}  // namespace

const std::vector<CounterMetric>& counter_metrics() {
    static const std::vector<CounterMetric> all_metrics = {
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
    return all_metrics;
}

std::optional<double> sum_metrics_of(const ProfiledLaunch& launch, const CounterMetric& counter) {
    const auto metric_value = launch.value_by_metric.find(counter.metric);
    if (metric_value == launch.value_by_metric.end()) return std::nullopt;
    double sum = metric_value->second;
    for (const char* metric : counter.further_metrics) {
        const auto further_value = launch.value_by_metric.find(metric);
        if (further_value != launch.value_by_metric.end()) sum += further_value->second;
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
        // the profiler's metric must equal the simulator's count. In the remaining cases, it is
        // sufficient that the metric of the hardware's pipe equals the count, or that the reason
        // for the difference is known.
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
    for (const Json& case_json : cases)
        counters_by_case[case_json.at("name")] = &case_json.at("counters");
    std::vector<CounterDifference> differences;
    for (const Json& launch : recorded_launches) {
        const std::string name = launch.at("case");
        const auto found_case = counters_by_case.find(name);
        if (found_case == counters_by_case.end())
            throw std::runtime_error("no case is called " + name);
        for (const auto& [counter, count] : launch.at("measured").items()) {
            const double measured_count = count.get<double>();
            const double simulated_count = found_case->second->at(counter).get<double>();
            if (simulated_count != measured_count) {
                differences.push_back({name, counter, "", simulated_count, measured_count});
            }
        }
    }
    return differences;
}

std::string to_text(const CounterComparison& comparison) {
    std::string text = format("%-25s%6s%7s%9s%7s%7s%11s  %s\n", "counter", "cases", "equal",
                              "by pipe", "noise", "known", "different", "");
    for (const CounterSummary& counter_summary : comparison.counters) {
        const int explained_cases =
            counter_summary.equal_cases + counter_summary.cases_settled_by_pipe +
            counter_summary.cases_within_noise + counter_summary.known_differences;
        text += format("%-25s%6d%7d%9d%7d%7d%11d  %s\n", counter_summary.counter.counter,
                       counter_summary.compared_cases, counter_summary.equal_cases,
                       counter_summary.cases_settled_by_pipe, counter_summary.cases_within_noise,
                       counter_summary.known_differences,
                       counter_summary.compared_cases - explained_cases,
                       counter_summary.counter.is_exact ? "exact" : "pipe");
    }
    for (const std::string& reason : comparison.known_reasons)
        text += wrap("known: " + reason) + "\n";
    for (const std::string& metric : comparison.missing_metrics)
        text += "ncu did not report: " + metric + "\n";
    constexpr std::size_t max_listed_differences = 12;
    for (std::size_t i = 0; i < std::min(max_listed_differences, comparison.differences.size());
         ++i) {
        const CounterDifference& difference = comparison.differences[i];
        text += "\n" +
                wrap(difference.name + ": " + difference.counter + " is " +
                     format_count(difference.simulated) + " simulated, " +
                     format_count(difference.measured) + " measured (" + difference.metric + ")");
    }
    if (comparison.differences.size() > max_listed_differences) {
        text += format("... and %zu more differences (all are in the JSON)\n",
                       comparison.differences.size() - max_listed_differences);
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
    for (const CounterSummary& counter_summary : comparison.counters) {
        json["counters"].push_back({{"counter", counter_summary.counter.counter},
                                    {"metric", counter_summary.counter.metric},
                                    {"exact", counter_summary.counter.is_exact},
                                    {"cases", counter_summary.compared_cases},
                                    {"equal", counter_summary.equal_cases},
                                    {"settled_by_pipe", counter_summary.cases_settled_by_pipe},
                                    {"within_noise", counter_summary.cases_within_noise},
                                    {"known_differences", counter_summary.known_differences},
                                    {"most_beyond", counter_summary.largest_excess},
                                    {"largest", counter_summary.largest_count}});
    }
    for (const CounterDifference& difference : comparison.differences) {
        json["differences"].push_back({{"case", difference.name},
                                       {"counter", difference.counter},
                                       {"metric", difference.metric},
                                       {"simulated", difference.simulated},
                                       {"measured", difference.measured}});
    }
    for (std::size_t i = 0; i < launches.size(); ++i) {
        Json measured_counters = Json::object();
        for (const CounterMetric& counter : counter_metrics()) {
            if (!counter.is_exact) continue;
            if (const auto value = sum_metrics_of(launches[i], counter)) {
                measured_counters[counter.counter] = static_cast<std::uint64_t>(*value);
            }
        }
        json["launches"].push_back({{"case", cases[i].at("name")},
                                    {"simulated", cases[i].at("counters")},
                                    {"measured", measured_counters}});
    }
    return json;
}

}  // namespace coalesce::proof
