#include "learn/stops.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <regex>
#include <stdexcept>

#include "base/text.h"

namespace coalesce::learn {
namespace {

bool is_number(const std::string& operand) {
    return operand[0] == '-' || std::isdigit(static_cast<unsigned char>(operand[0]));
}

/// Names whose values describe an event of a step. A condition with such a name stops at every step
/// in which it is true.
bool is_event(const std::string& name) {
    return name == "sectors" || name == "wavefronts" || name == "arrived";
}

bool is_known_to_every_step(const std::string& name) {
    return is_event(name) || name == "lane" || name == "warp" || name == "thread" ||
           name == "waiting" || name == "in_flight";
}

/// Returns the value of a name that every step knows.
double value_in_step(const std::string& name, const Steps& steps, const Step& step, int lane) {
    double value = 0;
    if (name == "lane") return lane;
    if (name == "warp") return step.warp;
    if (name == "thread") return step.warp * kWarpLanes + lane;
    if (name == "in_flight") return static_cast<double>(step.bytes_in_flight);
    if (name == "waiting")
        for (const StepWait& wait : step.waits)
            if (wait.reason != "exited") value += std::popcount(wait.lanes);
    if (name == "arrived")
        for (const StepBarrier& barrier : step.barriers)
            value = std::max(value, static_cast<double>(barrier.arrived));
    if (name == "sectors" || name == "wavefronts")
        for (const StepAccess& access : step.accesses)
            if (steps.arrays.at(access.array).is_shared == (name == "wavefronts") &&
                access.lanes >> lane & 1)
                value = std::max(value, static_cast<double>(access.cost));
    return value;
}

/// Returns a recorded value as a number, or NaN if it is not a number.
double to_number(const std::string& text) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end ? NAN : value;
}

/// Compares two numbers. The result is false if a variable has no value yet, which is NaN here.
bool compare_numbers(double left, const std::string& comparator, double right) {
    if (std::isnan(left) || std::isnan(right)) return false;
    if (comparator == "==") return left == right;
    if (comparator == "!=") return left != right;
    if (comparator == "<") return left < right;
    if (comparator == "<=") return left <= right;
    if (comparator == ">") return left > right;
    return left >= right;
}

class StopFinder {
public:
    StopFinder(const Steps& steps, const std::vector<Stop>& stops) : steps_(steps), stops_(stops) {
        for (const Stop& stop : stops)
            for (const Comparison& comparison : stop.comparisons)
                for (const std::string& name : {comparison.left, comparison.right})
                    require_name(name);
    }

    std::vector<std::size_t> find_all_stops() {
        std::vector<std::size_t> found_steps;
        for (std::size_t step_index = 0; step_index < steps_.all_steps.size(); ++step_index) {
            const Step& step = steps_.all_steps[step_index];
            apply_changes(step);
            bool stops = false;
            for (std::size_t k = 0; k < stops_.size(); ++k) stops |= stops_at(k, step);
            if (stops) found_steps.push_back(step_index);
        }
        return found_steps;
    }

private:
    void require_name(const std::string& name) const {
        const bool is_known = is_number(name) || is_known_to_every_step(name) ||
                              std::any_of(steps_.variables.begin(), steps_.variables.end(),
                                          [&](const StepVariable& v) { return v.name == name; });
        if (!is_known) throw std::runtime_error("the kernel has no variable " + name);
    }

    void apply_changes(const Step& step) {
        for (const StepChange& change : step.changes) {
            LaneValues& values = values_[{step.warp, change.variable}];
            std::size_t next_value = 0;
            for (std::size_t lane = 0; lane < values.size(); ++lane)
                if (change.lanes >> lane & 1) values[lane] = change.values.at(next_value++);
        }
    }

