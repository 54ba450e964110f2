// See command_line.h.
#include "simulator/simulate/command_line.h"

#include <regex.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/child.h"
#include "simulator/base/options.h"
#include "simulator/report/text.h"
#include "simulator/simulate/explain_missing.h"
#include "timing/gpu.h"

namespace coalesce::simulator {

namespace {

/// The time in milliseconds after which the terminal shows the progress of a launch.
constexpr const char* kProgressAfterMs = "2000";

constexpr const char* kDescription =
    "Runs a CUDA program on a simulated GPU and reports what a profiler and a\nsanitizer would "
    "report, with source lines. Build the program with\n`nvcc -cudart shared`; add -lineinfo to "
    "see source lines. The program's output\nand exit code do not change.\n";

constexpr const char* kFooter =
    "\nExamples:\n  nvcc -cudart shared -arch=sm_90 -lineinfo -o transpose transpose.cu\n  "
    "simulate ./transpose                    counters and checks\n  simulate --lines ./transpose "
    "1024       the same, for each source line\n  simulate --check none ./transpose       counters "
    "only (faster)\n  simulate --time ./transpose             also predict the times on an H200\n  "
    "simulate --json out.json ./transpose    also write the results as JSON\n  simulate --gate "
    "--compare base.json pytest tests    for CI\n\nExit code: the program's own; 128+N if signal N "
    "ended the program; 2 if it could\nnot be run, or ended with 0 although a part of it could not "
    "be simulated; 3 if\nit ended with 0, but a cost was above a limit; the code of "
    "--error-exitcode if\nanything was reported. With --gate: 0 if nothing failed, otherwise the "
    "first\ncode that applies: 2 not simulated, 4 reports, 1 the program failed,\n2 no kernel ran, "
    "3 a "
    "cost is above its limit.\n";

/// A formatter with its own usage line. CLI11 does not know that a program follows the options.
class UsageOfProgram : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App*, std::string) const override {
        return "Usage: simulate [OPTIONS] PROGRAM [ARGUMENTS...]\n";
    }
};

std::string validate_check_list(const std::string& list) {
    simulator::Checks checks;
    return simulator::set_checks(checks, list);
}

std::string validate_expression(const std::string& text) {
    regex_t expression;
    const int error = regcomp(&expression, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) {
        regfree(&expression);
        return "";
    }
    char error_text[200];
    regerror(error, &expression, error_text, sizeof error_text);
    return "'" + text + "' is not a regular expression: " + error_text;
}

std::string validate_size(const std::string& size) {
    const std::size_t digits = std::min(size.find_first_not_of("0123456789"), size.size());
    const std::string unit = size.substr(digits);
    const bool is_valid =
        digits > 0 && digits < 19 &&
        (unit.empty() ||
         (unit.size() == 1 && std::string("KMGTkmgt").find(unit[0]) != std::string::npos));
    return is_valid ? "" : "'" + size + "' is not a size; give a size such as 512M or 16G";
}

std::string validate_gpu(const std::string& name) {
    try {
        coalesce::timing::find_gpu(name);
        return "";
    } catch (const coalesce::timing::GpuError& error) {
        return error.what();
    }
}

std::string validate_number(const std::string& number) {
    const bool is_valid = !number.empty() && number.size() < 19 &&
                          number.find_first_not_of("0123456789") == std::string::npos;
    return is_valid ? "" : "'" + number + "' is not a whole number";
}

