#include "lab/proof/validate/tutorial_comparison.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// The counters to compare, by their names in the simulator's JSON.
constexpr const char* kComparedCounters[] = {
    "load_requests",           "load_sectors",           "store_requests",
    "store_sectors",           "atomic_requests",        "atomic_sectors",
    "shared_load_requests",    "shared_load_wavefronts", "shared_store_requests",
    "shared_store_wavefronts", "shared_atomic_requests", "shared_atomic_wavefronts",
};

/// Returns the name of the counter that counts in the hardware's pipe, such as "shared_load_pipe"
/// for "shared_load_wavefronts".
std::string pipe_counter_name(const std::string& counter) {
    const std::string wavefronts_suffix = "_wavefronts";
    if (!counter.ends_with(wavefronts_suffix)) return "";
    return counter.substr(0, counter.size() - wavefronts_suffix.size()) + "_pipe";
}

/// Returns the launch of a simulator run that contains exactly one launch.
const Json& find_only_launch(const Json& simulated) {
    const Json& kernels = simulated.at("kernels");
    if (kernels.size() != 1 || kernels[0].at("launches") != 1) {
        throw std::runtime_error(
            "an example must launch exactly one kernel, but the simulator recorded " +
            std::to_string(kernels.size()) + " kernels");
    }
    return kernels[0];
}

/// The totals over one of the two halves into which the kernels are divided.
struct KernelTotals {
    int equal_kernels = 0, kernels_in_range = 0, kernels_known_to_differ = 0, differing_kernels = 0,
        failed_kernels = 0;
    int repeatable_kernels = 0, repeatable_equal_kernels = 0;
    int predicted_kernels = 0, kernels_within_band = 0, partly_modelled_kernels = 0;
    int compared_kernels() const {
        return equal_kernels + kernels_in_range + kernels_known_to_differ + differing_kernels;
    }

    void add(const ComparedKernel& kernel) {
        if (!kernel.simulator_failure.empty()) {
            ++failed_kernels;
            return;
        }
        const bool is_equal = kernel.differences.empty();
        ++(is_equal                     ? equal_kernels
           : kernel.are_counts_in_range ? kernels_in_range
           : kernel.known.empty()       ? differing_kernels
                                        : kernels_known_to_differ);
        if (kernel.differing_runs == 0) {
            ++repeatable_kernels;
            repeatable_equal_kernels += is_equal;
        }
        if (!kernel.time) return;
        if (!kernel.time->unknown.empty()) {
            ++partly_modelled_kernels;
        } else {
            ++predicted_kernels;
            kernels_within_band += kernel.time->is_within_error_band();
        }
    }
};

double fraction_of(int part_count, int total_count) {
    return total_count == 0 ? 1 : static_cast<double>(part_count) / total_count;
}

std::string format_counters_outcome(const ComparedKernel& kernel) {
    if (!kernel.simulator_failure.empty()) return "failed";
    if (kernel.differences.empty()) return "equal";
    if (kernel.are_counts_in_range) return "range";
    return kernel.known.empty() ? "DIFFER" : "known";
}

std::string format_time_outcome(const ComparedKernel& kernel) {
    if (!kernel.time) return "";
    const TutorialTime& time = *kernel.time;
    const std::string times_and_ratio =
        format("%9.4f%10.4f%7.2f%6.0f %%", time.measured, time.predicted,
               time.predicted / time.measured, 100 * time.promised_error);
    if (!time.unknown.empty())
        return times_and_ratio + "  not known: " + joined(time.unknown, ", ");
    return times_and_ratio + (time.is_within_error_band() ? "  within" : "  BEYOND");
}

/// Returns the output for a kernel: one line with its results, followed by a line for each counter
/// that differs.
std::string format_kernel_rows(const ComparedKernel& kernel) {
    std::string text =
        format("%-28s%-8s", kernel.name.c_str(), format_counters_outcome(kernel).c_str()) +
        format_time_outcome(kernel);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
    if (!kernel.simulator_failure.empty()) text += wrap(kernel.simulator_failure, "    ") + "\n";
    for (const CounterDifference& difference : kernel.differences)
        text += format("    %s: %.0f simulated, %.0f %s\n", difference.counter.c_str(),
                       difference.simulated, difference.measured, kernel.reference_source.c_str());
    if (kernel.are_counts_in_range)
        text += wrap(format("range: the counts are within the range of %d runs on the hardware",
                            kernel.differing_runs),
                     "    ") +
                "\n";
    if (!kernel.differences.empty() && !kernel.known.empty())
        text += wrap("known: " + kernel.known, "    ") + "\n";
    return text;
}

