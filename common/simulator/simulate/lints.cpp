// See lints.h.
#include "simulator/simulate/lints.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "simulator/report/selection.h"
#include "simulator/report/text.h"
#include "simulator/simulate/metrics.h"

namespace coalesce::simulator {

const std::vector<LintRule> kLintRules{
    {"uncoalesced-load", "Make neighbouring lanes load neighbouring elements."},
    {"uncoalesced-store", "Make neighbouring lanes store neighbouring elements."},
    {"partial-sectors", "Begin rows at multiples of 32 bytes, and use all bytes of a sector."},
    {"bank-conflict", "Pad the rows of the shared array, or permute its columns (swizzle)."},
    {"atomics-contended",
     "First add up values in registers or with shuffles, so that fewer lanes share an address."},
    {"one-load-in-flight", "Issue several independent loads before using the first result."},
    {"barrier-bound", "Do more work between barriers, or make fewer threads share a barrier."},
};

namespace {

constexpr double kSectorBytes = 32;
/// A lint is reported if its cost is at least these fractions of the launch's time and of the
/// program's time.
constexpr double kMinFractionOfLaunch = .05, kMinFractionOfProgram = .02;
/// The minimum utilization at which a resource counts as busy, so that waste on it affects the
/// time.
constexpr double kMinBusyFraction = .5;
/// The minimum ratio of the moved sectors to the sectors that the requested bytes would fill.
/// Accesses with at least this ratio are uncoalesced.
constexpr double kMinUncoalescedRatio = 2;

/// Time or traffic that is wasted at one location. It becomes a lint if it costs enough.
struct LintWaste {
    const char* id = nullptr;
    const Json* line = nullptr;  ///< null if the waste concerns the whole kernel
    double ms = 0;
    std::string explanation;
};

std::string format_fraction(double fraction) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
    return text;
}

/// Returns the utilization of the busiest resource, as a fraction of the launch's time. The
/// utilization of the resources in `names_rule` is first reduced by the fraction
/// `excluded_fraction`.
double find_busiest_fraction(const Json& busy, const std::vector<std::string>& names_rule = {},
                             double excluded_fraction = 0) {
    double max_fraction = 0;
    for (const auto& [resource, value] : busy.items()) {
        const bool is_reduced =
            std::find(names_rule.begin(), names_rule.end(), resource) != names_rule.end();
        max_fraction =
            std::max(max_fraction, value.get<double>() * (is_reduced ? 1 - excluded_fraction : 1));
    }
    return std::min(max_fraction, 1.0);
}

/// Collects the lints of one kernel.
class KernelLints {
public:
    explicit KernelLints(const Json& kernel)
        : kernel_(kernel),
          predicted_(kernel["predicted"]),
          longest_(predicted_["longest"]),
          ms_(read_counter(predicted_, "ms")) {}

    std::vector<LintWaste> find_wastes() {
        for (const Json& line : kernel_["lines"]) {
            check_sectors(line, "load", resources_of_loads());
            check_sectors(line, "store", {"memory", "l2_write"});
            check_conflicts(line);
        }
        check_loads_in_flight();
        check_barriers();
        return std::move(wastes_);
    }

private:
    double total(const std::string& counter_name) const {
        return read_counter(kernel_, counter_name.c_str());
    }

    /// Returns the resources that loads use. The model does not distinguish the L1 cache, which
    /// loads pass through, from shared memory.
    std::vector<std::string> resources_of_loads() const {
        if (read_counter(longest_, "shared_bytes") > 0) return {"memory", "l2_read"};
        return {"memory", "l2_read", "shared"};
    }

    void check_sectors(const Json& line, const std::string& kind,
                       const std::vector<std::string>& resources) {
        const double sectors = read_counter(line, (kind + "_sectors").c_str());
        const double ideal = read_counter(line, (kind + "_useful_bytes").c_str()) / kSectorBytes;
        const double total_sectors = total("load_sectors") + total("store_sectors");
        if (sectors <= ideal || total_sectors == 0) return;
        const double wasted = (sectors - ideal) / total_sectors,
                     max_fraction = find_busiest_fraction(longest_["busy"]);
        const bool is_store_bound = kind == "store" && longest_.value("binds", "") == "stores";
        if (max_fraction < kMinBusyFraction && !is_store_bound) return;
        const double saved_fraction =
            is_store_bound
                ? wasted
                : max_fraction - find_busiest_fraction(longest_["busy"], resources, wasted);
        const bool is_uncoalesced = sectors >= kMinUncoalescedRatio * ideal;
        const char* id = !is_uncoalesced  ? "partial-sectors"
                         : kind == "load" ? "uncoalesced-load"
                                          : "uncoalesced-store";
        const double requests = read_counter(line, (kind + "_requests").c_str());
        wastes_.push_back({id, &line, ms_ * saved_fraction,
                           format_value(sectors / requests) + " sectors per " + kind + ", where " +
                               format_value(ideal / requests) +
                               " would contain all of its bytes."});
    }

    void check_conflicts(const Json& line) {
        const double sectors_without_conflicts = read_counter(longest_, "ms_without_conflicts"),
                     longest = read_counter(longest_, "ms");
        if (sectors_without_conflicts <= 0 || longest <= 0) return;
        const double conflict_cost = ms_ * (1 - sectors_without_conflicts / longest);
        const double total_sectors = count_conflicts(kernel_, "load") +
                                     count_conflicts(kernel_, "store") +
                                     count_conflicts(kernel_, "atomic");
        if (total_sectors == 0) return;
        for (const char* kind : {"load", "store", "atomic"}) {
            const double conflict_passes = count_conflicts(line, kind);
            if (conflict_passes == 0) continue;
            const bool is_atomic = std::string_view(kind) == "atomic";
            wastes_.push_back(
                {is_atomic ? "atomics-contended" : "bank-conflict", &line,
                 conflict_cost * conflict_passes / total_sectors,
                 format_value(conflict_passes) + " bank conflicts of shared " + kind + "s."});
        }
    }
    static double count_conflicts(const Json& counters, const std::string& kind) {
        return read_counter(counters, ("shared_" + kind + "_wavefronts").c_str()) -
               read_counter(counters, ("shared_" + kind + "_ideal").c_str());
    }

