// Reads and checks budgets: limits on the costs of kernels and lines, in a TOML file.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/simulate/finding.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

struct BudgetError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The limits of a kernel or a source line. The key of a limit is Metric::name (metrics.h).
using Limits = std::map<std::string, double>;

struct LineBudget {
    std::string file;    ///< the last components of the file's path
    std::string source;  ///< the text of the source line; `*` stands for any text
    Limits limits;
    int line_in_budget = 0;  ///< the line of this entry in the budget's file
};

struct KernelBudget {
    std::string name;  ///< the kernel's name; `*` stands for any text
    Limits limits;
    std::vector<LineBudget> lines = {};
    int line_in_budget = 0;  ///< the line of this entry in the budget's file
};

struct Budget {
    std::string file;  ///< the path of the budget's file
    std::vector<KernelBudget> kernels = {};
};

/// Reads a budget. If the budget is not valid, throws a BudgetError that names the file and the
/// line.
Budget read_budget(const std::string& file);

/// Returns the TOML text of a budget in which each limit equals the cost that was counted in the
/// run.
std::string make_budget_text(const Json& run);

/// Returns a finding for each limit that the run exceeds, and for each entry of the budget that
/// matches no kernel or line of the run.
std::vector<Finding> check_budget(const Budget& budget, const Json& run);

/// Returns the findings of check_budget() as text for a terminal.
std::string budget_text(const std::vector<Finding>& findings);

}  // namespace coalesce::simulator
