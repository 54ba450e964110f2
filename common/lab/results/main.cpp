// results -- writes the results tables in the READMEs, and the simulated results in docs/results.
// `./learn results` builds and runs it.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "base/errors.h"
#include "lab/results/results.h"
#include "learn/paths.h"

using namespace coalesce;
using learn::repository;

namespace {

struct CommandLine {
    bool only_checks = false, runs_lessons_again = false;
    /// All commands have the option that sets this value. The option has no effect, because this
    /// program prints no colours.
    bool has_plain_option = false;
    std::string output_folder;
};

/// Draws the charts if `bench` was built. The charts need both predictions and measurements.
/// Returns the exit code.
int draw_charts() {
    const std::string bench = learn::program_path("bench");
    const std::string file = repository() / "docs" / "results" / "nvidia-h200.json";
    execl(bench.c_str(), "bench", "--draw", file.c_str(), nullptr);
    std::cerr << "results: the charts were not drawn again, because bench is not built: ./learn "
                 "results --again builds it\n";
    return 1;
}

int update_results(const CommandLine& options) {
    if (options.runs_lessons_again && options.only_checks) {
        throw UsageError(
            "--check only reads, but --again overwrites results: use only one of them");
    }
    if (!options.output_folder.empty()) return lab::renew_results(options.output_folder);
    if (options.runs_lessons_again) {
        if (const int code = lab::renew_results(repository() / "docs" / "results")) return code;
    }
    const int code = lab::update_result_tables(repository(), options.only_checks);
    return code == 0 && options.runs_lessons_again ? draw_charts() : code;
}

int report_error(const std::exception& error, int code) {
    std::cerr << "results: " << error.what() << "\n";
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine words;
    CLI::App app("Update the tables of results in the READMEs", "results");
    app.set_help_flag("-h,--help", "Print this text");
    app.add_flag("--check", words.only_checks, "Change nothing; exit with 1 if a table is stale");
    app.add_flag("--again", words.runs_lessons_again, "First count and predict every lesson again");
    app.add_option("--into", words.output_folder,
                   "Only count and predict, and write into this folder")
        ->type_name("FOLDER");
    app.add_flag("--plain", words.has_plain_option, "Use no colours");
    try {
        app.parse(argc, argv);
        return update_results(words);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return report_error(error, 2);
    } catch (const UsageError& error) {
        return report_error(error, 2);
    } catch (const std::exception& error) {
        return report_error(error, 1);
    }
}
