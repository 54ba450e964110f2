// What all renderings of a verdict share: which parts there are, and their words.
#pragma once

#include <string>
#include <vector>

#include "kernel/render.h"

namespace coalesce::render {

/// A sentence begins with a capital letter, unless it begins with code: "out(0,0) was ...".
std::string as_sentence(std::string text);
/// The compiler's own words come with the line; bytes that are no text are no lines.
bool needs_excerpt(const Failure& failure);
/// "right on 6 shapes, clean under every check, and no more expensive than the exercise asks."
std::string passed_text(const Verdict& verdict);
/// What time is predicted of a kernel that is right, and what binds it or sets it apart from the solution;
/// "" when none is, or when a failure says so.
std::string time_text(const Verdict& verdict);
/// The same as a row for the table of costs; none when none is predicted.
std::vector<CostRow> time_rows(const Verdict& verdict);
/// What the kernel printed, its first lines; "" when it printed nothing.
std::string printed(const Verdict& verdict);
/// The failures behind the first, each a sentence with its place.
std::vector<std::string> other_failures(const Verdict& verdict);
/// What the compiler warns of, each a sentence; nothing when it has errors to tell.
std::vector<std::string> warnings(const Verdict& verdict);
/// "Seen with rows = 77, cols = 45."; "" when it was seen with no input.
std::string seen_with(const Failure& failure);

}  // namespace coalesce::render
