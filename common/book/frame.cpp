#include "frame.h"

#include "questions.h"

namespace coalesce::book {
namespace {

std::string link(const std::string& target, const std::string& text) {
    return "<a href=\"" + target + "\">" + to_html(text) + "</a>";
}

std::string sidebar(const Contents& contents, bool with_explorer) {
    std::string html, section;
    for (const Page& page : contents.pages) {
        if (page.section != section) {
            if (!section.empty()) html += "</ul>\n";
            section = page.section;
            html += "<h2>" + to_html(section) + "</h2>\n<ul>\n";
            if (with_explorer && section == "Lessons") {
                html += "<li>" + link("explorer.html", "The explorer") + "</li>\n<li>" +
                        link("playground.html", "The playground") + "</li>\n";
            }
        }
        html += "<li>" + link(page.html(), page.title) + "</li>\n";
        if (page.name == "harness") {
            html += "<li>" + link("annotated.html", "Its structures") + "</li>\n<li>" +
                    link("files.html", "Its headers") + "</li>\n";
        }
    }
    return html + "</ul>\n";
}

}  // namespace

std::string header_html(const Contents& contents, bool with_explorer) {
    std::string html = read_file(contents.root / "common/book/theme/header.html");
    const std::string mark = "<!-- sidebar -->";
    const std::size_t place = html.find(mark);
    if (place == html.npos) throw BookError("common/book/theme/header.html: there is no " + mark);
    return html.replace(place, mark.size(), sidebar(contents, with_explorer));
}

std::string neighbours_html(const std::string& html_file, const Contents& contents) {
    for (std::size_t i = 0; i < contents.pages.size(); ++i) {
        if (contents.pages[i].html() != html_file) continue;
        std::string html = "<nav class=\"neighbours\" aria-label=\"Before and after\">";
        if (i > 0) {
            const Page& page = contents.pages[i - 1];
            html += "<a rel=\"prev\" href=\"" + page.html() + "\">&larr; " + to_html(page.title) +
                    "</a>";
        }
        if (i + 1 < contents.pages.size()) {
            const Page& page = contents.pages[i + 1];
            html += "<a rel=\"next\" href=\"" + page.html() + "\">" + to_html(page.title) +
                    " &rarr;</a>";
        }
        return html + "</nav>\n";
    }
    return "";
}

}  // namespace coalesce::book
