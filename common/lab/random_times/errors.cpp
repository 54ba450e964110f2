#include "lab/random_times/errors.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"
#include "harness/text.h"

namespace coalesce::timing {
namespace {

constexpr double kMinOrderRatio = 1.05;  // smallest ratio of two times at which their order counts
constexpr std::size_t kMaxShownWorst = 10;
constexpr int kNameColumns = 38;

double error_magnitude(const TimePair& pair) {
    return std::abs(pair.error());
}

/// Returns the nearest-rank percentile: the smallest value such that at least `percent` % of all
/// values are not larger.
double compute_percentile(const std::vector<double>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

void count_orders(const std::vector<TimePair>& pairs, ErrorSummary& summary) {
    for (const TimePair& slow : pairs) {
        for (const TimePair& fast : pairs) {
            if (slow.measured <= kMinOrderRatio * fast.measured) continue;
            ++summary.comparable;
            summary.in_order += slow.predicted > fast.predicted;
        }
    }
}

std::string percent(double part) {
    return format("%.1f %%", 100 * part);
}

/// Returns a signed percentage such as "+4.1 %".
std::string signed_percent(double part) {
    return format("%+.1f %%", 100 * part);
}

/// Returns the limiting resource, such as "memory". If the model is uncertain, adds a question mark
/// ("flight ?").
std::string bottleneck_mark(const TimePair& pair) {
    return pair.bottleneck + (pair.is_known() ? "" : " ?");
}

/// Returns a remark about a prediction, such as "memory" or "flight? atomics, waits".
std::string format_remark(const TimePair& pair) {
    std::string text = pair.bottleneck;
    for (const std::string& one : pair.unknown)
        text += (text == pair.bottleneck ? "? " : ", ") + one;
    return text;
}

std::string format_row(const TimePair& pair) {
    std::string name = pair.name, row;
    // A name that is too long for its column is printed on a separate line.
    if (name.size() > kNameColumns) {
        row = name.substr(0, kTerminalColumns) + "\n";
        name.clear();
    }
    row +=
        format("%-*s %8.4f %9.4f %8s %s", kNameColumns, name.c_str(), pair.measured, pair.predicted,
               signed_percent(pair.error()).c_str(), bottleneck_mark(pair).c_str());
    return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

std::string rows_of(const std::vector<TimePair>& pairs, const char* heading) {
    std::string text = format("%-*s %8s %9s %8s %s\n", kNameColumns, heading, "measured",
                              "predicted", "error", "binds");
    for (const TimePair& pair : pairs) text += format_row(pair);
    return text;
}

std::string format_error_summary(const std::vector<TimePair>& pairs) {
    if (pairs.empty()) return "no pairs\n";
    const ErrorSummary summary = summarize(pairs);
    return format_count(summary.pairs, "pair") + ": median " + percent(summary.median) +
           ", 90th percentile " + percent(summary.percentile_90) + ", worst " +
           percent(summary.worst) + "; " + std::to_string(summary.within_10) + " within 10 %, " +
           std::to_string(summary.beyond_30) + " beyond 30 %; " + percent(summary.order()) +
           " of " + format_count(summary.comparable, "comparison") + " in the right order.\n";
}

std::string markdown_row(const char* name, const std::vector<TimePair>& pairs) {
    if (pairs.empty()) return "";
    const ErrorSummary summary = summarize(pairs);
    return format("| %s | %zu | %s | %s | %s | %zu | %zu | %s |\n", name, summary.pairs,
                  percent(summary.median).c_str(), percent(summary.percentile_90).c_str(),
                  percent(summary.worst).c_str(), summary.within_10, summary.beyond_30,
                  percent(summary.order()).c_str());
}

/// Escapes vertical bars, which would otherwise end the cell.
std::string escape_cell(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

}  // namespace

ErrorSummary summarize(const std::vector<TimePair>& pairs) {
    ErrorSummary summary;
    summary.pairs = pairs.size();
    if (pairs.empty()) return summary;
    std::vector<double> sizes;
    for (const TimePair& pair : pairs) sizes.push_back(error_magnitude(pair));
    std::sort(sizes.begin(), sizes.end());
    summary.median = median(sizes);
    summary.percentile_90 = compute_percentile(sizes, 90);
    summary.worst = sizes.back();
    for (const double size : sizes) {
        summary.within_10 += size <= 0.1;
        summary.beyond_30 += size > 0.3;
    }
    count_orders(pairs, summary);
    return summary;
}

std::vector<TimePair> fully_modelled_pairs(const std::vector<TimePair>& pairs) {
    std::vector<TimePair> known;
    for (const TimePair& pair : pairs) {
        if (pair.is_known()) known.push_back(pair);
    }
    return known;
}

std::vector<TimePair> find_worst(const std::vector<TimePair>& pairs, std::size_t count) {
    std::vector<TimePair> worst = pairs;
    std::stable_sort(worst.begin(), worst.end(), [](const TimePair& one, const TimePair& other) {
        return error_magnitude(one) > error_magnitude(other);
    });
    if (worst.size() > count) worst.resize(count);
    return worst;
}

std::string format_text(const std::vector<TimePair>& pairs) {
    std::string text = rows_of(pairs, "milliseconds");
    if (pairs.size() > kMaxShownWorst) {
        text += "\n" + rows_of(find_worst(pairs, kMaxShownWorst), "the worst ten");
    }
    text += "\n" + wrap(format_error_summary(pairs));
    const std::vector<TimePair> known = fully_modelled_pairs(pairs);
    if (known.size() < pairs.size()) {
        text += wrap("Without kernels that the model does not fully cover (?): " +
                     format_error_summary(known));
    }
    return text;
}

std::string format_markdown(const std::vector<TimePair>& pairs) {
    std::string text =
        "| | pairs | median | 90th percentile | worst | within 10 % | beyond 30 % | in order |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n" +
        markdown_row("all", pairs);
    const std::vector<TimePair> known = fully_modelled_pairs(pairs);
    if (known.size() < pairs.size()) text += markdown_row("known", known);
    text += "\n| | measured, ms | predicted, ms | error | binds |\n|---|--:|--:|--:|---|\n";
    for (const TimePair& pair : pairs) {
        text += format("| %s | %.4f | %.4f | %s | %s |\n", escape_cell(pair.name).c_str(),
                       pair.measured, pair.predicted, signed_percent(pair.error()).c_str(),
                       escape_cell(format_remark(pair)).c_str());
    }
    return text;
}

}  // namespace coalesce::timing
