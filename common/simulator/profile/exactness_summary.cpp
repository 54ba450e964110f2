// See exactness_summary.h.
#include "simulator/profile/exactness_summary.h"

#include <algorithm>
#include <charconv>

#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/report/gaps.h"
#include "simulator/report/host_work.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {
namespace {

/// Returns the number in a target's name, such as 100 for "sm_100a", or 0 if `target` is not such a
/// name.
u32 parse_target_number(std::string_view target) {
    u32 number = 0;
    if (target.starts_with("sm_"))
        std::from_chars(target.data() + 3, target.data() + target.size(), number);
    return number;
}

void add_remark(ExactnessSummary& summary, const Remark& remark, u64 count) {
    if (!remark.is_exact())
        summary.exact_instructions -= std::min(count, summary.exact_instructions);
    switch (remark.kind) {
        case Remark::Kind::last_bits: summary.last_bit_differences[remark.name] += count; break;
        case Remark::Kind::values: summary.value_differences[remark.name] += count; break;
        case Remark::Kind::no_effect:
            summary.instructions_without_effect[remark.name] += count;
            break;
        case Remark::Kind::async_proxy:
            summary.uncovered_features = {"a missing fence.proxy.async for global memory"};
            break;
    }
}

void add_target(ExactnessSummary& summary, const Kernel& kernel) {
    if (!kernel.module || !kernel.module->ast) return;
    const std::string& target = kernel.module->ast->target;
    auto& targets = summary.newer_targets;
    if (parse_target_number(target) <= DeviceModel::capability) return;
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
        targets.push_back(target);
}

// ---- text ----

std::string join_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// Returns words such as "ex2.approx (40)", sorted by descending count.
std::vector<std::string> format_counts(const std::map<std::string, u64>& counts) {
    std::vector<std::pair<std::string, u64>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> words;
    for (const auto& [name, count] : sorted)
        words.push_back(name + " (" + format_with_commas(count) + ")");
    return words;
}

/// Adds the line "LABEL: words", or several lines if the words do not fit on one. Adds nothing if
/// there are no words.
void add_line(std::string& text, const std::string& label, const std::vector<std::string>& words) {
    if (words.empty()) return;
    text += wrap(label + ": " + join_words(words), kColumns, "  ", "    ") + "\n";
}

std::string format_first_line(const ExactnessSummary& summary) {
    const std::string instruction_text = format_with_commas(summary.instructions);
    if (summary.instructions == 0) return "exactness: no instruction was counted\n";
    if (summary.exact_instructions == summary.instructions)
        return "exactness: all " + instruction_text + " warp instructions are exact\n";
    return "exactness: " + format_with_commas(summary.exact_instructions) + " of " +
           instruction_text + " warp instructions are exact\n";
}

}  // namespace

ExactnessSummary summarize_exactness(const std::vector<const Kernel*>& kernels) {
    ExactnessSummary summary;
    for (const Kernel* kernel : kernels) summary.instructions += kernel->totals.warp_instructions;
    summary.exact_instructions = summary.instructions;
    for (const Kernel* kernel : kernels) {
        if (!kernel->totals.was_launched()) continue;
        for (const auto& [remark, count] : kernel->totals.remark_counts)
            add_remark(summary, remark, count);
        add_target(summary, *kernel);
        summary.unchecked_launches += kernel->totals.unchecked_launches;
    }
    for (const auto& [function, calls] : host_work()) summary.host_functions.push_back(function);
    for (const std::string& gap : list_gaps()) summary.uncovered_features.push_back(gap);
    summary.disabled_checks = options().checks.list_disabled_checks();
    return summary;
}

std::string format_exactness(const ExactnessSummary& summary) {
    std::string text = format_first_line(summary);
    std::vector<std::string> differing_results = format_counts(summary.last_bit_differences);
    for (const std::string& function : summary.host_functions)
        differing_results.push_back(function + " (on the host)");
    add_line(text, "last bits may differ from a GPU's", differing_results);
    add_line(text, "values differ from a GPU's", format_counts(summary.value_differences));
    add_line(text, "built for another GPU, run as sm_" + std::to_string(DeviceModel::capability),
             summary.newer_targets);
    add_line(text, "no effect here", format_counts(summary.instructions_without_effect));
    std::vector<std::string> disabled_checks = summary.disabled_checks;
    if (summary.unchecked_launches)
        disabled_checks.push_back("all, of " + format_with_commas(summary.unchecked_launches) +
                                  (summary.unchecked_launches == 1 ? " launch" : " launches") +
                                  " (--sample)");
    add_line(text, "checks off", disabled_checks);
    add_line(text, "not checked", summary.uncovered_features);
    return text;
}

}  // namespace coalesce::simulator
