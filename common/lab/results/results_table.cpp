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

std::string device_name_of(const Json& run) {
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
    bool is_gpu_calibrated = true, has_uncertain_predictions = false;
    bool shows_memory_traffic = true;  // whether the column of memory traffic fits into the table

    bool has_counted() const { return !counted_shape.empty(); }
    bool has_predicted() const { return !gpu.empty(); }
    bool has_measured() const { return !measured_gpu.empty(); }

    /// Returns the row of a result, or rows.end() if there is none.
    std::vector<VariantRow>::iterator find(const Json& result) {
        const std::string step = result.at("step"), variant = result.at("variant");
        return std::ranges::find_if(rows, [&](const VariantRow& row) {
            return row.step == step && row.variant == variant;
        });
    }

    VariantRow& find_or_add_row(const Json& result) {
        auto row = find(result);
        if (row == rows.end()) {
            row = rows.insert(rows.end(), {result.at("step"), result.at("variant")});
        }
        return *row;
    }
};

using SelectedStepNames = std::set<std::string>;  // the steps to include; all steps if empty

bool is_selected(const SelectedStepNames& steps, const Json& result) {
    return steps.empty() || steps.contains(result.at("step"));
}

void add_counted_results(ResultsTable& table, const Json& run, const SelectedStepNames& steps) {
    if (run.is_null()) return;
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result)) continue;
        if (table.counted_shape.empty()) table.counted_shape = format_shape(result);
        // A lesson with smaller matrices has a table of its own.
        if (format_shape(result) == table.counted_shape)
            table.find_or_add_row(result).counted = result;
    }
}

void add_measured_results(ResultsTable& table, const Json& run, const SelectedStepNames& steps) {
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result)) continue;
        const bool is_timed = milliseconds(result) != "-";
        // A variant that takes only smaller matrices has no other results in this table.
        if (!is_timed && table.find(result) == table.rows.end()) continue;
        table.find_or_add_row(result).measured = result;
        if (!is_timed) continue;
        table.measured_gpu = device_name_of(run);
        table.shape = format_shape(result);
    }
}

// Returns the part of the run with the largest size at which one of the given steps was timed.
Json select_largest_timed_size(const SelectedStepNames& steps, const Json& run) {
    const auto is_timed = [&](const Json& result) {
        return is_selected(steps, result) && milliseconds(result) != "-";
    };
    const auto element_count = [](const Json& size) {
        return size.at("rows").get<double>() * size.at("cols").get<double>();
    };
    if (std::ranges::any_of(run.at("results"), is_timed) || !run.contains("other_sizes"))
        return run;
    const Json* largest_size = nullptr;
    for (const Json& size : run["other_sizes"]) {
        const bool is_larger =
            largest_size == nullptr || element_count(size) > element_count(*largest_size);
        if (is_larger && std::ranges::any_of(size.at("results"), is_timed)) largest_size = &size;
    }
    Json run_at_largest_size = run;
    if (largest_size != nullptr) run_at_largest_size["results"] = largest_size->at("results");
    return run_at_largest_size;
}

// Adds predictions for the measured GPU and shape, if there are any.
void add_predicted_results(ResultsTable& table, const Json& run, const SelectedStepNames& steps) {
    if (run.is_null()) return;
    for (auto& result : run.at("results")) {
        if (!is_selected(steps, result) || !result.contains("predicted")) continue;
        const Json& prediction = result["predicted"];
        if (table.shape.empty()) table.shape = format_shape(prediction);
        const std::string gpu = prediction.at("gpu");
        if (format_shape(prediction) != table.shape) continue;
        if (table.has_measured() && gpu != table.measured_gpu) continue;
        table.find_or_add_row(result).predicted = result;
        table.gpu = gpu;
        table.is_gpu_calibrated &= prediction.at("measured_gpu").get<bool>();
        table.has_uncertain_predictions |= !prediction.at("unknown").empty();
    }
}

ResultsTable join_results(const KnownResults& known, const Json& measured,
                          const SelectedStepNames& steps = {}) {
    ResultsTable table;
    add_counted_results(table, known.counted, steps);
    if (!measured.is_null()) add_measured_results(table, measured, steps);
    add_predicted_results(table, known.predicted, steps);
    return table;
}

// ---- as Markdown ----

