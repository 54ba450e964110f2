// bench -- times every kernel of every step, and every rival, in one run on one GPU.
//
// All kernels run in this process (step_modules.h) and share two buffers. At each size, the program
// verifies every output bit for bit. It then runs rounds in which each kernel is launched a few
// times, so that changes of the clocks or the temperature affect all kernels equally. The Python
// rivals run in a second process at the end of each round.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>

#include "base/files.h"
#include "examiner/course/course.h"
#include "examiner/course/results_file.h"
#include "harness/errors.h"
#include "harness/result.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "lab/proof/bench/charts.h"
#include "lab/proof/bench/contest.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/bench/python_rivals.h"
#include "lab/proof/bench/results.h"
#include "lab/proof/bench/share_chart.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kRepository = COALESCE_REPOSITORY;
/// The matrix sizes of the published results: four squares and two rectangles.
const std::vector<Shape> kDefaultSizes = {{4096, 4096},   {8192, 8192},   {16384, 16384},
                                          {32768, 32768}, {32768, 16384}, {16384, 32768}};
/// The matrix sizes of a quick run.
const std::vector<Shape> kQuickSizes = {{4096, 4096}, {16384, 16384}};

/// The command line and the settings derived from it.
struct BenchOptions {
    std::string sizes_option, device_option = "gpu";
    std::string json;           ///< output file; empty: docs/results/DEVICE.json
    std::string source_commit;  ///< commit of the source; if empty, git provides it
    /// A JSON results file. If it is given, its charts are drawn and nothing is measured.
    std::string results_to_draw;
    std::string folder;          ///< folder for charts; empty: docs/diagrams
    int round_count = 8;         ///< number of rounds; in each round, every variant is launched
    int launches_per_round = 5;  ///< timed launches per round, after an untimed one
    bool uses_few_sizes = false, excludes_python = false;
    /// Whether to check only that every kernel loads, runs and verifies, without timing.
    bool checks_only = false;
    std::vector<Shape> matrix_sizes = {};
    DeviceChoice device_choice = DeviceChoice::gpu;
};

void add_options(CLI::App& app, BenchOptions& options) {
    app.add_option("--sizes", options.sizes_option,
                   "For example 4096,32768x16384; default: 4096, 8192, 16384 and 32768 square, "
                   "32768x16384 and 16384x32768");
    app.add_flag("--quick", options.uses_few_sizes, "Run briefly: only 4096 and 16384, two rounds");
    app.add_option("--rounds", options.round_count, "Number of rounds of each variant at each size")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", options.launches_per_round,
                   "Number of timed launches in one round")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", options.json,
                   "File for the results (default: docs/results/DEVICE.json)");
    app.add_option("--commit", options.source_commit, "Commit to record, if git cannot report it");
    app.add_option("--draw", options.results_to_draw,
                   "Only draw the charts of a JSON file that was written earlier;\n"
                   "docs/results/predicted.json gives charts of predicted times");
    app.add_option("--into", options.folder, "Folder for the charts (default: docs/diagrams)");
    app.add_flag("--no-python", options.excludes_python, "Leave out PyTorch, CuPy and Triton");
    app.add_flag("--check", options.checks_only,
                 "Only verify everything at small sizes, without timing");
    add_device_option(app, options.device_option);
}

BenchOptions parse_options(BenchOptions options) {
    options.device_choice = parse_device_choice(options.device_option, options.checks_only);
    options.matrix_sizes = options.uses_few_sizes ? kQuickSizes : kDefaultSizes;
    if (options.checks_only) options.matrix_sizes = {{256, 192}, {131, 77}};
    if (options.uses_few_sizes) options.round_count = 2;
    if (!options.sizes_option.empty()) options.matrix_sizes = parse_sizes(options.sizes_option);
    return options;
}

std::vector<std::string> list_all_modules() {
    std::vector<std::string> names;
    for (const auto& step : course::read_course(kRepository).steps) {
        if (step.name != MEASURES_ITSELF) names.push_back(step.name);
    }
    if (has_module("rivals")) names.push_back("rivals");
    return names;
}

/// Returns the default file, such as "docs/results/nvidia-h200.json".
std::string default_results_file(const Device& device) {
    std::string name = std::regex_replace(device.name, std::regex("[^A-Za-z0-9]+"), "-");
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return kRepository + "/docs/results/" + name + ".json";
}

class Bench {
public:
    Bench(const BenchOptions& options, const Device& device)
        : options_(options),
          device_(device),
          steps_(load_steps(list_all_modules())),
          python_(kRepository + "/common/lab/proof/bench/rivals.py",
                  !options.excludes_python && !device.simulated) {
        if (!options.checks_only) stopwatch_.emplace(device.l2_bytes);
        smallest_size_ = *std::ranges::min_element(options.matrix_sizes, {}, elements);
        largest_size_ = *std::ranges::max_element(options.matrix_sizes, {}, elements);
    }

