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

constexpr const char* kUsageText =
    "Usage: book pages REPOSITORY FOLDER [--explorer]\n"
    "                                       writes the pages for Doxygen; --explorer adds links to "
    "the explorer\n"
    "       book finish REPOSITORY HTML     after Doxygen: adds drawings, navigation and search\n"
    "       book check HTML                 checks links, anchors and code of the built book\n"
    "./learn docs runs the first two commands.\n";

int write_pages(const fs::path& root, const fs::path& folder, bool has_explorer) {
    const Contents contents = read_contents(root);
    const auto course = coalesce::course::read_course(root);
    // Delete the old pages, so that Doxygen does not read pages that no longer exist.
    fs::remove_all(folder / "pages");
    for (const Page& page : contents.pages) {
        write_text(folder / "pages" / (page.name + ".md"),
                   doxygen_text(page, contents, course, has_explorer));
        if (!page.step_name().empty()) {
            write_text(folder / "pages" / ("source_" + page.step_name() + ".md"),
                       source_text(page.step_name(), root / "steps"));
        }
    }
    write_text(folder / "header.html", header_html(contents, has_explorer));
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
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        const bool has_explorer = arguments.size() == 4 && arguments[3] == "--explorer";
        if ((arguments.size() == 3 || has_explorer) && arguments[0] == "pages") {
            return write_pages(arguments[1], arguments[2], has_explorer);
        }
        if (arguments.size() == 3 && arguments[0] == "finish") {
            finish_site(arguments[2], read_contents(arguments[1]));
            return 0;
        }
        if (arguments.size() == 2 && arguments[0] == "check") return check(arguments[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "book: %s\n", error.what());
        return 1;
    }
    const bool wants_help =
        arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
    std::fputs(kUsageText, wants_help ? stdout : stderr);
    return wants_help ? 0 : 2;
}
