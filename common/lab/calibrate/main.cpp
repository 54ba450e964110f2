// calibrate -- measures the parameters of a GPU that the time model needs, and writes them to
// gpus/.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <chrono>
#include <iostream>
#include <sstream>

#include "base/codec.h"
#include "base/files.h"
#include "harness/device.h"
#include "harness/errors.h"
#include "harness/text.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/derive.h"

using namespace coalesce;
using namespace coalesce::timing;

namespace {

struct CommandLineOptions {
    std::string output_file, json_file, measurements_file, selected_groups;
};

void add_options(CLI::App& app, CommandLineOptions& options) {
    app.set_help_flag("-h,--help", "Print this text");
    app.add_option("--out", options.output_file,
                   "File to write (default: common/timing/gpus/NAME.toml)");
    app.add_option("--json", options.json_file, "Also write all measurements to this file");
    app.add_option(
        "--from", options.measurements_file,
        "Read measurements from a file that --json wrote on any machine, and measure nothing");
    app.add_option("--only", options.selected_groups,
                   "Measure only groups whose names contain a word of this comma-separated list,\n"
                   "and write only the --json file, because a GPU's file needs all groups");
}

struct MeasurementGroup {
    const char* name;
    void (*measure)(Bench& bench, RawMeasurements& raw);
};
constexpr MeasurementGroup kGroups[] = {
    {"latency", measure_latencies},
    {"long runs in memory", measure_long_runs},
    {"memory under load", measure_latency_under_load},
    {"short runs", measure_short_runs},
    {"blocks that come and go", measure_blocks},
    {"barriers", measure_barriers},
    {"issue", measure_issue},
    {"second-level cache", measure_cache_bandwidth},
    {"rows to columns", measure_scattered_stores},
    {"bulk copies", measure_bulk},
    {"single sectors", measure_sectors},
    {"launches", measure_launches},
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Reports whether the group's name contains one of the words of `selected_groups`. An empty
/// `selected_groups` selects every group.
bool is_selected(const MeasurementGroup& group, const std::string& selected_groups) {
    if (selected_groups.empty()) return true;
    std::istringstream words(selected_groups);
    for (std::string word; std::getline(words, word, ',');) {
        if (std::string(group.name).find(word) != std::string::npos) return true;
    }
    return false;
}

RawMeasurements measure_all(const std::string& selected_groups) {
    const auto start = std::chrono::steady_clock::now();
    std::cout << "Clocks\n" << std::flush;
    Bench bench;
    RawMeasurements raw;
    raw.machine = bench.machine();
    for (const MeasurementGroup& group : kGroups) {
        if (!is_selected(group, selected_groups)) continue;
        std::cout << format("%6.1f s  %s\n", seconds_since(start), group.name) << std::flush;
        try {
            group.measure(bench, raw);
            CUDA_CHECK(cudaDeviceSynchronize());
        } catch (const std::exception& error) {
            throw std::runtime_error(std::string(group.name) + ": " + error.what());
        }
    }
    raw.measuring_seconds = seconds_since(start);
    std::cout << format("%6.1f s  done\n", raw.measuring_seconds);
    return raw;
}

/// Returns a GPU's name in a form suitable for file names, such as "NVIDIA-H200".
std::string format_file_name(const std::string& gpu) {
    std::string file_name;
    for (const char c : gpu) {
        file_name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
    }
    return file_name;
}

int measure_and_derive(const CommandLineOptions& options) {
    RawMeasurements raw_measurements;
    if (!options.measurements_file.empty()) {
        raw_measurements = codec::read<RawMeasurements>(read_file(options.measurements_file));
    } else {
        const std::string gpu_problem = find_gpu_problem();
        if (!gpu_problem.empty()) throw UsageError("calibrate needs a GPU: " + gpu_problem);
        for (const std::string& file : {options.output_file, options.json_file}) {
            if (!file.empty()) check_writable(file);
        }
        raw_measurements = measure_all(options.selected_groups);
        if (!options.json_file.empty())
            write_file(options.json_file, codec::write(raw_measurements, true) + "\n");
    }
    if (!options.selected_groups.empty()) return exit_right;
    const Gpu gpu = derive_gpu(raw_measurements);
    const std::string text = format_gpu(gpu);
    // Check that the file can be read back before writing it.
    parse_gpu(text, "what calibrate writes");
    const std::string out = options.output_file.empty()
                                ? std::string(COALESCE_REPOSITORY) + "/common/timing/gpus/" +
                                      format_file_name(gpu.name) + ".toml"
                                : options.output_file;
    write_file(out, text);
    std::cout << text << "\nWritten to " << out
              << ". Build the course again, so that predictions use the file.\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    CommandLineOptions words;
    CLI::App app("Measures the properties of this computer's GPU that the time model needs.",
                 "calibrate");
    add_options(app, words);
    try {
        app.parse(argc, argv);
        return measure_and_derive(words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_right : exit_usage;
    } catch (const UsageError& error) {
        std::cerr << "calibrate: " << error.what() << "\n";
        return exit_usage;
    } catch (const codec::Error& error) {
        std::cerr << "calibrate: " << words.measurements_file << ": " << error.what() << "\n";
        return exit_usage;
    } catch (const std::exception& error) {
        std::cerr << "calibrate: " << error.what() << "\n";
        return exit_wrong;
    }
}
