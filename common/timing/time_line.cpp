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
/// One sector: a moment counts as idle if fewer bytes than this are in flight on average.
constexpr double kMinShownBytes = 32;

double positive_or_zero(double value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

/// Adds a moment to the averages of a column, with the weight `fraction`.
void add_moment(TimeLineColumn& column, const Moment& moment, double fraction) {
    column.mean.bytes_in_flight += fraction * positive_or_zero(moment.bytes_in_flight);
    column.mean.bytes_stored += fraction * positive_or_zero(moment.bytes_stored);
    column.mean.warps_at_barrier += fraction * positive_or_zero(moment.warps_at_barrier);
    column.mean.warps_waiting_for_loads +=
        fraction * positive_or_zero(moment.warps_waiting_for_loads);
    column.mean.warps_working += fraction * positive_or_zero(moment.warps_working);
    if (positive_or_zero(moment.bytes_in_flight) < kMinShownBytes)
        column.fraction_without_loads += fraction;
}

std::vector<std::string> wrap_lines(const std::string& text, std::size_t width) {
    std::vector<std::string> lines{""};
    for (std::size_t word_begin = 0; word_begin < text.size();) {
        std::size_t word_end = std::min(text.find(' ', word_begin), text.size());
        // Keep a number and its percent sign together.
        if (text.compare(word_end, 2, " %") == 0)
            word_end = std::min(text.find(' ', word_end + 1), text.size());
        const std::string word = text.substr(word_begin, std::min(word_end - word_begin, width));
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
            lines.emplace_back();
        }
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        word_begin = word_end + 1;
    }
    return lines;
}

