#include "lab/proof/validate/tutorial_comparison.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// The counters to compare, by their names in the simulator's JSON.
constexpr const char* kCompared[] = {
    "load_requests",           "load_sectors",           "store_requests",
    "store_sectors",           "atomic_requests",        "atomic_sectors",
    "shared_load_requests",    "shared_load_wavefronts", "shared_store_requests",
    "shared_store_wavefronts", "shared_atomic_requests", "shared_atomic_wavefronts",
};

/// Returns the name of the counter that counts in the hardware's pipe, such as "shared_load_pipe"
/// for "shared_load_wavefronts".
std::string pipe_counter(const std::string& counter) {
    const std::string wavefronts = "_wavefronts";
    if (!counter.ends_with(wavefronts)) return "";
    return counter.substr(0, counter.size() - wavefronts.size()) + "_pipe";
}

/// Returns the launch of a simulator run that contains exactly one launch.
const Json& only_launch(const Json& simulated) {
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
    int equal = 0, in_range = 0, known = 0, differing = 0, failed = 0;
    int repeatable = 0, repeatable_equal = 0;
    int timed = 0, within = 0, with_unknowns = 0;
    int compared() const { return equal + in_range + known + differing; }

    void add(const ComparedKernel& kernel) {
        if (!kernel.failure.empty()) {
            ++failed;
            return;
        }
        const bool is_equal = kernel.differences.empty();
        ++(is_equal               ? equal
           : kernel.is_in_range   ? in_range
           : kernel.known.empty() ? differing
                                  : known);
        if (kernel.runs == 0) {
            ++repeatable;
            repeatable_equal += is_equal;
        }
        if (!kernel.time) return;
        if (!kernel.time->unknown.empty()) {
            ++with_unknowns;
        } else {
            ++timed;
            within += kernel.time->is_within_error_band();
        }
    }
};

double fraction(int part, int whole) {
    return whole == 0 ? 1 : static_cast<double>(part) / whole;
}

std::string counters_word(const ComparedKernel& kernel) {
    if (!kernel.failure.empty()) return "failed";
    if (kernel.differences.empty()) return "equal";
    if (kernel.is_in_range) return "range";
    return kernel.known.empty() ? "DIFFER" : "known";
}

std::string time_words(const ComparedKernel& kernel) {
    if (!kernel.time) return "";
    const TutorialTime& time = *kernel.time;
    const std::string ratio = format("%9.4f%10.4f%7.2f%6.0f %%", time.measured, time.predicted,
                                     time.predicted / time.measured, 100 * time.band);
    if (!time.unknown.empty()) return ratio + "  not known: " + joined(time.unknown, ", ");
    return ratio + (time.is_within_error_band() ? "  within" : "  BEYOND");
}

/// Returns the output for a kernel: one line with its results, followed by a line for each counter
/// that differs.
std::string row(const ComparedKernel& kernel) {
    std::string text = format("%-28s%-8s", kernel.name.c_str(), counters_word(kernel).c_str()) +
                       time_words(kernel);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
    if (!kernel.failure.empty()) text += wrap(kernel.failure, "    ") + "\n";
    for (const Difference& one : kernel.differences)
        text += format("    %s: %.0f simulated, %.0f %s\n", one.counter.c_str(), one.simulated,
                       one.measured, kernel.other.c_str());
    if (kernel.is_in_range)
        text += wrap(format("range: the counts are within the range of %d runs on the hardware",
                            kernel.runs),
                     "    ") +
                "\n";
    if (!kernel.differences.empty() && !kernel.known.empty())
        text += wrap("known: " + kernel.known, "    ") + "\n";
    return text;
}

std::string format_totals(const KernelTotals& half) {
    std::string text =
        format("counters: %d kernels compared, %d equal (%.1f %%), %d known to differ, %d differ",
               half.compared(), half.equal, 100 * fraction(half.equal, half.compared()), half.known,
               half.differing);
    if (half.in_range > 0)
        text += format(", %d within the range of several runs on the hardware", half.in_range);
    if (half.failed > 0) text += format(", %d failed", half.failed);
    text += "\n";
    if (half.repeatable < half.compared())
        text += format(
            "  of the %d kernels whose counts are the same in every run on the hardware, %d are "
            "equal (%.1f %%)\n",
            half.repeatable, half.repeatable_equal,
            100 * fraction(half.repeatable_equal, half.repeatable));
    if (half.timed + half.with_unknowns == 0) return text;
    return text + format(
                      "times: %d predicted, %d within their bands (%.1f %%); %d more that the "
                      "model does not fully cover\n",
                      half.timed, half.within, 100 * fraction(half.within, half.timed),
                      half.with_unknowns);
}

}  // namespace

