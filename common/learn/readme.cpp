#include "learn/readme.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/files.h"
#include "learn/figures.h"
#include "learn/json_file.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Two lines of a file, between which the text is written by this program.
struct Markers {
    std::string begin, end;
};
const Markers RESULTS = {"<!-- results: written by build/bin/learn results -->\n",
                         "<!-- end of results -->"};
const Markers MEASURED = {"<!-- measured: begin -->\n", "<!-- measured: end -->"};

bool simulated(const Json& run) {
    return run.at("device").value("kind", "") == "sim";
}

std::string shape_of(const Json& result) {
    return std::to_string(result.value("rows", 0)) + " x " +
           std::to_string(result.value("cols", 0));
}

// A row of Markdown, with the program's figures.
std::string row(const Json& result, bool is_simulated) {
    std::vector<std::string> cells = {result.value("step", ""), result.value("variant", "")};
    if (is_simulated) {
        cells.insert(cells.end(),
                     {sectors_per_request(result, "load"), sectors_per_request(result, "store"),
                      bank_conflicts(result), megabytes_moved(result)});
    } else {
        cells.insert(cells.end(),
                     {milliseconds(result), gigabytes_per_second(result), of_copy(result)});
    }
    std::string text = "|";
    for (auto& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string head(bool is_simulated) {
    return is_simulated ? "| Step | Variant | Sectors a load | Sectors a store | Bank conflicts | "
                          "MB moved |\n|---|---|--:|--:|--:|--:|\n"
                        : "| Step | Variant | ms | GB/s | of copy |\n|---|---|--:|--:|--:|\n";
}

// The first result of each step is its headline; of the rivals, all are of interest.
std::string headlines(const Json& results, bool is_simulated) {
    std::string text = head(is_simulated);
    std::set<std::string> seen;
    for (auto& result : results) {
        std::string step = result.value("step", "");
        bool first = seen.insert(step).second;
        if (first || step == "rivals") text += row(result, is_simulated);
    }
    return text;
}

std::string table_of(const Json& run) {
    bool is_simulated = simulated(run);
    auto& results = run.at("results");
    std::string text = "**" + run.at("device").value("name", "") + "**, " +
                       shape_of(results.at(0)) + " floats, " +
                       (is_simulated ? "simulated (counted, never timed)" : "measured") + ":\n\n";
    text += headlines(results, is_simulated);
    text += "\n<details><summary>All " + std::to_string(results.size()) +
            " variants</summary>\n\n" + head(is_simulated);
    for (auto& result : results) text += row(result, is_simulated);
    return text + "\n</details>\n\n";
}

bool has_markers(const std::string& text, const Markers& markers) {
    size_t begin = text.find(markers.begin);
    return begin != std::string::npos && text.find(markers.end, begin) != std::string::npos;
}

std::string replace_between(const std::string& text, const Markers& markers,
                            const std::string& written) {
    size_t begin = text.find(markers.begin) + markers.begin.size();
    return text.substr(0, begin) + written + text.substr(text.find(markers.end, begin));
}

// The runs of a folder, in the order of their files' names.
std::vector<Json> read_runs(const fs::path& folder) {
    std::vector<fs::path> files;
    if (fs::is_directory(folder)) {
        for (auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() == ".json") files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<Json> runs;
    for (auto& file : files) {
        runs.push_back(read_json(file));
        try {
            table_of(runs.back());
        } catch (const Json::exception& error) {
            throw std::runtime_error(file.string() +
                                     " is not what `learn run --json` writes: " + error.what());
        }
    }
    return runs;
}

// Rewrites a file, or only says that it would. Whether it was as it should be.
bool bring_up_to_date(const fs::path& file, const std::string& now, const std::string& then,
                      bool check) {
    if (now == then) return true;
    if (check) {
        std::cout << file.string()
                  << " does not show what docs/results has; run build/bin/learn results\n";
    } else {
        write_file(file, then);
        std::cout << file.string() << ": the results are written anew.\n";
    }
    return false;
}

}  // namespace

std::string results_in_markdown(const fs::path& folder) {
    std::string measured, counted;
    for (auto& run : read_runs(folder)) (simulated(run) ? counted : measured) += table_of(run);
    if (measured.empty()) measured = "No GPU has been measured yet.\n\n";
    return "\n" + measured + counted;
}

std::string measurements_of(const std::string& step, const fs::path& folder) {
    std::string text;
    for (auto& run : read_runs(folder)) {
        if (simulated(run)) continue;
        std::string rows;
        for (auto& result : run.at("results")) {
            if (result.value("step", "") != step || milliseconds(result) == "-") continue;
            if (rows.empty()) {
                rows = "Measured, " + run["device"].value("name", "") + ", " + shape_of(result) +
                       ":\n\n| Variant | ms | GB/s | of copy |\n|---|--:|--:|--:|\n";
            }
            rows += "| `" + result.value("variant", "") + "` | " + milliseconds(result) + " | " +
                    gigabytes_per_second(result) + " | " + of_copy(result) + " |\n";
        }
        if (!rows.empty()) text += (text.empty() ? "" : "\n") + rows;
    }
    return text;
}

int update_readme(const fs::path& repository, bool check) {
    fs::path folder = repository / "docs" / "results";
    std::string now = read_file(repository / "README.md");
    if (!has_markers(now, RESULTS)) {
        throw std::runtime_error("README.md has lost its markers; put these two lines back:\n" +
                                 RESULTS.begin + RESULTS.end);
    }
    std::string then = replace_between(now, RESULTS, results_in_markdown(folder));
    bool current = bring_up_to_date(repository / "README.md", now, then, check);

    for (auto& entry : fs::directory_iterator(repository / "steps")) {
        fs::path lesson = entry.path() / "README.md";
        std::string measured = measurements_of(entry.path().filename(), folder);
        if (measured.empty() || !fs::exists(lesson)) continue;
        now = read_file(lesson);
        if (!has_markers(now, MEASURED)) continue;
        current &= bring_up_to_date(lesson, now, replace_between(now, MEASURED, measured), check);
    }
    if (current) std::cout << "All shows what docs/results has.\n";
    return check && !current ? 1 : 0;
}

}  // namespace coalesce::learn
