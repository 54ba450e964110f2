#include "examiner/elements/input_axes.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace coalesce {

Axes axes_of(const Parameter& array, const ElementTask& task, Shape shape) {
    Axes axes;
    for (const std::string& extent : array.extents) {
        std::string factor;
        for (const char c : extent + "*") {
            if (c != '*') {
                factor += c;
                continue;
            }
            axes.names.push_back(trimmed(factor));
            factor.clear();
        }
    }
    for (const std::string& name : axes.names) {
        const auto size = task.find_size(name, shape);
        if (!size) return {};
        axes.lengths.push_back(*size);
    }
    return axes;
}

std::string gather(const std::string& bytes, std::size_t element, const Axes& axes,
                   const std::string& name, const std::vector<std::int64_t>& indices) {
    std::string kept;
    const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t axis,
                                                                     std::int64_t index) {
        if (axis == axes.names.size()) {
            if (index < 0) {
                kept.append(element, '\0');
            } else {
                kept.append(bytes, static_cast<std::size_t>(index) * element, element);
            }
            return;
        }
        const auto deeper = [&](std::int64_t at) {
            const bool is_zero = index < 0 || at < 0;
            visit(axis + 1, is_zero ? kZeroElement : index * axes.lengths[axis] + at);
        };
        if (axes.names[axis] == name) {
            for (const std::int64_t at : indices) deeper(at);
        } else {
            for (std::int64_t at = 0; at < axes.lengths[axis]; ++at) deeper(at);
        }
    };
    visit(0, 0);
    return kept;
}

std::int64_t count_reference_runs(std::uint64_t instructions) {
    constexpr std::uint64_t most_instructions = 30'000'000, least = 8, most = 200;
    return static_cast<std::int64_t>(
        std::clamp(most_instructions / std::max<std::uint64_t>(instructions, 1), least, most));
}

}  // namespace coalesce
