// See lints.h.
#include "simulator/simulate/lints.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <set>
#include <utility>

#include "simulator/report/selection.h"
#include "simulator/report/text.h"
#include "simulator/simulate/metrics.h"

namespace coalesce::simulator {

const std::vector<LintRule> kLintRules{
    {"uncoalesced-load", "Make neighbouring lanes load neighbouring elements."},
    {"uncoalesced-store", "Make neighbouring lanes store neighbouring elements."},
    {"partial-sectors", "Begin rows at multiples of 32 bytes, and use all bytes of a sector."},
    {"bank-conflict", "Pad the rows of the shared array, or permute its columns (swizzle)."},
    {"atomics-contended",
     "First add up values in registers or with shuffles, so that fewer lanes share an address."},
    {"one-load-in-flight", "Issue several independent loads before using the first result."},
    {"barrier-bound", "Do more work between barriers, or make fewer threads share a barrier."},
    {"divergent-loop",
     "Give the lanes of a warp equally long work, for example by sorting it by length."},
    {"spill",
     "Allow more registers per thread, keep fewer values, or index local arrays with constants."},
    {"unused-shared", "Declare and request only as much shared memory as the kernel uses."},
    {"low-occupancy", "Raise the limit, so that more warps hide the latency."},
};

namespace {

constexpr double kSectorBytes = 32;
/// A lint is reported if its cost is at least these fractions of the kernel's time and of the
/// program's time.
constexpr double kMinFractionOfKernel = .05, kMinFractionOfProgram = .02;
/// The shortest launch whose lints are reported. Shorter launches mostly consist of their start.
constexpr double kMinLaunchMs = .01;
/// The minimum ratio of the moved sectors to the sectors that the requested bytes would fill.
/// Accesses with at least this ratio are uncoalesced.
constexpr double kMinUncoalescedRatio = 2;
/// The maximum number of warps that a multiprocessor can hold.
constexpr int kMaxWarps = 64;

/// A file and a line, or an empty file if the place is not known.
struct SourcePlace {
    std::string file;
    unsigned line = 0;
};

std::vector<std::string> read_source(const std::string& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Returns the name of a function without its namespaces, template arguments and parameters.
std::string base_name_of(std::string name) {
    static const std::string anonymous = "(anonymous namespace)::";
    for (std::size_t at; (at = name.find(anonymous)) != name.npos;)
        name.erase(at, anonymous.size());
    name = name.substr(0, name.find_first_of("<("));
    const std::size_t before = name.find_last_of(": ");
    return before == name.npos ? name : name.substr(before + 1);
}

/// Reports whether a line of source code contains a word.
bool has_word(const std::string& line, const std::string& word) {
    const auto is_letter = [&](std::size_t at) {
        return at < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '_');
    };
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1))
        if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
    return false;
}

/// Finds the lints of one kernel.
class KernelLints {
public:
    explicit KernelLints(const Json& kernel)
        : kernel_(kernel),
          predicted_(kernel["predicted"]),
          longest_launch_(predicted_["longest"]),
          kernel_ms_(read_counter(predicted_, "ms")) {}

    std::vector<Lint> find_lints() {
        if (!predicted_.contains("savings") || read_counter(longest_launch_, "ms") < kMinLaunchMs)
            return {};
        for (const Json& saving : predicted_["savings"]) {
            const double ms =
                kernel_ms_ * read_counter(saving, "ms") / read_counter(longest_launch_, "ms");
            if (ms >= kMinFractionOfKernel * kernel_ms_) add_lint_for_saving(saving, ms);
        }
        return std::move(lints_);
    }

private:
    void add_lint_for_saving(const Json& saving, double ms) {
        const std::string inefficiency = saving["inefficiency"];
        const Json* line = find_line(saving["line"]);
        if (inefficiency == "load_sectors") {
            if (line) add_sector_lint(*line, "load", ms);
        } else if (inefficiency == "store_sectors") {
            if (line) add_sector_lint(*line, "store", ms);
        } else if (inefficiency == "bank_conflicts") {
            if (line) add_conflict_lint(*line, ms);
        } else if (inefficiency == "contended_atomics") {
            if (line) add_atomics_lint(*line, ms);
        } else if (inefficiency == "waits_for_loads") {
            add_wait_lint(ms);
        } else if (inefficiency == "barriers") {
            add_lint("barrier-bound", place_of(saving, line), ms,
                     "Warps wait at this barrier for the other warps of their block.");
        } else if (inefficiency == "divergent_loop") {
            add_lint(
                "divergent-loop", place_of(saving, line), ms,
                "The lanes of a warp take different numbers of turns in this loop, so lanes idle "
                "until the last one leaves it.");
        } else if (inefficiency == "local_memory") {
            add_lint("spill", place_of(saving, line), ms,
                     "This line accesses an array or variables in local memory.");
        } else if (inefficiency == "spilled_registers") {
            add_lint(
                "spill", find_declaration(), ms,
                "The kernel may use " + format_value(read_counter(longest_launch_, "registers")) +
                    " registers per thread and needs more, so values are moved to local memory "
                    "and back.");
        } else if (inefficiency == "unused_shared") {
            add_lint("unused-shared", find_shared_declaration(), ms,
                     "A block has " + format_value(read_counter(longest_launch_, "shared_bytes")) +
                         " bytes of shared memory and does not use all of them. A multiprocessor "
                         "therefore runs only " +
                         describe_blocks() + ".");
        } else if (inefficiency == "occupancy") {
            add_occupancy_lint(ms);
        }
    }

