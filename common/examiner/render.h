/// \file
/// A verdict for people: for a terminal, as Markdown for a student's feedback, as HTML for a page. All
/// three say the same, in the same order: what is wrong, where, why that is known, what to do next;
/// or what it cost. The picture of right and wrong cells comes last, since it is long.
#pragma once

#include <string>
#include <vector>

#include "examiner/verdict.h"

namespace coalesce {

/// What is said of the time that is predicted of a kernel that passed.
enum class TimeShown {
    in_words,  ///< what binds it, in a sentence, and how much it is of a copy
    in_table,  ///< how much it is of a copy
    nowhere,
};

/// What a terminal takes.
struct TerminalLook {
    bool is_bold = false;  ///< the headline may stand out
    int lines = 0;         ///< that it shows at once: the picture of the cells keeps within; 0: any
    bool has_costs = true;                 ///< what was counted is shown when it passed
    TimeShown time = TimeShown::in_words;  ///< with the costs: as much as there is room for
    std::string after_next = "";           ///< lines of the caller's, behind what to do next
};

/// In lines of at most 80 columns; source lines may be longer.
std::string terminal_text(const Verdict& verdict, const TerminalLook& look = {});
/// The same of a failure alone, where there is no verdict.
std::string terminal_text(const Failure& failure);
/// Everything of the kernel's own stands in code blocks that it cannot end.
std::string markdown_text(const Verdict& verdict);
/// An <article> without scripts; nothing of the kernel's own is markup in it.
std::string html_text(const Verdict& verdict);

/// A row of what was counted: "sectors per load", yours, the least for these bytes, the solution's.
struct CostRow {
    std::string what;
    std::string yours, ideal, solution;  ///< "-" where there is none
};
/// One for each kind of access that there is; empty when nothing was counted.
std::vector<CostRow> costs_of(const Verdict& verdict);

/// The lines of `text` around `line`, with their numbers; `line` is marked, and `column` if known.
std::string excerpt(const std::string& text, int line, int column);

}  // namespace coalesce
