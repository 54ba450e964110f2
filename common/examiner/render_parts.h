// Builds the pieces of text that appear in every format of a verdict.
#pragma once

#include <string>
#include <vector>

#include "examiner/render.h"

namespace coalesce::render {

/// Capitalizes the first letter of a sentence. A sentence that begins with code stays unchanged, as
/// in "out(0,0) was ...".
std::string format_sentence(std::string text);
/// Returns the line `line` of `text`, with up to `context_lines` lines before it and after it. All
/// lines are numbered. Marks `line` and, if it is known, `column`.
std::string excerpt_around(const std::string& text, int line, int column, int context_lines);
/// Returns the source lines around a failure. Returns "" if the compiler's message already shows
/// the line, or if the file is not text.
std::string source_excerpt(const Failure& failure, const std::string& source, int lines_around = 2);
/// Reports whether the map of cells is worth showing. A useful map shows more than one fault, and
/// cells with different marks.
bool is_map_useful(const Failure& failure);
/// Returns the map of right and wrong cells in at most `lines` lines. Returns "" if the map is not
/// useful.
std::string format_map(const Failure& failure, int lines = CellMap::kSide);
/// Returns a sentence such as "The kernel is correct on 6 shapes, passes every check, and stays
/// within the cost limits of the exercise."
std::string passed_text(const Verdict& verdict);
/// Returns sentences that state the predicted time, followed by the bottleneck or by a comparison
/// with the solution. Returns "" if no time is predicted, or if a failure already states the time.
std::string time_text(const Verdict& verdict);
/// Returns a sentence that begins with "Faster: " and says how to speed up a kernel that passed.
/// Returns "" if no time is predicted.
std::string format_faster(const Verdict& verdict);
/// Returns the cost rows, followed by a row for the predicted time if there is one.
std::vector<CostRow> costs_with_time(const Verdict& verdict);
/// Returns the first lines of the kernel's output, or "" if the kernel printed nothing.
std::string format_printed(const Verdict& verdict);
/// Returns every failure except the first, each as a sentence that states its location.
std::vector<std::string> other_failures(const Verdict& verdict);
/// Returns the compiler's warnings as sentences, or none if the compiler also reported errors.
std::vector<std::string> warnings(const Verdict& verdict);
/// Returns a sentence that states the failing input, for example "Seen with rows = 77, cols = 45.".
/// Returns "" if the failure has no input, for example because the kernel does not compile. `sizes`
/// contains the names of the sizes (Verdict::sizes).
std::string format_failing_input(const Failure& failure,
                                 const std::vector<std::string>& sizes = {});

}  // namespace coalesce::render
