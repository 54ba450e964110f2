#include "book/recorder/launch_rule.h"

#include <algorithm>
#include <iterator>

namespace coalesce::recorder {
namespace {

using nlohmann::ordered_json;

/// A quantity, such as the number of rows, that may determine how many blocks the grid has along an
/// axis.
struct Extent {
    const char* name;
    std::int64_t (*of)(const ObservedLaunch& sample, unsigned tile);
    unsigned tile = 0;
};
constexpr std::int64_t divide_rounding_up(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}
constexpr std::int64_t count_tiles(const ObservedLaunch& sample, unsigned tile) {
    return divide_rounding_up(sample.rows, tile) * divide_rounding_up(sample.cols, tile);
}
// The quantities to try, beginning with the simplest.
constexpr Extent kTriedExtents[] = {
    {"one", [](const ObservedLaunch&, unsigned) -> std::int64_t { return 1; }},
    {"rows", [](const ObservedLaunch& sample, unsigned) -> std::int64_t { return sample.rows; }},
    {"cols", [](const ObservedLaunch& sample, unsigned) -> std::int64_t { return sample.cols; }},
    {"elements", [](const ObservedLaunch& sample,
                    unsigned) { return std::int64_t{sample.rows} * sample.cols; }},
    {"tiles", count_tiles, 16},
    {"tiles", count_tiles, 32},
    {"tiles", count_tiles, 64},
    {"tiles", count_tiles, 128},
};
constexpr unsigned kMaxExtentIncrement = 64, kTriedBlockFactors[] = {1, 2, 4, 8};

/// Finds a `size` such that min(ceil((extent + plus) / size) * times, most) equals the number of
/// blocks along `axis` in every sample. Returns 0 if there is no such size.
unsigned find_block_extent(const std::vector<ObservedLaunch>& samples, std::size_t axis,
                           const Extent& extent, unsigned plus, unsigned times, std::int64_t most) {
    constexpr unsigned largest = 4096;
    for (unsigned size = 1; size <= largest; ++size) {
        const bool fits =
            std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
                const std::int64_t covered = extent.of(sample, extent.tile) + plus;
                return std::min(divide_rounding_up(covered, size) * times, most) ==
                       sample.launch.grid[axis];
            });
        if (fits) return size;
    }
    return 0;
}

/// Returns the rule for one axis of the grid, or null if there is none.
ordered_json find_grid_axis_rule(const std::vector<ObservedLaunch>& samples, std::size_t axis,
                                 std::int64_t most) {
    for (const unsigned times : kTriedBlockFactors) {
        for (unsigned plus = 0; plus < kMaxExtentIncrement; ++plus) {
            for (const Extent& extent : kTriedExtents) {
                const unsigned size = find_block_extent(samples, axis, extent, plus, times, most);
                if (size == 0) continue;
                ordered_json found = {{"of", extent.name}, {"size", size}};
                if (extent.tile != 0) found["tile"] = extent.tile;
                if (plus != 0) found["plus"] = plus;
                if (times != 1) found["times"] = times;
                return found;
            }
        }
    }
    return nullptr;
}

ordered_json find_grid_axis_rule(const std::vector<ObservedLaunch>& samples, std::size_t axis) {
    constexpr std::int64_t no_limit = std::int64_t{1} << 40;
    if (ordered_json rule = find_grid_axis_rule(samples, axis, no_limit); !rule.is_null())
        return rule;
    // The blocks may be persistent. In that case, there are at most as many blocks as can be
    // resident on the device.
    unsigned most = 0;
    std::size_t reached = 0;
    for (const ObservedLaunch& sample : samples) most = std::max(most, sample.launch.grid[axis]);
    for (const ObservedLaunch& sample : samples) reached += sample.launch.grid[axis] == most;
    ordered_json rule = find_grid_axis_rule(samples, axis, most);
    // If only one sample reaches this number of blocks, the number may not be a limit, because
    // larger shapes may have more blocks.
    if (rule.is_null() || reached < 2)
        throw NoLaunchRule("its grid size is not a simple function of the shape");
    rule["most"] = most;
    return rule;
}

/// Finds the quantity, such as "rows", whose value an argument of the kernel has in all samples.
/// First tries the quantity that is usual at the argument's position.
ordered_json find_argument_rule(const std::vector<ObservedLaunch>& samples, std::size_t place) {
    struct Named {
        const char* name;
        bool is_pointer;
        std::int64_t (*of)(const ObservedLaunch& sample);
    };
    static constexpr Named usual[] = {
        {"out", true, [](const ObservedLaunch& sample) { return sample.out_address; }},
        {"in", true, [](const ObservedLaunch& sample) { return sample.in_address; }},
        {"rows", false, [](const ObservedLaunch& sample) -> std::int64_t { return sample.rows; }},
        {"cols", false, [](const ObservedLaunch& sample) -> std::int64_t { return sample.cols; }},
    };
    const auto is_it = [&](const Named& named) {
        return std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
            const Argument& given = sample.launch.arguments.at(place);
            return given.is_pointer == named.is_pointer && given.value == named.of(sample);
        });
    };
    if (place < std::size(usual) && is_it(usual[place])) return usual[place].name;
    for (const Named& named : usual) {
        if (is_it(named)) return named.name;
    }
    const Argument& first = samples.front().launch.arguments.at(place);
    const bool is_constant =
        !first.is_pointer &&
        std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
            return sample.launch.arguments.at(place).value == first.value;
        });
    if (!is_constant) throw NoLaunchRule("the host computes one of its arguments");
    return first.value;
}

ordered_json rule(const std::vector<ObservedLaunch>& samples) {
    const LaunchShape& first = samples.at(0).launch;
    for (const ObservedLaunch& sample : samples) {
        if (sample.launch.kernel != first.kernel || sample.launch.block != first.block ||
            sample.launch.shared_bytes != first.shared_bytes) {
            throw NoLaunchRule(
                "the host chooses the kernel, block size or shared memory for each matrix shape");
        }
    }
    ordered_json grid = ordered_json::array(), arguments = ordered_json::array();
    for (std::size_t axis = 0; axis < 3; ++axis) grid.push_back(find_grid_axis_rule(samples, axis));
    for (std::size_t place = 0; place < first.arguments.size(); ++place) {
        arguments.push_back(find_argument_rule(samples, place));
    }
    return {{"kernel", first.kernel}, {"function", first.function},
            {"block", first.block},   {"shared", first.shared_bytes},
            {"grid", grid},           {"arguments", arguments}};
}

}  // namespace

ordered_json find_launch_rule(const std::vector<ObservedLaunch>& samples) {
    // Some programs launch a different kernel if the matrix has as many rows of tiles as columns of
    // tiles. The size of the tiles does not matter for this distinction.
    std::vector<ObservedLaunch> square, other;
    for (const ObservedLaunch& sample : samples) {
        (sample.launch.grid[0] == sample.launch.grid[1] ? square : other).push_back(sample);
    }
    if (square.empty() || other.empty()) {
        const ordered_json one = rule(samples);
        return {{"square", one}, {"other", one}};
    }
    // The grid must follow the same rule in both cases. Only the kernel may differ.
    const ordered_json of_other = rule(other);
    ordered_json of_square = of_other;
    of_square["kernel"] = square.front().launch.kernel;
    of_square["function"] = square.front().launch.function;
    std::vector<ObservedLaunch> renamed = samples;
    for (ObservedLaunch& sample : renamed) sample.launch.kernel.clear();
    rule(renamed);
    rule(square);
    return {{"square", of_square}, {"other", of_other}};
}

}  // namespace coalesce::recorder
