// See profile_text.h.
//
// Idea    Both views print "accesses": the traffic of one kernel, or one line, to one type of
//         memory in one direction. Each access is a row in the table, and a remark in the annotated
//         source.
// Watch   The ideal for global memory is the number of sectors that the requested bytes would fill.
//         Lanes that read the same bytes request more bytes than are moved, so the ideal is capped
//         at the actual number of sectors.
#include "simulator/profile/profile_text.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "simulator/counters/counters.h"
#include "simulator/profile/traffic.h"
#include "simulator/report/text.h"
#include "timing/words.h"

namespace coalesce::simulator {

namespace {

// ---- colour ----

std::string add_colour(const std::string& text, const char* escape_code, bool uses_colour) {
    return uses_colour ? "\033[" + std::string(escape_code) + "m" + text + "\033[0m" : text;
}
constexpr const char* kBoldCode = "1";
constexpr const char* kRedCode = "31";
constexpr const char* kDimCode = "2";

// ---- the table ----

/// Returns a row of the table, 80 columns wide: "  name  requests  passes  per request  ideal
/// last".
std::string format_table_row(const std::string& name, const std::string& requests,
                             const std::string& passes, const std::string& passes_per_request,
                             const std::string& ideal_passes, const std::string& useful_percent) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-15s%16s%17s%9s%7s%14s", name.c_str(), requests.c_str(),
                  passes.c_str(), passes_per_request.c_str(), ideal_passes.c_str(),
                  useful_percent.c_str());
    return line;
}

std::string format_percent_useful(const Traffic& a) {
    const u64 moved_bytes = a.passes * kSectorBytes;
    return std::to_string(
               std::min<u64>(100, moved_bytes ? a.useful_bytes * 100 / moved_bytes : 0)) +
           " %";
}

void add_rows(std::string& out, const std::vector<Traffic>& accesses, bool is_global,
              bool uses_colour) {
    if (accesses.empty()) return;
    out += add_colour(
               is_global
                   ? format_table_row("", "requests", "sectors", "each", "ideal", "useful bytes")
                   : format_table_row("", "requests", "wavefronts", "each", "ideal", "conflicts"),
               kDimCode, uses_colour) +
           "\n";
    for (const Traffic& a : accesses) {
        const std::string useful_percent =
            is_global ? format_percent_useful(a) : format_with_commas(a.passes - a.ideal_passes);
        const std::string row =
            format_table_row(a.name, format_with_commas(a.requests), format_with_commas(a.passes),
                             format_ratio(a.passes, a.requests),
                             format_ratio(a.ideal_passes, a.requests), useful_percent);
        out += add_colour(row, kRedCode, uses_colour && is_wasteful(a)) + "\n";
    }
}

std::string format_title(const KernelRow& kernel) {
    const u64 launches = kernel.launches + kernel.stopped_launches;
    return shorten_name(kernel.name) + ": " + format_with_commas(launches) +
           (launches == 1 ? " launch" : " launches") + ", grid " + format_shape(kernel.grid) +
           ", block " + format_shape(kernel.block) + (launches == 1 ? "" : " (the last)");
}

std::string format_stopped_row(const KernelRow& kernel) {
    const std::string launch_text = kernel.launches + kernel.stopped_launches == 1 ? "the launch"
                                    : kernel.stopped_launches == 1
                                        ? "one launch"
                                        : format_with_commas(kernel.stopped_launches) + " launches";
    return launch_text + (kernel.stopped_launches == 1 ? " was" : " were") +
           " stopped by an error and not counted";
}

std::string format_execution_row(const Counters& c) {
    return "  " + format_with_commas(c.warp_instructions) + " warp instructions, " +
           format_ratio(c.thread_instructions, c.warp_instructions) + " of 32 lanes active; " +
           format_with_commas(c.divergent_branches) + " of " + format_with_commas(c.branches) +
           " branches divergent";
}

void add_kernel(std::string& out, const KernelRow& kernel, bool uses_colour) {
    out += "\n" +
           add_colour(wrap(format_title(kernel), kColumns, "", "    "), kBoldCode, uses_colour) +
           "\n";
    if (kernel.stopped_launches > 0) out += "  " + format_stopped_row(kernel) + "\n";
    if (kernel.unchecked_launches > 0)
        out += "  " + format_with_commas(kernel.unchecked_launches) +
               " of these launches were counted, but not checked\n";
    if (kernel.launches == 0) return;
    add_rows(out, global_traffic(kernel.counters), true, uses_colour);
    add_rows(out, shared_traffic(kernel.counters), false, uses_colour);
    out += wrap(format_execution_row(kernel.counters), kColumns, "  ", "  ") + "\n";
}

