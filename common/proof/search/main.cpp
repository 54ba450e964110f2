// search -- the experiments of docs/guide/search.md: what holds the last percent of the fastest
// transpose? All candidates are verified, then timed in rounds, beside a copy by cudaMemcpyAsync.

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
#include "harness/text.h"
#include "harness/timing.h"
#include "harness/verify.h"
#include "proof/bench/machine.h"
#include "proof/bench/plan.h"
#include "proof/device_check.h"
#include "proof/json_text.h"
#include "proof/run_program.h"
#include "proof/search/candidates.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kRepository = COALESCE_REPOSITORY;

struct Words {
    std::string sizes = "32768,16384,33024", device = "gpu", json, commit;
    int rounds = 8, launches = 3;
    bool check_only = false;
    std::string time_on;
};

void add_options(CLI::App& app, Words& words) {
    app.add_option("--sizes", words.sizes, "Multiples of 256, such as 32768,16384x32768");
    app.add_option("--rounds", words.rounds, "Turns of each candidate (8)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", words.launches, "Timed launches in one turn (3)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", words.json, "Where the results go (docs/results/search/results.json)");
    app.add_option("--commit", words.commit, "Commit of the source, where git cannot say");
    app.add_flag("--check", words.check_only, "Time nothing: verify all candidates, at 512 x 256");
    app.add_option("--time", words.time_on,
                   "Time nothing: predict all times, on this GPU (H200), for --json");
    add_device_option(app, words.device);
}

/// The candidates at one size.
class Search {
public:
    Search(Shape shape, const std::vector<Candidate>& candidates)
        : buffers_({.rows = shape.rows, .cols = shape.cols}),
          candidates_(candidates),
          ms_(candidates.size()) {
        buffers_.prepare();
    }

    void verify() {
        for (const Candidate& candidate : candidates_) {
            if (!candidate.has_output()) continue;
            Problem problem = buffers_.problem();
            problem.produces = candidate.produces;
            buffers_.expect(problem);
            buffers_.poison();
            launch(candidate);
            const cudaError_t error = cudaDeviceSynchronize();
            if (error != cudaSuccess ||
                count_wrong_cells(buffers_.problem(), buffers_.out(), buffers_.in()) != 0) {
                throw std::runtime_error("\"" + candidate.name + "\" is wrong at " + size() + ": " +
                                         cudaGetErrorString(error));
            }
        }
    }

    void play_round(Stopwatch& stopwatch, int launches) {
        const std::size_t bytes = buffers_.problem().bytes();
        const auto copy = [&] {
            CUDA_CHECK(
                cudaMemcpyAsync(buffers_.out(), buffers_.in(), bytes, cudaMemcpyDeviceToDevice));
        };
        take_turn(stopwatch, launches, copy_ms_, copy);
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            take_turn(stopwatch, launches, ms_[i], [&] { launch(candidates_[i]); });
        }
    }

    /// In the format of the other results: "ms", "gbps", "of_copy".
    Json results() const {
        const double copy = gbps(copy_ms_, 1);
        Json rows = Json::array();
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const Candidate& candidate = candidates_[i];
            const double rate = gbps(ms_[i], candidate.share);
            rows.push_back({{"question", candidate.question},
                            {"candidate", candidate.name},
                            {"verified", candidate.has_output()},
                            {"ms", rounded(summarise(ms_[i]).ms, 4)},
                            {"gbps", rounded(rate, 1)},
                            {"of_copy", rounded(rate / copy, 4)}});
        }
        return {{"rows", buffers_.problem().rows},
                {"cols", buffers_.problem().cols},
                {"copy_gbps", rounded(copy, 1)},
                {"results", rows}};
    }

    std::string size() const {
        return std::to_string(buffers_.problem().rows) + " x " +
               std::to_string(buffers_.problem().cols);
    }

private:
    void launch(const Candidate& candidate) const {
        candidate.launch(buffers_.out(), buffers_.in(), static_cast<int>(buffers_.problem().rows),
                         static_cast<int>(buffers_.problem().cols));
        CUDA_CHECK(cudaGetLastError());
    }

    template <class Work>
    static void take_turn(Stopwatch& stopwatch, int launches, std::vector<double>& ms,
                          const Work& work) {
        stopwatch.time_once_on_device(work);
        for (int i = 0; i < launches; ++i) ms.push_back(stopwatch.time_once_on_device(work));
    }

    double gbps(const std::vector<double>& ms, double share) const {
        const auto bytes = static_cast<double>(buffers_.problem().bytes());
        return 2 * bytes * share / summarise(ms).ms / 1e6;
    }

    VerifiedBuffers buffers_;
    const std::vector<Candidate>& candidates_;
    std::vector<std::vector<double>> ms_;
    std::vector<double> copy_ms_;
};

