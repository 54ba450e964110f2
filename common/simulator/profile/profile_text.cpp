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

std::string add_colour(const std::string& text, const char* code, bool colour) {
    return colour ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
}
constexpr const char* kBold = "1";
constexpr const char* kRed = "31";
constexpr const char* kDim = "2";

// ---- the table ----

/// Returns a row of the table, 80 columns wide: "  name  requests  passes  per request  ideal
/// last".
std::string format_table_row(const std::string& name, const std::string& requests,
                             const std::string& passes, const std::string& each,
                             const std::string& ideal, const std::string& last) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-15s%16s%17s%9s%7s%14s", name.c_str(), requests.c_str(),
                  passes.c_str(), each.c_str(), ideal.c_str(), last.c_str());
    return line;
}

std::string format_percent_useful(const Traffic& a) {
    const u64 moved = a.passes * kSectorBytes;
    return std::to_string(std::min<u64>(100, moved ? a.useful_bytes * 100 / moved : 0)) + " %";
}

void add_rows(std::string& out, const std::vector<Traffic>& accesses, bool global, bool colour) {
    if (accesses.empty()) return;
    out +=
        add_colour(
            global ? format_table_row("", "requests", "sectors", "each", "ideal", "useful bytes")
                   : format_table_row("", "requests", "wavefronts", "each", "ideal", "conflicts"),
            kDim, colour) +
        "\n";
    for (const Traffic& a : accesses) {
        const std::string last =
            global ? format_percent_useful(a) : with_commas(a.passes - a.ideal);
        const std::string row = format_table_row(
            a.name, with_commas(a.requests), with_commas(a.passes),
            format_ratio(a.passes, a.requests), format_ratio(a.ideal, a.requests), last);
        out += add_colour(row, kRed, colour && is_wasteful(a)) + "\n";
    }
}

std::string format_title(const KernelRow& kernel) {
    const u64 launches = kernel.launches + kernel.stopped;
    return shorten_name(kernel.name) + ": " + with_commas(launches) +
           (launches == 1 ? " launch" : " launches") + ", grid " + format_shape(kernel.grid) +
           ", block " + format_shape(kernel.block) + (launches == 1 ? "" : " (the last)");
}

std::string format_stopped_row(const KernelRow& kernel) {
    const std::string which = kernel.launches + kernel.stopped == 1 ? "the launch"
                              : kernel.stopped == 1                 ? "one launch"
                                                    : with_commas(kernel.stopped) + " launches";
    return which + (kernel.stopped == 1 ? " was" : " were") +
           " stopped by an error and not counted";
}

std::string format_execution_row(const Counters& c) {
    return "  " + with_commas(c.warp_instructions) + " warp instructions, " +
           format_ratio(c.thread_instructions, c.warp_instructions) + " of 32 lanes active; " +
           with_commas(c.divergent_branches) + " of " + with_commas(c.branches) +
           " branches divergent";
}

void add_kernel(std::string& out, const KernelRow& kernel, bool colour) {
    out +=
        "\n" + add_colour(wrap(format_title(kernel), kColumns, "", "    "), kBold, colour) + "\n";
    if (kernel.stopped > 0) out += "  " + format_stopped_row(kernel) + "\n";
    if (kernel.unchecked_launches > 0)
        out += "  " + with_commas(kernel.unchecked_launches) +
               " of these launches were counted, but not checked\n";
    if (kernel.launches == 0) return;
    add_rows(out, global_traffic(kernel.counters), true, colour);
    add_rows(out, shared_traffic(kernel.counters), false, colour);
    out += wrap(format_execution_row(kernel.counters), kColumns, "  ", "  ") + "\n";
}

// ---- predicted times ----

std::string percent(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * part);
    return text;
}