/// Returns a row of the timeline: its label, padded to a fixed width, and its characters.
std::string format_row(std::string label, const std::string& glyphs) {
    label.resize(kLabelColumns, ' ');
    const std::string text = label + "|" + glyphs;
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

// ---- bytes in flight ----

/// Returns the character that shows how full its cell of the chart is.
char fill_glyph(double fraction) {
    return fraction >= 2.0 / 3 ? '#' : fraction >= 1.0 / 3 ? ':' : fraction > 0 ? '.' : ' ';
}

std::string format_chart(const Prediction& prediction, const std::vector<TimeLineColumn>& columns,
                         int height) {
    const double max_bytes = max_chart_bytes(prediction, columns);
    const double needed_bytes = positive_or_zero(prediction.bytes_needed);
    const int needed_bytes_row =
        needed_bytes > 0 ? std::min(height - 1, static_cast<int>(needed_bytes / max_bytes * height))
                         : -1;
    std::string text;
    for (int chart_row = height - 1; chart_row >= 0; --chart_row) {
        std::string glyphs;
        for (const TimeLineColumn& column : columns) {
            const double fill_height = column.mean.bytes_in_flight / max_bytes * height - chart_row;
            // Draw any activity, however small, so that a blank always means none.
            const bool shows_activity = chart_row == 0 && column.fraction_without_loads < 0.5;
            const char glyph = shows_activity && fill_height <= 0 ? '.' : fill_glyph(fill_height);
            glyphs += glyph == ' ' && chart_row == needed_bytes_row ? '-' : glyph;
        }
        text += format_row(chart_row == needed_bytes_row ? bytes_text(needed_bytes) + " needed"
                           : chart_row == height - 1     ? bytes_text(max_bytes)
                           : chart_row == (needed_bytes_row == 0 ? 1 : 0) ? "in flight"
                                                                          : "",
                           glyphs);
    }
    return text;
}

/// Returns the bottom row of the chart, which marks the gaps.
std::string gap_row(const std::vector<TimeLineColumn>& columns) {
    std::string glyphs;
    for (const TimeLineColumn& column : columns)
        glyphs += column.fraction_without_loads >= 0.5 ? 'x' : '_';
    return format_row("0", glyphs);
}

// ---- stores and warps ----

char density_glyph(double fraction) {
    if (fraction < 0.02) return ' ';
    return fraction < 0.25 ? '.' : fraction < 0.5 ? ':' : fraction < 0.75 ? '=' : '#';
}

std::string density_row(const std::string& label, const std::vector<TimeLineColumn>& columns,
                        double Moment::*moment_member, double full_value) {
    std::string glyphs;
    for (const TimeLineColumn& column : columns) {
        glyphs += full_value > 0 ? density_glyph(column.mean.*moment_member / full_value) : ' ';
    }
    return format_row(label, glyphs);
}

double max_bytes_stored(const std::vector<TimeLineColumn>& columns) {
    double max_bytes = 0;
    for (const TimeLineColumn& column : columns)
        max_bytes = std::max(max_bytes, column.mean.bytes_stored);
    return max_bytes;
}

// ---- blocks ----

/// Draws the life of a block from its first to its last column. If the block begins or ends outside
/// the timeline, that end has no bracket.
void draw_block(std::string& glyphs, const TimeLine::BlockInterval& block, double moment_count) {
    const auto column_count = static_cast<double>(glyphs.size());
    if (!(block.begin < block.end) || !(block.begin < moment_count) || !(block.end > 0)) return;
    const double begin = std::max(block.begin, 0.0), end = std::min(block.end, moment_count);
    const auto first_column = static_cast<std::size_t>(begin / moment_count * column_count);
    const auto last_column = std::max(
        first_column, static_cast<std::size_t>(std::ceil(end / moment_count * column_count) - 1));
    for (std::size_t i = first_column; i <= std::min(last_column, glyphs.size() - 1); ++i)
        glyphs[i] = '=';
    if (block.end <= moment_count) glyphs[std::min(last_column, glyphs.size() - 1)] = ']';
    if (block.begin >= 0) glyphs[std::min(first_column, glyphs.size() - 1)] = '[';
}

std::string format_block_rows(const TimeLine& time_line, std::size_t columns, int max_rows) {
    const std::vector<int> slots = list_slots(time_line);
    std::string text;
    for (std::size_t i = 0; i < slots.size() && static_cast<int>(i) < max_rows; ++i) {
        std::string glyphs(columns, ' ');
        for (const TimeLine::BlockInterval& block : time_line.blocks) {
            if (block.slot != slots[i]) continue;
            draw_block(glyphs, block, static_cast<double>(time_line.moments.size()));
        }
        text += format_row("place " + std::to_string(i + 1) + " of " + std::to_string(slots.size()),
                           glyphs);
    }
    return text;
}

// ---- time ----

std::string cycle_axis_row(const TimeLine& time_line, std::size_t columns) {
    const double cycles = positive_or_zero(time_line.cycles_per_moment) *
                          static_cast<double>(time_line.moments.size());
    std::string glyphs(columns, ' ');
    if (cycles == 0) return "";
    const double step = choose_tick_step(cycles, static_cast<int>(columns / 8));
    for (double cycle = 0; cycle < cycles; cycle += step) {
        const std::string tick_label = "|" + format_short(cycle);
        const auto column = static_cast<std::size_t>(cycle / cycles * static_cast<double>(columns));
        // In the first column, the mark replaces the bar after the row's label.
        if (cycle == 0) glyphs.replace(0, 1, "0");
        if (cycle > 0 && column + tick_label.size() <= columns)
            glyphs.replace(column, tick_label.size(), tick_label);
    }
    return format_row("cycles", glyphs);
}

}  // namespace

std::vector<TimeLineColumn> average_columns(const TimeLine& time_line, int count) {
    std::vector<TimeLineColumn> columns(static_cast<std::size_t>(std::max(count, 0)));
    const auto moment_count = static_cast<double>(time_line.moments.size());
    for (std::size_t i = 0; i < columns.size() && moment_count > 0; ++i) {
        const double column_width = moment_count / static_cast<double>(columns.size());
        const double begin = column_width * static_cast<double>(i), end = begin + column_width;
        for (auto k = static_cast<std::size_t>(begin); k < time_line.moments.size(); ++k) {
            const auto moment_begin = static_cast<double>(k);
            if (moment_begin >= end) break;
            add_moment(
                columns[i], time_line.moments[k],
                (std::min(end, moment_begin + 1) - std::max(begin, moment_begin)) / column_width);
        }
    }
    return columns;
}

