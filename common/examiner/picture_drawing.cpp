// Draws pictures as text and as SVG.
#include <algorithm>

#include "base/text.h"
#include "examiner/picture.h"
#include "examiner/render.h"
#include "harness/text.h"

namespace coalesce {
namespace {

constexpr char kLaneCharacters[] = "0123456789abcdefghijklmnopqrstuv";

char lane_character(int lane) {
    return lane < 0 ? '.' : kLaneCharacters[lane];
}

std::string title(const Picture& picture) {
    const PictureRequest& picture_request = picture.request;
    return picture.file + ": warp " + std::to_string(picture_request.warp) + " of block " +
           std::to_string(picture_request.block) + ", " +
           std::to_string(picture_request.shape.rows) + " x " +
           std::to_string(picture_request.shape.cols) + ", simulated";
}

/// Returns the source line without indentation, truncated to the width of a terminal.
std::string shorten_source_line(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) return "";
    constexpr std::size_t available_columns = 72;
    const std::string text = line.substr(begin);
    return text.size() <= available_columns ? text : text.substr(0, available_columns - 3) + "...";
}

/// Formats a row as four groups of eight columns. A group is a sector of memory, or eight banks of
/// shared memory.
std::string row_text(const PictureRow& row) {
    std::string text = format("    %-18s|", row.label.c_str());
    for (std::size_t i = 0; i < row.lanes.size(); ++i) {
        text += lane_character(row.lanes[i]);
        if (i % 8 == 7) text += '|';
    }
    return text + "\n";
}

std::string format_scale(const WarpAccess& access) {
    if (access.is_shared) return format("    %-18s|0      7|8     15|16    23|24    31|\n", "bank");
    return format("    %-18s|sector  |sector  |sector  |sector  |\n", "byte");
}

std::string access_text(const WarpAccess& access) {
    std::string text = wrap(access.place.text() + ": " + access.headline());
    text += "    " + shorten_source_line(access.source_line) + "\n";
    text += format_scale(access);
    for (const PictureRow& row : access.rows) text += row_text(row);
    return text;
}

// ---- SVG ----

constexpr int kCellWidth = 20, kLabelWidth = 150, kGap = 6, kRowHeight = 24, kHeadHeight = 64,
              kWidth = 840;

std::string svg_text(int x, int y, const std::string& anchor, const std::string& text) {
    return format("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor.c_str()) +
           escaped(text) + "</text>\n";
}

/// Draws a cell with the character of its lane, so that the picture is readable without its
/// colours.
std::string svg_cell(int x, int y, int lane) {
    std::string svg = format("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                             x, y, kCellWidth, kCellWidth, lane < 0 ? "#ffffff" : "#cfe3ff");
    if (lane >= 0) svg += svg_text(x + kCellWidth / 2, y + 14, "middle", std::to_string(lane));
    return svg;
}

std::string svg_row(const PictureRow& row, int y) {
    std::string svg = svg_text(kLabelWidth - 8, y + 14, "end", row.label);
    for (int i = 0; i < 32; ++i) {
        svg += svg_cell(kLabelWidth + i * kCellWidth + i / 8 * kGap, y,
                        row.lanes[static_cast<std::size_t>(i)]);
    }
    return svg;
}

std::string svg_access(const WarpAccess& access, int y) {
    std::string svg = svg_text(8, y + 20, "start", access.place.text() + ": " + access.headline());
    svg += svg_text(8, y + 40, "start", shorten_source_line(access.source_line));
    for (std::size_t i = 0; i < access.rows.size(); ++i) {
        svg += svg_row(access.rows[i], y + kHeadHeight - 16 + static_cast<int>(i) * kRowHeight);
    }
    return svg;
}

int svg_height(const WarpAccess& access) {
    return kHeadHeight + static_cast<int>(access.rows.size()) * kRowHeight;
}

}  // namespace

std::string Picture::text() const {
    if (!is_ok()) return terminal_text(problem);
    std::string text = wrap(title(*this));
    text += "Lanes are shown as 0-9 and a-v; a dot is memory or a bank that no lane touches.\n";
    for (const WarpAccess& access : accesses) text += "\n" + access_text(access);
    return text;
}

std::string Picture::svg() const {
    int height = 40;
    for (const WarpAccess& access : accesses) height += svg_height(access);
    std::string svg = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "font-family=\"monospace\" font-size=\"12\" stroke-width=\"1\">\n",
        kWidth, height);
    svg += "<title>" + escaped(is_ok() ? title(*this) : problem.headline) + "</title>\n";
    svg += "<style>rect { stroke: #555555; } .page { stroke: none; fill: #ffffff; }</style>\n";
    svg += format("<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", kWidth, height);
    svg += svg_text(8, 20, "start", is_ok() ? title(*this) : problem.headline);
    int y = 32;
    for (const WarpAccess& access : accesses) {
        svg += svg_access(access, y);
        y += svg_height(access);
    }
    return svg + "</svg>\n";
}

}  // namespace coalesce
