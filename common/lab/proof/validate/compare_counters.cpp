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
    const char* counter;
    const char* why;
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

const KnownDifference* known_difference(const std::string& name, const CounterMetric& counter) {
    if (!counter.is_exact) return nullptr;
    for (const KnownDifference& known : kKnownDifferences) {
        const bool is_case = name.starts_with(known.step) && name.ends_with(known.shape);
        if (is_case && std::string_view(known.counter) == counter.counter) return &known;
    }
    return nullptr;
}

/// Reports whether a profiled name such as "void ns::copy_tile<32, 8>(float *)" refers to the
/// kernel "copy_tile".
bool is_kernel(const std::string& profiled, const std::string& name) {
    return std::regex_search(profiled, std::regex("\\b" + name + "\\b"));
}

void check_launches(const Json& cases, const std::vector<ProfiledLaunch>& launches) {
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

bool is_noise(const CounterMetric& counter, double simulated, double measured) {
    if (counter.is_exact) return false;
    const double beyond = measured - simulated;
    return beyond >= 0 && beyond <= std::max(kNoiseWavefronts, kNoiseFraction * simulated);
}

/// Reports whether the metric of the pipe equals the simulator's count, although the metric of the
/// instruction differs.
bool matches_pipe_metric(const CounterMetric& counter, double simulated,
                         const ProfiledLaunch& launch) {
    if (!counter.is_exact) return false;
    return std::ranges::any_of(counter_metrics(), [&](const CounterMetric& other) {
        return !other.is_exact && std::string_view(other.counter) == counter.counter &&
               value_of(launch, other) == simulated;
    });
}

CounterSummary summarise(const CounterMetric& counter, const Json& cases,
                         const std::vector<ProfiledLaunch>& launches,
                         CounterComparison& comparison) {
    CounterSummary summary{.counter = counter};
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const std::optional<double> measured = value_of(launches[i], counter);
        if (!measured) continue;
        const double simulated = cases[i].at("counters").at(counter.counter).get<double>();
        ++summary.cases;
        summary.largest_count = std::max({summary.largest_count, simulated, *measured});
        if (simulated > 0) {
            summary.largest_excess = std::max(summary.largest_excess, *measured / simulated - 1);
        }
        if (*measured == simulated) {
            ++summary.equal;
        } else if (is_noise(counter, simulated, *measured)) {
            ++summary.within_noise;
        } else if (matches_pipe_metric(counter, simulated, launches[i])) {
            ++summary.settled;
        } else if (const auto* known = known_difference(cases[i].at("name"), counter)) {
            ++summary.known;
            const std::string why = std::string(known->step) + counter.counter + ": " + known->why;
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

std::optional<double> value_of(const ProfiledLaunch& launch, const CounterMetric& counter) {
    const auto found = launch.metrics.find(counter.metric);
    if (found == launch.metrics.end()) return std::nullopt;
    double sum = found->second;
    for (const char* metric : counter.more) {
        const auto more = launch.metrics.find(metric);
        if (more != launch.metrics.end()) sum += more->second;
    }
    return sum;
}

bool CounterComparison::is_equal() const {
    if (cases == 0) return false;
    return std::ranges::all_of(counters, [&](const CounterSummary& summary) {
        const CounterMetric& counter = summary.counter;
        if (!counter.is_exact) return true;
        if (summary.cases == 0) return !counter.is_required;
        // A counter passes if it was compared in every case and was not always 0. In most cases,
        // the metric itself must be equal. In the remaining cases, it is sufficient that the metric
        // of the pipe is equal, or that the difference is a known one.
        return static_cast<std::size_t>(summary.cases) == cases &&
               summary.equal + summary.settled + summary.known == summary.cases &&
               summary.equal > summary.settled + summary.known && summary.largest_count > 0;
    });
}

CounterComparison compare_counters(const Json& cases, const std::vector<ProfiledLaunch>& launches) {
    check_launches(cases, launches);
    CounterComparison comparison;
    comparison.cases = launches.size();
    for (const CounterMetric& counter : counter_metrics()) {
        comparison.counters.push_back(summarise(counter, cases, launches, comparison));
        if (comparison.counters.back().cases == 0) comparison.missing.push_back(counter.metric);
    }
    return comparison;
}

std::vector<Difference> compare_recorded(const Json& cases, const Json& recorded) {
    std::map<std::string, const Json*> counted;
    for (const Json& one : cases) counted[one.at("name")] = &one.at("counters");
    std::vector<Difference> differences;
    for (const Json& launch : recorded) {
        const std::string name = launch.at("case");
        const auto found = counted.find(name);
        if (found == counted.end()) throw std::runtime_error("no case is called " + name);
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
        const int explained = one.equal + one.settled + one.within_noise + one.known;
        text += format("%-25s%6d%7d%9d%7d%7d%11d  %s\n", one.counter.counter, one.cases, one.equal,
                       one.settled, one.within_noise, one.known, one.cases - explained,
                       one.counter.is_exact ? "exact" : "pipe");
    }
    for (const std::string& why : comparison.known) text += wrap("known: " + why) + "\n";
    for (const std::string& metric : comparison.missing)
        text += "ncu did not report: " + metric + "\n";
    constexpr std::size_t shown = 12;
    for (std::size_t i = 0; i < std::min(shown, comparison.differences.size()); ++i) {
        const Difference& one = comparison.differences[i];
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
    Json json{{"cases", comparison.cases},       {"equal", comparison.is_equal()},
              {"counters", Json::array()},       {"differences", Json::array()},
              {"not_given", comparison.missing}, {"launches", Json::array()}};
    for (const CounterSummary& one : comparison.counters) {
        json["counters"].push_back({{"counter", one.counter.counter},
                                    {"metric", one.counter.metric},
                                    {"exact", one.counter.is_exact},
                                    {"cases", one.cases},
                                    {"equal", one.equal},
                                    {"settled_by_pipe", one.settled},
                                    {"within_noise", one.within_noise},
                                    {"known_differences", one.known},
                                    {"most_beyond", one.largest_excess},
                                    {"largest", one.largest_count}});
    }
    for (const Difference& one : comparison.differences) {
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
            if (const auto value = value_of(launches[i], counter)) {
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