    bool stops_at(std::size_t number, const Step& step) {
        const Stop& stop = stops_[number];
        if (stop.line && stop.line != step.line) return false;
        std::uint32_t lanes = 0;
        for (int lane = 0; lane < kWarpLanes; ++lane)
            if ((step.active >> lane & 1) && is_met(stop, step, lane)) lanes |= 1u << lane;
        if (stop.line) return lanes != 0;
        std::uint32_t& lanes_before = before_[{step.warp, number}];
        const std::uint32_t new_lanes = lanes & ~lanes_before;
        lanes_before = (lanes_before & ~step.active) | lanes;
        const bool has_event = std::any_of(
            stop.comparisons.begin(), stop.comparisons.end(), [](const Comparison& comparison) {
                return is_event(comparison.left) || is_event(comparison.right);
            });
        return (has_event ? lanes : new_lanes) != 0;
    }

    bool is_met(const Stop& stop, const Step& step, int lane) const {
        return std::all_of(
            stop.comparisons.begin(), stop.comparisons.end(), [&](const Comparison& comparison) {
                return compare_numbers(value_of(comparison.left, step, lane), comparison.comparator,
                                       value_of(comparison.right, step, lane));
            });
    }

    double value_of(const std::string& operand, const Step& step, int lane) const {
        if (is_number(operand)) return to_number(operand);
        for (std::size_t k = 0; k < steps_.variables.size(); ++k) {
            const StepVariable& variable = steps_.variables[k];
            if (variable.name != operand || !steps_.is_in_scope(variable, step)) continue;
            const auto found_values = values_.find({step.warp, k});
            if (found_values == values_.end()) continue;
            const std::string& value = found_values->second[static_cast<std::size_t>(lane)];
            if (!value.empty()) return to_number(value);
        }
        return is_known_to_every_step(operand) ? value_in_step(operand, steps_, step, lane) : NAN;
    }

    const Steps& steps_;
    const std::vector<Stop>& stops_;
    std::map<std::pair<int, std::size_t>, LaneValues> values_;  ///< by warp and variable
    /// the lanes in which each stop was true, by warp and stop
    std::map<std::pair<int, std::size_t>, std::uint32_t> before_;
};

}  // namespace

std::vector<Stop> parse_stops(const std::string& text) {
    static const std::string operand_pattern =
        R"((-?\d+(?:\.\d+)?|[A-Za-z_]\w*(?:\[\d+\]|\.\w+)*))";
    static const std::regex comparison("\\s*" + operand_pattern + R"(\s*(==|!=|<=|>=|<|>)\s*)" +
                                       operand_pattern + "\\s*");
    static const std::regex with_line(R"(\s*(\d{1,6})\s*(?::|$)(.*))");
    std::vector<Stop> stops;
    std::string remaining_text = text + ";";
    for (std::size_t end; (end = remaining_text.find_first_of(";,")) != remaining_text.npos;) {
        const std::string stop_text = trimmed(remaining_text.substr(0, end));
        remaining_text = remaining_text.substr(end + 1);
        if (stop_text.empty()) continue;
        Stop stop;
        std::smatch match;
        std::string condition = stop_text;
        if (std::regex_match(stop_text, match, with_line)) {
            stop.line = std::stoi(match[1]);
            condition = trimmed(match[2]);
        }
        while (!condition.empty()) {
            const std::size_t condition_end = std::min(condition.find("&&"), condition.size());
            const std::string part = condition.substr(0, condition_end);
            if (!std::regex_match(part, match, comparison))
                throw std::runtime_error(
                    "write a line, such as 12, or a condition, such as row == 5, in place of " +
                    stop_text);
            stop.comparisons.push_back({match[1], match[2], match[3]});
            condition = condition_end < condition.size() ? condition.substr(condition_end + 2) : "";
        }
        stops.push_back(std::move(stop));
    }
    return stops;
}

std::vector<std::size_t> find_stops(const Steps& steps, const std::vector<Stop>& stops) {
    return StopFinder(steps, stops).find_all_stops();
}

}  // namespace coalesce::learn