/// Returns the line for a kernel's predicted time, without the time itself: the name, the
/// bottleneck and the error band.
std::string describe_time(const std::string& name, const PredictedKernel& kernel) {
    std::string text = shorten_name(name);
    if (kernel.longest)
        text += ": " + timing::describe_bottleneck(*kernel.longest) + "; within " +
                percent(kernel.error_band);
    if (kernel.alike)
        text += "; " + with_commas(kernel.alike) +
                " launches are assumed to take as long as similar earlier launches";
    for (const timing::Unknown what : kernel.unknown)
        text += "; the model does not know " + timing::phrase_for(what);
    if (kernel.unpredicted_launches)
        text += "; " + with_commas(kernel.unpredicted_launches) +
                (kernel.unpredicted_launches == 1 ? " launch is" : " launches are") +
                " left out: " + kernel.why;
    return text;
}

struct NamedTime {
    std::string name;
    const PredictedKernel* kernel;
};

std::string format_time_row(const NamedTime& row, double sum) {
    const PredictedKernel& kernel = *row.kernel;
    char figures[64], nothing[64];
    std::snprintf(figures, sizeof figures, "%12.4f%8s%10s  ", kernel.ms,
                  sum > 0 ? percent(kernel.ms / sum).c_str() : "-",
                  with_commas(kernel.launches).c_str());
    std::snprintf(nothing, sizeof nothing, "%12s%8s%10s  ", "-", "-",
                  with_commas(kernel.launches).c_str());
    const std::string first = kernel.longest ? figures : nothing;
    return wrap(describe_time(row.name, kernel), kColumns, first,
                std::string(first.size() + 2, ' ')) +
           "\n";
}

std::string format_times(const std::vector<KernelRow>& kernels, const PredictedTimes& times,
                         bool colour) {
    std::vector<NamedTime> rows;
    double sum = 0;
    for (const KernelRow& kernel : kernels) {
        const PredictedKernel* predicted = times.of(kernel.name);
        if (!predicted) continue;
        rows.push_back({kernel.name, predicted});
        sum += predicted->ms;
    }
    if (rows.empty()) return "";
    std::stable_sort(rows.begin(), rows.end(), [](const NamedTime& a, const NamedTime& b) {
        return a.kernel->ms > b.kernel->ms;
    });
    const std::string what = "Predicted, not measured: kernels on " +
                             std::string(times.gpu().measured ? "an " : "an unverified ") +
                             times.gpu().name;
    std::string text = "\n" + add_colour(wrap(what, kColumns, "", "  "), kBold, colour) + "\n";
    char head[96];
    std::snprintf(head, sizeof head, "%12s%8s%10s  %s", "ms", "of all", "launches",
                  "kernel: bottleneck of its longest launch");
    text += add_colour(head, kDim, colour) + "\n";
    for (const NamedTime& row : rows) text += format_time_row(row, sum);
    return text;
}

// ---- the annotated source ----

/// number of lines to show before and after a line that accesses memory
constexpr u32 kContext = 2;

using LinesOfFile = std::map<u32, const LineRow*>;

void add_remark(std::string& out, const Traffic& a, bool global, bool colour) {
    const char* unit = global ? "sectors" : "wavefronts";
    std::string text = "^ " + std::string(a.name) + ": " + with_commas(a.requests) + " x " +
                       format_ratio(a.passes, a.requests) + " " + unit + " (ideal " +
                       format_ratio(a.ideal, a.requests) + ")";
    if (global) {
        text += ", " + format_percent_useful(a) + " of the bytes useful";
    } else if (a.passes > a.ideal) {
        text += ", " + with_commas(a.passes - a.ideal) + " conflicts";
    }
    out +=
        add_colour(wrap(text, kColumns, "        ", "          "), kRed, colour && is_wasteful(a)) +
        "\n";
}

/// Adds a remark about merged accesses, such as "^ 3 loads of this line are part of earlier ones:
/// the GPU's code has one instruction for neighbours".
void add_merged(std::string& out, u32 count, const char* what) {
    if (count == 0) return;
    const bool is_one = count == 1;
    const std::string text = "^ " + std::to_string(count) + " " + what + (is_one ? "" : "s") +
                             " of this line " + (is_one ? "is" : "are") +
                             " part of an earlier access: the machine code has one wider "
                             "instruction for neighbouring accesses";
    out += wrap(text, kColumns, "        ", "          ") + "\n";
}

