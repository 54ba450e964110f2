// The book's table of contents. It contains the pages that docs/contents.txt lists, and all other
// chapters in docs/guide.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"

namespace coalesce::book {

/// An error in the book's sources. The message names the file and the line, and says what to do.
struct BookError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes `text` to a file. Creates folders that do not exist yet. If the file already contains
/// exactly this text, does nothing.
void write_text(const std::filesystem::path& file, const std::string& text);

/// A page of the book.
struct Page {
    /// the page's label and the name of its HTML file, such as "lesson_03_tiled"
    std::string name;
    /// The path of the page's source in the repository, such as "steps/03_tiled/README.md". The
    /// page of an exercise without a lesson has the path of its kernel, such as
    /// "exercises/x_row_sums/kernel.cu".
    std::string file;
    std::string title;    ///< the page's first heading, as plain text
    std::string section;  ///< the sidebar heading under which the page is listed

    /// Returns the name of the page's HTML file, such as "index.html".
    std::string html_file() const { return name + ".html"; }
    /// Returns the name of the lesson's step, such as "03_tiled", or "" if the page is not a
    /// lesson.
    std::string step_name() const;
    /// Returns the name of the page's exercise, such as "x_row_sums", if the exercise has no
    /// lesson. Otherwise returns "".
    std::string exercise_name() const;
};

/// All pages of the book, in order.
struct Contents {
    std::filesystem::path root;  ///< the root of the repository
    std::vector<Page> pages;

    /// Returns the page whose source is `file`, a path relative to the repository's root, or
    /// nullptr if there is none.
    const Page* find_by_source(const std::string& file) const;
    /// Returns the page with this name, or nullptr if there is none.
    const Page* find_page(const std::string& name) const;
};

/// Reads the table of contents of the repository at `root`.
Contents read_contents(const std::filesystem::path& root);

}  // namespace coalesce::book
