// time_proof: predicts and measures kernels that the time model was not tuned on.
//
//    build/bin/time_proof --make kernels                              writes 40 kernels
//    build/bin/time_proof --make kernels --transposes                 writes the transposes that
//                                                                     timing/parts.cpp models
//    build/bin/time_proof --predict kernels --gpu H200 --json predicted.json
//    build/bin/time_proof --measure kernels --json measured.json      on a GPU
//    build/bin/time_proof --compare predicted.json measured.json
#include <CLI/CLI.hpp>
#include <iostream>

#include "base/files.h"
#include "harness/device.h"
#include "lab/proof/run_program.h"
#include "lab/random_times/compare.h"
#include "lab/random_times/on_device.h"

using namespace coalesce;
using namespace coalesce::timing;

namespace {

struct CommandLine {
    std::string make, measure, predict;
    bool check = false, transposes = false;
    std::vector<std::string> compare;
    std::uint64_t seed = 1;
    int count = 40;
    std::string gpu = "H200", json, device = "auto";
};

void add_options(CLI::App& app, CommandLine& words) {
    auto* what = app.add_option_group("what to do");
    what->add_option("--make", words.make, "Write kernels and kernels.json into this folder");
    what->add_flag("--check", words.check,
                   "Run each kernel at a small size, and compare with the host");
    what->add_option("--measure", words.measure, "Measure the kernels of this folder on the GPU");
    what->add_option("--predict", words.predict,
                     "Predict the times of these kernels on the simulated GPU");
    what->add_option("--compare", words.compare,
                     "Compare a file of predictions with a file of measurements")
        ->expected(2);
    what->require_option(1);
    app.add_option("--seed", words.seed, "Seed of the random kernels")->capture_default_str();
    app.add_option("--count", words.count, "Number of kernels")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
    app.add_flag("--transposes", words.transposes,
                 "Instead of random kernels, make transposes that use no shared memory and differ "
                 "in one property");
    app.add_option("--gpu", words.gpu, "GPU to predict times for")->capture_default_str();
    app.add_option("--json", words.json, "File for the measured or predicted times");
    app.add_option("--device", words.device, "For --check: auto, gpu or sim")
        ->check(CLI::IsMember({"auto", "gpu", "sim"}));
}

template <class T>
T read_json(const std::string& file) {
    try {
        return codec::read<T>(read_file(file));
    } catch (const codec::Error& error) {
        throw UsageError(file + ": " + error.what());
    }
}

void need_json(const CommandLine& words) {
    if (words.json.empty()) throw UsageError("name a file for the times: --json FILE");
    check_writable(words.json);
}

template <class T>
int written(const T& times, const CommandLine& words) {
    write_file(words.json, codec::write(times, true) + "\n");
    std::cout << "Written to " << words.json << "\n";
    return exit_right;
}

std::vector<Kernel> select_kernels(const CommandLine& words) {
    return words.transposes ? transposing_kernels() : random_kernels(words.seed, words.count);
}

int make(const CommandLine& words) {
    const std::vector<Kernel> kernels = select_kernels(words);
    write_kernels(kernels, words.make);
    std::cout << kernels.size() << " kernels "
              << (words.transposes ? "" : "of seed " + std::to_string(words.seed) + " ")
              << "written to " << words.make << "\n";
    return exit_right;
}

int check_all(const CommandLine& words, char** argv) {
    const DeviceChoice choice = words.device == "gpu"   ? DeviceChoice::gpu
                                : words.device == "sim" ? DeviceChoice::simulator
                                                        : DeviceChoice::automatic;
    const Device device = choose_device(choice, argv);
    std::cout << device.first_line() << std::endl;
    int wrong = 0;
    const std::vector<Kernel> kernels = select_kernels(words);
    for (const Kernel& kernel : kernels) {
        const std::string what = check_small_run(kernel, LoadedRandomKernel(kernel), device);
        if (what.empty()) continue;
        std::cout << kernel.name << " (" << kernel.description << ") is wrong: " << what << "\n";
        ++wrong;
    }
    std::cout << static_cast<int>(kernels.size()) - wrong << " of " << kernels.size()
              << " kernels are right\n";
    return wrong == 0 ? exit_right : exit_wrong;
}

int measure_all(const CommandLine& words, char** argv) {
    need_json(words);
    const std::vector<Kernel> kernels = read_kernels(words.measure);
    const Device device = choose_device(DeviceChoice::gpu, argv);
    std::cout << device.first_line() << std::endl;
    return written(measure(kernels, device), words);
}

int predict_all(const CommandLine& words, char** argv) {
    need_json(words);
    const std::vector<Kernel> kernels = read_kernels(words.predict);
    choose_device(DeviceChoice::simulator, argv);
    return written(predict(kernels, words.gpu), words);
}

int compare(const CommandLine& words) {
    const auto predicted = read_json<PredictedKernels>(words.compare[0]);
    const auto measured = read_json<MeasuredKernels>(words.compare[1]);
    std::cout << format_text(pairs_of(predicted, measured));
    return exit_right;
}

int run(const CommandLine& words, char** argv) {
    if (!words.make.empty()) return make(words);
    if (words.check) return check_all(words, argv);
    if (!words.measure.empty()) return measure_all(words, argv);
    if (!words.predict.empty()) return predict_all(words, argv);
    return compare(words);
}

}  // namespace

int main(int argc, char** argv) {
    return proof::run_program("time_proof", "Predicts and measures times of random kernels", argc,
                              argv, add_options, run);
}