// ---- predicted times ----

std::string format_percent(double fraction) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * fraction);
    return text;
}

/// Returns the line for a kernel's predicted time, without the time itself: the name, the
/// bottleneck and the error band.
std::string describe_time(const std::string& name, const PredictedKernel& kernel) {
    std::string text = shorten_name(name);
    if (kernel.longest_launch)
        text += ": " + timing::describe_bottleneck(*kernel.longest_launch) + "; within " +
                format_percent(kernel.error_band);
    if (kernel.repeated_launches)
        text += "; " + format_with_commas(kernel.repeated_launches) +
                " launches are assumed to take as long as similar earlier launches";
    for (const timing::Unknown unknown : kernel.unknown_aspects)
        text += "; the model does not know " + timing::phrase_for(unknown);
    if (kernel.unpredicted_launches)
        text += "; " + format_with_commas(kernel.unpredicted_launches) +
                (kernel.unpredicted_launches == 1 ? " launch is" : " launches are") +
                " left out: " + kernel.unpredicted_reason;
    return text;
}

struct NamedTime {
    std::string name;
    const PredictedKernel* kernel;
};

std::string format_time_row(const NamedTime& row, double total_ms) {
    const PredictedKernel& kernel = *row.kernel;
    char time_figures[64], empty_figures[64];
    std::snprintf(time_figures, sizeof time_figures, "%12.4f%8s%10s  ", kernel.ms,
                  total_ms > 0 ? format_percent(kernel.ms / total_ms).c_str() : "-",
                  format_with_commas(kernel.launches).c_str());
    std::snprintf(empty_figures, sizeof empty_figures, "%12s%8s%10s  ", "-", "-",
                  format_with_commas(kernel.launches).c_str());
    const std::string time_text = kernel.longest_launch ? time_figures : empty_figures;
    return wrap(describe_time(row.name, kernel), kColumns, time_text,
                std::string(time_text.size() + 2, ' ')) +
           "\n";
}

std::string format_times(const std::vector<KernelRow>& kernels,
                         const PredictedTimes& predicted_times, bool uses_colour) {
    std::vector<NamedTime> rows;
    double total_ms = 0;
    for (const KernelRow& kernel : kernels) {
        const PredictedKernel* predicted = predicted_times.find_kernel(kernel.name);
        if (!predicted) continue;
        rows.push_back({kernel.name, predicted});
        total_ms += predicted->ms;
    }
    if (rows.empty()) return "";
    std::stable_sort(rows.begin(), rows.end(), [](const NamedTime& a, const NamedTime& b) {
        return a.kernel->ms > b.kernel->ms;
    });
    const std::string title =
        "Predicted, not measured: kernels on " +
        std::string(predicted_times.gpu().is_measured ? "an " : "an unverified ") +
        predicted_times.gpu().name;
    std::string text =
        "\n" + add_colour(wrap(title, kColumns, "", "  "), kBoldCode, uses_colour) + "\n";
    char heading[96];
    std::snprintf(heading, sizeof heading, "%12s%8s%10s  %s", "ms", "of all", "launches",
                  "kernel: bottleneck of its longest launch");
    text += add_colour(heading, kDimCode, uses_colour) + "\n";
    for (const NamedTime& row : rows) text += format_time_row(row, total_ms);
    return text;
}

// ---- the annotated source ----

/// The number of lines to show before and after a line that accesses memory.
constexpr u32 kContextLines = 2;

using LinesOfFile = std::map<u32, const LineRow*>;

void add_remark(std::string& out, const Traffic& a, bool is_global, bool uses_colour) {
    const char* unit = is_global ? "sectors" : "wavefronts";
    std::string text = "^ " + std::string(a.name) + ": " + format_with_commas(a.requests) + " x " +
                       format_ratio(a.passes, a.requests) + " " + unit + " (ideal " +
                       format_ratio(a.ideal_passes, a.requests) + ")";
    if (is_global) {
        text += ", " + format_percent_useful(a) + " of the bytes useful";
    } else if (a.passes > a.ideal_passes) {
        text += ", " + format_with_commas(a.passes - a.ideal_passes) + " conflicts";
    }
    out += add_colour(wrap(text, kColumns, "        ", "          "), kRedCode,
                      uses_colour && is_wasteful(a)) +
           "\n";
}

/// Adds a remark about merged accesses, such as "^ 3 loads of this line are part of earlier ones:
/// the GPU's code has one instruction for neighbours".
void add_merged(std::string& out, u32 count, const char* access_name) {
    if (count == 0) return;
    const bool is_one = count == 1;
    const std::string text = "^ " + std::to_string(count) + " " + access_name +
                             (is_one ? "" : "s") + " of this line " + (is_one ? "is" : "are") +
                             " part of an earlier access: the machine code has one wider "
                             "instruction for neighbouring accesses";
    out += wrap(text, kColumns, "        ", "          ") + "\n";
}

