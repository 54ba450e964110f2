#include "search_index.h"

#include "html_reader.h"

namespace coalesce::book {
namespace {

/// A heading with an anchor.
struct Heading {
    std::size_t begin = 0, end = 0;
    std::string anchor, text;
};

bool is_section_heading(const std::string& name) {
    return name == "h2" || name == "h3" || name == "h4";
}

/// Finds the next heading at or after `from`. Returns false if there is none.
bool find_heading(const std::string& html, std::size_t from, Heading& heading) {
    for (Tag tag; find_tag(html, from, tag); from = tag.end) {
        if (!is_section_heading(tag.name)) continue;
        const std::size_t end_tag = html.find("</" + tag.name + ">", tag.end);
        if (end_tag == html.npos) return false;
        Tag anchor_tag;
        std::string anchor_name = tag.attribute("id");
        if (anchor_name.empty() && find_tag(html, tag.end, anchor_tag) &&
            anchor_tag.begin < end_tag) {
            anchor_name = anchor_tag.attribute("id");
        }
        if (anchor_name.empty()) continue;
        heading = {tag.begin, end_tag, anchor_name,
                   plain_text(html.substr(tag.begin, end_tag - tag.begin))};
        return true;
    }
    return false;
}

}  // namespace

nlohmann::json list_sections(const std::string& page, const std::string& html) {
    std::string title = plain_text(text_between(html, "<title>", "</title>"));
    const std::size_t name_begin = title.find(": ");
    title = title.substr(name_begin == title.npos ? 0 : name_begin + 2);
    // Leave out the links at the end of a page, which contain the titles of other pages.
    std::string main_html = "<main" + text_between(html, "<main", "</main>");
    main_html = main_html.substr(0, main_html.find("<nav class=\"neighbours\""));
    nlohmann::json sections = nlohmann::json::array();
    Heading current_heading, next_heading;
    for (bool is_last = false; !is_last; current_heading = next_heading) {
        is_last = !find_heading(main_html, current_heading.end, next_heading);
        const std::size_t end = is_last ? main_html.size() : next_heading.begin;
        std::string text =
            plain_text(main_html.substr(current_heading.end, end - current_heading.end));
        sections.push_back({{"page", page},
                            {"anchor", current_heading.anchor},
                            {"title", title},
                            {"heading", current_heading.text},
                            {"text", text}});
    }
    return sections;
}

}  // namespace coalesce::book
