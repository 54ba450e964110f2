#include "search_index.h"

#include "html_reader.h"

namespace coalesce::book {
namespace {

/// A heading with an anchor.
struct Heading {
    std::size_t begin = 0, end = 0;
    std::string anchor, text;
};

bool is_heading(const std::string& name) {
    return name == "h2" || name == "h3" || name == "h4";
}

/// Finds the next heading at or after `from`. Returns false if there is none.
bool find_heading(const std::string& html, std::size_t from, Heading& heading) {
    for (Tag tag; find_tag(html, from, tag); from = tag.end) {
        if (!is_heading(tag.name)) continue;
        const std::size_t close = html.find("</" + tag.name + ">", tag.end);
        if (close == html.npos) return false;
        Tag anchor;
        std::string id = tag.attribute("id");
        if (id.empty() && find_tag(html, tag.end, anchor) && anchor.begin < close) {
            id = anchor.attribute("id");
        }
        if (id.empty()) continue;
        heading = {tag.begin, close, id, plain_text(html.substr(tag.begin, close - tag.begin))};
        return true;
    }
    return false;
}

}  // namespace

nlohmann::json list_sections(const std::string& page, const std::string& html) {
    std::string title = plain_text(text_between(html, "<title>", "</title>"));
    const std::size_t name = title.find(": ");
    title = title.substr(name == title.npos ? 0 : name + 2);
    // Leave out the links at the end of a page, which contain the titles of other pages.
    std::string main = "<main" + text_between(html, "<main", "</main>");
    main = main.substr(0, main.find("<nav class=\"neighbours\""));
    nlohmann::json sections = nlohmann::json::array();
    Heading here, next;
    for (bool is_last = false; !is_last; here = next) {
        is_last = !find_heading(main, here.end, next);
        const std::size_t end = is_last ? main.size() : next.begin;
        std::string text = plain_text(main.substr(here.end, end - here.end));
        sections.push_back({{"page", page},
                            {"anchor", here.anchor},
                            {"title", title},
                            {"heading", here.text},
                            {"text", text}});
    }
    return sections;
}

}  // namespace coalesce::book