void add_source_line(std::string& out, u32 number, const std::string* text, const LineRow* row,
                     bool colour) {
    char gutter[32];
    std::snprintf(gutter, sizeof gutter, "%5u | ", number);
    std::string line = gutter + (text ? *text : std::string());
    if (line.size() > kColumns) line = line.substr(0, kColumns - 3) + "...";
    out += line + "\n";
    if (!row) return;
    for (const Traffic& a : global_traffic(row->counters)) add_remark(out, a, true, colour);
    for (const Traffic& a : shared_traffic(row->counters)) add_remark(out, a, false, colour);
    add_merged(out, row->merged.loads, "load");
    add_merged(out, row->merged.stores, "store");
}

/// Returns the numbers of the lines to show: the lines that access memory and, if the source text
/// is available, a few lines around each of them.
std::set<u32> find_lines_to_show(const LinesOfFile& lines, const std::vector<std::string>* text) {
    std::set<u32> shown;
    for (const auto& [line, row] : lines) {
        const bool has_merged = row->merged.loads + row->merged.stores > 0;
        if (!row->counters.has_memory_requests() && !has_merged) continue;
        shown.insert(line);
        if (!text) continue;
        const u32 last = static_cast<u32>(std::min<u64>(u64{line} + kContext, text->size()));
        for (u32 l = line > kContext ? line - kContext : 1; l <= last; ++l) shown.insert(l);
    }
    return shown;
}

void add_file(std::string& out, const KernelRow& kernel, const std::string& file,
              const LinesOfFile& lines, const SourceReader& source, bool colour) {
    const std::optional<std::vector<std::string>> text = source(file);
    const std::set<u32> shown = find_lines_to_show(lines, text ? &*text : nullptr);
    if (shown.empty()) return;
    out += "\n" +
           add_colour(
               wrap(shorten_name(kernel.name) + " in " + path_to_show(file), kColumns, "", "    "),
               kBold, colour) +
           "\n";
    if (!text) out += "  (the source cannot be read, so only line numbers are shown)\n";
    u32 previous = 0;
    for (const u32 line : shown) {
        if (previous != 0 && line != previous + 1) out += "      |\n";
        previous = line;
        const bool has_text = text && line <= text->size();
        const auto row = lines.find(line);
        add_source_line(out, line, has_text ? &(*text)[line - 1] : nullptr,
                        row == lines.end() ? nullptr : row->second, colour);
    }
}

}  // namespace

std::string profile_text(const std::string& device, const std::vector<KernelRow>& kernels,
                         bool colour, const PredictedTimes* times) {
    const char* what = times ? ": counters; times are predicted"
                             : ": counters only, because a simulation has no times";
    std::string out = wrap(device + what, kColumns, "", "") + "\n";
    if (kernels.empty()) out += "\nno kernel was launched\n";
    for (const KernelRow& kernel : kernels) add_kernel(out, kernel, colour);
    if (times) out += format_times(kernels, *times, colour);
    return out;
}

std::string annotated_text(const std::vector<KernelRow>& kernels, const SourceReader& source,
                           bool colour) {
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
            add_file(out, kernel, file, lines, source, colour);
        }
    }
    return out;
}

std::optional<std::vector<std::string>> read_source(const std::string& file) {
    std::ifstream in(file);
    if (!in) return std::nullopt;
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        std::string plain;  // the line with its tabs expanded, to keep the columns aligned
        for (const char c : line) {
            if (c == '\t')
                plain.append(4, ' ');
            else if (c != '\r')
                plain += c;
        }
        lines.push_back(plain);
    }
    return lines;
}

}  // namespace coalesce::simulator
