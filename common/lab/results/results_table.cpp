#include "lab/results/results_table.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "examiner/course/results_file.h"
#include "learn/figures.h"
#include "learn/paths.h"

namespace coalesce::lab {
namespace {

namespace fs = std::filesystem;
using namespace learn;

std::string device_name(const Json& run) {
    return run.at("device").at("name");
}

// The results of one variant. Missing results are null.
struct VariantRow {
    std::string step, variant;
    Json counted = nullptr, predicted = nullptr, measured = nullptr;
};

// The results of one GPU for one shape: the rows, and the columns that the results contain.
struct ResultsTable {
    std::vector<VariantRow> rows;
    std::string counted_shape, gpu, shape, measured_gpu;
    bool is_verified_gpu = true, has_unknown = false;
    bool has_traffic = true;  // whether the column of memory traffic fits into the table

    bool has_counted() const { return !counted_shape.empty(); }
    bool has_predicted() const { return !gpu.empty(); }
    bool has_measured() const { return !measured_gpu.empty(); }

    /// Returns the row of a result, or rows.end() if there is none.
    std::vector<VariantRow>::iterator find(const Json& result) {
        return std::ranges::find_if(rows, [&](const VariantRow& row) {
            return row.step == result.at("step") && row.variant == result.at("variant");
        });
    }

    VariantRow& row(const Json& result) {
        auto found = find(result);
        if (found == rows.end()) {
            found = rows.insert(rows.end(), {result.at("step"), result.at("variant")});
        }
        return *found;
    }
};

using SelectedSteps = std::set<std::string>;  // the steps to include; all steps if empty

bool is_selected(const SelectedSteps& steps, const Json& result) {
    return steps.empty() || steps.contains(result.at("step"));
}

void add_counted(ResultsTable& table, const Json& run, const SelectedSteps& steps) {
    if (run.is_null()) return;
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result)) continue;
        if (table.counted_shape.empty()) table.counted_shape = format_shape(result);
        // A lesson with smaller matrices has a table of its own.
        if (format_shape(result) == table.counted_shape) table.row(result).counted = result;
    }
}

void add_measured(ResultsTable& table, const Json& run, const SelectedSteps& steps) {
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result)) continue;
        const bool is_timed = milliseconds(result) != "-";
        // A variant that takes only smaller matrices has no other results in this table.
        if (!is_timed && table.find(result) == table.rows.end()) continue;
        table.row(result).measured = result;
        if (!is_timed) continue;
        table.measured_gpu = device_name(run);
        table.shape = format_shape(result);
    }
}

// Returns the part of the run with the largest size at which one of the given steps was timed.
Json at_size_of(const SelectedSteps& steps, const Json& run) {
    const auto is_timed = [&](const Json& result) {
        return is_selected(steps, result) && milliseconds(result) != "-";
    };
    const auto area = [](const Json& size) {
        return size.at("rows").get<double>() * size.at("cols").get<double>();
    };
    if (std::ranges::any_of(run.at("results"), is_timed) || !run.contains("other_sizes"))
        return run;
    const Json* largest = nullptr;
    for (const Json& size : run["other_sizes"]) {
        const bool is_larger = largest == nullptr || area(size) > area(*largest);
        if (is_larger && std::ranges::any_of(size.at("results"), is_timed)) largest = &size;
    }
    Json other = run;
    if (largest != nullptr) other["results"] = largest->at("results");
    return other;
}

// Adds predictions for the measured GPU and shape, if there are any.
void add_predicted(ResultsTable& table, const Json& run, const SelectedSteps& steps) {
    if (run.is_null()) return;
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result) || !result.contains("predicted")) continue;
        const Json& predicted = result["predicted"];
        if (table.shape.empty()) table.shape = format_shape(predicted);
        const std::string gpu = predicted.at("gpu");
        if (format_shape(predicted) != table.shape) continue;
        if (table.has_measured() && gpu != table.measured_gpu) continue;
        table.row(result).predicted = result;
        table.gpu = gpu;
        table.is_verified_gpu &= predicted.at("measured_gpu").get<bool>();
        table.has_unknown |= !predicted.at("unknown").empty();
    }
}

