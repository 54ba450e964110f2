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
    std::string folder_to_make, folder_to_measure, folder_to_predict;
    bool checks_results = false, makes_transposes = false;
    std::vector<std::string> files_to_compare;
    std::uint64_t seed = 1;
    int kernel_count = 40;
    std::string gpu = "H200", json, device = "auto";
};

void add_options(CLI::App& app, CommandLine& options) {
    auto* action_options = app.add_option_group("what to do");
    action_options->add_option("--make", options.folder_to_make,
                               "Write kernels and kernels.json into this folder");
    action_options->add_flag("--check", options.checks_results,
                             "Run each kernel at a small size, and compare with the host");
    action_options->add_option("--measure", options.folder_to_measure,
                               "Measure the kernels of this folder on the GPU");
    action_options->add_option("--predict", options.folder_to_predict,
                               "Predict the times of these kernels on the simulated GPU");
    action_options
        ->add_option("--compare", options.files_to_compare,
                     "Compare a file of predictions with a file of measurements")
        ->expected(2);
    action_options->require_option(1);
    app.add_option("--seed", options.seed, "Seed of the random kernels")->capture_default_str();
    app.add_option("--count", options.kernel_count, "Number of kernels")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
    app.add_flag("--transposes", options.makes_transposes,
                 "Instead of random kernels, make transposes that use no shared memory and differ "
                 "in one property");
    app.add_option("--gpu", options.gpu, "GPU to predict times for")->capture_default_str();
    app.add_option("--json", options.json, "File for the measured or predicted times");
    app.add_option("--device", options.device, "For --check: auto, gpu or sim")
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

void require_json_option(const CommandLine& options) {
    if (options.json.empty()) throw UsageError("name a file for the times: --json FILE");
    check_writable(options.json);
}

template <class T>
int write_times(const T& times, const CommandLine& options) {
    write_file(options.json, codec::write(times, true) + "\n");
    std::cout << "Written to " << options.json << "\n";
    return exit_right;
}

std::vector<Kernel> select_kernels(const CommandLine& options) {
    return options.makes_transposes ? transposing_kernels()
                                    : random_kernels(options.seed, options.kernel_count);
}

int write_selected_kernels(const CommandLine& options) {
    const std::vector<Kernel> kernels = select_kernels(options);
    write_kernels(kernels, options.folder_to_make);
    std::cout << kernels.size() << " kernels "
              << (options.makes_transposes ? "" : "of seed " + std::to_string(options.seed) + " ")
              << "written to " << options.folder_to_make << "\n";
    return exit_right;
}

int check_all(const CommandLine& options, char** argv) {
    const DeviceChoice choice = options.device == "gpu"   ? DeviceChoice::gpu
                                : options.device == "sim" ? DeviceChoice::simulator
                                                          : DeviceChoice::automatic;
    const Device device = choose_device(choice, argv);
    std::cout << device.first_line() << std::endl;
    int wrong_count = 0;
    const std::vector<Kernel> kernels = select_kernels(options);
    for (const Kernel& kernel : kernels) {
        const std::string problem = check_small_run(kernel, LoadedRandomKernel(kernel), device);
        if (problem.empty()) continue;
        std::cout << kernel.name << " (" << kernel.description << ") is wrong: " << problem << "\n";
        ++wrong_count;
    }
    std::cout << static_cast<int>(kernels.size()) - wrong_count << " of " << kernels.size()
              << " kernels are right\n";
    return wrong_count == 0 ? exit_right : exit_wrong;
}

int measure_all(const CommandLine& options, char** argv) {
    require_json_option(options);
    const std::vector<Kernel> kernels = read_kernels(options.folder_to_measure);
    const Device device = choose_device(DeviceChoice::gpu, argv);
    std::cout << device.first_line() << std::endl;
    return write_times(measure(kernels, device), options);
}

int predict_all(const CommandLine& options, char** argv) {
    require_json_option(options);
    const std::vector<Kernel> kernels = read_kernels(options.folder_to_predict);
    choose_device(DeviceChoice::simulator, argv);
    return write_times(predict(kernels, options.gpu), options);
}

int compare(const CommandLine& options) {
    const auto predicted = read_json<PredictedKernels>(options.files_to_compare[0]);
    const auto measured = read_json<MeasuredKernels>(options.files_to_compare[1]);
    std::cout << format_text(pairs_of(predicted, measured));
    return exit_right;
}

int run(const CommandLine& options, char** argv) {
    if (!options.folder_to_make.empty()) return write_selected_kernels(options);
    if (options.checks_results) return check_all(options, argv);
    if (!options.folder_to_measure.empty()) return measure_all(options, argv);
    if (!options.folder_to_predict.empty()) return predict_all(options, argv);
    return compare(options);
}

}  // namespace

int main(int argc, char** argv) {
    return proof::run_program("time_proof", "Predicts and measures times of random kernels", argc,
                              argv, add_options, run);
}
