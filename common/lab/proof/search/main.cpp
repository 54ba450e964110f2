// search -- the experiments of docs/guide/search.md: where does the fastest transpose lose its last
// percent of speed? Verifies all candidates, then times them in rounds, together with a copy by
// cudaMemcpyAsync.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/enum_names.h"
#include "base/files.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/predicted.h"
#include "harness/result.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "harness/verify.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"
#include "lab/proof/search/race.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kRepository = COALESCE_REPOSITORY;

struct CommandLine {
    std::string sizes = "32768,16384,33024", device = "gpu", json, commit;
    int rounds = 8, launches = 3;
    bool check_only = false;
    std::string time_on;
};

void add_options(CLI::App& app, CommandLine& words) {
    app.add_option("--sizes", words.sizes, "Multiples of 256, such as 32768,16384x32768");
    app.add_option("--rounds", words.rounds, "Number of rounds of each candidate (default: 8)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", words.launches,
                   "Number of timed launches in one round (default: 3)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", words.json,
                   "File for the results (default: docs/results/search/results.json)");
    app.add_option("--commit", words.commit, "Commit to record, if git cannot report it");
    app.add_flag("--check", words.check_only,
                 "Only verify all candidates at 512 x 256, without timing");
    app.add_option(
        "--time", words.time_on,
        "Only predict the times of all candidates on this GPU (default: H200), for --json");
    add_device_option(app, words.device);
}

std::string table(const Json& size) {
    std::string text, question;
    for (const Json& row : size.at("results")) {
        if (row.at("question") != question) {
            question = row.at("question");
            text += "\n" + question + "\n";
        }
        text += format("  %-44s%9.4f ms%7.0f GB/s%7.1f %%\n",
                       row.at("candidate").get<std::string>().c_str(), row.at("ms").get<double>(),
                       row.at("gbps").get<double>(), 100 * row.at("of_copy").get<double>());
    }
    return text;
}

std::vector<Shape> parse_search_sizes(const CommandLine& words) {
    const std::vector<Shape> sizes = parse_sizes(words.check_only ? "512x256" : words.sizes);
    for (const Shape& shape : sizes) {
        if (shape.rows % kSearchSide == 0 && shape.cols % kSearchSide == 0) continue;
        throw UsageError(shape.name() + ": the sides must be multiples of " +
                         std::to_string(kSearchSide));
    }
    return sizes;
}

/// Returns rows in the same format as other results: "ms", "gbps", "fraction_of_copy".
Json result_rows(const CandidateBenchmark& race, const std::vector<Candidate>& candidates,
                 Shape shape) {
    const double copy = race.gbps(0);
    Json rows = Json::array();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        rows.push_back({{"question", candidates[i].question},
                        {"candidate", candidates[i].name},
                        {"verified", candidates[i].has_output()},
                        {"ms", rounded(race.ms(i + 1), 4)},
                        {"gbps", rounded(race.gbps(i + 1), 1)},
                        {"of_copy", rounded(race.gbps(i + 1) / copy, 4)}});
    }
    return {{"rows", shape.rows},
            {"cols", shape.cols},
            {"copy_gbps", rounded(copy, 1)},
            {"results", rows}};
}

/// Returns a row in the format that the lessons' programs write.
Json predicted_row(const Candidate& candidate, Shape shape, const std::string& gpu) {
    const double bytes = 2.0 * sizeof(float) * candidate.moved_fraction * shape.rows * shape.cols;
    const auto launch = [&] {
        const auto room = static_cast<std::size_t>(bytes / 2 / candidate.moved_fraction);
        const DeviceBuffer in(room), out(room);
        candidate.launch(static_cast<float*>(out.data()), static_cast<const float*>(in.data()),
                         shape.rows, shape.cols);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
    };
    Json row{{"step", "search"}, {"variant", candidate.name}};
    try {
        const Predicted p = predict_launches(launch, bytes, shape, gpu);
        Json unknown = Json::array();
        for (const timing::Unknown one : p.unknown()) unknown.push_back(dashed_name(one));
        row["predicted"] = {{"gpu", p.gpu},
                            {"measured_gpu", p.measured_gpu},
                            {"rows", shape.rows},
                            {"cols", shape.cols},
                            {"ms", p.ms},
                            {"gbps", p.gbps},
                            {"of_copy", p.fraction_of_copy()},
                            {"binds", dashed_name(p.longest().bottleneck)},
                            {"error_band", p.error_band},
                            {"unknown", unknown}};
    } catch (const NotPredicted& reason) {
        row["not_predicted"] = reason.what();
    }
    return row;
}

int predict_all(const CommandLine& words, char** argv) {
    if (words.json.empty()) throw UsageError("--time needs a file for the times: --json FILE");
    check_writable(words.json);
    const std::vector<Shape> sizes = parse_search_sizes(words);
    choose_device(DeviceChoice::simulator, argv);
    int multiprocessors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    Json rows = Json::array();
    for (const Shape shape : sizes) {
        for (const Candidate& candidate : search_candidates(multiprocessors))
            rows.push_back(predicted_row(candidate, shape, words.time_on));
    }
    write_file(words.json, json_text({{"results", rows}}));
    return exit_right;
}

int run(const CommandLine& words, char** argv) {
    if (!words.time_on.empty()) return predict_all(words, argv);
    const DeviceChoice choice = parse_device_choice(words.device, words.check_only);
    const std::vector<Shape> sizes = parse_search_sizes(words);
    const std::string file =
        words.json.empty() ? kRepository + "/docs/results/search/results.json" : words.json;
    const Device device = choose_device(choice, argv);
    if (!words.check_only) check_writable(file);
    std::cout << device.first_line() << std::endl;
    int multiprocessors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    const std::vector<Candidate> candidates = search_candidates(multiprocessors);
    Json json{{"device", {{"name", device.name}, {"multiprocessors", multiprocessors}}},
              {"run", run_record(words.commit,
                                 {{"rounds", words.rounds}, {"launches_a_round", words.launches}})},
              {"sizes", Json::array()}};
    for (const Shape& shape : sizes) {
        VerifiedBuffers buffers({.rows = shape.rows, .cols = shape.cols});
        buffers.prepare();
        CandidateBenchmark race(candidates, shape, buffers.out(), buffers.in());
        race.verify();
        std::cout << "\n" << shape.name() << ": all outputs are right\n";
        if (words.check_only) continue;
        Stopwatch stopwatch(device.l2_bytes);
        for (int i = 0; i < words.rounds; ++i) race.play_round(stopwatch, words.launches);
        json["sizes"].push_back(result_rows(race, candidates, shape));
        std::cout << table(json["sizes"].back()) << std::flush;
    }
    if (words.check_only) return exit_right;
    write_file(file, json_text(json));
    std::cout << "\nWritten to " << file << "\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("search", "Times the candidates for the fastest transpose on this GPU", argc,
                       argv, add_options, run);
}
