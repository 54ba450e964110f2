/// \file
/// Formats a verdict for people: as text for a terminal, as Markdown for a student's feedback, or
/// as HTML for a web page.
///
/// All three formats give the same information in the same order. For a kernel that failed, they
/// show what is wrong, where it is, the evidence, and what to do next. For a kernel that passed,
/// they show its costs. The map of correct and incorrect cells comes last, because it is long.
#pragma once

#include <string>
#include <vector>

#include "examiner/verdict.h"

namespace coalesce {

/// The ways to show the predicted time of a kernel that passed.
enum class TimeShown {
    in_words,  ///< a sentence that states the bottleneck and the speed relative to a copy
    in_table,  ///< only the speed relative to a copy
    nowhere,
};

/// The properties of a terminal, and the parts of a verdict to show on it.
struct TerminalOptions {
    bool is_bold = false;       ///< whether the headline is bold
    int lines = 0;              ///< maximum number of lines of text; 0 for no limit
    bool has_full_map = false;  ///< whether to show the whole map of cells, ignoring `lines`
    bool has_costs = true;      ///< whether to show the costs of a kernel that passed
    TimeShown time = TimeShown::in_words;  ///< how to show the predicted time
    std::string text_after_next = "";      ///< lines to add after the suggested next step
};

/// Formats a verdict in lines of at most 80 columns. Lines of source code are not wrapped, and may
/// be longer.
std::string terminal_text(const Verdict& verdict, const TerminalOptions& options = {});
/// Formats a failure that does not belong to a verdict.
std::string terminal_text(const Failure& failure);
/// Formats a verdict as Markdown. Text from the kernel is put into code blocks, and cannot close
/// them.
std::string markdown_text(const Verdict& verdict);
/// Formats a verdict as an HTML <article> without scripts. Text from the kernel cannot become
/// markup.
std::string html_text(const Verdict& verdict);

/// A row of the cost table, such as "sectors per load". The row contains the cost of the learner's
/// kernel, the minimum cost for the same number of bytes, and the solution's cost.
struct CostRow {
    std::string label;
    std::string kernel_cost, ideal_cost, solution;  ///< "-" if unknown
};
/// Returns a row for each kind of access that the kernel makes, or no rows if nothing was counted.
std::vector<CostRow> cost_rows(const Verdict& verdict);

/// Reports whether the map of cells of the verdict's first failure is worth showing. A useful map
/// shows more than one fault, and cells with different marks.
bool has_map(const Verdict& verdict);

/// Returns a few numbered lines of `text` around `line`. Marks `line` and, if it is known,
/// `column`.
std::string excerpt(const std::string& text, int line, int column);

}  // namespace coalesce