    /// Returns the line with this number that has the most instructions, or null.
    const Json* find_line(unsigned number) const {
        const Json* busiest_line = nullptr;
        for (const Json& line : kernel_["lines"]) {
            if (line["line"] != number) continue;
            if (!busiest_line || read_counter(line, "warp_instructions") >
                                     read_counter(*busiest_line, "warp_instructions"))
                busiest_line = &line;
        }
        return busiest_line;
    }
    SourcePlace place_of(const Json& saving, const Json* line) const {
        if (line) return {(*line)["file"], (*line)["line"]};
        return {find_declaration().file, saving["line"]};
    }

    void add_lint(const char* id, const SourcePlace& place, double ms,
                  const std::string& explanation) {
        const auto rule = std::find_if(
            kLintRules.begin(), kLintRules.end(),
            [&](const LintRule& lint_rule) { return id == std::string_view(lint_rule.id); });
        char cost[64];
        std::snprintf(cost, sizeof cost, " Predicted cost: %.3g of %.3g ms. ", ms, kernel_ms_);
        lints_.push_back({.id = id,
                          .kernel = kernel_["name"],
                          .file = place.file,
                          .line = place.line,
                          .ms = ms,
                          .kernel_ms = kernel_ms_,
                          .message = explanation + cost + rule->advice});
    }

    void add_sector_lint(const Json& line, const std::string& kind, double ms) {
        const double sectors = read_counter(line, (kind + "_sectors").c_str()),
                     requests = read_counter(line, (kind + "_requests").c_str()),
                     ideal = read_counter(line, (kind + "_useful_bytes").c_str()) / kSectorBytes;
        if (requests == 0 || sectors <= ideal) return;
        const bool is_uncoalesced = sectors >= kMinUncoalescedRatio * ideal;
        add_lint(!is_uncoalesced  ? "partial-sectors"
                 : kind == "load" ? "uncoalesced-load"
                                  : "uncoalesced-store",
                 {line["file"], line["line"]}, ms,
                 format_value(sectors / requests) + " sectors per " + kind + ", where " +
                     format_value(ideal / requests) + " would contain all of its bytes.");
    }

    void add_conflict_lint(const Json& line, double ms) {
        std::string conflicts;
        for (const char* kind : {"load", "store"})
            if (const double conflicts_of_kind = count_conflicts(line, kind); conflicts_of_kind > 0)
                conflicts += (conflicts.empty() ? "" : " and ") + format_value(conflicts_of_kind) +
                             " bank conflicts of shared " + kind + "s";
        if (!conflicts.empty())
            add_lint("bank-conflict", {line["file"], line["line"]}, ms, conflicts + ".");
    }
    void add_atomics_lint(const Json& line, double ms) {
        const double shared_conflicts = count_conflicts(line, "atomic");
        add_lint(
            "atomics-contended", {line["file"], line["line"]}, ms,
            shared_conflicts > 0
                ? format_value(shared_conflicts) +
                      " times, lanes wait for other lanes of their warp that "
                      "change the same word of shared memory."
                : "Atomics of many warps change the same few words of global memory, which the L2 "
                  "cache does one after another.");
    }
    static double count_conflicts(const Json& counters, const std::string& kind) {
        return read_counter(counters, ("shared_" + kind + "_wavefronts").c_str()) -
               read_counter(counters, ("shared_" + kind + "_ideal").c_str());
    }

    /// Reports the line at which warps wait for loads most often.
    void add_wait_lint(double ms) {
        const auto& lines = kernel_["lines"];
        const auto line =
            std::max_element(lines.begin(), lines.end(), [](const Json& a, const Json& b) {
                return read_counter(a, "load_waits") < read_counter(b, "load_waits");
            });
        if (line == lines.end() || read_counter(*line, "load_waits") == 0) return;
        add_lint("one-load-in-flight", {(*line)["file"], (*line)["line"]}, ms,
                 format_value(read_counter(longest_launch_, "bytes_on_their_way")) +
                     " bytes are in flight per multiprocessor, but " +
                     format_value(read_counter(longest_launch_, "bytes_needed")) +
                     " are needed to keep the memory busy.");
    }

