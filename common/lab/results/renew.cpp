#include "lab/results/results.h"

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "harness/options.h"
#include "learn/commands.h"
#include "learn/paths.h"

namespace coalesce::lab {
namespace {

namespace fs = std::filesystem;
using namespace learn;

const std::string kPredictedGpu = "H200";
// The side length, in elements, of the matrix that several GPUs transpose.
const std::string kSideForManyGpus = "1024";
// The side length, in elements, of the smaller matrix for kernels that are only predicted.
const std::string kCountedSide = "512";
// The step for which no time is predicted, because the model does not cover the links between GPUs.
const std::string kManyGpusStep = "16_many_gpus";

constexpr const char* kPredictionFields[] = {"gpu",        "measured_gpu", "rows",    "cols",
                                             "ms",         "gbps",         "of_copy", "binds",
                                             "error_band", "unknown"};

// Rounds to four significant digits, so that smaller changes are ignored.
double round_to_four_digits(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

std::vector<std::string> list_benchmarked_steps(const course::Course& course) {
    std::vector<std::string> names;
    for (auto& step : course.steps) {
        if (step.name != kManyGpusStep) names.push_back(step.name);
    }
    return names;
}

// The sizes for which a run counts costs and predicts times. If a side or a shape is empty, each
// step chooses its own. If `gpu` is empty, no times are predicted.
struct RunSizes {
    std::string counted_side = "", predicted_shape = "", gpu = "";
    bool only_first_variants = false;
};

// Runs the steps, and returns the JSON of the run. Throws if a variant is wrong.
Json run_steps(const std::vector<std::string>& steps, const RunSizes& sizes,
               const course::Course& course) {
    const TemporaryFolder folder;
    const RunArguments words = {.steps = steps,
                                .device = "sim",
                                .rows = sizes.counted_side,
                                .cols = sizes.counted_side,
                                .variant = "",
                                .json = folder.path / "run.json",
                                .predicted_gpu = sizes.gpu,
                                .predicted_shape = sizes.predicted_shape};
    RunRequest request = parse_request(words, course);
    request.options.push_back("--bench");  // verify only at the shape that is counted
    request.only_first_variants = sizes.only_first_variants;
    if (run(request) != 0) {
        throw std::runtime_error("not all lessons ran (see above), so no file was written");
    }
    return read_json(words.json);
}

// Returns the steps whose times were predicted at a shape larger than `largest_shape`. These steps
// also accept smaller shapes.
std::vector<std::string> steps_predicted_beyond(const Json& results,
                                                const std::string& largest_shape,
                                                const course::Course& course) {
    const int side = parse_shape("a shape", largest_shape).rows;
    std::vector<std::string> names = list_benchmarked_steps(course);
    std::erase_if(names, [&](const std::string& name) {
        const auto is_predicted_at_larger_shape = [&](const Json& result) {
            return result.at("step") == name && result.contains("predicted") &&
                   result["predicted"].at("rows").get<int>() > side;
        };
        return std::ranges::none_of(results, is_predicted_at_larger_shape);
    });
    return names;
}

// Returns the results in the order of the course.
Json sort_by_course(const Json& results, const course::Course& course) {
    Json ordered_results = Json::array();
    for (auto& step : course.steps) {
        for (auto& result : results) {
            if (result.at("step") == step.name) ordered_results.push_back(result);
        }
    }
    return ordered_results;
}

// Writes one line per variant, so that a change to one variant changes one line.
std::string format_line_per_variant(const Json& rows) {
    std::string lines;
    for (auto& row : rows) lines += (lines.empty() ? "\n  " : ",\n  ") + row.dump();
    return "[" + lines + "\n ]";
}

std::string format_predictions(const Json& rows, const std::vector<Json>& other_sizes) {
    Json device = {{"name", ""}, {"kind", "predicted"}};
    for (auto& row : rows) {
        if (row.contains("predicted")) device["name"] = row["predicted"].at("gpu");
    }
    std::string other_sizes_json;
    for (auto& size : other_sizes) {
        other_sizes_json += (other_sizes_json.empty() ? "{\"results\": " : ",\n {\"results\": ") +
                            format_line_per_variant(size) + "}";
    }
    return "{\n \"device\": " + device.dump() +
           ",\n \"results\": " + format_line_per_variant(rows) + ",\n \"other_sizes\": [" +
           other_sizes_json + "]\n}\n";
}

}  // namespace

Json extract_predictions(const Json& results) {
    Json rows = Json::array();
    for (auto& result : results) {
        if (result.at("step") == kManyGpusStep) continue;
        Json row = {{"step", result.at("step")}, {"variant", result.at("variant")}};
        if (result.contains("not_predicted")) row["not_predicted"] = result["not_predicted"];
        if (result.contains("predicted")) {
            Json& kept_prediction = row["predicted"];
            for (const char* field : kPredictionFields)
                kept_prediction[field] = result["predicted"].at(field);
            for (const char* what : {"ms", "gbps", "of_copy"}) {
                kept_prediction[what] = round_to_four_digits(kept_prediction[what].get<double>());
            }
        }
        rows.push_back(row);
    }
    return rows;
}

int renew_results(const fs::path& folder) {
    fs::create_directories(folder);
    const course::Course course = course::read_course(repository());
    Json all_results = run_steps(list_benchmarked_steps(course), {.gpu = kPredictedGpu}, course);
    const Json many_gpus_run =
        run_steps({kManyGpusStep}, {.counted_side = kSideForManyGpus}, course);
    for (auto& result : many_gpus_run.at("results")) all_results["results"].push_back(result);
    std::vector<Json> other_sizes;
    for (auto& shape : kAdditionalSizes) {
        const auto steps = steps_predicted_beyond(all_results.at("results"), shape, course);
        const Json run = run_steps(steps,
                                   {.counted_side = kCountedSide,
                                    .predicted_shape = shape,
                                    .gpu = kPredictedGpu,
                                    .only_first_variants = true},
                                   course);
        other_sizes.push_back(extract_predictions(run.at("results")));
    }
    const Json results = sort_by_course(all_results.at("results"), course);
    Json counted_results = results;
    for (auto& result : counted_results) {
        result.erase("predicted");
        result.erase("not_predicted");
    }
    all_results["results"] = counted_results;
    write_file(folder / "simulated.json", all_results.dump(2) + "\n");
    write_file(folder / "predicted.json",
               format_predictions(extract_predictions(results), other_sizes));
    return 0;
}

}  // namespace coalesce::lab