void add_source_line(std::string& out, u32 number, const std::string* text, const LineRow* row,
                     bool uses_colour) {
    char line_prefix[32];
    std::snprintf(line_prefix, sizeof line_prefix, "%5u | ", number);
    std::string line = line_prefix + (text ? *text : std::string());
    if (line.size() > kColumns) line = line.substr(0, kColumns - 3) + "...";
    out += line + "\n";
    if (!row) return;
    for (const Traffic& a : global_traffic(row->counters)) add_remark(out, a, true, uses_colour);
    for (const Traffic& a : shared_traffic(row->counters)) add_remark(out, a, false, uses_colour);
    add_merged(out, row->merged_accesses.loads, "load");
    add_merged(out, row->merged_accesses.stores, "store");
}

/// Returns the numbers of the lines to show: the lines that access memory and, if the source text
/// is available, a few lines around each of them.
std::set<u32> find_lines_to_show(const LinesOfFile& lines, const std::vector<std::string>* text) {
    std::set<u32> lines_to_show;
    for (const auto& [line, row] : lines) {
        const bool has_merged = row->merged_accesses.loads + row->merged_accesses.stores > 0;
        if (!row->counters.has_memory_requests() && !has_merged) continue;
        lines_to_show.insert(line);
        if (!text) continue;
        const u32 last_shown_line =
            static_cast<u32>(std::min<u64>(u64{line} + kContextLines, text->size()));
        for (u32 l = line > kContextLines ? line - kContextLines : 1; l <= last_shown_line; ++l)
            lines_to_show.insert(l);
    }
    return lines_to_show;
}

void add_file(std::string& out, const KernelRow& kernel, const std::string& file,
              const LinesOfFile& lines, const SourceReader& source, bool uses_colour) {
    const std::optional<std::vector<std::string>> text = source(file);
    const std::set<u32> lines_to_show = find_lines_to_show(lines, text ? &*text : nullptr);
    if (lines_to_show.empty()) return;
    out += "\n" +
           add_colour(
               wrap(shorten_name(kernel.name) + " in " + shorten_path(file), kColumns, "", "    "),
               kBoldCode, uses_colour) +
           "\n";
    if (!text) out += "  (the source cannot be read, so only line numbers are shown)\n";
    u32 previous = 0;
    for (const u32 line : lines_to_show) {
        if (previous != 0 && line != previous + 1) out += "      |\n";
        previous = line;
        const bool has_text = text && line <= text->size();
        const auto row = lines.find(line);
        add_source_line(out, line, has_text ? &(*text)[line - 1] : nullptr,
                        row == lines.end() ? nullptr : row->second, uses_colour);
    }
}

}  // namespace

std::string profile_text(const std::string& device, const std::vector<KernelRow>& kernels,
                         bool uses_colour, const PredictedTimes* predicted_times) {
    const char* counters_note = predicted_times
                                    ? ": counters; times are predicted"
                                    : ": counters only, because a simulation has no times";
    std::string out = wrap(device + counters_note, kColumns, "", "") + "\n";
    if (kernels.empty()) out += "\nno kernel was launched\n";
    for (const KernelRow& kernel : kernels) add_kernel(out, kernel, uses_colour);
    if (predicted_times) out += format_times(kernels, *predicted_times, uses_colour);
    return out;
}

std::string annotated_text(const std::vector<KernelRow>& kernels, const SourceReader& source,
                           bool uses_colour) {
    std::string out;
    for (const KernelRow& kernel : kernels) {
        std::map<std::string, LinesOfFile> files;
        for (const LineRow& row : kernel.lines) files[row.place.file][row.place.line] = &row;
        if (files.empty() && kernel.counters.has_memory_requests()) {
            out += "\n" +
                   wrap(shorten_name(kernel.name) + ": no line numbers; build with nvcc -lineinfo",
                        kColumns, "", "    ") +
                   "\n";
        }
        for (const auto& [file, lines] : files) {
            add_file(out, kernel, file, lines, source, uses_colour);
        }
    }
    return out;
}

std::optional<std::vector<std::string>> read_source(const std::string& file) {
    std::ifstream in(file);
    if (!in) return std::nullopt;
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        std::string expanded_line;  // the line with its tabs expanded, to keep the columns aligned
        for (const char c : line) {
            if (c == '\t')
                expanded_line.append(4, ' ');
            else if (c != '\r')
                expanded_line += c;
        }
        lines.push_back(expanded_line);
    }
    return lines;
}

}  // namespace coalesce::simulator
