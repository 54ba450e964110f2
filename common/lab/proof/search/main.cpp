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
    bool only_checks = false;
    std::string gpu_to_predict;
};

void add_options(CLI::App& app, CommandLine& options) {
    app.add_option("--sizes", options.sizes, "Multiples of 256, such as 32768,16384x32768");
    app.add_option("--rounds", options.rounds, "Number of rounds of each candidate (default: 8)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", options.launches,
                   "Number of timed launches in one round (default: 3)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", options.json,
                   "File for the results (default: docs/results/search/results.json)");
    app.add_option("--commit", options.commit, "Commit to record, if git cannot report it");
    app.add_flag("--check", options.only_checks,
                 "Only verify all candidates at 512 x 256, without timing");
    app.add_option(
        "--time", options.gpu_to_predict,
        "Only predict the times of all candidates on this GPU (default: H200), for --json");
    add_device_option(app, options.device);
}

std::string format_results_table(const Json& size) {
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

std::vector<Shape> parse_search_sizes(const CommandLine& options) {
    const std::vector<Shape> sizes = parse_sizes(options.only_checks ? "512x256" : options.sizes);
    for (const Shape& shape : sizes) {
        if (shape.rows % kMatrixSideMultiple == 0 && shape.cols % kMatrixSideMultiple == 0)
            continue;
        throw UsageError(shape.name() + ": the sides must be multiples of " +
                         std::to_string(kMatrixSideMultiple));
    }
    return sizes;
}

/// Returns rows in the same format as other results: "ms", "gbps", "fraction_of_copy".
Json format_result_rows(const CandidateBenchmark& benchmark,
                        const std::vector<Candidate>& candidates, Shape shape) {
    const double copy = benchmark.gbps(0);
    Json rows = Json::array();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        rows.push_back({{"question", candidates[i].question},
                        {"candidate", candidates[i].name},
                        {"verified", candidates[i].has_output()},
                        {"ms", rounded(benchmark.ms(i + 1), 4)},
                        {"gbps", rounded(benchmark.gbps(i + 1), 1)},
                        {"of_copy", rounded(benchmark.gbps(i + 1) / copy, 4)}});
    }
    return {{"rows", shape.rows},
            {"cols", shape.cols},
            {"copy_gbps", rounded(copy, 1)},
            {"results", rows}};
}

/// Returns a row in the format that the lessons' programs write.
Json predict_candidate(const Candidate& candidate, Shape shape, const std::string& gpu) {
    const double bytes = 2.0 * sizeof(float) * candidate.moved_fraction * shape.rows * shape.cols;
    const auto launch = [&] {
        const auto buffer_bytes = static_cast<std::size_t>(bytes / 2 / candidate.moved_fraction);
        const DeviceBuffer in(buffer_bytes), out(buffer_bytes);
        candidate.launch(static_cast<float*>(out.data()), static_cast<const float*>(in.data()),
                         shape.rows, shape.cols);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
    };
    Json row{{"step", "search"}, {"variant", candidate.name}};
    try {
        const Predicted p = predict_launches(launch, bytes, shape, gpu);
        Json unmodelled_effects = Json::array();
        for (const timing::Unknown effect : p.unknown())
            unmodelled_effects.push_back(dashed_name(effect));
        row["predicted"] = {{"gpu", p.gpu},
                            {"measured_gpu", p.measured_gpu},
                            {"rows", shape.rows},
                            {"cols", shape.cols},
                            {"ms", p.ms},
                            {"gbps", p.gbps},
                            {"of_copy", p.fraction_of_copy()},
                            {"binds", dashed_name(p.longest().bottleneck)},
                            {"error_band", p.error_band},
                            {"unknown", unmodelled_effects}};
    } catch (const NotPredicted& reason) {
        row["not_predicted"] = reason.what();
    }
    return row;
}

int predict_all(const CommandLine& options, char** argv) {
    if (options.json.empty()) throw UsageError("--time needs a file for the times: --json FILE");
    check_writable(options.json);
    const std::vector<Shape> sizes = parse_search_sizes(options);
    choose_device(DeviceChoice::simulator, argv);
    int multiprocessors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    Json rows = Json::array();
    for (const Shape shape : sizes) {
        for (const Candidate& candidate : make_search_candidates(multiprocessors))
            rows.push_back(predict_candidate(candidate, shape, options.gpu_to_predict));
    }
    write_file(options.json, json_text({{"results", rows}}));
    return exit_right;
}

int run(const CommandLine& options, char** argv) {
    if (!options.gpu_to_predict.empty()) return predict_all(options, argv);
    const DeviceChoice choice = parse_device_choice(options.device, options.only_checks);
    const std::vector<Shape> sizes = parse_search_sizes(options);
    const std::string file =
        options.json.empty() ? kRepository + "/docs/results/search/results.json" : options.json;
    const Device device = choose_device(choice, argv);
    if (!options.only_checks) check_writable(file);
    std::cout << device.first_line() << std::endl;
    int multiprocessors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    const std::vector<Candidate> candidates = make_search_candidates(multiprocessors);
    Json json{{"device", {{"name", device.name}, {"multiprocessors", multiprocessors}}},
              {"run", make_run_record(options.commit, {{"rounds", options.rounds},
                                                       {"launches_a_round", options.launches}})},
              {"sizes", Json::array()}};
    for (const Shape& shape : sizes) {
        VerifiedBuffers buffers({.rows = shape.rows, .cols = shape.cols});
        buffers.prepare();
        CandidateBenchmark benchmark(candidates, shape, buffers.out(), buffers.in());
        benchmark.verify();
        std::cout << "\n" << shape.name() << ": all outputs are right\n";
        if (options.only_checks) continue;
        Stopwatch stopwatch(device.l2_bytes);
        for (int i = 0; i < options.rounds; ++i) benchmark.time_round(stopwatch, options.launches);
        json["sizes"].push_back(format_result_rows(benchmark, candidates, shape));
        std::cout << format_results_table(json["sizes"].back()) << std::flush;
    }
    if (options.only_checks) return exit_right;
    write_file(file, json_text(json));
    std::cout << "\nWritten to " << file << "\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("search", "Times the candidates for the fastest transpose on this GPU", argc,
                       argv, add_options, run);
}