/// Leaves those out, and says so.
std::vector<Candidate> without_those_only_on_gpu(std::vector<Candidate> candidates) {
    std::erase_if(candidates, [](const Candidate& candidate) {
        if (candidate.only_on_gpu.empty()) return false;
        std::cout << "Left out, since the simulated GPU has no " << candidate.only_on_gpu << ": "
                  << candidate.name << "\n";
        return true;
    });
    return candidates;
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

std::vector<Shape> understand_sizes(const Words& words) {
    const std::vector<Shape> sizes = parse_sizes(words.check_only ? "512x256" : words.sizes);
    for (const Shape& shape : sizes) {
        if (shape.rows % kSearchSide == 0 && shape.cols % kSearchSide == 0) continue;
        throw UsageError(shape.name() + ": the search takes multiples of " +
                         std::to_string(kSearchSide));
    }
    return sizes;
}

Json time_all(Search& search, const Device& device, const Words& words) {
    Stopwatch stopwatch(device.l2_bytes);
    for (int round = 0; round < words.rounds; ++round) {
        search.play_round(stopwatch, words.launches);
    }
    return search.results();
}

/// A row as the programs of lessons write it.
Json predicted_row(const Candidate& candidate, Shape shape, const std::string& gpu) {
    const double bytes = 2.0 * sizeof(float) * candidate.share * shape.rows * shape.cols;
    const auto launch = [&] {
        const auto room = static_cast<std::size_t>(bytes / 2 / candidate.share);
        const DeviceBuffer in(room), out(room);
        candidate.launch(static_cast<float*>(out.data()), static_cast<const float*>(in.data()),
                         shape.rows, shape.cols);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
    };
    Json row{{"step", "search"}, {"variant", candidate.name}};
    if (!candidate.only_on_gpu.empty()) {
        row["not_predicted"] = "the simulated GPU has no " + candidate.only_on_gpu;
        return row;
    }
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
                            {"of_copy", p.of_copy()},
                            {"binds", dashed_name(p.longest().binds)},
                            {"error_band", p.error_band},
                            {"unknown", unknown}};
    } catch (const NotPredicted& reason) {
        row["not_predicted"] = reason.what();
    }
    return row;
}

int predict_all(const Words& words, char** argv) {
    if (words.json.empty()) throw UsageError("--time: --json names the file for the times");
    check_writable(words.json);
    const std::vector<Shape> sizes = understand_sizes(words);
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

int run(const Words& words, char** argv) {
    if (!words.time_on.empty()) return predict_all(words, argv);
    const DeviceChoice choice = choice_of(words.device, words.check_only);
    const std::vector<Shape> sizes = understand_sizes(words);
    const std::string file =
        words.json.empty() ? kRepository + "/docs/results/search/results.json" : words.json;
    const Device device = choose_device(choice, argv);
    if (!words.check_only) check_writable(file);
    std::cout << device.first_line() << std::endl;
    int multiprocessors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    std::vector<Candidate> candidates = search_candidates(multiprocessors);
    if (device.simulated) candidates = without_those_only_on_gpu(std::move(candidates));
    Json json{{"device", {{"name", device.name}, {"multiprocessors", multiprocessors}}},
              {"run", run_record(words.commit,
                                 {{"rounds", words.rounds}, {"launches_a_round", words.launches}})},
              {"sizes", Json::array()}};
    for (const Shape& shape : sizes) {
        Search search(shape, candidates);
        search.verify();
        std::cout << "\n" << search.size() << ": all outputs are right\n";
        if (words.check_only) continue;
        json["sizes"].push_back(time_all(search, device, words));
        std::cout << table(json["sizes"].back()) << std::flush;
    }
    if (words.check_only) return exit_right;
    write_file(file, json_text(json));
    std::cout << "\nWritten to " << file << "\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("search",
                       "The experiments that led to the fastest transpose, timed on this GPU", argc,
                       argv, add_options, run);
}
