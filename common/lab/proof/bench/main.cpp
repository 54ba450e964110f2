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
const std::vector<Shape> kUsualSizes = {{4096, 4096},   {8192, 8192},   {16384, 16384},
                                        {32768, 32768}, {32768, 16384}, {16384, 32768}};
/// The matrix sizes of a quick run.
const std::vector<Shape> kQuickSizes = {{4096, 4096}, {16384, 16384}};

/// The command line and the settings derived from it.
struct BenchOptions {
    std::string sizes_option, device_option = "gpu";
    std::string json;    ///< output file; empty: docs/results/DEVICE.json
    std::string commit;  ///< commit of the source; if empty, git provides it
    /// A JSON results file. If it is given, its charts are drawn and nothing is measured.
    std::string draw;
    std::string folder;  ///< folder for charts; empty: docs/diagrams
    int rounds = 8;      ///< number of rounds; in each round, every variant is launched
    int launches = 5;    ///< timed launches per round, after an untimed one
    bool quick = false, no_python = false;
    /// Whether to check only that every kernel loads, runs and verifies, without timing.
    bool check_only = false;
    std::vector<Shape> sizes = {};
    DeviceChoice device = DeviceChoice::gpu;
};

void add_options(CLI::App& app, BenchOptions& plan) {
    app.add_option("--sizes", plan.sizes_option,
                   "For example 4096,32768x16384; default: 4096, 8192, 16384 and 32768 square, "
                   "32768x16384 and 16384x32768");
    app.add_flag("--quick", plan.quick, "Run briefly: only 4096 and 16384, two rounds");
    app.add_option("--rounds", plan.rounds, "Number of rounds of each variant at each size")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", plan.launches, "Number of timed launches in one round")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", plan.json, "File for the results (default: docs/results/DEVICE.json)");
    app.add_option("--commit", plan.commit, "Commit to record, if git cannot report it");
    app.add_option("--draw", plan.draw,
                   "Only draw the charts of a JSON file that was written earlier;\n"
                   "docs/results/predicted.json gives charts of predicted times");
    app.add_option("--into", plan.folder, "Folder for the charts (default: docs/diagrams)");
    app.add_flag("--no-python", plan.no_python, "Leave out PyTorch, CuPy and Triton");
    app.add_flag("--check", plan.check_only,
                 "Only verify everything at small sizes, without timing");
    add_device_option(app, plan.device_option);
}

BenchOptions parse_plan(BenchOptions plan) {
    plan.device = parse_device_choice(plan.device_option, plan.check_only);
    plan.sizes = plan.quick ? kQuickSizes : kUsualSizes;
    if (plan.check_only) plan.sizes = {{256, 192}, {131, 77}};
    if (plan.quick) plan.rounds = 2;
    if (!plan.sizes_option.empty()) plan.sizes = parse_sizes(plan.sizes_option);
    return plan;
}

std::vector<std::string> all_modules() {
    std::vector<std::string> names;
    for (const auto& step : course::read_course(kRepository).steps) {
        if (step.name != MEASURES_ITSELF) names.push_back(step.name);
    }
    if (has_module("rivals")) names.push_back("rivals");
    return names;
}

/// Returns the default file, such as "docs/results/nvidia-h200.json".
std::string default_json(const Device& device) {
    std::string name = std::regex_replace(device.name, std::regex("[^A-Za-z0-9]+"), "-");
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return kRepository + "/docs/results/" + name + ".json";
}

class Bench {
public:
    Bench(const BenchOptions& plan, const Device& device)
        : plan_(plan),
          device_(device),
          steps_(load_steps(all_modules())),
          python_(kRepository + "/common/lab/proof/bench/rivals.py",
                  !plan.no_python && !device.simulated) {
        if (!plan.check_only) stopwatch_.emplace(device.l2_bytes);
        smallest_ = *std::ranges::min_element(plan.sizes, {}, elements);
        largest_ = *std::ranges::max_element(plan.sizes, {}, elements);
    }

