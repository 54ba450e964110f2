#include "examiner/render_parts.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "examiner/launch_limits.h"
#include "examiner/messages.h"
#include "examiner/predicted_launch.h"
#include "examiner/render.h"
#include "examiner/safe_text.h"
#include "harness/text.h"

namespace coalesce {
namespace render {

std::string format_sentence(std::string text) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    if (end != text.npos && end > 0 && text[end] == ' ') text[0] -= 'a' - 'A';
    return text;
}

std::string source_excerpt(const Failure& failure, const std::string& source, int line_context) {
    if (failure.place.line <= 0 || failure.kind == FailureKind::does_not_compile ||
        failure.kind == FailureKind::file_binary) {
        return "";
    }
    return excerpt_around(source, failure.place.line, failure.place.column, line_context);
}

bool is_map_useful(const Failure& failure) {
    return failure.map && !failure.map->is_uniform() && failure.map->count_faulty_characters() > 1;
}

std::string format_map(const Failure& failure, int lines) {
    return is_map_useful(failure) ? failure.map->text(lines) : "";
}

std::string passed_text(const Verdict& verdict) {
    // A verdict on a whole program has no kernel name.
    if (verdict.kernel.empty()) {
        return "The program is correct with " +
               format_count(verdict.shapes.size(), "element count") +
               ", passes every check, and reports a launch that fails.";
    }
    return "The kernel is correct on " + format_count(verdict.shapes.size(), "shape") +
           (verdict.is_simulated
                ? ", passes every check, and stays within the cost limits of the exercise."
                : ". Costs are counted only on the simulated GPU: use --device sim.");
}

std::string time_text(const Verdict& verdict) {
    if (!verdict.predicted) return "";
    if (verdict.passed()) return format_prediction(*verdict.predicted);
    for (const Failure& failure : verdict.failures) {
        if (failure.kind == FailureKind::too_slow_predicted) return "";
    }
    const std::string comparison_text =
        verdict.solution_predicted
            ? format_comparison(*verdict.predicted, *verdict.solution_predicted)
            : "";
    return comparison_text.empty() ? format_prediction(*verdict.predicted) : comparison_text;
}

std::string format_faster(const Verdict& verdict) {
    if (!verdict.passed() || !verdict.predicted) return "";
    const timing::TimeExplanation explanation = describe_prediction(*verdict.predicted);
    return (explanation.cure_is_advice ? "Faster: " : "") + explanation.cure;
}

std::vector<CostRow> costs_with_time(const Verdict& verdict) {
    std::vector<CostRow> rows = cost_rows(verdict);
    if (rows.empty() || !verdict.predicted) return rows;
    const auto percent = [](const std::optional<Predicted>& predicted) {
        return predicted ? format("%.0f", 100 * predicted->fraction_of_copy()) : "-";
    };
    rows.push_back({"% of a copy, predicted", percent(verdict.predicted), "100",
                    percent(verdict.solution_predicted)});
    return rows;
}

std::string format_printed(const Verdict& verdict) {
    constexpr int max_lines = 10;
    if (verdict.output.empty()) {
        return verdict.output_is_truncated ? "  (the output is too long to be shown)\n" : "";
    }
    const std::vector<std::string> lines = lines_of(verdict.output);
    const bool is_too_long = lines.size() > max_lines;
    return escape_lines({lines.begin(), is_too_long ? lines.begin() + max_lines : lines.end()}) +
           (verdict.output_is_truncated || is_too_long ? "  ... (the rest is not shown)\n" : "");
}

std::vector<std::string> other_failures(const Verdict& verdict) {
    std::vector<std::string> warnings;
    for (std::size_t i = 1; i < verdict.failures.size(); ++i) {
        const std::string place = verdict.failures[i].place.text();
        warnings.push_back(verdict.failures[i].headline +
                           (place.empty() ? "" : " (" + place + ")"));
    }
    return warnings;
}

std::vector<std::string> warnings(const Verdict& verdict) {
    std::vector<std::string> lines;
    if (verdict.failure_id() == "does-not-compile") return lines;
    for (const Message& message : verdict.messages) {
        if (message.severity != Severity::warning) continue;
        lines.push_back("warning: line " + std::to_string(message.place.line) + ": " +
                        message.text);
    }
    return lines;
}

std::string format_failing_input(const Failure& failure, const std::vector<std::string>& sizes) {
    if (failure.shape.rows == 0) return "";
    return "Seen with " +
           describe_sizes(sizes.empty() ? std::vector<std::string>{"rows", "cols"} : sizes,
                          failure.shape) +
           ".";
}

}  // namespace render

bool has_map(const Verdict& verdict) {
    return !verdict.failures.empty() && render::is_map_useful(verdict.failures.front());
}

