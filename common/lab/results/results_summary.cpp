#include "lab/results/results_table.h"

#include "examiner/course/results_file.h"
#include "harness/text.h"
#include "learn/figures.h"

namespace coalesce::lab {
namespace {

namespace fs = std::filesystem;
using namespace learn;

// The results of the lesson on several GPUs, with one file per number of GPUs.
constexpr const char* kManyGpusFile = "many/gpus-4.json";

// Returns one step's results from a run, in the order of the run.
std::vector<Json> select_results_of_step(const std::string& step, const Json& run) {
    std::vector<Json> results;
    if (run.is_null()) return results;
    for (auto& result : run.at("results")) {
        if (result.at("step") == step) results.push_back(result);
    }
    return results;
}

std::string format_fastest(const std::vector<Json>& measured_results, const course::Step& step) {
    const Json* fastest = course::find_fastest_result(step.name, measured_results);
    if (!fastest || fastest->at("variant") == measured_results.front().at("variant")) return "";
    return "`" + fastest->at("variant").get<std::string>() + "` " + gigabytes_per_second(*fastest) +
           ", " + format_percent_of_copy(*fastest);
}

// Returns the bandwidth in GB/s, and its fraction of the link's bandwidth, such as "366" and "81.4
// % of a link".
std::pair<std::string, std::string> format_link_bandwidth(const std::string& step,
                                                          const fs::path& folder) {
    const fs::path file = folder / kManyGpusFile;
    if (!fs::exists(file)) return {};
    const Json* fastest = nullptr;
    const Json run = read_checked_run(file);
    for (const Json& result : run.at("results")) {
        if (result.at("step") != step || !result.at("verified").get<bool>()) continue;
        if (!fastest || result.at("of_link") > fastest->at("of_link")) fastest = &result;
    }
    if (!fastest) return {};
    return {format("%.0f", fastest->at("sent_gbps").get<double>()),
            format("%.1f %% of a link", 100 * fastest->at("of_link").get<double>())};
}

// Returns the sectors per load request and per store request of the first variant, or "" if they
// were not counted.
std::string format_sectors(const std::vector<Json>& counted_results) {
    if (counted_results.empty()) return "";
    const std::string load = sectors_per_request(counted_results.front(), "load"),
                      store = sectors_per_request(counted_results.front(), "store");
    return load == "-" ? "" : load + ", " + store;
}

std::string format_summary_line(const course::Step& step, const KnownResults& known,
                                const fs::path& folder, const std::string& path_to_root) {
    const std::vector<Json> measured_results =
        known.measured.empty() ? std::vector<Json>()
                               : select_results_of_step(step.name, known.measured.front());
    std::string speed, fraction;
    if (!measured_results.empty() && milliseconds(measured_results.front()) != "-") {
        speed = gigabytes_per_second(measured_results.front());
        fraction = format_percent_of_copy(measured_results.front());
    } else {
        std::tie(speed, fraction) = format_link_bandwidth(step.name, folder);
    }
    return "| [" + step.number() + "](" + path_to_root + "steps/" + step.name + "/README.md) | " +
           step.title + " | " + format_sectors(select_results_of_step(step.name, known.counted)) +
           " | " + speed + " | " + fraction + " | " + format_fastest(measured_results, step) +
           " |\n";
}

}  // namespace

std::string format_summary_markdown(const course::Course& course, const KnownResults& known,
                                    const fs::path& folder, const std::string& root) {
    std::string text = "\n";
    if (known.measured.empty()) {
        text += "No GPU has been measured yet.\n";
    } else {
        const Json& run = known.measured.front();
        text +=
            "One GB/s is 10^9 bytes per second, counting bytes read plus bytes written.\n"
            "Measured on an " +
            run.at("device").at("name").get<std::string>() +
            "; every output is verified bit for bit.\n";
    }
    text +=
        "\n| Lesson | What it is about | Sectors per load, store | GB/s | of copy | Fastest "
        "variant |\n|---|---|--:|--:|--:|---|\n";
    for (auto& step : course.steps) text += format_summary_line(step, known, folder, root);
    return text + "\n";
}

}  // namespace coalesce::lab
