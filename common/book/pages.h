// A page's Markdown as Doxygen reads it: made of a file that is good on GitHub as it stands.
//
// What changes: headings get anchors; links between files become links between pages; drawings are
// named by their file; and comments in the text become what only the book can show:
//     <!-- snippet: NAME -->    the code between the marks `//! [NAME]` of the lesson's main.cu, or program.cu;
//                               `kernel` is folded where the exercise can be solved in the page,
//                               `example` stands in example.cu; what follows in the same line is for
//                               those who read the file itself, and says where the code is
//     <!-- questions -->        the lesson's questions, which the page checks
//     <!-- editor -->           the exercise's editor, where there is an explorer
//     <!-- begin -->            two buttons: the first lesson, and the playground where there is one
//     <!-- usage -->            what `./learn help` prints
//     <!-- explorer: LINK -->   the lesson's kernel in the explorer
// A folded answer, <details><summary>QUESTION</summary> in one line, its text, and </details>, is folded here too.
#pragma once

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// The page's text for Doxygen. Throws BookError for a link to a file that is not there.
std::string doxygen_text(const Page& page, const Contents& contents, const course::Course& course,
                         bool with_explorer);

/// The page that shows a step's whole program, and its example where there is one, for Doxygen.
/// `steps` is the folder of all steps.
std::string source_text(const std::string& step, const std::filesystem::path& steps);

/// "The other cure: a swizzle" -> "the-other-cure-a-swizzle", as GitHub has it.
std::string anchor_of(const std::string& heading);

}  // namespace coalesce::book