    void add_occupancy_lint(double ms) {
        const std::string limit = longest_launch_.value("occupied", "");
        const int warps = longest_launch_.value("resident_blocks", 0) *
                          longest_launch_.value("warps_of_block", 0);
        add_lint("low-occupancy", find_declaration(), ms,
                 "A multiprocessor runs " + std::to_string(warps) + " warps, and could run " +
                     std::to_string(kMaxWarps) + ". The limit is " +
                     (limit == "registers"       ? "the number of registers per thread."
                      : limit == "shared-memory" ? "the shared memory of a block."
                      : limit == "grid"          ? "the number of blocks in the grid."
                                        : "the number of blocks, because blocks are small."));
    }
    std::string describe_blocks() const {
        const int blocks = longest_launch_.value("resident_blocks", 0);
        return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
    }

    /// Returns the place at which the kernel is declared, as far as its source shows it.
    SourcePlace find_declaration() const {
        std::set<std::string> files;
        for (const Json& line : kernel_["lines"]) files.insert(line["file"]);
        const std::string name = base_name_of(kernel_["name"]);
        for (const std::string& file : files) {
            const std::vector<std::string> lines = read_source(file);
            bool is_declaration = false;  // whether a declaration has begun
            for (std::size_t k = 0; k < lines.size(); ++k) {
                is_declaration |= lines[k].find("__global__") != std::string::npos;
                if (is_declaration && has_word(lines[k], name))
                    return {file, static_cast<unsigned>(k + 1)};
                if (lines[k].find('{') != std::string::npos) is_declaration = false;
            }
        }
        return {files.size() == 1 ? *files.begin() : "", 0};
    }
    /// Returns the first declaration of shared memory in the kernel, or the kernel's declaration.
    SourcePlace find_shared_declaration() const {
        const SourcePlace kernel = find_declaration();
        if (kernel.line == 0) return kernel;
        const std::vector<std::string> lines = read_source(kernel.file);
        for (std::size_t k = kernel.line; k < lines.size() && !lines[k].starts_with("}"); ++k)
            if (has_word(lines[k], "__shared__"))
                return {kernel.file, static_cast<unsigned>(k + 1)};
        return kernel;
    }

    const Json &kernel_, &predicted_, &longest_launch_;
    double kernel_ms_;
    std::vector<Lint> lints_;
};

/// Reports whether a comment in the line, or in the line above, allows the lint.
bool is_allowed(const Lint& lint) {
    const auto allows_in_line = [&](unsigned line_number) {
        const std::string text =
            line_number > 0 ? source_line({lint.file, line_number}) : std::string();
        const std::size_t marker_position = text.find("coalesce: allow ");
        if (marker_position == text.npos) return false;
        const std::string list = " " + text.substr(marker_position + 15) + " ";
        return list.find(" " + lint.id + " ") != list.npos ||
               list.find(" " + lint.id + ",") != list.npos;
    };
    return lint.line > 0 && (allows_in_line(lint.line) || allows_in_line(lint.line - 1));
}

bool is_predicted(const Json& kernel) {
    return kernel.contains("predicted") && kernel["predicted"].contains("longest");
}

}  // namespace

std::vector<Lint> find_lints(const Json& run) {
    double program_ms = 0;
    for (const Json& kernel : run["kernels"])
        if (is_predicted(kernel)) program_ms += read_counter(kernel["predicted"], "ms");
    std::vector<Lint> lints;
    for (const Json& kernel : run["kernels"]) {
        if (!is_predicted(kernel)) continue;
        for (Lint& lint : KernelLints(kernel).find_lints())
            if (lint.ms >= kMinFractionOfProgram * program_ms && !is_allowed(lint))
                lints.push_back(std::move(lint));
    }
    std::stable_sort(lints.begin(), lints.end(),
                     [](const Lint& a, const Lint& b) { return a.ms > b.ms; });
    return lints;
}

std::vector<Finding> make_lint_findings(const std::vector<Lint>& lints) {
    std::vector<Finding> findings;
    for (const Lint& lint : lints) {
        Finding finding{.rule = "lint",
                        .kind = lint.id,
                        .kernel = lint.kernel,
                        .line = lint.line,
                        .message = lint.message,
                        .is_warning = true};
        if (lint.line > 0) finding.file = shorten_path(lint.file);
        findings.push_back(std::move(finding));
    }
    return findings;
}

void add_lints(Json& run, const std::vector<Lint>& lints) {
    run["lints"] = Json::array();
    for (const Lint& lint : lints)
        run["lints"].push_back({{"id", lint.id},
                                {"kernel", lint.kernel},
                                {"file", lint.file},
                                {"line", lint.line},
                                {"ms", lint.ms},
                                {"kernel_ms", lint.kernel_ms},
                                {"message", lint.message}});
}

std::string lints_text(const std::vector<Lint>& lints) {
    if (lints.empty()) return "no lints: no avoidable cost takes a large part of the time\n";
    std::string text;
    for (const Lint& lint : lints) {
        text += "lint: " + lint.id + " in " + shorten_name(lint.kernel) + "\n";
        if (lint.line > 0) text += "  at " + format_place(lint.file, lint.line) + "\n";
        text += wrap(lint.message, kColumns, "  ", "  ") + "\n";
    }
    return text +
           "The comment `coalesce: allow ID` on a line switches off the lint ID for this line.\n";
}

}  // namespace coalesce::simulator
