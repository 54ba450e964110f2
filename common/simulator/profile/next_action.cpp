#include "simulator/profile/next_action.h"

#include <optional>

#include "simulator/profile/traffic.h"
#include "simulator/report/text.h"
#include "timing/words.h"

namespace coalesce::simulator {

namespace {

/// The traffic of a source line, and the amount that could be saved.
struct LineWaste {
    Traffic access;
    bool is_global;
    const LineRow* line;
};

std::optional<LineWaste> find_largest_waste(const std::vector<KernelRow>& kernels) {
    std::optional<LineWaste> largest_waste;
    const auto consider_waste = [&](const Traffic& access, bool is_global, const LineRow& line) {
        const auto excess_passes = [](const Traffic& a) { return a.passes - a.ideal_passes; };
        if (is_wasteful(access) &&
            (!largest_waste || excess_passes(access) > excess_passes(largest_waste->access)))
            largest_waste = LineWaste{access, is_global, &line};
    };
    for (const KernelRow& kernel : kernels)
        for (const LineRow& line : kernel.lines) {
            for (const Traffic& a : global_traffic(line.counters)) consider_waste(a, true, line);
            for (const Traffic& a : shared_traffic(line.counters)) consider_waste(a, false, line);
        }
    return largest_waste;
}

std::string give_advice_on(const LineWaste& waste) {
    const Traffic& a = waste.access;
    const std::string unit = waste.is_global ? "sectors" : "wavefronts";
    return "Next: look at " + format_place(waste.line->place.file, waste.line->place.line) +
           ". Its " + a.name + " take " + format_ratio(a.passes, a.requests) + " " + unit +
           " per request; " + format_ratio(a.ideal_passes, a.requests) + " would be enough. " +
           (waste.is_global ? "Make neighbouring lanes of a warp access neighbouring addresses."
                            : "Make the lanes of a warp access different banks, for example by "
                              "padding each row of the array with one element.");
}

/// Returns advice on the kernel that takes the longest, or "" if no kernel has a time.
std::string give_advice_on_time(const std::vector<KernelRow>& kernels,
                                const PredictedTimes& times) {
    const PredictedKernel* longest = nullptr;
    const std::string* name = nullptr;
    for (const KernelRow& kernel : kernels) {
        const PredictedKernel* predicted = times.find_kernel(kernel.name);
        if (!predicted || !predicted->longest_launch || (longest && predicted->ms <= longest->ms))
            continue;
        longest = predicted;
        name = &kernel.name;
    }
    if (!longest) return "";
    return "Next, for " + shorten_name(*name) + ": " +
           timing::explain_prediction(*longest->longest_launch, times.gpu()).cure;
}

}  // namespace

std::string describe_next_action(const std::vector<KernelRow>& kernels,
                                 const PredictedTimes* times) {
    std::string text;
    if (const auto waste = find_largest_waste(kernels))
        text = give_advice_on(*waste);
    else if (times)
        text = give_advice_on_time(kernels, *times);
    return text.empty() ? "" : wrap(text, kColumns, "", "") + "\n";
}

}  // namespace coalesce::simulator
