// The book's table of contents: docs/contents.txt, and the chapters of docs/guide that it leaves out.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"

namespace coalesce::book {

/// Something in the book's sources that is wrong: file, line, what to do.
struct BookError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes a file, with the folders above it; leaves one alone that is the same already.
void write_text(const std::filesystem::path& file, const std::string& text);

/// One page.
struct Page {
    std::string name;     ///< "lesson_03_tiled": its label, and its file's name in HTML
    std::string file;     ///< "steps/03_tiled/README.md", from the repository's root
    std::string title;    ///< its first heading, as plain text
    std::string section;  ///< the heading that it stands under

    /// "index.html"
    std::string html() const { return name + ".html"; }
    /// "03_tiled" for a lesson, else "".
    std::string step() const;
    /// "main.cu", or "program.cu" where the lesson of that folder of steps/ is a whole program.
    static std::string program(const std::filesystem::path& folder);
};

/// All pages, in order.
struct Contents {
    std::filesystem::path root;  ///< the repository's
    std::vector<Page> pages;

    /// The page that is made of that file, or nullptr.
    const Page* made_of(const std::string& file) const;
    /// The page of that name, or nullptr.
    const Page* find(const std::string& name) const;
};

/// Reads docs/contents.txt below `root`.
Contents read_contents(const std::filesystem::path& root);

}  // namespace coalesce::book
