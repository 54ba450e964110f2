// Code shared by the main functions of the programs in this folder.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "harness/device.h"
#include "harness/options.h"
#include "harness/text.h"

namespace coalesce::proof {

/// Returns the number of seconds since the first call.
inline double seconds_since_start() {
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline void print_progress(const std::string& text) {
    std::cerr << format("[%5.1f s] ", seconds_since_start()) << text << std::endl;
}

/// Rounds a number to `decimals` decimal places, for a results file.
inline double rounded(double value, int decimals) {
    return std::stod(format("%.*f", decimals, value));
}

/// Parses sizes such as "4096,32768x16384". Throws a UsageError that names the invalid word.
inline std::vector<Shape> parse_sizes(const std::string& text) {
    std::vector<Shape> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        sizes.push_back(parse_shape("--sizes", word));
    }
    if (sizes.empty()) throw UsageError("--sizes is empty; give sizes, such as --sizes 4096,32768");
    return sizes;
}

/// Adds the option --device to a program that measures on a GPU. With this option, the program can
/// be checked on the simulated GPU.
inline void add_device_option(CLI::App& app, std::string& device) {
    app.add_option("--device", device, "gpu or, with --check, sim")
        ->check(CLI::IsMember({"gpu", "sim"}));
}
inline DeviceChoice parse_device_choice(const std::string& device, bool is_only_checking) {
    if (device != "sim") return DeviceChoice::gpu;
    if (is_only_checking) return DeviceChoice::simulator;
    throw UsageError(
        "kernels cannot be timed on the simulated GPU: use --device sim only with --check");
}

/// Implements main for a program: parses the command line, calls `run`, and prints errors.
/// `add_options` defines the options. Returns the exit code.
template <class Words>
int run_program(const std::string& name, const std::string& program_description, int argc,
                char** argv, void (*add_options)(CLI::App& app, Words& words),
                int (*run)(const Words& words, char** argv)) {
    seconds_since_start();
    CLI::App app{program_description, name};
    app.set_help_flag("-h,--help", "Print this text");
    Words words;
    add_options(app, words);
    const auto report_failure = [&](const std::string& message, ExitCode code) {
        std::cerr << name << ": " << message << "\n";
        return code;
    };
    try {
        app.parse(argc, argv);
        return run(words, argv);
    } catch (const CLI::Success& help_request) {
        return app.exit(help_request);
    } catch (const CLI::ParseError& error) {
        return report_failure(std::string(error.what()) + " (--help lists the options)",
                              exit_usage);
    } catch (const UsageError& error) {
        return report_failure(error.what(), exit_usage);
    } catch (const std::exception& error) {
        return report_failure(error.what(), exit_wrong);
    }
}

}  // namespace coalesce::proof