    /// Measures the variants at all sizes, and the float variants first. At that time, device
    /// memory is not yet fragmented, as in a separate program. The physical position of pages
    /// changes the times of matrices with long rows by up to 7 %.
    std::vector<SizeResults> run() {
        std::vector<VariantsToTime> fields;
        std::vector<SizeResults> results;
        for (const Shape shape : plan_.sizes) {
            fields.push_back(group_variants(steps_, shape));
            results.push_back(run_floats(fields.back(), shape));
            print_progress(shape.name() + ": floats" + completion_text());
        }
        for (std::size_t i = 0; i < fields.size(); ++i) {
            run_others(fields[i], plan_.sizes[i]);
            auto& entries = results[i].entries;
            entries.insert(entries.begin(), fields[i].entries.begin(), fields[i].entries.end());
            print_progress(plan_.sizes[i].name() + ": all others" + completion_text());
        }
        return results;
    }

    Json description() const {
        const Json machine = ask_nvidia_smi();
        return run_record(
            plan_.commit,
            {{"driver_version", machine.value("driver_version", "unknown")},
             {"python", python_.versions()},
             {"rounds", plan_.rounds},
             {"launches_a_round", plan_.launches},
             {"verification", "every variant at every size, bit for bit, on the device; at " +
                                  smallest_.name() + " on the host too"},
             {"seconds", rounded(seconds_since_start(), 1)}});
    }

private:
    static long long elements(Shape shape) { return 1LL * shape.rows * shape.cols; }

    const char* completion_text() const { return stopwatch_ ? " verified and timed" : " verified"; }

    /// Runs the float variants and, in the same rounds, the Python rivals. The result contains
    /// entries for both.
    SizeResults run_floats(VariantsToTime& field, Shape shape) {
        SizeResults results{shape, {}, Json::object()};
        check_memory(field.buffer_groups.front(), shape);
        SharedBufferBenchmark contest(field.buffer_groups.front(), shape, field.entries);
        contest.verify(is_checked_on_host(shape));
        python_.begin(shape);
        if (stopwatch_) results.clocks = run_benchmark_rounds(contest, true);
        contest.check_at_the_end();
        results.entries = python_.entries();
        return results;
    }

    void run_others(VariantsToTime& field, Shape shape) {
        for (std::size_t i = 1; i < field.buffer_groups.size(); ++i) {
            const std::vector<VariantToTime>& heat = field.buffer_groups[i];
            const std::string lack = describe_lack_of_memory(heat, shape);
            for (const VariantToTime& seat : heat) field.entries[seat.entry].skipped = lack;
            if (!lack.empty()) continue;
            SharedBufferBenchmark contest(heat, shape, field.entries);
            contest.verify(is_checked_on_host(shape));
            if (stopwatch_) run_benchmark_rounds(contest, false);
            contest.check_at_the_end();
        }
        // Most of the separate variants are host code, which is slow, so the smallest and the
        // largest size are enough.
        if (!stopwatch_ || shape == smallest_ || shape == largest_) {
            run_separate_variants(field, shape, stopwatch_ ? &*stopwatch_ : nullptr);
        }
    }

    bool is_checked_on_host(Shape shape) const { return shape == smallest_ || plan_.check_only; }

    Json run_benchmark_rounds(SharedBufferBenchmark& contest, bool with_python) {
        std::future<Json> clocks;
        for (int round = 0; round < plan_.rounds; ++round) {
            if (round == plan_.rounds / 2) clocks = start_nvidia_smi_query();
            contest.time_round(*stopwatch_, round, plan_.launches);
            if (with_python) python_.time_round(plan_.launches);
        }
        return clocks.get();
    }

    /// Returns an error message, or "" if there is enough memory.
    std::string describe_lack_of_memory(const std::vector<VariantToTime>& heat, Shape shape) const {
        const double needed =
            static_cast<double>(SharedBufferBenchmark::bytes_needed(heat, shape)) + 1e9;
        const auto free = static_cast<double>(free_device_bytes(device_.simulated));
        if (needed <= free) return "";
        return format("the shape needs %.1f GB of the device's memory, but only %.1f GB are free",
                      needed / 1e9, free / 1e9);
    }