ResultsTable joined(const KnownResults& known, const Json& measured,
                    const SelectedSteps& steps = {}) {
    ResultsTable table;
    add_counted(table, known.counted, steps);
    if (!measured.is_null()) add_measured(table, measured, steps);
    add_predicted(table, known.predicted, steps);
    return table;
}

// ---- as Markdown ----

// Describes the columns, and the shapes to which the columns refer. `link` is the path to
// docs/guide/proof.md.
std::string caption(const ResultsTable& table, const std::string& link) {
    std::string text;
    if (table.has_counted()) {
        text += "*Counted* on the simulated GPU at " + table.counted_shape +
                ": sectors per load, sectors per store.\n";
    }
    if (table.has_predicted()) {
        text += "*Predicted*, not measured: the time model computes these times for an " +
                table.gpu + " at " + table.shape +
                "\nfrom a few blocks that the simulated GPU recorded. "
                "Nine out of ten measured times lie within the band\n([how far off they are](" +
                link + ")).\n";
    }
    if (!table.is_verified_gpu) {
        text +=
            "The data for that GPU come from documents; the model has not been calibrated on it.\n";
    }
    if (table.has_unknown) {
        text +=
            "A question mark means that the model may be further off, because it knows too little "
            "about this kernel.\n";
    }
    if (table.has_measured()) {
        text += "*Measured* on an " + table.measured_gpu + " at " + table.shape +
                "; every output is verified.\n";
    }
    return text;
}

