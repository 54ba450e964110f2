#include "dress.h"

#include <algorithm>
#include <set>

#include "contents.h"
#include "html_reader.h"

namespace coalesce::book {
namespace {

namespace fs = std::filesystem;

std::string escape_attribute(const std::string& text) {
    std::string result;
    for (char c : text)
        result += c == '"'   ? std::string("&quot;")
                  : c == '&' ? "&amp;"
                  : c == '<' ? "&lt;"
                             : std::string(1, c);
    return result;
}

/// Replaces each <img> that refers to a drawing with the drawing itself, so that the drawing uses
/// the colours of the page's theme.
std::string embed_drawings(const std::string& html, const fs::path& drawings,
                           const std::string& page) {
    std::string result;
    std::size_t position = 0;
    for (Tag tag; find_tag(html, position, tag);) {
        result += html.substr(position, tag.begin - position);
        if (tag.name == "img" && tag.attribute("class") == "drawing") {
            const std::string svg = read_file(drawings / tag.attribute("src"));
            const std::size_t begin = svg.find("<svg ");
            if (begin == svg.npos)
                throw BookError(page + ": " + tag.attribute("src") + " is not an SVG");
            result +=
                "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\"><svg "
                "role=\"img\" aria-label=\"" +
                escape_attribute(tag.attribute("alt")) + "\" " + svg.substr(begin + 5) + "</div>";
        } else {
            result += html.substr(tag.begin, tag.end - tag.begin);
        }
        position = tag.end;
    }
    return result + html.substr(position);
}

/// Corrects the levels of headings. Doxygen starts each page with a title that is not a heading,
/// followed by an <h1>. This function makes the title an <h1>, and moves the other headings down
/// one level. Headings with a class are part of Doxygen's own lists, and their level is already
/// correct.
std::string correct_heading_levels(const std::string& html) {
    std::size_t position = std::min(html.find("<main"), html.size());
    std::string result = html.substr(0, position);
    bool is_in_title = false, moves_down = false;
    for (Tag tag; find_tag(html, position, tag); position = tag.end) {
        result += html.substr(position, tag.begin - position);
        std::string text = html.substr(tag.begin, tag.end - tag.begin);
        const bool is_closing = tag.name.starts_with("/");
        const std::string name = is_closing ? tag.name.substr(1) : tag.name;
        if (tag.name == "div" && tag.attribute("class") == "title") {
            text = "<h1 class=\"title\">";
            is_in_title = true;
            // The number of a lesson is in an element of its own.
            const std::size_t space = html.find(' ', tag.end);
            if (space - tag.end == 2 && std::isdigit(static_cast<unsigned char>(html[tag.end]))) {
                text += "<span class=\"number\">" + html.substr(tag.end, 2) + "</span>";
                tag.end = space;
            }
        } else if (tag.name == "/div" && is_in_title) {
            text = "</h1>";
            is_in_title = false;
        } else if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '5') {
            if (!is_closing) moves_down = !tag.has_attribute("class");
            if (moves_down) ++text[is_closing ? 3 : 2];
        }
        result += text;
    }
    return result + html.substr(position);
}

/// Makes wide tables scroll horizontally, without scrolling the page.
std::string wrap_tables_for_scrolling(std::string html) {
    const std::string begin = "<table class=\"markdownTable\">", end = "</table>";
    for (std::size_t table_position = 0;
         (table_position = html.find(begin, table_position)) != html.npos;) {
        const std::string opening_div =
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">";
        html.insert(table_position, opening_div);
        table_position = html.find(end, table_position) + end.size();
        html.insert(table_position, "</div>");
    }
    return html;
}

/// Removes the empty header cells that Markdown requires in a table. If all cells of a header row
/// are empty, removes the row.
std::string remove_empty_headings(std::string html) {
    const std::string row_begin_tag = "<tr class=\"markdownTableHead\">", row_end_tag = "</tr>";
    for (std::size_t row_begin = 0;
         (row_begin = html.find(row_begin_tag, row_begin)) != html.npos;) {
        const std::size_t end = html.find(row_end_tag, row_begin) + row_end_tag.size();
        std::string header_row = html.substr(row_begin, end - row_begin);
        if (plain_text(header_row).find_first_not_of(' ') == std::string::npos) header_row.clear();
        for (std::size_t cell_begin = 0;
             (cell_begin = header_row.find("<th ", cell_begin)) != header_row.npos; ++cell_begin) {
            const std::size_t cell_end = header_row.find("</th>", cell_begin);
            if (plain_text(header_row.substr(cell_begin, cell_end - cell_begin))
                    .find_first_not_of(' ') == std::string::npos) {
                header_row.replace(cell_begin, cell_end + 5 - cell_begin, "<td></td>");
            }
        }
        html.replace(row_begin, end - row_begin, header_row);
        row_begin += header_row.size();
    }
    return html;
}

/// Removes the scripts that fold the rows of Doxygen's lists. The book does not fold rows, and its
/// security policy forbids scripts in attributes.
std::string remove_handlers(std::string html) {
    const std::string begin = " onclick=\"";
    for (std::size_t handler_position = 0;
         (handler_position = html.find(begin, handler_position)) != html.npos;) {
        const std::size_t end = html.find('"', handler_position + begin.size());
        if (end == html.npos) break;
        html.erase(handler_position, end + 1 - handler_position);
    }
    return html;
}

// ---- CUDA's keywords ----

bool is_word_character(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
}

/// Reports whether the word belongs to CUDA rather than to C++.
bool is_cuda_word(const std::string& word) {
    static const std::set<std::string> cuda_words = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                                     "warpSize",  "dim3",     "float2",   "float4",
                                                     "int2",      "int4",     "uint2",    "uint4"};
    return cuda_words.contains(word) || (word.size() > 4 && word.starts_with("__")) ||
           (word.size() > 4 && word.starts_with("cuda") &&
            std::isupper(static_cast<unsigned char>(word[4])));
}

