// What all renderings of a verdict share: which parts there are, and their words.
#pragma once

#include <string>
#include <vector>

#include "examiner/render.h"

namespace coalesce::render {

/// A sentence begins with a capital letter, unless it begins with code: "out(0,0) was ...".
std::string as_sentence(std::string text);
/// The lines of `source` around a failure; "" where the compiler's own words come with the line, and where bytes
/// that are no text are no lines.
std::string excerpt_of(const Failure& failure, const std::string& source);
/// The picture of right and wrong cells in so many lines; "" where one sign for all shows nothing that the
/// sentence did not say.
std::string map_of(const Failure& failure, int lines = CellMap::kSide);
/// "right on 6 shapes, clean under every check, and no more expensive than the exercise asks."
std::string passed_text(const Verdict& verdict);
/// What time is predicted of a kernel that is right, and what binds it or sets it apart from the solution;
/// "" when none is, or when a failure says so.
std::string time_text(const Verdict& verdict);
/// What it cost, with that time, if one is predicted, as a row.
std::vector<CostRow> costs_with_time(const Verdict& verdict);
/// What the kernel printed, its first lines; "" when it printed nothing.
std::string printed(const Verdict& verdict);
/// The failures behind the first, each a sentence with its place.
std::vector<std::string> other_failures(const Verdict& verdict);
/// What the compiler warns of, each a sentence; nothing when it has errors to tell.
std::vector<std::string> warnings(const Verdict& verdict);
/// "Seen with rows = 77, cols = 45."; "" when it was seen with no input.
std::string seen_with(const Failure& failure);

}  // namespace coalesce::render
