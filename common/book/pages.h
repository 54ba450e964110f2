// Converts a page's Markdown to Doxygen's dialect. The same Markdown is readable on GitHub.
//
// Headings get anchors, links between files become links between pages, and paths of drawings
// become plain file names. Some comments in the text are replaced with content that only the book
// can show:
//     <!-- snippet: NAME -->    the code between the marks `//! [NAME]` in the lesson's main.cu or program.cu.
//                               The snippet `kernel` is folded if the exercise can be solved in the page.
//                               The snippet `example` comes from example.cu instead.
//     <!-- questions -->        the lesson's questions, with answers that the page checks
//     <!-- editor -->           the exercise's editor, if there is an explorer
//     <!-- own editor -->       the editor of the exercises that `./learn play` serves from the course's folder
//     <!-- begin -->            the front page: links into the book, and a chart of the lessons
//     <!-- usage -->            the output of `./learn help`
//     <!-- explorer: LINK -->   the lesson's kernel in the explorer
//     <!-- try: FROM => TO -->  in a list: a link that opens the solution in the playground with this
//                               edit; several edits are separated by " ;; "
// The book leaves out all lines from <!-- copy --> to <!-- end of copy -->. These lines contain
// copies of the code and the questions, which `learn results` writes for readers of the file
// itself. A folded answer consists of <details><summary>QUESTION</summary> on one line, the text of
// the answer, and </details>. The answer is folded in the book too.
#pragma once

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the page's text for Doxygen. Throws BookError for a link to a file that does not exist.
std::string doxygen_text(const Page& page, const Contents& contents, const course::Course& course,
                         bool has_explorer);

/// Returns the Doxygen page that shows a step's complete program and, if the step has one, its
/// example. `steps` is the folder of all steps.
std::string source_text(const std::string& step, const std::filesystem::path& steps);

/// Returns the anchor that GitHub gives a heading: "the-other-cure-a-swizzle" for "The other cure:
/// a swizzle".
std::string heading_anchor(const std::string& heading);

}  // namespace coalesce::book
