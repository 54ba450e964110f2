// simulate -- runs a CUDA program on the simulated GPU.
//
// Idea       The program is not modified. The environment makes the loader find the simulator's
//            libcudart.so.13 before NVIDIA's. When the program ends, this library writes the
//            counters to a file, so that `simulate` need not parse the program's output. After the
//            run, `simulate` merges the files of all processes, compares the costs, and writes
//            files for CI systems.
// Read next  program_file.cpp (which programs can run), child.cpp (how they run),
//            profile/exit_report.cpp (the file with the counters), outputs.cpp (the files for CI
//            systems).
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "base/files.h"
#include "simulator/report/text.h"
#include "simulator/simulate/budget.h"
#include "simulator/simulate/child.h"
#include "simulator/simulate/command_line.h"
#include "simulator/simulate/comparison.h"
#include "simulator/simulate/lints.h"
#include "simulator/simulate/outcome.h"
#include "simulator/simulate/outputs.h"
#include "simulator/simulate/program_file.h"
#include "simulator/simulate/run_report.h"
#include "simulator/simulate/suppression_file.h"
#include "simulator/simulate/vscode_tasks.h"

namespace {

using namespace coalesce::simulator;

void print_message(const std::string& text) {
    std::fprintf(stderr, "%s\n", wrap("simulate: " + text, kColumns, "", "  ").c_str());
}

std::string describe_ending(const Ending& ending) {
    if (ending.signal == 0) return "exit code " + std::to_string(ending.exit_code);
    return "signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + ")";
}

void explain_missing_report(const Ending& ending) {
    if (ending.signal == 0) {
        print_message("no counters were written: the program ended with " +
                      describe_ending(ending) + ", but not through exit() or a return from main");
        return;
    }
    print_message("no counters were written, because a signal ended the program first");
    if (ending.signal == SIGSEGV || ending.signal == SIGBUS) {
        print_message(
            "a program whose host code dereferences a device pointer ends like this; copy the data "
            "with cudaMemcpy first, or run the program under gdb");
    }
}

/// The input files. They are read before the run, so that mistakes in them are reported
/// immediately.
struct InputFiles {
    std::optional<Json> base_run;
    std::optional<Budget> budget;
};

InputFiles read_inputs(const CommandLine& line, Environment& environment) {
    InputFiles inputs;
    if (!line.base_file.empty()) inputs.base_run = read_run(line.base_file);
    if (!line.budget_file.empty()) inputs.budget = read_budget(line.budget_file);
    if (!line.suppression_file.empty())
        environment.emplace_back("COALESCE_SIM_SUPPRESS",
                                 suppressions_to_text(read_suppressions(line.suppression_file)));
    return inputs;
}

/// Compares the run with an earlier one, checks its budget, and writes the requested files.
Outcome judge_run(const CommandLine& line, const InputFiles& inputs, const Ending& ending,
                  Json run) {
    add_source_text(run);
    add_ending(run, ending);
    std::vector<Finding> findings = make_report_findings(run);
    Outcome outcome{.has_counters = true, .has_kernels = !run["kernels"].empty()};
    for (const Finding& finding : findings)
        ++(finding.is_missing_work ? outcome.missing_work_reports : outcome.mistake_reports);

    std::vector<Finding> costs;
    std::optional<Comparison> comparison;
    if (inputs.base_run) {
        comparison = compare_runs(*inputs.base_run, run, line.tolerance_percent);
        costs = make_comparison_findings(*comparison);
        if (!line.is_quiet) std::fprintf(stderr, "\n%s", comparison_text(*comparison).c_str());
    }
    if (inputs.budget) {
        const std::vector<Finding> budget_findings = check_budget(*inputs.budget, run);
        if (!line.is_quiet) std::fprintf(stderr, "\n%s", budget_text(budget_findings).c_str());
        costs.insert(costs.end(), budget_findings.begin(), budget_findings.end());
    }
    outcome.excessive_costs = costs.size();
    if (line.reports_lints) {
        const std::vector<Lint> lints = find_lints(run);
        if (!line.is_quiet) std::fprintf(stderr, "\n%s", lints_text(lints).c_str());
        const std::vector<Finding> lint_findings = make_lint_findings(lints);
        findings.insert(findings.end(), lint_findings.begin(), lint_findings.end());
        add_lints(run, lints);
    }
    findings.insert(findings.end(), costs.begin(), costs.end());
    write_outputs(line, findings, run, comparison ? &*comparison : nullptr);
    return outcome;
}

std::string hint_for_selection(const CommandLine& line) {
    const std::string& expression = line.passed_variables.at("COALESCE_SIM_KERNEL");
    return expression.empty() ? ""
                              : ", or none of the kernels has a name that matches " + expression;
}

int simulate(const CommandLine& line) {
    const std::string program = find_program(line.program[0]);
    Environment environment = loader_variables(program, find_library());
    const InputFiles inputs = read_inputs(line, environment);
    prepare_outputs(line);
    const coalesce::TemporaryFolder folder;

    for (const auto& variable : simulator_variables(line)) environment.push_back(variable);
    environment.emplace_back("COALESCE_SIM_JSON_FOLDER", folder.path.string());
    const Ending ending = run_child(program, line.program, environment);
    if (ending.start_failure != 0) {
        throw CanNotRun("cannot start " + program + ": " + std::strerror(ending.start_failure));
    }
    if (ending.signal != 0)
        print_message(line.program[0] + " was ended by " + describe_ending(ending));

    Outcome outcome;
    if (auto run = join_reports(folder.path, ending.process))
        outcome = judge_run(line, inputs, ending, std::move(*run));
    else
        explain_missing_report(ending);
    if (outcome.has_counters && !outcome.has_kernels && !line.is_quiet)
        print_message("no kernel was launched" + hint_for_selection(line));
    if (outcome.missing_work_reports > 0)
        print_message("parts of the program could not be simulated (" +
                      std::to_string(outcome.missing_work_reports) +
                      (outcome.missing_work_reports == 1 ? " report" : " reports") +
                      " of `execution: unsupported`), so its results may differ from a GPU's");
    return choose_exit_code(line, ending, outcome);
}

}  // namespace

int main(int argc, char** argv) {
    int exit_code = kNotSimulated;
    try {
        if (const auto line = read_command_line(argc, argv, exit_code)) {
            if (line->writes_vscode_tasks) {
                write_vscode_tasks(line->program);
                return 0;
            }
            exit_code = simulate(*line);
        }
    } catch (const std::exception& error) {
        print_message(error.what());
        exit_code = kNotSimulated;
    }
    return exit_code;
}