std::string excerpt(const std::string& text, int line, int column) {
    return render::excerpt_around(text, line, column, 2);
}

std::string render::excerpt_around(const std::string& text, int line, int column,
                                   int context_lines) {
    constexpr std::size_t max_columns = coalesce::kTerminalColumns - 9;  // behind "> 1234 | "
    std::istringstream stream(text);
    std::string excerpt_text, source_line;
    for (int number = 1; std::getline(stream, source_line); ++number) {
        if (number < line - context_lines || number > line + context_lines) continue;
        if (!source_line.empty() && source_line.back() == '\r') source_line.pop_back();
        std::string code = escape_text(source_line);
        if (code.size() > max_columns && number != line) {
            std::size_t end = max_columns - 3;
            // Do not split a multi-byte character.
            while (end > 0 && (static_cast<unsigned char>(code[end]) & 0xC0) == 0x80) --end;
            code = code.substr(0, end) + "...";
        }
        excerpt_text += format("%s%4d | %s\n", number == line ? "> " : "  ", number, code.c_str());
        if (number != line || column <= 0 || column > static_cast<int>(source_line.size()) + 1)
            continue;
        excerpt_text += "       | " + format_caret(source_line, column) + "\n";
    }
    return excerpt_text;
}

namespace {

/// A kind of access, which has its own row in the table.
struct CostKind {
    const char* label;
    std::uint64_t Counters::*requests;
    std::uint64_t Counters::*cost;
    std::uint64_t Counters::*
        ideal_cost;  ///< null if the minimum is the number of sectors in the matrix
};

constexpr CostKind kCostKinds[] = {
    {"sectors per load", &Counters::load_requests, &Counters::load_sectors, nullptr},
    {"sectors per store", &Counters::store_requests, &Counters::store_sectors, nullptr},
    {"wavefronts per shared load", &Counters::shared_load_requests,
     &Counters::shared_load_wavefronts, &Counters::shared_load_ideal},
    {"wavefronts per shared store", &Counters::shared_store_requests,
     &Counters::shared_store_wavefronts, &Counters::shared_store_ideal},
};

std::string ratio_text(double count, std::uint64_t requests) {
    if (requests == 0) return "-";
    return format_short(count / static_cast<double>(requests));
}

std::string format_ratio(const std::optional<Counters>& counters, const CostKind& kind) {
    if (!counters) return "-";
    return ratio_text(static_cast<double>(*counters.*kind.cost), *counters.*kind.requests);
}

/// Adds rows for the total costs that exercises beyond the transpose limit. Their minimum depends
/// on the task, so only the solution's costs are shown for comparison.
void add_totals(std::vector<CostRow>& rows, const Counters& kernel_counters,
                const std::optional<Counters>& solution) {
    const auto add = [&](const char* label, auto sum) {
        const std::uint64_t kernel_total = std::invoke(sum, kernel_counters);
        const std::uint64_t solution_total = solution ? std::invoke(sum, *solution) : 0;
        if (kernel_total == 0 && solution_total == 0) return;
        rows.push_back({label, std::to_string(kernel_total), "-",
                        solution ? std::to_string(solution_total) : "-"});
    };
    add("sectors in all", &Counters::sectors);
    add("global requests in all", &Counters::global_requests);
    add("global atomics", &Counters::atomic_requests);
    add("shared wavefronts in all", &Counters::shared_wavefronts);
}

}  // namespace

std::vector<CostRow> cost_rows(const Verdict& verdict) {
    std::vector<CostRow> rows;
    if (!verdict.counters) return rows;
    const Counters& kernel_counters = *verdict.counters;
    const auto& solution = verdict.solution_counters;
    constexpr double floats_in_a_sector = 8;
    const double sectors = element_count(verdict.counted_shape) / floats_in_a_sector;
    for (const CostKind& kind : kCostKinds) {
        if (kernel_counters.*kind.requests == 0 && !(solution && *solution.*kind.requests > 0))
            continue;
        const double ideal_cost =
            kind.ideal_cost ? static_cast<double>(kernel_counters.*kind.ideal_cost) : sectors;
        const bool has_ideal = kind.ideal_cost || verdict.sizes.empty();
        rows.push_back({kind.label, format_ratio(kernel_counters, kind),
                        has_ideal ? ratio_text(ideal_cost, kernel_counters.*kind.requests) : "-",
                        format_ratio(solution, kind)});
    }
    if (!verdict.sizes.empty()) add_totals(rows, kernel_counters, solution);
    if (kernel_counters.shared_load_requests + kernel_counters.shared_store_requests > 0) {
        rows.push_back({"bank conflicts", std::to_string(kernel_counters.bank_conflicts()), "0",
                        solution ? std::to_string(solution->bank_conflicts()) : "-"});
    }
    return rows;
}

}  // namespace coalesce
