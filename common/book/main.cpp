// Runs before Doxygen to write its input pages, and again after Doxygen to edit and check its
// output.

#include <cstdio>
#include <string>
#include <vector>

#include "contents.h"
#include "frame.h"
#include "pages.h"
#include "site.h"

using namespace coalesce::book;
namespace fs = std::filesystem;

namespace {

constexpr const char* help =
    "Usage: book pages REPOSITORY FOLDER [--explorer]\n"
    "                                       writes the pages for Doxygen; --explorer adds links to "
    "the explorer\n"
    "       book finish REPOSITORY HTML     after Doxygen: adds drawings, navigation and search\n"
    "       book check HTML                 checks links, anchors and code of the built book\n"
    "./learn docs runs the first two commands.\n";

int write_pages(const fs::path& root, const fs::path& folder, bool with_explorer) {
    const Contents contents = read_contents(root);
    const auto course = coalesce::course::read_course(root);
    // Delete the old pages, so that Doxygen does not read pages that no longer exist.
    fs::remove_all(folder / "pages");
    for (const Page& page : contents.pages) {
        write_text(folder / "pages" / (page.name + ".md"),
                   doxygen_text(page, contents, course, with_explorer));
        if (!page.step_name().empty()) {
            write_text(folder / "pages" / ("source_" + page.step_name() + ".md"),
                       source_text(page.step_name(), root / "steps"));
        }
    }
    write_text(folder / "header.html", header_html(contents, with_explorer));
    return 0;
}

int check(const fs::path& html) {
    const std::vector<std::string> faults = find_site_faults(html);
    for (const std::string& fault : faults) std::printf("%s\n", fault.c_str());
    if (faults.empty()) {
        std::printf("%s: all links are valid\n", html.c_str());
        return 0;
    }
    std::printf("%zu faults; fix the sources of these pages (docs/contents.txt lists them)\n",
                faults.size());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        const bool with_explorer = words.size() == 4 && words[3] == "--explorer";
        if ((words.size() == 3 || with_explorer) && words[0] == "pages") {
            return write_pages(words[1], words[2], with_explorer);
        }
        if (words.size() == 3 && words[0] == "finish") {
            finish_site(words[2], read_contents(words[1]));
            return 0;
        }
        if (words.size() == 2 && words[0] == "check") return check(words[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "book: %s\n", error.what());
        return 1;
    }
    const bool wants_help = words.size() == 1 && (words[0] == "--help" || words[0] == "-h");
    std::fputs(help, wants_help ? stdout : stderr);
    return wants_help ? 0 : 2;
}
