#include "timing/time_line.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "timing/figures.h"
#include "timing/words.h"

namespace coalesce::timing {
namespace {

constexpr int kLabelColumns = 14, kMinColumns = 40;
constexpr int kMaxTotalLines = 16, kMaxChartRows = 5, kMinChartRows = 3, kMaxBlockRows = 3,
              kMaxTitleLines = 4;
/// The number of bytes in a sector. A moment counts as idle if fewer bytes are in flight on
/// average.
constexpr double kSector = 32;

double finite(double value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

/// Adds a moment to the averages of a column, with the weight `part`.
void add(Column& column, const Moment& moment, double part) {
    column.mean.bytes_in_flight += part * finite(moment.bytes_in_flight);
    column.mean.bytes_stored += part * finite(moment.bytes_stored);
    column.mean.warps_at_barrier += part * finite(moment.warps_at_barrier);
    column.mean.warps_waiting_for_loads += part * finite(moment.warps_waiting_for_loads);
    column.mean.warps_working += part * finite(moment.warps_working);
    if (finite(moment.bytes_in_flight) < kSector) column.nothing += part;
}

std::vector<std::string> wrap_lines(const std::string& text, std::size_t width) {
    std::vector<std::string> lines{""};
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find(' ', at), text.size());
        // Keep a number and its percent sign together.
        if (text.compare(end, 2, " %") == 0) end = std::min(text.find(' ', end + 1), text.size());
        const std::string word = text.substr(at, std::min(end - at, width));
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
            lines.emplace_back();
        }
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        at = end + 1;
    }
    return lines;
}

/// Returns a row of the timeline: its label, padded to a fixed width, and its characters.
std::string row(std::string label, const std::string& signs) {
    label.resize(kLabelColumns, ' ');
    const std::string text = label + "|" + signs;
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

// ---- bytes in flight ----

/// Returns the character that shows how full its cell of the chart is.
char fill_glyph(double part) {
    return part >= 2.0 / 3 ? '#' : part >= 1.0 / 3 ? ':' : part > 0 ? '.' : ' ';
}

std::string chart(const Prediction& prediction, const std::vector<Column>& columns, int height) {
    const double top = scale_top(prediction, columns);
    const double needed = finite(prediction.bytes_needed);
    const int needed_row =
        needed > 0 ? std::min(height - 1, static_cast<int>(needed / top * height)) : -1;
    std::string text;
    for (int level = height - 1; level >= 0; --level) {
        std::string signs;
        for (const Column& column : columns) {
            const double filled = column.mean.bytes_in_flight / top * height - level;
            // Draw any activity, however small, so that a blank always means none.
            const bool is_seen = level == 0 && column.nothing < 0.5;
            const char sign = is_seen && filled <= 0 ? '.' : fill_glyph(filled);
            signs += sign == ' ' && level == needed_row ? '-' : sign;
        }
        text += row(level == needed_row                  ? bytes_text(needed) + " needed"
                    : level == height - 1                ? bytes_text(top)
                    : level == (needed_row == 0 ? 1 : 0) ? "in flight"
                                                         : "",
                    signs);
    }
    return text;
}

/// Returns the bottom row of the chart, which marks the gaps.
std::string gaps(const std::vector<Column>& columns) {
    std::string signs;
    for (const Column& column : columns) signs += column.nothing >= 0.5 ? 'x' : '_';
    return row("0", signs);
}

// ---- stores and warps ----

char density_glyph(double part) {
    if (part < 0.02) return ' ';
    return part < 0.25 ? '.' : part < 0.5 ? ':' : part < 0.75 ? '=' : '#';
}

std::string density(const std::string& label, const std::vector<Column>& columns,
                    double Moment::*what, double whole) {
    std::string signs;
    for (const Column& column : columns) {
        signs += whole > 0 ? density_glyph(column.mean.*what / whole) : ' ';
    }
    return row(label, signs);
}

double max_bytes_stored(const std::vector<Column>& columns) {
    double most = 0;
    for (const Column& column : columns) most = std::max(most, column.mean.bytes_stored);
    return most;
}

// ---- blocks ----

/// Draws the life of a block from its first to its last column. If the block begins or ends outside
/// the timeline, that end has no bracket.
void draw_life(std::string& signs, const TimeLine::Life& life, double moments) {
    const auto columns = static_cast<double>(signs.size());
    if (!(life.begin < life.end) || !(life.begin < moments) || !(life.end > 0)) return;
    const double begin = std::max(life.begin, 0.0), end = std::min(life.end, moments);
    const auto first = static_cast<std::size_t>(begin / moments * columns);
    const auto last =
        std::max(first, static_cast<std::size_t>(std::ceil(end / moments * columns) - 1));
    for (std::size_t i = first; i <= std::min(last, signs.size() - 1); ++i) signs[i] = '=';
    if (life.end <= moments) signs[std::min(last, signs.size() - 1)] = ']';
    if (life.begin >= 0) signs[std::min(first, signs.size() - 1)] = '[';
}

std::string block_rows(const TimeLine& line, std::size_t columns, int most) {
    const std::vector<int> places = list_slots(line);
    std::string text;
    for (std::size_t i = 0; i < places.size() && static_cast<int>(i) < most; ++i) {
        std::string signs(columns, ' ');
        for (const TimeLine::Life& life : line.blocks) {
            if (life.slot != places[i]) continue;
            draw_life(signs, life, static_cast<double>(line.moments.size()));
        }
        text +=
            row("place " + std::to_string(i + 1) + " of " + std::to_string(places.size()), signs);
    }
    return text;
}

// ---- time ----

std::string cycles_row(const TimeLine& line, std::size_t columns) {
    const double cycles = finite(line.cycles_per_moment) * static_cast<double>(line.moments.size());
    std::string signs(columns, ' ');
    if (cycles == 0) return "";
    const double step = choose_tick_step(cycles, static_cast<int>(columns / 8));
    for (double at = 0; at < cycles; at += step) {
        const std::string mark = "|" + format_short(at);
        const auto column = static_cast<std::size_t>(at / cycles * static_cast<double>(columns));
        // In the first column, the mark replaces the bar after the row's label.
        if (at == 0) signs.replace(0, 1, "0");
        if (at > 0 && column + mark.size() <= columns) signs.replace(column, mark.size(), mark);
    }
    return row("cycles", signs);
}

}  // namespace

