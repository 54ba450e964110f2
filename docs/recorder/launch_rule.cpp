#include "recorder/launch_rule.h"

#include <algorithm>
#include <stdexcept>

namespace coalesce::recorder {
namespace {

using nlohmann::ordered_json;

/// What the blocks of an axis can cover.
struct Extent {
    const char* name;
    unsigned (*of)(const Sample& sample);
};
constexpr Extent extents[] = {
    {"one", [](const Sample&) { return 1u; }},
    {"rows", [](const Sample& sample) { return static_cast<unsigned>(sample.rows); }},
    {"cols", [](const Sample& sample) { return static_cast<unsigned>(sample.cols); }},
    {"elements",
     [](const Sample& sample) { return static_cast<unsigned>(sample.rows * sample.cols); }},
};

/// The size of the pieces that cover `extent` in every sample, or 0.
unsigned piece_size(const std::vector<Sample>& samples, std::size_t axis, const Extent& extent) {
    constexpr unsigned largest = 4096;
    for (unsigned size = 1; size <= largest; ++size) {
        const bool fits = std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
            return (extent.of(sample) + size - 1) / size == sample.launch.grid[axis];
        });
        if (fits) return size;
    }
    return 0;
}

ordered_json axis_rule(const std::vector<Sample>& samples, std::size_t axis,
                       const std::string& variant) {
    for (const Extent& extent : extents) {
        if (const unsigned size = piece_size(samples, axis, extent)) return {extent.name, size};
    }
    throw std::runtime_error(variant + ": axis " + std::to_string(axis) +
                             " of its grid covers neither rows, columns nor elements");
}

ordered_json rule(const std::vector<Sample>& samples, const std::string& variant) {
    const LaunchShape& first = samples.at(0).launch;
    for (const Sample& sample : samples) {
        if (sample.launch.kernel != first.kernel || sample.launch.block != first.block ||
            sample.launch.shared != first.shared) {
            throw std::runtime_error(variant +
                                     ": its kernel, block or shared memory depends on the shape");
        }
    }
    ordered_json grid = ordered_json::array();
    for (std::size_t axis = 0; axis < 3; ++axis) grid.push_back(axis_rule(samples, axis, variant));
    return {
        {"kernel", first.kernel}, {"block", first.block}, {"shared", first.shared}, {"grid", grid}};
}

}  // namespace

ordered_json launch_rule(const std::vector<Sample>& samples, const std::string& variant) {
    // As many tiles across as down, of whatever size they are: that is all that a launch may ask.
    std::vector<Sample> square, other;
    for (const Sample& sample : samples) {
        (sample.launch.grid[0] == sample.launch.grid[1] ? square : other).push_back(sample);
    }
    if (square.empty() || other.empty()) {
        const ordered_json one = rule(samples, variant);
        return {{"square", one}, {"other", one}};
    }
    // Grids that happen to be square follow the same rule; only the kernel may be another one.
    ordered_json of_square = rule(other, variant);
    of_square["kernel"] = square.front().launch.kernel;
    const ordered_json of_other = rule(other, variant);
    std::vector<Sample> renamed = samples;
    for (Sample& sample : renamed) sample.launch.kernel.clear();
    rule(renamed, variant);
    rule(square, variant);
    return {{"square", of_square}, {"other", of_other}};
}

}  // namespace coalesce::recorder