    /// If too few bytes are in flight, reports the line at which warps wait for loads most often.
    void check_loads_in_flight() {
        const double moving_fraction = read_counter(longest_, "bytes_on_their_way"),
                     needed = read_counter(longest_, "bytes_needed");
        if (longest_.value("binds", "") != "flight" || needed <= 0) return;
        const auto& lines = kernel_["lines"];
        const auto max_fraction =
            std::max_element(lines.begin(), lines.end(), [](const Json& a, const Json& b) {
                return read_counter(a, "load_waits") < read_counter(b, "load_waits");
            });
        if (max_fraction == lines.end() || read_counter(*max_fraction, "load_waits") == 0) return;
        const double fraction =
            std::max(moving_fraction / needed, find_busiest_fraction(longest_["busy"]));
        wastes_.push_back({"one-load-in-flight", &*max_fraction, ms_ * std::max(0.0, 1 - fraction),
                           format_value(moving_fraction) +
                               " bytes are in flight per multiprocessor, but " +
                               format_value(needed) + " are needed to keep the memory busy."});
    }

    void check_barriers() {
        double total_sectors = 0;
        for (const auto& [part, cycles] : longest_["life"].items())
            total_sectors += cycles.get<double>();
        const double waiting_fraction = read_counter(longest_["life"], "barrier");
        if (total_sectors <= 0 || longest_.value("binds", "") != "barrier") return;
        wastes_.push_back({"barrier-bound", nullptr, ms_ * waiting_fraction / total_sectors,
                           "A warp waits at barriers for " +
                               format_fraction(waiting_fraction / total_sectors) +
                               " of its lifetime."});
    }

    const Json &kernel_, &predicted_, &longest_;
    double ms_;
    std::vector<LintWaste> wastes_;
};

/// Reports whether a comment in the line, or in the line above, allows the lint.
bool is_allowed(const std::string& id, const std::string& file, unsigned line) {
    const auto names_rule = [&](unsigned line_number) {
        const std::string text = line_number > 0 ? source_line({file, line_number}) : "";
        const std::size_t marker_position = text.find("coalesce: allow ");
        if (marker_position == text.npos) return false;
        const std::string list = " " + text.substr(marker_position + 15) + " ";
        return list.find(" " + id + " ") != list.npos || list.find(" " + id + ",") != list.npos;
    };
    return names_rule(line) || names_rule(line - 1);
}

Finding to_finding(const Json& kernel, const LintWaste& waste) {
    const auto rule = std::find_if(
        kLintRules.begin(), kLintRules.end(),
        [&](const LintRule& lint_rule) { return waste.id == std::string_view(lint_rule.id); });
    const double ms = read_counter(kernel["predicted"], "ms");
    char conflict_cost[64];
    std::snprintf(conflict_cost, sizeof conflict_cost, " Predicted cost: %.3g of %.3g ms.",
                  waste.ms, ms);
    Finding finding{.rule = "lint",
                    .kind = waste.id,
                    .kernel = kernel["name"],
                    .message = waste.explanation + conflict_cost + " " + rule->advice};
    if (waste.line != nullptr) {
        finding.file = shorten_path((*waste.line)["file"]);
        finding.line = (*waste.line)["line"];
    }
    finding.is_warning = true;
    return finding;
}

bool is_predicted(const Json& kernel) {
    return kernel.contains("predicted") && kernel["predicted"].contains("longest");
}

}  // namespace

std::vector<Finding> make_lint_findings(const Json& run) {
    double program_ms = 0;
    for (const Json& kernel : run["kernels"])
        if (is_predicted(kernel)) program_ms += read_counter(kernel["predicted"], "ms");
    std::vector<std::pair<double, Finding>> wastes_by_time;
    for (const Json& kernel : run["kernels"]) {
        if (!is_predicted(kernel)) continue;
        const double ms = read_counter(kernel["predicted"], "ms");
        for (const LintWaste& waste : KernelLints(kernel).find_wastes()) {
            if (waste.ms < kMinFractionOfLaunch * ms ||
                waste.ms < kMinFractionOfProgram * program_ms)
                continue;
            if (waste.line != nullptr &&
                is_allowed(waste.id, (*waste.line)["file"], (*waste.line)["line"]))
                continue;
            wastes_by_time.emplace_back(waste.ms, to_finding(kernel, waste));
        }
    }
    std::stable_sort(wastes_by_time.begin(), wastes_by_time.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Finding> lints;
    for (auto& [ms, finding] : wastes_by_time) lints.push_back(std::move(finding));
    return lints;
}

std::string lints_text(const std::vector<Finding>& lints) {
    if (lints.empty()) return "no lints: no avoidable cost takes a large part of the time\n";
    std::string text;
    for (const Finding& lint : lints) {
        const std::string place_text = format_place(lint.file, lint.line);
        text += "lint: " + lint.kind + " in " + shorten_name(lint.kernel) + "\n";
        if (!place_text.empty()) text += "  at " + place_text + "\n";
        text += wrap(lint.message, kColumns, "  ", "  ") + "\n";
    }
    return text +
           "The comment `coalesce: allow ID` on a line switches off the lint ID for this line.\n";
}

}  // namespace coalesce::simulator
