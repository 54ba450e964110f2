#include "frame.h"

#include "html_reader.h"
#include "questions.h"

namespace coalesce::book {
namespace {

// The policy lists the sources from which a page may load content. Styles in the page are allowed
// because pictures have their own style sheets. WebAssembly and workers from blobs are allowed
// because the simulator and the compiler are WebAssembly in workers, whose scripts are part of the
// page's script. Data URLs are allowed because the simulator's script contains its WebAssembly as
// data.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob:; worker-src 'self' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self' blob: data:; base-uri 'none'; form-action 'none'";

std::string link_html(const std::string& target, const std::string& text) {
    return "<a href=\"" + target + "\">" + to_html(text) + "</a>";
}

/// Returns the link to a lesson. The lesson's number is in an element of its own. An attribute
/// contains the name of the lesson's exercise, so that a script can mark the exercises that the
/// reader has passed. A whole program is an exercise that a page cannot run.
std::string lesson_link_html(const Page& page, const std::filesystem::path& root) {
    const std::size_t space_index = page.title.find(' ');
    std::string title = page.title.substr(space_index == page.title.npos ? 0 : space_index + 1);
    // Omit the part of the title after the colon, which is shown only on the lesson's own page.
    title = title.substr(0, title.find(':'));
    const bool is_whole_program =
        std::filesystem::exists(root / "exercises" / page.step_name() / "program.cu");
    return "<a href=\"" + page.html_file() + "\" data-exercise=\"" + page.step_name() + "\"" +
           (is_whole_program ? " data-program=\"\"" : "") + "><span class=\"number\">" +
           page.step_name().substr(0, 2) + "</span> " + to_html(title) + "</a>";
}

std::string sidebar_html(const Contents& contents, bool has_explorer) {
    std::string html, section;
    for (const Page& page : contents.pages) {
        if (page.section != section) {
            if (!section.empty()) html += "</ul>\n";
            section = page.section;
            html += "<h2>" + to_html(section) + "</h2>\n<ul>\n";
            if (has_explorer && section == "Lessons") {
                html += "<li>" + link_html("explorer.html", "The explorer") + "</li>\n<li>" +
                        link_html("playground.html", "The playground") + "</li>\n";
            }
        }
        html += "<li>" +
                (page.step_name().empty() ? link_html(page.html_file(), page.title)
                                          : lesson_link_html(page, contents.root)) +
                "</li>\n";
        if (page.name == "harness") {
            html += "<li>" + link_html("annotated.html", "Its structures") + "</li>\n<li>" +
                    link_html("files.html", "Its headers") + "</li>\n";
        }
    }
    return html + "</ul>\n";
}

/// Returns the links at the top of each page.
std::string top_links_html(const Contents& contents, bool has_explorer) {
    std::string html;
    if (contents.find_page("introduction")) html += link_html("introduction.html", "Introduction");
    if (has_explorer)
        html += link_html("explorer.html", "Explorer") + link_html("playground.html", "Playground");
    if (contents.find_page("results")) html += link_html("results.html", "Results");
    return "<nav class=\"places\" aria-label=\"Places\">" + html + "</nav>";
}

void replace_placeholder(std::string& html, const std::string& placeholder,
                         const std::string& text) {
    const std::size_t placeholder_begin = html.find(placeholder);
    if (placeholder_begin == html.npos)
        throw BookError("common/book/theme/header.html: there is no " + placeholder);
    html.replace(placeholder_begin, placeholder.size(), text);
}

void replace_all(std::string& html, const std::string& placeholder, const std::string& text) {
    for (std::size_t placeholder_position = 0;
         (placeholder_position = html.find(placeholder, placeholder_position)) != html.npos;
         placeholder_position += text.size())
        html.replace(placeholder_position, placeholder.size(), text);
}

}  // namespace

std::string header_html(const Contents& contents, bool has_explorer) {
    std::string html = read_file(contents.root / "common/book/theme/header.html");
    replace_placeholder(html, "<!-- policy -->",
                        std::string("<meta http-equiv=\"Content-Security-Policy\" content=\"") +
                            kContentSecurityPolicy + "\"/>");
    replace_placeholder(html, "<!-- places -->", top_links_html(contents, has_explorer));
    replace_placeholder(html, "<!-- sidebar -->", sidebar_html(contents, has_explorer));
    return html;
}

std::string application_page_html(const std::string& fragment, const Contents& contents) {
    const std::string title = text_between(fragment, "<!-- page: ", ";"),
                      files = text_between(fragment, "; ", " -->");
    if (title.empty() || files.empty() || fragment.find("<main") == fragment.npos) {
        throw BookError("a page must begin with <!-- page: TITLE; FILES -->, and contain a <main>");
    }
    std::string html = header_html(contents, true);
    html.resize(html.find("<main"));
    replace_all(html, "$projectname", "Coalesce");
    replace_all(html, "$relpath^", "");
    replace_all(html, "$title", to_html(title));
    replace_placeholder(html, "<body>", "<body class=\"wide-page\">");
    std::string head_html;
    for (std::size_t position = 0; position < files.size();) {
        const std::size_t end = std::min(files.find(' ', position), files.size());
        const std::string file = files.substr(position, end - position);
        head_html += file.ends_with(".css") ? "<link rel=\"stylesheet\" href=\"" + file + "\"/>\n"
                                            : "<script defer src=\"" + file + "\"></script>\n";
        position = end + 1;
    }
    replace_placeholder(html, "</head>", head_html + "</head>");
    return html + fragment.substr(fragment.find("<main")) + "</div>\n</body>\n</html>\n";
}

std::string previous_and_next_links_html(const std::string& html_file, const Contents& contents) {
    for (std::size_t i = 0; i < contents.pages.size(); ++i) {
        if (contents.pages[i].html_file() != html_file) continue;
        std::string html = "<nav class=\"neighbours\" aria-label=\"Before and after\">";
        if (i > 0) {
            const Page& page = contents.pages[i - 1];
            html += "<a rel=\"prev\" href=\"" + page.html_file() + "\">&larr;&nbsp;" +
                    to_html(page.title) + "</a>";
        }
        if (i + 1 < contents.pages.size()) {
            const Page& page = contents.pages[i + 1];
            html += "<a rel=\"next\" href=\"" + page.html_file() + "\">" + to_html(page.title) +
                    "&nbsp;&rarr;</a>";
        }
        return html + "</nav>\n";
    }
    return "";
}

}  // namespace coalesce::book
