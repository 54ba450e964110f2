// Finds mistakes in the lanes that shuffles combine.
#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/launch_shape.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

constexpr int kWarpLanes = 32;

/// Returns the offsets of a loop such as `for (int offset = 16; offset > 0; offset /= 2)`. Returns
/// none if the header is unusual.
std::vector<long long> list_offsets(const std::string& text, const std::string& header) {
    static const TextPattern pattern(
        R"(\bfor\s*\(\s*(?:int|unsigned)\s+(\w+)\s*=\s*([^;]*);\s*\w+\s*(<=?|>=?|!=)?\s*([^;]*);\s*\w+\s*([*/]|<<|>>)=\s*(\d+)\s*\))");
    TextMatch match;
    if (!search(header, match, pattern)) return {};
    const auto start = constant_value(text, match.str(2)),
               bound = match[3].matched ? constant_value(text, match.str(4)) : 0;
    const std::string test = match.str(3), change = match.str(5);
    const long long number = std::stoll(match.str(6).substr(0, 2));
    if (!start || !bound || number < 1) return {};
    const auto goes_on = [&](long long offset) {
        if (test == "<") return offset < *bound;
        if (test == "<=") return offset <= *bound;
        if (test == ">") return offset > *bound;
        if (test == ">=") return offset >= *bound;
        return offset != *bound;
    };
    std::vector<long long> offsets;
    for (long long offset = *start; goes_on(offset) && offset > 0 && offset < kWarpLanes;) {
        offsets.push_back(offset);
        const long long factor = change == "<<" || change == ">>" ? 1LL << number : number;
        if (factor < 2 || offsets.size() > kWarpLanes) return {};
        offset = change == "*" || change == "<<" ? offset * factor : offset / factor;
    }
    return offsets;
}

}  // namespace

LineMistake find_short_shuffle(const std::string& text) {
    static const TextPattern shuffle(R"(\b__shfl_(?:down|xor)_sync\s*\()");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(text);
    const Loop* only_loop = nullptr;
    for (const TextMatch& match : find_matches(code, shuffle)) {
        const Loop* loop = find_innermost_loop(loops, line_of_match(code, match));
        if (!loop || (only_loop && only_loop != loop)) return {};
        only_loop = loop;
    }
    if (!only_loop) return {};
    const std::vector<long long> offsets =
        list_offsets(text, code_on_line(text, only_loop->first_line));
    long long lanes = 1;
    for (const long long offset : offsets) lanes += offset;
    const bool are_powers = lanes > 1 && (lanes & (lanes - 1)) == 0;
    if (!are_powers || lanes >= kWarpLanes) return {};
    std::string list;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        list += (i == 0                    ? ""
                 : i + 1 == offsets.size() ? " and "
                                           : ", ") +
                std::to_string(offsets[i]);
    }
    return {only_loop->first_line,
            "the shuffles with the offsets " + list + " combine only " + std::to_string(lanes) +
                " lanes, but a warp has 32.",
            "The offsets must include every power of two up to 16, half the number of lanes."};
}

LineMistake find_store_by_all_lanes(const std::string& text, int line, const LaunchShape& launch) {
    static const TextPattern shuffle(R"(\b(\w+)\s*\+=\s*__shfl_down_sync\s*\([^,]*,\s*(\w+)\s*,)");
    static const TextPattern stored(R"(\]\s*=\s*(\w+)\s*;)");
    static const TextPattern lane(
        R"(\b(\w+)\s*=\s*(?:int\()?threadIdx\.x\)?\s*(?:%\s*\w+\s*)?[;,])");
    const std::string code = code_for_search(text), store = code_on_line(text, line);
    TextMatch match, value;
    if (!search(code, match, shuffle) || match.str(1) != match.str(2) ||
        line_of_match(code, match) >= line || !search(store, value, stored) ||
        value.str(1) != match.str(1))
        return {};
    for (const Condition& condition : find_conditions(text, line)) {
        const std::string expanded = expand(text, condition.text, condition.line);
        if (!condition.is_exit && expanded.find("threadIdx.x") != expanded.npos) return {};
    }
    const std::string one_lane = search(code, match, lane)       ? match.str(1)
                                 : launch.block[0] == kWarpLanes ? "threadIdx.x"
                                                                 : "threadIdx.x % 32";
    return {line,
            "all 32 lanes of a warp store " + add_backticks(value.str(1)) +
                " to the same element, but after shuffles down only lane 0 has the sum of all "
                "lanes.",
            "Store in lane 0 alone: " + add_backticks("if (" + one_lane + " == 0)") + "."};
}

LineMistake find_lane_along_y(const std::string& text, const LaunchShape& launch) {
    static const TextPattern lane(R"(\b(\w+)\s*=\s*(?:int\()?threadIdx\.y\)?\s*[;,])");
    static const TextPattern shuffle(R"(\b__shfl_(?:down|up|xor)?_?sync\s*\()");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (launch.block[0] >= kWarpLanes || launch.block[0] < 2 || launch.block[1] != kWarpLanes ||
        !contains(code, shuffle) || !search(code, match, lane))
        return {};
    const std::string width = std::to_string(launch.block[0]);
    return {line_of_match(code, match),
            add_backticks(match.str(1)) +
                " is threadIdx.y, but a warp consists of 32 threads that "
                "are neighbours along x: in a block of " +
                format_product(launch.block[0], launch.block[1]) +
                " threads, each warp has threads with " + width +
                " values of threadIdx.x, and the shuffles combine all of them.",
            "Let threadIdx.x count the lanes and threadIdx.y the warps, and make the block 32 "
            "threads wide."};
}

LineMistake find_exchanged_lane(const std::string& text) {
    static const TextPattern wrong(
        R"(\b(lane|warp)\s*=\s*(?:int\()?threadIdx\.x\)?\s*([/%])\s*(32|LANES|WARP_SIZE|warpSize)\b)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, wrong)) {
        const bool is_lane = match.str(1) == "lane";
        if (is_lane != (match.str(2) == "/")) continue;
        const std::string value = "threadIdx.x " + match.str(2) + " " + match.str(3);
        return {line_of_match(code, match),
                add_backticks(match.str(1)) + " is " + value + ", but this is the number of the " +
                    (is_lane ? "warp" : "lane") + ".",
                "The lane is the remainder, threadIdx.x % 32, and the warp the quotient, "
                "threadIdx.x / 32."};
    }
    return {};
}

}  // namespace coalesce
