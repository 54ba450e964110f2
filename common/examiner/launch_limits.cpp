#include "examiner/launch_limits.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {

double element_count(Shape shape) {
    return static_cast<double>(shape.rows) * static_cast<double>(shape.cols) *
           std::max(shape.depth, 1);
}

std::uint64_t instruction_budget(Shape shape, double warps, bool can_print) {
    // The additional instructions that a printing kernel may execute per thread and per element.
    constexpr double line_instructions = 600;
    const double lines = can_print ? line_instructions * (element_count(shape) + 32 * warps) : 0;
    return static_cast<std::uint64_t>(lines) + 50'000 +
           100 * static_cast<std::uint64_t>(element_count(shape)) +
           500 * static_cast<std::uint64_t>(warps);
}

double thread_count(const LaunchShape& launch) {
    return static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
           static_cast<double>(launch.grid[2]) * static_cast<double>(launch.threads());
}

Failure find_oversized_grid(const LaunchShape& launch, Shape shape, const std::string& file) {
    if (thread_count(launch) <= 500'000 + 64 * element_count(shape)) return {};
    return {.kind = FailureKind::bad_launch,
            .headline = format("configure(%d, %d) gives %.0f threads for %.0f %s.", shape.rows,
                               shape.cols, thread_count(launch), element_count(shape),
                               element_count(shape) == 1 ? "element" : "elements"),
            .place = {file, 0, 0},
            .shape = shape,
            .details = wrap("The launch is " + launch.text() + "."),
            .advice =
                "Count blocks, not elements: divide cols by the number of columns that one block "
                "processes, and rows by its number of rows, with ceil_div."};
}

}  // namespace coalesce