void add_options(CLI::App& app, CommandLine& line) {
    const auto pass_option = [&](const char* name, const char* variable, const char* help,
                                 const char* type,
                                 std::string (*validate_value)(const std::string&)) {
        app.add_option(name, line.passed_variables[variable], help)
            ->type_name(type)
            ->check(CLI::Validator(validate_value, ""));
    };
    const auto pass_number = [&](const char* name, const char* variable, const char* help) {
        pass_option(name, variable, help, "N", validate_number);
    };
    app.add_option("--json", line.json_file, "Write counters and reports to FILE")
        ->type_name("FILE");
    pass_option(
        "--time", "COALESCE_SIM_TIME",
        "Predict the times of all kernels on this GPU\n(default: H200), from a few blocks of each",
        "[GPU]", validate_gpu);
    app.add_option("--trace", line.trace_file,
                   "Write a step-by-step trace of one block of a launch\nto FILE (build with -G to "
                   "see variables)")
        ->type_name("FILE");
    pass_number("--trace-block", "COALESCE_SIM_TRACE_BLOCK",
                "Trace block N, numbered along x first (default: 0)");
    pass_number("--trace-launch", "COALESCE_SIM_TRACE_LAUNCH",
                "Skip N launches of the kernels that --kernel\nselects, and trace the next launch "
                "(default: 0)");
    app.add_flag("--lines", line.has_line_counters,
                 "Show the source with the counters of each line");
    pass_option(
        "--check", "COALESCE_SIM_CHECK",
        "Checks to run: all (the default), none, or a\ncomma-separated list of memcheck, "
        "racecheck,\nglobalrace, initcheck, synccheck, apicheck and\nstreamcheck. all omits "
        "leakcheck and equalvalues\n(races that change no value); to add one of "
        "them:\nall,leakcheck",
        "LIST", validate_check_list);
    pass_option(
        "--kernel", "COALESCE_SIM_KERNEL",
        "Show and report only kernels whose names match\nthis (extended) regular expression",
        "REGEX", validate_expression);
    pass_number(
        "--sample", "COALESCE_SIM_SAMPLE",
        "Check only N of each group of similar launches, and\nonly count the others, which is "
        "faster");
    pass_number("--max-instructions", "COALESCE_SIM_MAX_INSTRUCTIONS",
                "Stop a launch after N warp instructions");
    pass_number("--threads", "COALESCE_SIM_THREADS", "Number of host threads (default: all cores)");
    pass_number(
        "--seed", "COALESCE_SIM_SEED",
        "Vary the order of warps and blocks, to find races;\nthe same seed gives the same order");
    pass_number("--devices", "COALESCE_SIM_DEVICES",
                "Number of simulated GPUs, which share their memory\n(default: 1)");
    pass_option("--memory", "COALESCE_SIM_MEMORY", "Memory of the simulated GPU, such as 16G",
                "SIZE", validate_size);
    app.add_option("--error-exitcode", line.error_exit_code,
                   "Exit with code N if anything was reported")
        ->type_name("N")
        ->check(CLI::Range(1, 255).description(""));
    app.add_flag("--plain", line.is_plain,
                 "Switch off the simulator's optimizations, to see\nwhether they change a result");
    app.add_flag("--quiet", line.is_quiet, "Print neither reports nor counters");
    app.set_version_flag("--version", std::string("simulate ") + COALESCE_VERSION,
                         "Print the version, then exit");
    app.add_flag("--explain-missing", line.explains_missing,
                 "List the CUDA features that run here, then exit");
}

void add_gate_options(CLI::App& app, CommandLine& line) {
    const auto file = [&](const char* name, std::string& variable, const char* help) {
        app.add_option(name, variable, help)->type_name("FILE");
    };
    file("--suppress", line.suppression_file, "Suppress the reports that FILE (TOML) lists");
    file("--write-suppressions", line.suppressions_to_write,
         "Write this run's reports to FILE, for --suppress");
    file("--compare", line.base_file,
         "Compare the costs with those that an earlier run\nwrote with --json, by kernel and by "
         "line");
    app.add_option("--tolerance", line.tolerance_percent,
                   "Percentage by which a cost may grow (default: 0)")
        ->type_name("P")
        ->check(CLI::Range(0.0, 1e6).description(""));
    file("--budget", line.budget_file, "Check costs against the limits in FILE (TOML)");
    file("--write-budget", line.budget_to_write, "Write this run's costs to FILE, as limits");
    app.add_flag("--lints", line.reports_lints,
                 "List the lines that cost time needlessly, with the\npredicted cost of each line "
                 "(needs --time)");
    file("--sarif", line.sarif_file, "Write the findings as SARIF, for code scanning");
    file("--junit", line.junit_file, "Write the findings as JUnit XML");
    file("--markdown", line.markdown_file, "Write a summary for a pull request");
    app.add_option("--annotations", line.annotations,
                   "Print the findings for GitHub Actions (github), or\nas compiler messages for "
                   "editors (compiler)")
        ->type_name("github|compiler")
        ->check(CLI::IsMember({"github", "compiler"}).description(""));
    app.add_flag("--write-vscode", line.writes_vscode_tasks,
                 "Write .vscode/tasks.json, whose tasks run PROGRAM\nwith these options and "
                 "show the findings; then exit");
    app.add_flag("--gate", line.uses_gate_codes,
                 "Choose the exit code by the kind of problem (see\nbelow)");
}

bool is_gpu(const std::string& name) {
    return validate_gpu(name).empty();
}

/// Reports whether the word after --time is an option or a program instead of a GPU. Paths and
/// names of executable files are programs. Any other word is treated as the name of a GPU, so that
/// an unknown name results in an error message that lists the known GPUs.
bool is_not_gpu_name(const std::string& word) {
    std::error_code ignored;
    return word.starts_with("-") || word.find('/') != word.npos ||
           (!is_gpu(word) &&
            (!find_program(word).empty() || std::filesystem::exists(word, ignored)));
}