std::string mark_cuda_words(const std::string& text) {
    std::string result;
    for (std::size_t position = 0; position < text.size();) {
        std::size_t end = position;
        while (end < text.size() && is_word_character(text[end])) ++end;
        const std::string word = text.substr(position, end - position);
        result += is_cuda_word(word) ? "<span class=\"cuda\">" + word + "</span>" : word;
        if (end < text.size()) result += text[end++];
        position = end;
    }
    return result;
}

/// Marks CUDA's words in code, except in comments and strings.
std::string mark_cuda_words_in_code(const std::string& html) {
    static const std::set<std::string> unmarked_classes = {"comment", "stringliteral",
                                                           "charliteral", "preprocessor", "lineno"};
    std::string result;
    std::size_t position = 0;
    // The nesting depth of the current position: `fragment_depth` counts the divs of a code
    // fragment, and `unmarked_depth` the spans in which no words are marked, such as comments.
    int fragment_depth = 0, unmarked_depth = 0;
    for (Tag tag; find_tag(html, position, tag); position = tag.end) {
        const std::string text = html.substr(position, tag.begin - position);
        result += fragment_depth > 0 && unmarked_depth == 0 ? mark_cuda_words(text) : text;
        result += html.substr(tag.begin, tag.end - tag.begin);
        if (tag.name == "div" && (fragment_depth > 0 || tag.attribute("class") == "fragment"))
            ++fragment_depth;
        if (tag.name == "/div" && fragment_depth > 0) --fragment_depth;
        if (tag.name == "span" &&
            (unmarked_depth > 0 || unmarked_classes.contains(tag.attribute("class"))))
            ++unmarked_depth;
        if (tag.name == "/span" && unmarked_depth > 0) --unmarked_depth;
    }
    return result + html.substr(position);
}

/// Uses the first paragraph as the page's description, which search engines and link previews show.
std::string add_description(std::string html) {
    const std::string placeholder = "<!-- description -->";
    const std::size_t placeholder_begin = html.find(placeholder);
    if (placeholder_begin == html.npos) return html;
    const std::size_t main_begin = std::min(html.find("<main"), html.size());
    std::string text = plain_text(text_between(html.substr(main_begin), "<p>", "</p>"));
    constexpr std::size_t max_length = 200;
    if (text.size() > max_length) text = text.substr(0, text.rfind(' ', max_length)) + " ...";
    if (text.empty()) text = "GPU memory performance, taught by transposing one matrix";
    const std::string content_attribute = "content=\"" + escape_attribute(text) + "\"/>";
    return html.replace(placeholder_begin, placeholder.size(),
                        "<meta name=\"description\" " + content_attribute +
                            "\n<meta property=\"og:description\" " + content_attribute);
}

}  // namespace

std::string postprocess_page(const std::string& html, const fs::path& drawings,
                             const std::string& name) {
    const std::string text =
        add_description(mark_cuda_words_in_code(correct_heading_levels(remove_handlers(html))));
    return embed_drawings(wrap_tables_for_scrolling(remove_empty_headings(text)), drawings, name);
}

}  // namespace coalesce::book