// Describes the columns, and the shapes to which the columns refer. `link_to_proof` is the path to
// docs/guide/proof.md.
std::string format_caption(const ResultsTable& table, const std::string& link_to_proof) {
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
                link_to_proof + ")).\n";
    }
    if (!table.is_gpu_calibrated) {
        text +=
            "The data for that GPU come from documents; the model has not been calibrated on it.\n";
    }
    if (table.has_uncertain_predictions) {
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

std::string format_table_line(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (auto& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string format_table_header(const ResultsTable& table, std::vector<std::string> cells) {
    std::string separator_line = "|";
    for (size_t i = 0; i < cells.size(); ++i) separator_line += "---|";
    const auto add = [&](const std::vector<std::string>& names) {
        cells.insert(cells.end(), names.begin(), names.end());
        for (size_t i = 0; i < names.size(); ++i) separator_line += "--:|";
    };
    if (table.has_counted()) add({"Sectors", "Bank conflicts"});
    if (table.has_counted() && table.shows_memory_traffic) add({"MB moved"});
    if (table.has_predicted()) add({"Predicted ms", "of copy", "bound by"});
    if (table.has_measured()) add({"Measured ms", "GB/s", "of copy"});
    return format_table_line(cells) + separator_line + "\n";
}

std::string format_table_line(const ResultsTable& table, const VariantRow& row,
                              std::vector<std::string> cells) {
    const auto add = [&](const std::vector<std::string>& added_cells) {
        cells.insert(cells.end(), added_cells.begin(), added_cells.end());
    };
    if (table.has_counted()) {
        const std::string load = sectors_per_request(row.counted, "load"),
                          store = sectors_per_request(row.counted, "store");
        add({load == store && load == "-" ? "-" : load + ", " + store,
             bank_conflicts(row.counted)});
        if (table.shows_memory_traffic) add({megabytes_moved(row.counted)});
    }
    if (table.has_predicted()) {
        add({predicted_with_band(row.predicted), format_predicted_percent(row.predicted),
             bound_by(row.predicted)});
    }
    if (table.has_measured()) {
        add({milliseconds(row.measured), gigabytes_per_second(row.measured),
             format_percent_of_copy(row.measured)});
    }
    return format_table_line(cells);
}

// Reports whether the row has no counters, predictions or measurements.
bool has_no_results(const ResultsTable& table, const VariantRow& row) {
    const std::string row_text = format_table_line(table, row, {});
    return row_text.find_first_not_of("|- \n") == std::string::npos;
}

std::string format_folded_table(const ResultsTable& table) {
    const std::string table_header = format_table_header(table, {"Step", "Variant"});
    std::string headline_rows, all_rows;
    std::set<std::string> seen_steps;
    for (auto& row : table.rows) {
        const std::string line = format_table_line(table, row, {row.step, row.variant});
        if (seen_steps.insert(row.step).second || row.step == kRivals) headline_rows += line;
        all_rows += line;
    }
    return table_header + headline_rows + "\n<details><summary>All " +
           std::to_string(table.rows.size()) + " variants</summary>\n\n" + table_header + all_rows +
           "\n</details>\n\n";
}

// Results of build/bin/shapes, which measures coalesce::transpose rather than a lesson.
constexpr const char* kShapesFile = "shapes.json";

// Reads a file and calls `check` for its contents. If `check` throws an exception, adds the name of
// the file to the message.
template <class Check>
Json read_and_check(const fs::path& file, Check check) {
    Json run = read_json(file);
    try {
        check(run);
    } catch (const course::ResultsError& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
    return run;
}

void check_steps_exist(const Json& run, const std::set<std::string>& steps) {
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
    const auto set_once = [&](Json& stored_run) {
        if (!stored_run.is_null())
            throw course::ResultsError("device.kind: another file also has results of this kind");
        stored_run = run;
    };
    switch (course::check_results(run)) {
        case counted: set_once(known.counted); break;
        case predicted: set_once(known.predicted); break;
        case measured: known.measured.push_back(run); break;
    }
}

}  // namespace

Json read_checked_run(const fs::path& file) {
    return read_and_check(file, [](const Json& run) { course::check_results(run); });
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
        read_and_check(file, [&](const Json& run) {
            add_run(known, run);
            check_steps_exist(run, steps);
        });
    }
    return known;
}

std::string format_results_markdown(const KnownResults& known, const std::string& link) {
    std::string text = "\n";
    for (auto& run : known.measured) {
        const ResultsTable table = join_results(known, run);
        text += "**" + device_name_of(run) + "**, " + table.shape + " floats. " +
                format_caption(table, link) + "\n" + format_folded_table(table);
    }
    if (!known.measured.empty()) return text;
    const ResultsTable table = join_results(known, nullptr);
    text += "No GPU has been measured yet.\n\n";
    if (table.rows.empty()) return text;
    return text + format_caption(table, link) + "\n" + format_folded_table(table);
}

std::string format_step_results(const std::string& step, const KnownResults& known) {
    const auto format_run = [&](const Json& run) -> std::string {
        ResultsTable table = join_results(known, run, {step});
        table.shows_memory_traffic = false;
        std::erase_if(table.rows,
                      [&](const VariantRow& row) { return has_no_results(table, row); });
        if (table.rows.empty()) return "";
        std::string text = format_caption(table, "../../docs/guide/proof.md") + "\n" +
                           format_table_header(table, {"Variant"});
        for (auto& row : table.rows)
            text += format_table_line(table, row, {"`" + row.variant + "`"});
        return text;
    };
    std::string text;
    for (auto& measured_run : known.measured) {
        const Json run = select_largest_timed_size({step}, measured_run);
        if (!join_results(known, run, {step}).has_measured()) continue;
        text += (text.empty() ? "" : "\n") + format_run(run);
    }
    return text.empty() ? format_run(nullptr) : text;
}

}  // namespace coalesce::lab
