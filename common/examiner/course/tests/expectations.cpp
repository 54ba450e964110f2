#include "expectations.h"

#include <algorithm>
#include <cstdint>

#include "harness/text.h"

namespace coalesce::course {
namespace {

using nlohmann::json;

std::string in_words(double number) {
    return format("%g", number);
}

// Compares a cost with the expected cost. `key` is one of kCounterNamesToExpect. Returns a sentence
// about the difference, or "" if the costs are equal.
std::string compare_cost(const Variant& variant, const std::string& key, const json& counters) {
    const std::string unit = key.starts_with("shared") ? "wavefronts" : "sectors";
    auto requests = counters.at(key + "_requests").get<std::uint64_t>();
    auto cost = counters.at(key + "_" + unit).get<std::uint64_t>();
    auto expected = variant.expected_costs.find(key);
    std::string counted =
        std::to_string(cost) + " " + unit + " in " + std::to_string(requests) + " requests";
    if (requests != 0) counted += " (" + in_words(double(cost) / double(requests)) + " each)";
    if (expected == variant.expected_costs.end()) {
        if (requests == 0) return "";
        return key + " is not expected, but it has " + counted + "; add it to `expect`";
    }
    // The counters are far below 2^53, so doubles represent them exactly.
    if (requests != 0 && double(requests) * expected->second == double(cost)) return "";
    return key + " is to cost " + in_words(expected->second) + " " + unit +
           " per request, but has " + counted;
}

void compare_variant(const Step& step, const Variant& variant, const json& result,
                     std::vector<std::string>& differences) {
    std::string where =
        step.name + ", " + variant.name + " (lesson.toml:" + std::to_string(variant.line) + "): ";
    if (!result.value("verified", false)) {
        differences.push_back(where + "its result was not verified");
    }
    bool counted = result.contains("counters") && !result["counters"].is_null();
    if (variant.kernel.empty()) return;
    if (!counted) {
        differences.push_back(where + "has no counters");
        return;
    }
    for (const char* key : kCounterNamesToExpect) {
        std::string difference = compare_cost(variant, key, result["counters"]);
        if (!difference.empty()) differences.push_back(where + difference);
    }
}

}  // namespace

std::vector<std::string> differences(const Step& step, const json& results) {
    std::vector<std::string> differences;
    std::vector<json> of_step;
    std::ranges::copy_if(results, std::back_inserter(of_step),
                         [&](const json& result) { return result.value("step", "") == step.name; });
    size_t common = std::min(of_step.size(), step.variants.size());
    for (size_t i = 0; i < common; ++i) {
        std::string ran = of_step[i].value("variant", "");
        if (ran == step.variants[i].name) {
            compare_variant(step, step.variants[i], of_step[i], differences);
            continue;
        }
        differences.push_back(step.name + ": variant " + std::to_string(i + 1) + " is \"" + ran +
                              "\" in its program, but \"" + step.variants[i].name +
                              "\" in lesson.toml:" + std::to_string(step.variants[i].line));
    }
    for (size_t i = common; i < of_step.size(); ++i) {
        differences.push_back(step.name + ": lesson.toml has no variant \"" +
                              of_step[i].value("variant", "") + "\"");
    }
    for (size_t i = common; i < step.variants.size(); ++i) {
        differences.push_back(step.name + ": its program did not run \"" + step.variants[i].name +
                              "\" of lesson.toml:" + std::to_string(step.variants[i].line));
    }
    return differences;
}

}  // namespace coalesce::course