std::vector<Column> average_columns(const TimeLine& line, int count) {
    std::vector<Column> columns(static_cast<std::size_t>(std::max(count, 0)));
    const auto moments = static_cast<double>(line.moments.size());
    for (std::size_t i = 0; i < columns.size() && moments > 0; ++i) {
        const double width = moments / static_cast<double>(columns.size());
        const double begin = width * static_cast<double>(i), end = begin + width;
        for (auto k = static_cast<std::size_t>(begin); k < line.moments.size(); ++k) {
            const auto from = static_cast<double>(k);
            if (from >= end) break;
            add(columns[i], line.moments[k],
                (std::min(end, from + 1) - std::max(begin, from)) / width);
        }
    }
    return columns;
}

std::vector<int> list_slots(const TimeLine& line) {
    std::vector<int> places;
    for (const TimeLine::Life& life : line.blocks) places.push_back(life.slot);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

double resident_warps(const Prediction& prediction) {
    double most = std::max(0, prediction.resident_blocks * prediction.warps_per_block);
    for (const Moment& moment : prediction.time_line.moments) {
        most = std::max(most, finite(moment.warps_at_barrier) +
                                  finite(moment.warps_waiting_for_loads) +
                                  finite(moment.warps_working));
    }
    return most;
}

double scale_top(const Prediction& prediction, const std::vector<Column>& columns) {
    double top = std::max(finite(prediction.bytes_needed), kSector);
    for (const Column& column : columns) top = std::max(top, column.mean.bytes_in_flight);
    return top;
}

double choose_tick_step(double cycles, int most) {
    const double least = cycles / std::max(most, 1);
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) return factor * power;
    }
    return 10 * power;
}

std::string short_name(const Prediction& prediction, std::size_t room) {
    const std::string name = replace_non_ascii(prediction.kernel);
    if (name.empty()) return "the kernel";
    return name.size() <= room ? name : name.substr(0, room - 3) + "...";
}

std::string time_line_text(const Prediction& prediction, int width) {
    const int wide = std::max(width, kMinColumns);
    const auto room = static_cast<std::size_t>(wide);
    const TimeLine& line = prediction.time_line;
    std::vector<std::string> title =
        wrap_lines(short_name(prediction, room / 2) + ": one multiprocessor (" +
                       prediction_label(prediction) + ")",
                   room);
    title.resize(std::min<std::size_t>(title.size(), kMaxTitleLines));
    std::string text;
    for (const std::string& one : title) text += one + "\n";
    if (line.moments.empty()) return text + "The model has no timeline for this launch.\n";

    const std::vector<std::string> legend =
        wrap_lines("x: nothing is in flight. .:=#: low to high. [==]: a block.", room);
    constexpr int other_rows = 6;
    const int left = kMaxTotalLines - other_rows - static_cast<int>(title.size()) -
                     static_cast<int>(legend.size());
    const int places =
        std::min({static_cast<int>(list_slots(line).size()), kMaxBlockRows, left - kMinChartRows});
    const std::vector<Column> columns = average_columns(line, wide - kLabelColumns - 1);
    text += chart(prediction, columns, std::min(kMaxChartRows, left - places)) + gaps(columns);
    text += density("stores", columns, &Moment::bytes_stored, max_bytes_stored(columns));
    const double warps = resident_warps(prediction);
    text += density("at barriers", columns, &Moment::warps_at_barrier, warps);
    text += density("wait for loads", columns, &Moment::warps_waiting_for_loads, warps);
    text += density("at work", columns, &Moment::warps_working, warps);
    text += block_rows(line, columns.size(), places) + cycles_row(line, columns.size());
    for (const std::string& one : legend) text += one + "\n";
    return text;
}

}  // namespace coalesce::timing