bool TutorialTime::is_within_error_band() const {
    return std::abs(predicted / measured - 1) <= band;
}

std::vector<Difference> compare_tutorial_counters(const Json& recorded, const Json& simulated) {
    const Json& launch = only_launch(simulated);
    std::vector<Difference> differences;
    for (const std::string counter : kCompared) {
        const double ours = launch.at(counter).get<double>(), theirs = recorded.value(counter, 0.0);
        const std::string pipe = pipe_counter(counter);
        if (ours == theirs ||
            (!pipe.empty() && recorded.contains(pipe) && recorded.at(pipe) == ours))
            continue;
        differences.push_back({"", counter, "", ours, theirs});
    }
    return differences;
}

Json counters_of_only_launch(const Json& simulated) {
    Json counters = Json::object();
    for (const std::string counter : kCompared)
        counters[counter] = only_launch(simulated).at(counter);
    return counters;
}

bool are_in_range(const std::vector<Difference>& differences, const Json& ranges) {
    const auto has = [&](const std::string& counter, double value) {
        if (!ranges.contains(counter)) return false;
        const Json& range = ranges.at(counter);
        return range.at(0).get<double>() <= value && value <= range.at(1).get<double>();
    };
    return !differences.empty() && std::ranges::all_of(differences, [&](const Difference& one) {
        const std::string pipe = pipe_counter(one.counter);
        return has(one.counter, one.simulated) || (!pipe.empty() && has(pipe, one.simulated));
    });
}

std::optional<TutorialTime> compare_tutorial_time(double measured_ms, const Json& simulated) {
    const Json& launch = only_launch(simulated);
    if (!launch.contains("predicted") || !launch.at("predicted").contains("ms"))
        return std::nullopt;
    const Json& predicted = launch.at("predicted");
    TutorialTime time{predicted.at("ms"), measured_ms, predicted.value("error_band", 0.0), {}};
    if (predicted.contains("unknown"))
        time.unknown = predicted.at("unknown").get<std::vector<std::string>>();
    return time;
}

std::map<std::string, std::string> read_known_differences(const std::string& text) {
    std::map<std::string, std::string> known;
    for (const std::string& line : lines_of(text)) {
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) throw std::runtime_error("not \"NAME: REASON\": " + line);
        known[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return known;
}

TutorialVerdict tutorial_verdict(const std::vector<ComparedKernel>& kernels,
                                 const TutorialLimits& limits) {
    TutorialVerdict verdict;
    KernelTotals all, halves[2];
    for (const bool is_held_back : {false, true}) {
        std::string rows;
        for (const ComparedKernel& kernel : kernels) {
            if (kernel.is_held_back != is_held_back) continue;
            rows += row(kernel);
            all.add(kernel);
            halves[is_held_back].add(kernel);
        }
        if (rows.empty()) continue;
        verdict.text += is_held_back ? "Kernels whose times are held back\n\n"
                                     : "Kernels whose times may be used to improve the model\n\n";
        verdict.text += format("%-28s%-8s%9s%10s%7s%8s\n", "kernel", "counters", "measured",
                               "predicted", "ratio", "band");
        verdict.text += rows + "\n" + format_totals(halves[is_held_back]) + "\n";
    }
    verdict.text += "All\n" + format_totals(all);
    verdict.is_good = all.failed == 0 && all.differing == 0 && all.compared() > 0 &&
                      fraction(all.equal, all.compared()) >= limits.equal &&
                      fraction(all.repeatable_equal, all.repeatable) >= limits.repeatable_equal;
    for (const KernelTotals& half : halves)
        if (fraction(half.within, half.timed) < limits.within) verdict.is_good = false;
    return verdict;
}

}  // namespace coalesce::proof