std::vector<int> list_slots(const TimeLine& time_line) {
    std::vector<int> slots;
    for (const TimeLine::BlockInterval& block : time_line.blocks) slots.push_back(block.slot);
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
}

double max_resident_warps(const Prediction& prediction) {
    double max_warps = std::max(0, prediction.resident_blocks * prediction.warps_per_block);
    for (const Moment& moment : prediction.time_line.moments) {
        max_warps = std::max(max_warps, positive_or_zero(moment.warps_at_barrier) +
                                            positive_or_zero(moment.warps_waiting_for_loads) +
                                            positive_or_zero(moment.warps_working));
    }
    return max_warps;
}

double max_chart_bytes(const Prediction& prediction, const std::vector<TimeLineColumn>& columns) {
    double max_bytes = std::max(positive_or_zero(prediction.bytes_needed), kMinShownBytes);
    for (const TimeLineColumn& column : columns)
        max_bytes = std::max(max_bytes, column.mean.bytes_in_flight);
    return max_bytes;
}

double choose_tick_step(double cycles, int max_ticks) {
    const double min_step = cycles / std::max(max_ticks, 1);
    const double power_of_ten = std::pow(10, std::floor(std::log10(min_step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power_of_ten >= min_step) return factor * power_of_ten;
    }
    return 10 * power_of_ten;
}

std::string shorten_kernel_name(const Prediction& prediction, std::size_t max_length) {
    const std::string name = replace_non_ascii(prediction.kernel);
    if (name.empty()) return "the kernel";
    return name.size() <= max_length ? name : name.substr(0, max_length - 3) + "...";
}

std::string time_line_text(const Prediction& prediction, int width) {
    const int text_width = std::max(width, kMinColumns);
    const auto line_length = static_cast<std::size_t>(text_width);
    const TimeLine& time_line = prediction.time_line;
    std::vector<std::string> title_lines =
        wrap_lines(shorten_kernel_name(prediction, line_length / 2) + ": one multiprocessor (" +
                       prediction_label(prediction) + ")",
                   line_length);
    title_lines.resize(std::min<std::size_t>(title_lines.size(), kMaxTitleLines));
    std::string text;
    for (const std::string& text_line : title_lines) text += text_line + "\n";
    if (time_line.moments.empty()) return text + "The model has no timeline for this launch.\n";

    const std::vector<std::string> legend_lines =
        wrap_lines("x: nothing is in flight. .:=#: low to high. [==]: a block.", line_length);
    constexpr int fixed_rows = 6;
    const int free_rows = kMaxTotalLines - fixed_rows - static_cast<int>(title_lines.size()) -
                          static_cast<int>(legend_lines.size());
    const int shown_slots = std::min(
        {static_cast<int>(list_slots(time_line).size()), kMaxBlockRows, free_rows - kMinChartRows});
    const std::vector<TimeLineColumn> columns =
        average_columns(time_line, text_width - kLabelColumns - 1);
    text += format_chart(prediction, columns, std::min(kMaxChartRows, free_rows - shown_slots)) +
            gap_row(columns);
    text += density_row("stores", columns, &Moment::bytes_stored, max_bytes_stored(columns));
    const double warps = max_resident_warps(prediction);
    text += density_row("at barriers", columns, &Moment::warps_at_barrier, warps);
    text += density_row("wait for loads", columns, &Moment::warps_waiting_for_loads, warps);
    text += density_row("at work", columns, &Moment::warps_working, warps);
    text += format_block_rows(time_line, columns.size(), shown_slots) +
            cycle_axis_row(time_line, columns.size());
    for (const std::string& text_line : legend_lines) text += text_line + "\n";
    return text;
}

}  // namespace coalesce::timing