    /// Measures the variants at all sizes, and the float variants first. At that time, device
    /// memory is not yet fragmented, as in a separate program. The physical position of pages
    /// changes the times of matrices with long rows by up to 7 %.
    std::vector<SizeResults> run() {
        std::vector<VariantsToTime> variants_by_size;
        std::vector<SizeResults> results;
        for (const Shape shape : options_.matrix_sizes) {
            variants_by_size.push_back(group_variants(steps_, shape));
            results.push_back(run_float_variants(variants_by_size.back(), shape));
            print_progress(shape.name() + ": floats" + completion_text());
        }
        for (std::size_t i = 0; i < variants_by_size.size(); ++i) {
            run_other_variants(variants_by_size[i], options_.matrix_sizes[i]);
            auto& size_entries = results[i].entries;
            size_entries.insert(size_entries.begin(), variants_by_size[i].entries.begin(),
                                variants_by_size[i].entries.end());
            print_progress(options_.matrix_sizes[i].name() + ": all others" + completion_text());
        }
        return results;
    }

    Json describe_run() const {
        const Json machine = query_gpu_state();
        return make_run_record(
            options_.source_commit,
            {{"driver_version", machine.value("driver_version", "unknown")},
             {"python", python_.versions()},
             {"rounds", options_.round_count},
             {"launches_a_round", options_.launches_per_round},
             {"verification", "every variant at every size, bit for bit, on the device; at " +
                                  smallest_size_.name() + " on the host too"},
             {"seconds", rounded(seconds_since_start(), 1)}});
    }

private:
    static long long elements(Shape shape) { return 1LL * shape.rows * shape.cols; }

    const char* completion_text() const { return stopwatch_ ? " verified and timed" : " verified"; }

    /// Runs the float variants and, in the same rounds, the Python rivals. The result contains
    /// entries for both.
    SizeResults run_float_variants(VariantsToTime& grouped_variants, Shape shape) {
        SizeResults results{shape, {}, Json::object()};
        check_free_memory(grouped_variants.buffer_groups.front(), shape);
        SharedBufferBenchmark benchmark(grouped_variants.buffer_groups.front(), shape,
                                        grouped_variants.entries);
        benchmark.verify(is_checked_on_host(shape));
        python_.begin_size(shape);
        if (stopwatch_) results.clock_rates = run_benchmark_rounds(benchmark, true);
        benchmark.check_one_final_output();
        results.entries = python_.entries();
        return results;
    }

    void run_other_variants(VariantsToTime& grouped_variants, Shape shape) {
        for (std::size_t i = 1; i < grouped_variants.buffer_groups.size(); ++i) {
            const std::vector<VariantToTime>& buffer_group = grouped_variants.buffer_groups[i];
            const std::string missing_memory = describe_lack_of_memory(buffer_group, shape);
            for (const VariantToTime& variant_to_time : buffer_group)
                grouped_variants.entries[variant_to_time.entry_index].reason_for_skipping =
                    missing_memory;
            if (!missing_memory.empty()) continue;
            SharedBufferBenchmark benchmark(buffer_group, shape, grouped_variants.entries);
            benchmark.verify(is_checked_on_host(shape));
            if (stopwatch_) run_benchmark_rounds(benchmark, false);
            benchmark.check_one_final_output();
        }
        // Most of the separate variants are host code, which is slow, so the smallest and the
        // largest size are enough.
        if (!stopwatch_ || shape == smallest_size_ || shape == largest_size_) {
            run_separate_variants(grouped_variants, shape, stopwatch_ ? &*stopwatch_ : nullptr);
        }
    }

    bool is_checked_on_host(Shape shape) const {
        return shape == smallest_size_ || options_.checks_only;
    }

    Json run_benchmark_rounds(SharedBufferBenchmark& benchmark, bool includes_python) {
        std::future<Json> gpu_state;
        for (int round = 0; round < options_.round_count; ++round) {
            if (round == options_.round_count / 2) gpu_state = start_gpu_state_query();
            benchmark.time_round(*stopwatch_, round, options_.launches_per_round);
            if (includes_python) python_.time_round(options_.launches_per_round);
        }
        return gpu_state.get();
    }

    /// Returns an error message, or "" if there is enough memory.
    std::string describe_lack_of_memory(const std::vector<VariantToTime>& buffer_group,
                                        Shape shape) const {
        const double needed_bytes =
            static_cast<double>(SharedBufferBenchmark::bytes_of_buffers(buffer_group, shape)) + 1e9;
        const auto free_bytes = static_cast<double>(free_device_bytes(device_.simulated));
        if (needed_bytes <= free_bytes) return "";
        return format("the shape needs %.1f GB of the device's memory, but only %.1f GB are free",
                      needed_bytes / 1e9, free_bytes / 1e9);
    }

