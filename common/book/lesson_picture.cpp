#include "lesson_picture.h"

#include <cmath>
#include <functional>

#include "measured.h"

namespace coalesce::book {
namespace {

/// The distance between two cells, and the size of a cell, in the units of the drawings.
constexpr int kPitchPixels = 17, kCellPixels = 15;

/// A function that reports whether a cell holds an element of the warp.
using IsElementOfWarp = std::function<bool(int row, int col)>;

std::string cells_svg(int rows, int cols, const IsElementOfWarp& is_chosen) {
    std::string svg = "<svg viewBox=\"0 0 " +
                      std::to_string(cols * kPitchPixels - kPitchPixels + kCellPixels) + " " +
                      std::to_string(rows * kPitchPixels - kPitchPixels + kCellPixels) +
                      "\" style=\"--cols: " + std::to_string(cols) + "\" aria-hidden=\"true\">";
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            svg += "<rect x=\"" + std::to_string(col * kPitchPixels) + "\" y=\"" +
                   std::to_string(row * kPitchPixels) + "\" width=\"" +
                   std::to_string(kCellPixels) + "\" height=\"" + std::to_string(kCellPixels) +
                   "\" rx=\"2\"" + (is_chosen(row, col) ? " class=\"chosen\"" : "") + "/>";
        }
    }
    return svg + "</svg>";
}

/// Returns the picture of a memory that holds the warp's elements, with the memory's name below.
/// `animation_order` delays the picture's animation.
std::string memory_picture_html(const std::string& css_class, int animation_order,
                                const std::string& svg, const std::string& name,
                                const std::string& memory) {
    return "<div class=\"stop " + css_class +
           "\" style=\"--order: " + std::to_string(animation_order) + "\">" + svg +
           "<span class=\"idea " + css_class + "\"><b>" + name + "</b> " + memory + "</span></div>";
}

/// Reports whether the kernel moves its elements through shared memory.
bool uses_shared_memory(const course::Step& step) {
    const auto& expected_counters = step.variants.front().expected_costs;
    return expected_counters.contains("shared_load") || expected_counters.contains("shared_store");
}

std::string memory_path_html(const course::Step& step) {
    const bool is_copy = step.exercise->produces == "copy", is_shared = uses_shared_memory(step);
    const IsElementOfWarp is_in_input_run = [](int row, int col) {
        return row == 1 && col >= 2 && col < 6;
    };
    const IsElementOfWarp is_in_output_run = [&](int row, int col) {
        if (is_copy) return is_in_input_run(row, col);
        return is_shared ? row == 2 && col < 4 : col == 1 && row >= 2 && row < 6;
    };
    const std::string middle_html =
        is_shared
            ? memory_picture_html("shared", 1,
                                  cells_svg(4, 4, [](int row, int) { return row == 1; }), "tile",
                                  "shared memory")
            : memory_picture_html("registers", 1, cells_svg(1, 4, [](int, int) { return true; }),
                                  "lanes", "registers");
    const std::string arrow = "<span class=\"onward\" aria-hidden=\"true\">&rarr;</span>";
    return "<div class=\"way\">" +
           memory_picture_html("global", 0, cells_svg(6, 8, is_in_input_run), "in",
                               "global memory") +
           arrow + middle_html + arrow +
           memory_picture_html(
               "global", 2,
               is_copy ? cells_svg(6, 8, is_in_output_run) : cells_svg(8, 6, is_in_output_run),
               "out", "global memory") +
           "</div>";
}

/// Returns the bandwidth that the previous lesson reached, as a fraction of a copy's.
std::string previous_bandwidth_html(const std::filesystem::path& root, const course::Course& course,
                                    const course::Step& step) {
    const nlohmann::json measurements = read_measurements(root);
    const course::Step* previous_step = course.find(step.builds_on);
    const long gbps = previous_step ? bandwidth_gbps(measurements, *previous_step) : 0;
    if (!gbps || previous_step->number() < "02") return "";
    const double copy_gbps = measurements.at("copy_gbps").get<double>();
    const std::string percent = std::to_string(std::lround(100 * gbps / copy_gbps));
    std::string css_class = limiting_idea_class(root, *previous_step);
    return "<p class=\"reached\"><span>Lesson " + previous_step->number() +
           "</span><span class=\"rung\" aria-hidden=\"true\"><i class=\"" + css_class +
           "\" style=\"width: " + percent + "%\"></i></span><span><b>" + percent +
           " %</b> of a copy, measured on an H200</span></p>";
}

}  // namespace

std::string lesson_picture_html(const std::filesystem::path& root, const course::Course& course,
                                const course::Step& step) {
    if (!step.exercise || step.exercise->elements || step.variants.empty()) return "";
    const std::string& produces = step.exercise->produces;
    if (produces != "copy" && produces != "transpose") return "";
    const std::string middle_name =
        uses_shared_memory(step) ? "a tile in shared memory" : "registers";
    return "<figure class=\"opening\" role=\"group\" aria-label=\"The way of one warp's elements: "
           "from in, "
           "through " +
           middle_name + ", to out\">" + memory_path_html(step) +
           previous_bandwidth_html(root, course, step) + "</figure>\n";
}

}  // namespace coalesce::book