std::string line_of(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (auto& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string table_header(const ResultsTable& table, std::vector<std::string> cells) {
    std::string rule = "|";
    for (size_t i = 0; i < cells.size(); ++i) rule += "---|";
    const auto add = [&](const std::vector<std::string>& names) {
        cells.insert(cells.end(), names.begin(), names.end());
        for (size_t i = 0; i < names.size(); ++i) rule += "--:|";
    };
    if (table.has_counted()) add({"Sectors", "Bank conflicts"});
    if (table.has_counted() && table.has_traffic) add({"MB moved"});
    if (table.has_predicted()) add({"Predicted ms", "of copy", "bound by"});
    if (table.has_measured()) add({"Measured ms", "GB/s", "of copy"});
    return line_of(cells) + rule + "\n";
}

std::string line_of(const ResultsTable& table, const VariantRow& row,
                    std::vector<std::string> cells) {
    const auto add = [&](const std::vector<std::string>& more) {
        cells.insert(cells.end(), more.begin(), more.end());
    };
    if (table.has_counted()) {
        const std::string load = sectors_per_request(row.counted, "load"),
                          store = sectors_per_request(row.counted, "store");
        add({load == store && load == "-" ? "-" : load + ", " + store,
             bank_conflicts(row.counted)});
        if (table.has_traffic) add({megabytes_moved(row.counted)});
    }
    if (table.has_predicted()) {
        add({predicted_with_band(row.predicted), format_predicted_percent(row.predicted),
             bound_by(row.predicted)});
    }
    if (table.has_measured()) {
        add({milliseconds(row.measured), gigabytes_per_second(row.measured),
             format_percent_of_copy(row.measured)});
    }
    return line_of(cells);
}

// Reports whether the row has no counters, predictions or measurements.
bool is_empty(const ResultsTable& table, const VariantRow& row) {
    const std::string cells = line_of(table, row, {});
    return cells.find_first_not_of("|- \n") == std::string::npos;
}

std::string table_with_headlines(const ResultsTable& table) {
    const std::string first = table_header(table, {"Step", "Variant"});
    std::string headlines, all;
    std::set<std::string> seen;
    for (auto& row : table.rows) {
        const std::string line = line_of(table, row, {row.step, row.variant});
        if (seen.insert(row.step).second || row.step == kRivals) headlines += line;
        all += line;
    }
    return first + headlines + "\n<details><summary>All " + std::to_string(table.rows.size()) +
           " variants</summary>\n\n" + first + all + "\n</details>\n\n";
}

// Results of build/bin/shapes, which measures coalesce::transpose rather than a lesson.
constexpr const char* kShapesFile = "shapes.json";

// Reads a file and calls `check` for its contents. If `check` throws an exception, adds the name of
// the file to the message.
template <class Check>
Json read_checked(const fs::path& file, Check check) {
    Json run = read_json(file);
    try {
        check(run);
    } catch (const course::ResultsError& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
    return run;
}

void check_steps(const Json& run, const std::set<std::string>& steps) {
    size_t i = 0;
    for (auto& result : run.at("results")) {
        const std::string step = result.at("step");
        if (step != kRivals && !steps.empty() && !steps.contains(step)) {
            throw course::ResultsError("results[" + std::to_string(i) +
                                       "].step: the course has no step \"" + step + "\"");
        }
        ++i;
    }
}

void add_run(KnownResults& known, const Json& run) {
    using enum course::ResultsKind;
    const auto take = [&](Json& only) {
        if (!only.is_null())
            throw course::ResultsError("device.kind: another file also has results of this kind");
        only = run;
    };
    switch (course::check_results(run)) {
        case counted: take(known.counted); break;
        case predicted: take(known.predicted); break;
        case measured: known.measured.push_back(run); break;
    }
}

}  // namespace

Json read_run(const fs::path& file) {
    return read_checked(file, [](const Json& run) { course::check_results(run); });
}

KnownResults read_results(const fs::path& folder, const std::set<std::string>& steps) {
    std::vector<fs::path> files;
    if (fs::is_directory(folder)) {
        for (auto& entry : fs::directory_iterator(folder)) {
            const fs::path& file = entry.path();
            if (file.extension() == ".json" && file.filename() != kShapesFile) {
                files.push_back(file);
            }
        }
    }
    std::ranges::sort(files);
    KnownResults known;
    for (auto& file : files) {
        read_checked(file, [&](const Json& run) {
            add_run(known, run);
            check_steps(run, steps);
        });
    }
    return known;
}

std::string results_in_markdown(const KnownResults& known, const std::string& link) {
    std::string text = "\n";
    for (auto& run : known.measured) {
        const ResultsTable table = joined(known, run);
        text += "**" + device_name(run) + "**, " + table.shape + " floats. " +
                caption(table, link) + "\n" + table_with_headlines(table);
    }
    if (!known.measured.empty()) return text;
    const ResultsTable table = joined(known, nullptr);
    text += "No GPU has been measured yet.\n\n";
    if (table.rows.empty()) return text;
    return text + caption(table, link) + "\n" + table_with_headlines(table);
}

std::string format_step_results(const std::string& step, const KnownResults& known) {
    const auto text_of = [&](const Json& run) -> std::string {
        ResultsTable table = joined(known, run, {step});
        table.has_traffic = false;
        std::erase_if(table.rows, [&](const VariantRow& row) { return is_empty(table, row); });
        if (table.rows.empty()) return "";
        std::string text =
            caption(table, "../../docs/guide/proof.md") + "\n" + table_header(table, {"Variant"});
        for (auto& row : table.rows) text += line_of(table, row, {"`" + row.variant + "`"});
        return text;
    };
    std::string text;
    for (auto& each : known.measured) {
        const Json run = at_size_of({step}, each);
        if (!joined(known, run, {step}).has_measured()) continue;
        text += (text.empty() ? "" : "\n") + text_of(run);
    }
    return text.empty() ? text_of(nullptr) : text;
}

}  // namespace coalesce::lab
