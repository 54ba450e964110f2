// recording_cost -- what a prediction costs on the simulated GPU, every kernel of the course: a launch that is
// recorded beside one that is not, and the time that the model takes.
//
//     build/bin/recording_cost [LESSON...] [--side N] [--rounds N]
//
// Idea   Machines are shared and noisy: it is processor time that is told, of all threads. All things take turns,
//        in several rounds, and what is told is the median of the rounds, of times and of ratios.
#include <ctime>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/median.h"
#include "examiner/course/course.h"
#include "harness/device.h"
#include "harness/errors.h"
#include "harness/launch.h"
#include "harness/predicted.h"
#include "harness/shapes.h"
#include "harness/simulator_function.h"
#include "harness/text.h"
#include "lab/proof/run_program.h"
#include "lab/proof/step_modules.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

struct Words {
    std::vector<std::string> lessons;
    std::string variant;
    int side = 1024, rounds = 7;
};

double processor_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double ms_of(const Work& work) {
    const double start = processor_ms();
    work();
    return processor_ms() - start;
}

/// Milliseconds of processor time, a value for each round.
struct Cost {
    std::vector<double> run, beside, alone, predict;

    double recording() const {
        std::vector<double> more;
        for (std::size_t k = 0; k < run.size(); ++k) more.push_back(beside[k] / run[k] - 1);
        return median(more);
    }
    double prediction() const { return median(alone) + median(predict); }
};

void record(int what) {
    SIMULATOR_FUNCTION(coalesceRecord)(what);
}

/// Whether there was something to predict.
bool predict() {
    return !predictions_for("H200").launches.empty();
}

void take_turn(const BareLaunch& launch, Cost& cost) {
    const auto keep = [](std::vector<double>& ms, const auto& work) { ms.push_back(ms_of(work)); };
    record(coalesceRecordNothing);
    keep(cost.run, [&] { CUDA_CHECK(launch.run()); });
    record(coalesceRecordBeside);
    keep(cost.beside, [&] { CUDA_CHECK(launch.run()); });
    keep(cost.predict, [] { predict(); });
    record(coalesceRecordAlone);
    keep(cost.alone, [&] { CUDA_CHECK(launch.run()); });
    record(coalesceRecordNothing);
}

/// Nothing where nothing is launched, or all blocks wait for each other.
std::optional<Cost> cost_of(const Variant& variant, const Words& words) {
    const BareLaunch launch(variant, rounded_up({words.side, words.side}, variant));
    CUDA_CHECK(cudaMemset(launch.in().data(), 0, launch.in().bytes()));
    CUDA_CHECK(launch.run());  // what is done once for a kernel
    record(coalesceRecordBeside);
    CUDA_CHECK(launch.run());
    if (!predict()) return std::nullopt;
    Cost cost;
    for (int round = 0; round < words.rounds; ++round) take_turn(launch, cost);
    return cost;
}

void print_summary(const std::vector<Cost>& costs) {
    std::vector<double> recording, prediction, predict;
    for (const Cost& cost : costs) {
        recording.push_back(100 * cost.recording());
        prediction.push_back(cost.prediction());
        predict.push_back(median(cost.predict));
    }
    const auto print = [](const char* what, const std::vector<double>& values, const char* unit) {
        std::cout << format("%-40s median %6.1f, worst %6.1f %s\n", what, median(values),
                            *std::max_element(values.begin(), values.end()), unit);
    };
    std::cout << "\n";
    print("recorded beside a run, more than a run:", recording, "%");
    print("predicted from a recording:", predict, "ms");
    print("recorded alone and predicted:", prediction, "ms");
}

void print_row(const std::string& name, const Cost& cost) {
    std::cout << format("%-36.36s %8.2f %8.2f %5.0f %% %8.2f %8.2f\n", name.c_str(),
                        median(cost.run), median(cost.beside), 100 * cost.recording(),
                        median(cost.predict), median(cost.alone))
              << std::flush;
}

int run(const Words& words, char** argv) {
    choose_device(DeviceChoice::simulator, argv);
    const course::Course course = course::read_course(COALESCE_REPOSITORY);
    std::vector<Cost> costs;
    std::cout << format("Milliseconds of processor time, median of %d rounds, at %d x %d.\n\n",
                        words.rounds, words.side, words.side)
              << format("%-36s %8s %8s %7s %8s %8s\n", "", "run", "recorded", "", "predict",
                        "alone");
    for (const course::Step& step : course.steps) {
        if (!has_module(step.name)) continue;
        const auto is_it = [&](const std::string& lesson) { return course.find(lesson) == &step; };
        if (!words.lessons.empty() &&
            std::none_of(words.lessons.begin(), words.lessons.end(), is_it))
            continue;
        const std::vector<StepVariants> loaded = load_steps({step.name});
        for (const Variant& variant : loaded.front().variants) {
            if (variant.needs_gpu || !(words.variant.empty() || words.variant == variant.name))
                continue;
            const std::optional<Cost> cost = cost_of(variant, words);
            if (!cost) continue;
            print_row(step.name + " " + variant.name, *cost);
            costs.push_back(*cost);
        }
    }
    if (costs.empty()) throw UsageError("no such kernel launches anything that can be predicted");
    print_summary(costs);
    return exit_right;
}

void add_options(CLI::App& app, Words& words) {
    app.add_option("lessons", words.lessons, "Only these (all)");
    app.add_option("--variant", words.variant, "Only the variants of that name");
    app.add_option("--side", words.side, "Rows and columns (1024)")->check(CLI::Range(32, 16384));
    app.add_option("--rounds", words.rounds, "Launches of each kind (7)")
        ->check(CLI::Range(1, 1000));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("recording_cost", "Measures what recorded launches and predicted times cost",
                       argc, argv, add_options, run);
}
