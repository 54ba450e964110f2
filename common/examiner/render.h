/// \file
/// Formats a verdict for people: for a terminal, as Markdown for a student's feedback, or as HTML for a page.
///
/// All three give the same information in the same order: what is wrong, where, the evidence, and what to do next; or
/// what the kernel costs. The map of right and wrong cells comes last, because it is long.
#pragma once

#include <string>
#include <vector>

#include "examiner/verdict.h"

namespace coalesce {

/// How to show the predicted time of a kernel that passed.
enum class TimeShown {
    in_words,  ///< a sentence with the bottleneck and the fraction of a copy's speed
    in_table,  ///< only the fraction of a copy's speed
    nowhere,
};

/// Describes the terminal and the parts of a verdict to show on it.
struct TerminalLook {
    bool is_bold = false;   ///< the headline is bold
    int lines = 0;          ///< lines of the screen, which limit the map of the cells; 0: unlimited
    bool has_costs = true;  ///< show the costs of a kernel that passed
    TimeShown time = TimeShown::in_words;  ///< how to show the time beside the costs
    std::string after_next = "";           ///< lines that the caller adds after the next action
};

/// Formats a verdict in lines of at most 80 columns, except for lines of source code, which are not broken.
std::string terminal_text(const Verdict& verdict, const TerminalLook& look = {});
/// Formats a failure for which there is no verdict.
std::string terminal_text(const Failure& failure);
/// Formats a verdict as Markdown. Text from the kernel is in code blocks that it cannot close.
std::string markdown_text(const Verdict& verdict);
/// Formats a verdict as an HTML <article> without scripts. Text from the kernel cannot become markup.
std::string html_text(const Verdict& verdict);

/// A row of the table of costs: "sectors per load" of the kernel, the minimum for these bytes, and the solution's.
struct CostRow {
    std::string what;
    std::string yours, ideal, solution;  ///< "-" if unknown
};
/// Returns one row for each kind of access that occurs, or none if nothing was counted.
std::vector<CostRow> costs_of(const Verdict& verdict);

/// Returns the numbered lines of `text` around `line`, which is marked, as is `column` if it is known.
std::string excerpt(const std::string& text, int line, int column);

}  // namespace coalesce