    void check_memory(const std::vector<VariantToTime>& heat, Shape shape) const {
        const std::string lack = describe_lack_of_memory(heat, shape);
        if (lack.empty()) return;
        throw UsageError(shape.name() + ": " + lack + "; leave it out with --sizes");
    }

    const BenchOptions& plan_;
    const Device& device_;
    std::vector<StepVariants> steps_;
    PythonRivals python_;
    std::optional<Stopwatch> stopwatch_;
    Shape smallest_, largest_;
};

int check_only(Bench& bench) {
    const std::vector<SizeResults> results = bench.run();
    const std::string wrong = list_wrong_outputs(results);
    std::cout << wrong;
    std::size_t verified = 0, skipped = 0;
    for (const SizeResults& size : results) {
        for (const VariantResult& entry : size.entries) {
            verified += entry.is_verified();
            skipped += !entry.skipped.empty();
        }
    }
    std::cout << verified << " results verified, " << skipped << " skipped\n";
    return wrong.empty() ? exit_right : exit_wrong;
}

Json read_json(const std::string& file) {
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
void draw(const BenchOptions& plan, const std::string& file) {
    const std::string results = kRepository + "/docs/results";
    const Json json = read_json(file);
    const bool is_predicted = json.at("device").value("kind", "") == "predicted";
    if (is_predicted && plan.folder.empty()) {
        throw UsageError(
            "docs/diagrams holds charts of measured times and is not overwritten; choose another "
            "folder with --into");
    }
    const std::string folder = plan.folder.empty() ? kRepository + "/docs/diagrams" : plan.folder;
    draw_charts({.measured = is_predicted ? Json() : json,
                 .simulated = read_json(results + "/simulated.json"),
                 .predicted = is_predicted ? json : read_json(results + "/predicted.json")},
                folder);
    std::string drawn = "bandwidth.svg, sectors.svg and sizes.svg";
    if (!is_predicted) {
        write_file(folder + "/links.svg", links_chart({read_json(results + "/many/gpus-2.json"),
                                                       read_json(results + "/many/gpus-4.json")}));
        drawn = "bandwidth.svg, sectors.svg, sizes.svg and links.svg";
    }
    std::cout << "Drawn: " << drawn << " in " << folder << "\n";
}

/// Checks that there is a GPU before any work is done.
void check_gpu(const BenchOptions& plan) {
    if (plan.check_only) return;
    const std::string why = find_gpu_problem();
    if (why.empty()) return;
    throw UsageError("no GPU works here (" + why + "), so nothing can be timed. --draw " +
                     kRepository +
                     "/docs/results/predicted.json --into FOLDER draws the predicted times");
}

int run_plan(const BenchOptions& plan, char** argv) {
    if (!plan.draw.empty()) {
        draw(plan, plan.draw);
        return exit_right;
    }
    check_gpu(plan);
    if (!plan.json.empty()) check_writable(plan.json);
    const Device device = choose_device(plan.device, argv);
    const std::string json = plan.json.empty() ? default_json(device) : plan.json;
    if (!plan.check_only) check_writable(json);
    std::cout << device.first_line() << std::endl;
    Bench bench(plan, device);
    if (plan.check_only) return check_only(bench);
    const std::vector<SizeResults> results = bench.run();
    std::cout << "\n" << to_table(results) << "\n" << list_wrong_outputs(results);
    write_file(json, json_text(to_json(device, results, bench.description())));
    std::cout << "Written to " << json << "; ./learn results puts it into the lessons.\n";
    // The lessons show the default results. Draw charts of other results only if a folder for them
    // is given.
    if (plan.json.empty() || !plan.folder.empty()) draw(plan, json);
    return list_wrong_outputs(results).empty() ? exit_right : exit_wrong;
}

int run(const BenchOptions& plan, char** argv) {
    try {
        return run_plan(parse_plan(plan), argv);
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
