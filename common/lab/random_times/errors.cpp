#include "lab/random_times/errors.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"
#include "harness/text.h"

namespace coalesce::timing {
namespace {

constexpr double kMinTimeRatioToOrder =
    1.05;  // smallest ratio of two times at which their order counts
constexpr std::size_t kMaxShownWorstPairs = 10;
constexpr int kNameWidth = 38;

double absolute_error(const TimePair& pair) {
    return std::abs(pair.relative_error());
}

/// Returns the nearest-rank percentile: the smallest value such that at least `percent` % of all
/// values are not larger.
double compute_percentile(const std::vector<double>& sorted_values, std::size_t percent) {
    const std::size_t rank = (sorted_values.size() * percent + 99) / 100;
    return sorted_values[std::max<std::size_t>(rank, 1) - 1];
}

void count_ordered_pairs(const std::vector<TimePair>& pairs, ErrorSummary& summary) {
    for (const TimePair& slower_pair : pairs) {
        for (const TimePair& faster_pair : pairs) {
            if (slower_pair.measured <= kMinTimeRatioToOrder * faster_pair.measured) continue;
            ++summary.comparable_orders;
            summary.correct_orders += slower_pair.predicted > faster_pair.predicted;
        }
    }
}

std::string format_percent(double fraction) {
    return format("%.1f %%", 100 * fraction);
}

/// Returns a signed percentage such as "+4.1 %".
std::string format_signed_percent(double fraction) {
    return format("%+.1f %%", 100 * fraction);
}

/// Returns the limiting resource, such as "memory". If the model is uncertain, adds a question mark
/// ("flight ?").
std::string format_bottleneck(const TimePair& pair) {
    return pair.bottleneck + (pair.is_fully_modelled() ? "" : " ?");
}

/// Returns a remark about a prediction, such as "memory" or "flight? atomics, waits".
std::string format_remark(const TimePair& pair) {
    std::string text = pair.bottleneck;
    for (const std::string& effect : pair.unknown)
        text += (text == pair.bottleneck ? "? " : ", ") + effect;
    return text;
}

std::string format_row(const TimePair& pair) {
    std::string name = pair.name, row;
    // A name that is too long for its column is printed on a separate line.
    if (name.size() > kNameWidth) {
        row = name.substr(0, kTerminalColumns) + "\n";
        name.clear();
    }
    row += format("%-*s %8.4f %9.4f %8s %s", kNameWidth, name.c_str(), pair.measured,
                  pair.predicted, format_signed_percent(pair.relative_error()).c_str(),
                  format_bottleneck(pair).c_str());
    return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

std::string format_rows(const std::vector<TimePair>& pairs, const char* name_heading) {
    std::string text = format("%-*s %8s %9s %8s %s\n", kNameWidth, name_heading, "measured",
                              "predicted", "error", "binds");
    for (const TimePair& pair : pairs) text += format_row(pair);
    return text;
}

std::string format_error_summary(const std::vector<TimePair>& pairs) {
    if (pairs.empty()) return "no pairs\n";
    const ErrorSummary summary = summarize_errors(pairs);
    return format_count(summary.pairs, "pair") + ": median " + format_percent(summary.median) +
           ", 90th percentile " + format_percent(summary.percentile_90_error) + ", worst " +
           format_percent(summary.worst_error) + "; " +
           std::to_string(summary.pairs_within_10_percent) + " within 10 %, " +
           std::to_string(summary.pairs_beyond_30_percent) + " beyond 30 %; " +
           format_percent(summary.correct_order_fraction()) + " of " +
           format_count(summary.comparable_orders, "comparison") + " in the right order.\n";
}

std::string format_markdown_row(const char* name, const std::vector<TimePair>& pairs) {
    if (pairs.empty()) return "";
    const ErrorSummary summary = summarize_errors(pairs);
    return format(
        "| %s | %zu | %s | %s | %s | %zu | %zu | %s |\n", name, summary.pairs,
        format_percent(summary.median).c_str(), format_percent(summary.percentile_90_error).c_str(),
        format_percent(summary.worst_error).c_str(), summary.pairs_within_10_percent,
        summary.pairs_beyond_30_percent, format_percent(summary.correct_order_fraction()).c_str());
}

/// Escapes vertical bars, which would otherwise end the cell.
std::string escape_markdown_cell(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

}  // namespace

ErrorSummary summarize_errors(const std::vector<TimePair>& pairs) {
    ErrorSummary summary;
    summary.pairs = pairs.size();
    if (pairs.empty()) return summary;
    std::vector<double> sizes;
    for (const TimePair& pair : pairs) sizes.push_back(absolute_error(pair));
    std::sort(sizes.begin(), sizes.end());
    summary.median = median(sizes);
    summary.percentile_90_error = compute_percentile(sizes, 90);
    summary.worst_error = sizes.back();
    for (const double size : sizes) {
        summary.pairs_within_10_percent += size <= 0.1;
        summary.pairs_beyond_30_percent += size > 0.3;
    }
    count_ordered_pairs(pairs, summary);
    return summary;
}

std::vector<TimePair> select_fully_modelled_pairs(const std::vector<TimePair>& pairs) {
    std::vector<TimePair> fully_modelled_pairs;
    for (const TimePair& pair : pairs) {
        if (pair.is_fully_modelled()) fully_modelled_pairs.push_back(pair);
    }
    return fully_modelled_pairs;
}

std::vector<TimePair> find_worst_pairs(const std::vector<TimePair>& pairs, std::size_t count) {
    std::vector<TimePair> worst_pairs = pairs;
    std::stable_sort(worst_pairs.begin(), worst_pairs.end(),
                     [](const TimePair& left_pair, const TimePair& right_pair) {
                         return absolute_error(left_pair) > absolute_error(right_pair);
                     });
    if (worst_pairs.size() > count) worst_pairs.resize(count);
    return worst_pairs;
}

std::string format_text(const std::vector<TimePair>& pairs) {
    std::string text = format_rows(pairs, "milliseconds");
    if (pairs.size() > kMaxShownWorstPairs) {
        text += "\n" + format_rows(find_worst_pairs(pairs, kMaxShownWorstPairs), "the worst ten");
    }
    text += "\n" + wrap(format_error_summary(pairs));
    const std::vector<TimePair> fully_modelled_pairs = select_fully_modelled_pairs(pairs);
    if (fully_modelled_pairs.size() < pairs.size()) {
        text += wrap("Without kernels that the model does not fully cover (?): " +
                     format_error_summary(fully_modelled_pairs));
    }
    return text;
}

std::string format_markdown(const std::vector<TimePair>& pairs) {
    std::string text =
        "| | pairs | median | 90th percentile | worst | within 10 % | beyond 30 % | in order |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n" +
        format_markdown_row("all", pairs);
    const std::vector<TimePair> fully_modelled_pairs = select_fully_modelled_pairs(pairs);
    if (fully_modelled_pairs.size() < pairs.size())
        text += format_markdown_row("known", fully_modelled_pairs);
    text += "\n| | measured, ms | predicted, ms | error | binds |\n|---|--:|--:|--:|---|\n";
    for (const TimePair& pair : pairs) {
        text += format("| %s | %.4f | %.4f | %s | %s |\n", escape_markdown_cell(pair.name).c_str(),
                       pair.measured, pair.predicted,
                       format_signed_percent(pair.relative_error()).c_str(),
                       escape_markdown_cell(format_remark(pair)).c_str());
    }
    return text;
}

}  // namespace coalesce::timing
