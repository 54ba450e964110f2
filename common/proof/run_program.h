// What the mains of bench, validate, search and shapes have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>

#include "harness/errors.h"

namespace coalesce::proof {

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
