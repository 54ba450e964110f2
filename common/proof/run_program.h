// What the mains of bench, validate, search and shapes have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <iostream>

#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce::proof {

/// Since it was called first.
inline double seconds_since_start() {
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline void progress(const std::string& text) {
    std::cerr << format("[%5.1f s] ", seconds_since_start()) << text << std::endl;
}

/// As results are written.
inline double rounded(double value, int decimals) {
    return std::stod(format("%.*f", decimals, value));
}

/// Reads the command line as `app` has been told, calls `run` and says what went wrong, behind the
/// program's name. Returns the exit code.
inline int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        std::cerr << app.get_name() << ": " << error.what() << " (--help lists the options)\n";
        return exit_usage;
    }
    try {
        return run();
    } catch (const UsageError& error) {
        std::cerr << app.get_name() << ": " << error.what() << "\n";
        return exit_usage;
    } catch (const std::exception& error) {
        std::cerr << app.get_name() << ": " << error.what() << "\n";
        return exit_wrong;
    }
}

}  // namespace coalesce::proof