    void check_free_memory(const std::vector<VariantToTime>& buffer_group, Shape shape) const {
        const std::string missing_memory = describe_lack_of_memory(buffer_group, shape);
        if (missing_memory.empty()) return;
        throw UsageError(shape.name() + ": " + missing_memory + "; leave it out with --sizes");
    }

    const BenchOptions& options_;
    const Device& device_;
    std::vector<StepVariants> steps_;
    PythonRivals python_;
    std::optional<Stopwatch> stopwatch_;
    Shape smallest_size_, largest_size_;
};

int run_checks(Bench& bench) {
    const std::vector<SizeResults> results = bench.run();
    const std::string wrong_outputs = list_wrong_outputs(results);
    std::cout << wrong_outputs;
    std::size_t verified_results = 0, skipped_results = 0;
    for (const SizeResults& size : results) {
        for (const VariantResult& entry : size.entries) {
            verified_results += entry.is_verified();
            skipped_results += !entry.reason_for_skipping.empty();
        }
    }
    std::cout << verified_results << " results verified, " << skipped_results << " skipped\n";
    return wrong_outputs.empty() ? exit_right : exit_wrong;
}

Json read_results_file(const std::string& file) {
    const Json json = Json::parse(read_file(file), nullptr, false);
    try {
        course::check_results(json);
    } catch (const course::ResultsError& error) {
        throw UsageError(file + " was not written by bench --json: " + error.what());
    }
    return json;
}

/// Draws the charts. The simulator's counters and predictions, and the results of lesson 16, come
/// from docs/results. `file` contains measurements or, if nothing was measured, predictions.
void draw(const BenchOptions& options, const std::string& file) {
    const std::string results = kRepository + "/docs/results";
    const Json json = read_results_file(file);
    const bool is_predicted = json.at("device").value("kind", "") == "predicted";
    if (is_predicted && options.folder.empty()) {
        throw UsageError(
            "docs/diagrams holds charts of measured times and is not overwritten; choose another "
            "folder with --into");
    }
    const std::string folder =
        options.folder.empty() ? kRepository + "/docs/diagrams" : options.folder;
    draw_charts({.measured = is_predicted ? Json() : json,
                 .simulated = read_results_file(results + "/simulated.json"),
                 .predicted = is_predicted ? json : read_results_file(results + "/predicted.json")},
                folder);
    std::string drawn_files = "bandwidth.svg, sectors.svg and sizes.svg";
    if (!is_predicted) {
        write_file(folder + "/links.svg",
                   draw_links_chart({read_results_file(results + "/many/gpus-2.json"),
                                     read_results_file(results + "/many/gpus-4.json")}));
        drawn_files = "bandwidth.svg, sectors.svg, sizes.svg and links.svg";
    }
    std::cout << "Drawn: " << drawn_files << " in " << folder << "\n";
}

/// Checks that there is a GPU before any work is done.
void check_gpu_if_needed(const BenchOptions& options) {
    if (options.checks_only) return;
    const std::string gpu_problem = find_gpu_problem();
    if (gpu_problem.empty()) return;
    throw UsageError("no GPU works here (" + gpu_problem + "), so nothing can be timed. --draw " +
                     kRepository +
                     "/docs/results/predicted.json --into FOLDER draws the predicted times");
}

int run_with_options(const BenchOptions& options, char** argv) {
    if (!options.results_to_draw.empty()) {
        draw(options, options.results_to_draw);
        return exit_right;
    }
    check_gpu_if_needed(options);
    if (!options.json.empty()) check_writable(options.json);
    const Device device = choose_device(options.device_choice, argv);
    const std::string json = options.json.empty() ? default_results_file(device) : options.json;
    if (!options.checks_only) check_writable(json);
    std::cout << device.first_line() << std::endl;
    Bench bench(options, device);
    if (options.checks_only) return run_checks(bench);
    const std::vector<SizeResults> results = bench.run();
    std::cout << "\n" << to_table(results) << "\n" << list_wrong_outputs(results);
    write_file(json, json_text(to_json(device, results, bench.describe_run())));
    std::cout << "Written to " << json << "; ./learn results puts it into the lessons.\n";
    // The lessons show the default results. Draw charts of other results only if a folder for them
    // is given.
    if (options.json.empty() || !options.folder.empty()) draw(options, json);
    return list_wrong_outputs(results).empty() ? exit_right : exit_wrong;
}

int run(const BenchOptions& options, char** argv) {
    try {
        return run_with_options(parse_options(options), argv);
    } catch (const course::CourseError& error) {  // the message names the file
        std::cerr << error.what() << "\n";
        return exit_usage;
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("bench",
                       "Times every kernel of every step, and every rival, in one run on this GPU",
                       argc, argv, add_options, run);
}
