// The parts that all formats of a verdict share.
#pragma once

#include <string>
#include <vector>

#include "examiner/render.h"

namespace coalesce::render {

/// Capitalizes the first letter, unless the sentence begins with code: "out(0,0) was ...".
std::string as_sentence(std::string text);
/// Returns the lines of `source` around a failure. Returns "" if the compiler's message contains the line, or if the
/// file is not text.
std::string excerpt_of(const Failure& failure, const std::string& source);
/// Returns the map of right and wrong cells in at most `lines` lines. Returns "" if all cells have the same mark,
/// since the headline says as much.
std::string map_of(const Failure& failure, int lines = CellMap::kSide);
/// Returns "Right on 6 shapes, clean under every check, and no more expensive than the exercise asks."
std::string passed_text(const Verdict& verdict);
/// Returns the predicted time of a correct kernel, with its bottleneck or its difference from the solution. Returns
/// "" if no time is predicted, or if a failure states it.
std::string time_text(const Verdict& verdict);
/// Returns the rows of costs, and a row for the predicted time if there is one.
std::vector<CostRow> costs_with_time(const Verdict& verdict);
/// Returns the first lines that the kernel printed, or "".
std::string printed(const Verdict& verdict);
/// Returns the failures after the first, each as a sentence with its place.
std::vector<std::string> other_failures(const Verdict& verdict);
/// Returns the compiler's warnings as sentences, or none if it also reports errors.
std::vector<std::string> warnings(const Verdict& verdict);
/// Returns "Seen with rows = 77, cols = 45.", or "" if the failure does not depend on an input.
std::string seen_with(const Failure& failure);

}  // namespace coalesce::render