/// Returns the number of words, starting at `first_word`, that form the name of a GPU, as in
/// `--time RTX 4090 ./program`. The result is at least 1.
std::size_t count_gpu_words(const std::vector<std::string>& words, std::size_t first_word) {
    std::string name = words[first_word];
    for (std::size_t k = first_word + 1; k < words.size() && !is_not_gpu_name(words[k]); ++k) {
        name += " " + words[k];
        if (is_gpu(name)) return k - first_word + 1;
    }
    return 1;
}

/// Joins --time and the words of the GPU's name into one word. If no name follows --time, the GPU
/// is the H200.
void join_gpu_words(std::vector<std::string>& words, std::size_t time_index) {
    if (time_index + 1 == words.size() || is_not_gpu_name(words[time_index + 1])) {
        words[time_index] = "--time=H200";
        return;
    }
    const std::size_t count = count_gpu_words(words, time_index + 1);
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(time_index + 1);
    words[time_index] = "--time=" + *begin;
    for (std::size_t k = 1; k < count; ++k) words[time_index] += " " + words[time_index + 1 + k];
    words.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
}

std::vector<std::string> add_default_gpu(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    for (std::size_t k = 0; k < words.size() && words[k].starts_with("-"); ++k) {
        const CLI::Option* option = app.get_option_no_throw(words[k]);
        if (words[k] == "--time")
            join_gpu_words(words, k);
        else if (option && option->get_items_expected_max() > 0)
            ++k;
    }
    std::reverse(words.begin(), words.end());  // CLI11 expects reverse order
    return words;
}

int print_usage_error(const std::string& problem) {
    const std::string text = simulator::wrap("simulate: " + problem, simulator::kColumns, "", "  ");
    std::fprintf(stderr, "%s\nTry simulate --help.\n", text.c_str());
    return 2;
}

}  // namespace

std::optional<CommandLine> read_command_line(int argc, char** argv, int& exit_code) {
    CommandLine line;
    CLI::App app(kDescription, "simulate");
    app.formatter(std::make_shared<UsageOfProgram>());
    app.get_formatter()->column_width(29);
    app.footer(kFooter);
    app.prefix_command();  // all words after the program's name are its own arguments
    add_options(app, line);
    add_gate_options(app, line);
    try {
        app.parse(add_default_gpu(app, argc, argv));
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        exit_code = 0;
        return std::nullopt;
    } catch (const CLI::CallForVersion& version) {
        std::printf("%s\n", version.what());
        exit_code = 0;
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        exit_code = print_usage_error(error.what());
        return std::nullopt;
    }
    std::string& gpu = line.passed_variables["COALESCE_SIM_TIME"];
    if (line.reports_lints) {
        if (gpu.empty()) gpu = "H200";
        line.passed_variables["COALESCE_SIM_SAVINGS"] = "1";
    }
    if (line.explains_missing) {
        std::fputs(explain_missing().c_str(), stdout);
        exit_code = 0;
        return std::nullopt;
    }
    line.program = app.remaining();
    if (!line.program.empty() && line.program[0] == "--")
        line.program.erase(line.program.begin());
    else if (!line.program.empty() && line.program[0].starts_with("-")) {
        exit_code = print_usage_error("there is no option " + line.program[0]);
        return std::nullopt;
    }
    if (line.program.empty()) {
        exit_code = print_usage_error("name the program to run");
        return std::nullopt;
    }
    return line;
}

Environment simulator_variables(const CommandLine& line) {
    Environment variables{{"COALESCE_SIM_REPORT", line.is_quiet ? "0" : "1"},
                          {"COALESCE_SIM_LINES", line.has_line_counters ? "1" : "0"},
                          {"COALESCE_SIM_QUIET", line.is_quiet ? "1" : "0"},
                          {"COALESCE_SIM_PLAIN", line.is_plain ? "1" : "0"}};
    for (const auto& [name, value] : line.passed_variables)
        if (!value.empty()) variables.emplace_back(name, value);
    // Make the path absolute, because the program may change its working directory.
    if (!line.trace_file.empty())
        variables.emplace_back("COALESCE_SIM_TRACE",
                               std::filesystem::absolute(line.trace_file).string());
    if (!line.is_quiet && !std::getenv("COALESCE_SIM_PROGRESS"))
        variables.emplace_back("COALESCE_SIM_PROGRESS", kProgressAfterMs);
    return variables;
}

}  // namespace coalesce::simulator