std::string format_totals(const KernelTotals& totals) {
    std::string text =
        format("counters: %d kernels compared, %d equal (%.1f %%), %d known to differ, %d differ",
               totals.compared_kernels(), totals.equal_kernels,
               100 * fraction_of(totals.equal_kernels, totals.compared_kernels()),
               totals.kernels_known_to_differ, totals.differing_kernels);
    if (totals.kernels_in_range > 0)
        text += format(", %d within the range of several runs on the hardware",
                       totals.kernels_in_range);
    if (totals.failed_kernels > 0) text += format(", %d failed", totals.failed_kernels);
    text += "\n";
    if (totals.repeatable_kernels < totals.compared_kernels())
        text += format(
            "  of the %d kernels whose counts are the same in every run on the hardware, %d are "
            "equal (%.1f %%)\n",
            totals.repeatable_kernels, totals.repeatable_equal_kernels,
            100 * fraction_of(totals.repeatable_equal_kernels, totals.repeatable_kernels));
    if (totals.predicted_kernels + totals.partly_modelled_kernels == 0) return text;
    return text + format(
                      "times: %d predicted, %d within their bands (%.1f %%); %d more that the "
                      "model does not fully cover\n",
                      totals.predicted_kernels, totals.kernels_within_band,
                      100 * fraction_of(totals.kernels_within_band, totals.predicted_kernels),
                      totals.partly_modelled_kernels);
}

}  // namespace

bool TutorialTime::is_within_error_band() const {
    return std::abs(predicted / measured - 1) <= promised_error;
}

std::vector<CounterDifference> compare_tutorial_counters(const Json& recorded,
                                                         const Json& simulated) {
    const Json& launch = find_only_launch(simulated);
    std::vector<CounterDifference> differences;
    for (const std::string counter : kComparedCounters) {
        const double simulated_count = launch.at(counter).get<double>(),
                     recorded_count = recorded.value(counter, 0.0);
        const std::string pipe_counter = pipe_counter_name(counter);
        if (simulated_count == recorded_count ||
            (!pipe_counter.empty() && recorded.contains(pipe_counter) &&
             recorded.at(pipe_counter) == simulated_count))
            continue;
        differences.push_back({"", counter, "", simulated_count, recorded_count});
    }
    return differences;
}

Json counters_of_only_launch(const Json& simulated) {
    Json counters = Json::object();
    for (const std::string counter : kComparedCounters)
        counters[counter] = find_only_launch(simulated).at(counter);
    return counters;
}

bool are_in_range(const std::vector<CounterDifference>& differences, const Json& ranges) {
    const auto is_in_range_of = [&](const std::string& counter, double value) {
        if (!ranges.contains(counter)) return false;
        const Json& counter_range = ranges.at(counter);
        return counter_range.at(0).get<double>() <= value &&
               value <= counter_range.at(1).get<double>();
    };
    return !differences.empty() &&
           std::ranges::all_of(differences, [&](const CounterDifference& difference) {
               const std::string pipe = pipe_counter_name(difference.counter);
               return is_in_range_of(difference.counter, difference.simulated) ||
                      (!pipe.empty() && is_in_range_of(pipe, difference.simulated));
           });
}

std::optional<TutorialTime> compare_tutorial_time(double measured_ms, const Json& simulated) {
    const Json& launch = find_only_launch(simulated);
    if (!launch.contains("predicted") || !launch.at("predicted").contains("ms"))
        return std::nullopt;
    const Json& prediction = launch.at("predicted");
    TutorialTime time{prediction.at("ms"), measured_ms, prediction.value("error_band", 0.0), {}};
    if (prediction.contains("unknown"))
        time.unknown = prediction.at("unknown").get<std::vector<std::string>>();
    return time;
}

std::map<std::string, std::string> read_known_differences(const std::string& text) {
    std::map<std::string, std::string> reason_by_kernel;
    for (const std::string& line : lines_of(text)) {
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) throw std::runtime_error("not \"NAME: REASON\": " + line);
        reason_by_kernel[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return reason_by_kernel;
}

TutorialVerdict make_tutorial_verdict(const std::vector<ComparedKernel>& kernels,
                                      const TutorialLimits& limits) {
    TutorialVerdict verdict;
    KernelTotals totals_of_all, totals_of_halves[2];
    for (const bool is_held_back : {false, true}) {
        std::string rows;
        for (const ComparedKernel& kernel : kernels) {
            if (kernel.is_held_back != is_held_back) continue;
            rows += format_kernel_rows(kernel);
            totals_of_all.add(kernel);
            totals_of_halves[is_held_back].add(kernel);
        }
        if (rows.empty()) continue;
        verdict.text += is_held_back ? "Kernels whose times are held back\n\n"
                                     : "Kernels whose times may be used to improve the model\n\n";
        verdict.text += format("%-28s%-8s%9s%10s%7s%8s\n", "kernel", "counters", "measured",
                               "predicted", "ratio", "band");
        verdict.text += rows + "\n" + format_totals(totals_of_halves[is_held_back]) + "\n";
    }
    verdict.text += "All\n" + format_totals(totals_of_all);
    verdict.is_good =
        totals_of_all.failed_kernels == 0 && totals_of_all.differing_kernels == 0 &&
        totals_of_all.compared_kernels() > 0 &&
        fraction_of(totals_of_all.equal_kernels, totals_of_all.compared_kernels()) >=
            limits.min_equal_fraction &&
        fraction_of(totals_of_all.repeatable_equal_kernels, totals_of_all.repeatable_kernels) >=
            limits.min_repeatable_equal_fraction;
    for (const KernelTotals& half : totals_of_halves)
        if (fraction_of(half.kernels_within_band, half.predicted_kernels) <
            limits.min_fraction_within_band)
            verdict.is_good = false;
    return verdict;
}

}  // namespace coalesce::proof
