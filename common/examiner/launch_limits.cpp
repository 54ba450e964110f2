#include "examiner/launch_limits.h"

#include "harness/text.h"

namespace coalesce {

double elements_of(Shape shape) {
    return static_cast<double>(shape.rows) * static_cast<double>(shape.cols);
}

std::uint64_t instruction_budget(Shape shape, double warps, bool prints) {
    // Instructions to allow for each thread that prints a few lines, and for each element.
    constexpr double for_lines = 600;
    const double lines = prints ? for_lines * (elements_of(shape) + 32 * warps) : 0;
    return static_cast<std::uint64_t>(lines) + 50'000 +
           100 * static_cast<std::uint64_t>(elements_of(shape)) +
           500 * static_cast<std::uint64_t>(warps);
}

double threads_of(const LaunchShape& launch) {
    return static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
           static_cast<double>(launch.grid[2]) * static_cast<double>(launch.threads());
}

Failure far_too_large(const LaunchShape& launch, Shape shape, const std::string& file) {
    if (threads_of(launch) <= 500'000 + 64 * elements_of(shape)) return {};
    return {.kind = FailureKind::bad_launch,
            .headline = format("configure(%d, %d) gives %.0f threads for %.0f %s.", shape.rows,
                               shape.cols, threads_of(launch), elements_of(shape),
                               elements_of(shape) == 1 ? "element" : "elements"),
            .place = {file, 0, 0},
            .shape = shape,
            .details = wrap("It is " + launch.text() + "."),
            .next = "Divide rows and cols by the side of the tile: ceil_div(cols, 32)."};
}

}  // namespace coalesce
