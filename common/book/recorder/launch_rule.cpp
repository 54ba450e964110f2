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
    std::int64_t (*compute)(const ObservedLaunch& sample, unsigned tile);
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
unsigned find_block_size(const std::vector<ObservedLaunch>& samples, std::size_t axis,
                         const Extent& extent, unsigned increment, unsigned factor,
                         std::int64_t max_blocks) {
    constexpr unsigned max_tried_size = 4096;
    for (unsigned size = 1; size <= max_tried_size; ++size) {
        const bool matches_samples =
            std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
                const std::int64_t increased_extent =
                    extent.compute(sample, extent.tile) + increment;
                return std::min(divide_rounding_up(increased_extent, size) * factor, max_blocks) ==
                       sample.launch.grid[axis];
            });
        if (matches_samples) return size;
    }
    return 0;
}

/// Returns the rule for one axis of the grid, or null if there is none.
ordered_json find_grid_axis_rule(const std::vector<ObservedLaunch>& samples, std::size_t axis,
                                 std::int64_t max_blocks) {
    for (const unsigned factor : kTriedBlockFactors) {
        for (unsigned increment = 0; increment < kMaxExtentIncrement; ++increment) {
            for (const Extent& extent : kTriedExtents) {
                const unsigned size =
                    find_block_size(samples, axis, extent, increment, factor, max_blocks);
                if (size == 0) continue;
                ordered_json grid_rule = {{"of", extent.name}, {"size", size}};
                if (extent.tile != 0) grid_rule["tile"] = extent.tile;
                if (increment != 0) grid_rule["plus"] = increment;
                if (factor != 1) grid_rule["times"] = factor;
                return grid_rule;
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
    unsigned max_blocks = 0;
    std::size_t samples_at_max = 0;
    for (const ObservedLaunch& sample : samples)
        max_blocks = std::max(max_blocks, sample.launch.grid[axis]);
    for (const ObservedLaunch& sample : samples)
        samples_at_max += sample.launch.grid[axis] == max_blocks;
    ordered_json rule = find_grid_axis_rule(samples, axis, max_blocks);
    // If only one sample reaches this number of blocks, the number may not be a limit, because
    // larger shapes may have more blocks.
    if (rule.is_null() || samples_at_max < 2)
        throw NoLaunchRule("its grid size is not a simple function of the shape");
    rule["most"] = max_blocks;
    return rule;
}

/// Finds the quantity, such as "rows", whose value an argument of the kernel has in all samples.
/// First tries the quantity that is usual at the argument's position.
ordered_json find_argument_rule(const std::vector<ObservedLaunch>& samples, std::size_t position) {
    struct NamedQuantity {
        const char* name;
        bool is_pointer;
        std::int64_t (*compute)(const ObservedLaunch& sample);
    };
    static constexpr NamedQuantity usual_quantities[] = {
        {"out", true, [](const ObservedLaunch& sample) { return sample.out_address; }},
        {"in", true, [](const ObservedLaunch& sample) { return sample.in_address; }},
        {"rows", false, [](const ObservedLaunch& sample) -> std::int64_t { return sample.rows; }},
        {"cols", false, [](const ObservedLaunch& sample) -> std::int64_t { return sample.cols; }},
    };
    const auto equals_argument = [&](const NamedQuantity& quantity) {
        return std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
            const Argument& argument = sample.launch.arguments.at(position);
            return argument.is_pointer == quantity.is_pointer &&
                   argument.value == quantity.compute(sample);
        });
    };
    if (position < std::size(usual_quantities) && equals_argument(usual_quantities[position]))
        return usual_quantities[position].name;
    for (const NamedQuantity& quantity : usual_quantities) {
        if (equals_argument(quantity)) return quantity.name;
    }
    const Argument& first_argument = samples.front().launch.arguments.at(position);
    const bool is_constant =
        !first_argument.is_pointer &&
        std::all_of(samples.begin(), samples.end(), [&](const ObservedLaunch& sample) {
            return sample.launch.arguments.at(position).value == first_argument.value;
        });
    if (!is_constant) throw NoLaunchRule("the host computes one of its arguments");
    return first_argument.value;
}

ordered_json derive_rule(const std::vector<ObservedLaunch>& samples) {
    const LaunchShape& first_launch = samples.at(0).launch;
    for (const ObservedLaunch& sample : samples) {
        if (sample.launch.kernel != first_launch.kernel ||
            sample.launch.block != first_launch.block ||
            sample.launch.shared_bytes != first_launch.shared_bytes) {
            throw NoLaunchRule(
                "the host chooses the kernel, block size or shared memory for each matrix shape");
        }
    }
    ordered_json grid = ordered_json::array(), arguments = ordered_json::array();
    for (std::size_t axis = 0; axis < 3; ++axis) grid.push_back(find_grid_axis_rule(samples, axis));
    for (std::size_t position = 0; position < first_launch.arguments.size(); ++position) {
        arguments.push_back(find_argument_rule(samples, position));
    }
    return {{"kernel", first_launch.kernel},
            {"function", first_launch.function},
            {"block", first_launch.block},
            {"shared", first_launch.shared_bytes},
            {"grid", grid},
            {"arguments", arguments}};
}

}  // namespace

ordered_json find_launch_rule(const std::vector<ObservedLaunch>& samples) {
    // Some programs launch a different kernel if the matrix has as many rows of tiles as columns of
    // tiles. The size of the tiles does not matter for this distinction.
    std::vector<ObservedLaunch> square_samples, nonsquare_samples;
    for (const ObservedLaunch& sample : samples) {
        (sample.launch.grid[0] == sample.launch.grid[1] ? square_samples : nonsquare_samples)
            .push_back(sample);
    }
    if (square_samples.empty() || nonsquare_samples.empty()) {
        const ordered_json common_rule = derive_rule(samples);
        return {{"square", common_rule}, {"other", common_rule}};
    }
    // The grid must follow the same rule in both cases. Only the kernel may differ.
    const ordered_json nonsquare_rule = derive_rule(nonsquare_samples);
    ordered_json square_rule = nonsquare_rule;
    square_rule["kernel"] = square_samples.front().launch.kernel;
    square_rule["function"] = square_samples.front().launch.function;
    std::vector<ObservedLaunch> unnamed_samples = samples;
    for (ObservedLaunch& sample : unnamed_samples) sample.launch.kernel.clear();
    derive_rule(unnamed_samples);
    derive_rule(square_samples);
    return {{"square", square_rule}, {"other", nonsquare_rule}};
}

}  // namespace coalesce::recorder
