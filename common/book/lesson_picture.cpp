#include "lesson_picture.h"

#include <cmath>
#include <functional>

#include "measured.h"

namespace coalesce::book {
namespace {

/// The distance between two cells, and the size of a cell, in the units of the drawings.
constexpr int kPitch = 17, kCell = 15;

/// Reports whether a cell holds an element of the warp.
using IsChosen = std::function<bool(int row, int col)>;

std::string cells_svg(int rows, int cols, const IsChosen& is_chosen) {
    std::string svg = "<svg viewBox=\"0 0 " + std::to_string(cols * kPitch - kPitch + kCell) + " " +
                      std::to_string(rows * kPitch - kPitch + kCell) +
                      "\" style=\"--cols: " + std::to_string(cols) + "\" aria-hidden=\"true\">";
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            svg += "<rect x=\"" + std::to_string(col * kPitch) + "\" y=\"" +
                   std::to_string(row * kPitch) + "\" width=\"" + std::to_string(kCell) +
                   "\" height=\"" + std::to_string(kCell) + "\" rx=\"2\"" +
                   (is_chosen(row, col) ? " class=\"chosen\"" : "") + "/>";
        }
    }
    return svg + "</svg>";
}

/// Returns one place in which the elements are, with its name below. `order` delays its animation.
std::string stop_html(const std::string& idea, int order, const std::string& svg,
                      const std::string& name, const std::string& memory) {
    return "<div class=\"stop " + idea + "\" style=\"--order: " + std::to_string(order) + "\">" +
           svg + "<span class=\"idea " + idea + "\"><b>" + name + "</b> " + memory +
           "</span></div>";
}

/// Reports whether the kernel moves its elements through shared memory.
bool uses_shared_memory(const course::Step& step) {
    const auto& expected = step.variants.front().expect;
    return expected.contains("shared_load") || expected.contains("shared_store");
}

std::string way_html(const course::Step& step) {
    const bool is_copy = step.exercise->produces == "copy", is_shared = uses_shared_memory(step);
    const IsChosen run_in_row = [](int row, int col) { return row == 1 && col >= 2 && col < 6; };
    const IsChosen run_in_out = [&](int row, int col) {
        if (is_copy) return run_in_row(row, col);
        return is_shared ? row == 2 && col < 4 : col == 1 && row >= 2 && row < 6;
    };
    const std::string between =
        is_shared ? stop_html("shared", 1, cells_svg(4, 4, [](int row, int) { return row == 1; }),
                              "tile", "shared memory")
                  : stop_html("registers", 1, cells_svg(1, 4, [](int, int) { return true; }),
                              "lanes", "registers");
    const std::string arrow = "<span class=\"onward\" aria-hidden=\"true\">&rarr;</span>";
    return "<div class=\"way\">" +
           stop_html("global", 0, cells_svg(6, 8, run_in_row), "in", "global memory") + arrow +
           between + arrow +
           stop_html("global", 2,
                     is_copy ? cells_svg(6, 8, run_in_out) : cells_svg(8, 6, run_in_out), "out",
                     "global memory") +
           "</div>";
}

/// Returns the bandwidth of the lesson before, as a part of a copy's.
std::string reached_html(const std::filesystem::path& root, const course::Course& course,
                         const course::Step& step) {
    const nlohmann::json measured = read_measurements(root);
    const course::Step* before = course.find(step.builds_on);
    const long gbps = before ? bandwidth_gbps(measured, *before) : 0;
    if (!gbps || before->number() < "02") return "";
    const double copy = measured.at("copy_gbps").get<double>();
    const std::string percent = std::to_string(std::lround(100 * gbps / copy));
    std::string idea = limiting_idea(root, *before);
    return "<p class=\"reached\"><span>Lesson " + before->number() +
           "</span><span class=\"rung\" aria-hidden=\"true\"><i class=\"" + idea +
           "\" style=\"width: " + percent + "%\"></i></span><span><b>" + percent +
           " %</b> of a copy, measured on an H200</span></p>";
}

}  // namespace

std::string lesson_picture_html(const std::filesystem::path& root, const course::Course& course,
                                const course::Step& step) {
    if (!step.exercise || step.exercise->elements || step.variants.empty()) return "";
    const std::string& produces = step.exercise->produces;
    if (produces != "copy" && produces != "transpose") return "";
    const std::string through = uses_shared_memory(step) ? "a tile in shared memory" : "registers";
    return "<figure class=\"opening\" role=\"group\" aria-label=\"The way of one warp's elements: "
           "from in, "
           "through " +
           through + ", to out\">" + way_html(step) + reached_html(root, course, step) +
           "</figure>\n";
}

}  // namespace coalesce::book
