#include "site.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "frame.h"

namespace coalesce::book {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages_of(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".html") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
        throw BookError(folder.string() + ": there are no pages; build the book first");
    return files;
}

// ---- a small reader of HTML: tags and their attributes, nothing else ----

struct Tag {
    std::size_t begin = 0, end = 0;  ///< in the text
    std::string name;                ///< "a", "/a"
    std::map<std::string, std::string> attributes;
};

std::string resolved(const std::string& text) {
    static const std::pair<const char*, const char*> entities[] = {
        {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},
        {"&#39;", "'"}, {"&#160;", " "}, {"&amp;", "&"}};
    std::string result = text;
    for (const auto& [entity, sign] : entities) {
        for (std::size_t at = 0; (at = result.find(entity, at)) != result.npos; ++at) {
            result.replace(at, std::string(entity).size(), sign);
        }
    }
    return result;
}

/// Reads name="value" pairs up to the tag's end.
void read_attributes(const std::string& html, Tag& tag) {
    std::size_t at = tag.begin + 1 + tag.name.size();
    while (at < html.size() && html[at] != '>') {
        const std::size_t name = html.find_first_not_of(" \t\n/", at);
        if (name == html.npos || html[name] == '>') {
            at = name;
            break;
        }
        const std::size_t end = html.find_first_of("= \t\n/>", name);
        const std::string key = html.substr(name, end - name);
        at = end;
        if (end == html.npos || html[end] != '=') continue;
        const char quote = end + 1 < html.size() ? html[end + 1] : '\0';
        if (quote != '"' && quote != '\'') {
            at = html.find_first_of(" \t\n>", end);
            tag.attributes[key] = html.substr(end + 1, at - end - 1);
            continue;
        }
        at = html.find(quote, end + 2);
        if (at == html.npos) break;
        tag.attributes[key] = resolved(html.substr(end + 2, at - end - 2));
        ++at;
    }
    tag.end = at == html.npos ? html.size() : at + 1;
}

bool find_tag(const std::string& html, std::size_t from, Tag& tag) {
    while ((from = html.find('<', from)) != html.npos) {
        if (html.compare(from, 4, "<!--") == 0) {
            from = html.find("-->", from);
            if (from == html.npos) return false;
            continue;
        }
        const std::size_t end = html.find_first_of(" \t\n>", from + 1);
        if (end == html.npos) return false;
        tag = Tag{from, 0, html.substr(from + 1, end - from - 1), {}};
        read_attributes(html, tag);
        // What a script or style holds is no HTML.
        if (tag.name == "script" || tag.name == "style") {
            const std::size_t close = html.find("</" + tag.name, tag.end);
            tag.end = close == html.npos ? html.size() : close;
        }
        return true;
    }
    return false;
}

std::string attribute(const Tag& tag, const std::string& name) {
    const auto found = tag.attributes.find(name);
    return found == tag.attributes.end() ? "" : found->second;
}

// ---- after Doxygen ----

std::string attribute_text(const std::string& text) {
    std::string result;
    for (char c : text)
        result += c == '"'   ? std::string("&quot;")
                  : c == '&' ? "&amp;"
                  : c == '<' ? "&lt;"
                             : std::string(1, c);
    return result;
}

/// The drawing itself in place of <img>, so that it can follow the page's colours.
std::string with_drawings(const std::string& html, const fs::path& drawings,
                          const std::string& page) {
    std::string result;
    std::size_t done = 0;
    for (Tag tag; find_tag(html, done, tag);) {
        result += html.substr(done, tag.begin - done);
        if (tag.name == "img" && attribute(tag, "class") == "drawing") {
            const std::string svg = read_text(drawings / attribute(tag, "src"));
            const std::size_t begin = svg.find("<svg ");
            if (begin == svg.npos)
                throw BookError(page + ": " + attribute(tag, "src") + " is no SVG");
            result +=
                "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\"><svg "
                "role=\"img\" aria-label=\"" +
                attribute_text(attribute(tag, "alt")) + "\" " + svg.substr(begin + 5) + "</div>";
        } else {
            result += html.substr(tag.begin, tag.end - tag.begin);
        }
        done = tag.end;
    }
    return result + html.substr(done);
}

/// Doxygen begins each page anew with <h1> below a title that is none: one level down, and the title on
/// top. Headings with a class are those of its own lists, which fit.
std::string with_levels(const std::string& html) {
    std::size_t done = std::min(html.find("<main"), html.size());
    std::string result = html.substr(0, done);
    bool is_title = false, is_lower = false;
    for (Tag tag; find_tag(html, done, tag); done = tag.end) {
        result += html.substr(done, tag.begin - done);
        std::string text = html.substr(tag.begin, tag.end - tag.begin);
        const bool is_close = tag.name.starts_with("/");
        const std::string name = is_close ? tag.name.substr(1) : tag.name;
        if (tag.name == "div" && attribute(tag, "class") == "title") {
            text = "<h1 class=\"title\">";
            is_title = true;
        } else if (tag.name == "/div" && is_title) {
            text = "</h1>";
            is_title = false;
        } else if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '5') {
            if (!is_close) is_lower = !tag.attributes.contains("class");
            if (is_lower) ++text[is_close ? 3 : 2];
        }
        result += text;
    }
    return result + html.substr(done);
}

/// Wide tables scroll by themselves.
std::string with_scrolling_tables(std::string html) {
    const std::string begin = "<table class=\"markdownTable\">", end = "</table>";
    for (std::size_t at = 0; (at = html.find(begin, at)) != html.npos;) {
        const std::string open =
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">";
        html.insert(at, open);
        at = html.find(end, at) + end.size();
        html.insert(at, "</div>");
    }
    return html;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    if (from == text.npos) return "";
    const std::size_t to = text.find(end, from + begin.size());
    return text.substr(from + begin.size(), to == text.npos ? to : to - from - begin.size());
}

}  // namespace

std::string plain_text(const std::string& html) {
    std::string text;
    std::size_t done = 0;
    for (Tag tag; find_tag(html, done, tag); done = tag.end) {
        text += html.substr(done, tag.begin - done) + " ";
    }
    text = resolved(text + html.substr(done));
    std::string result;
    for (char c : text) {
        const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_blank) result += c;
        if (is_blank && !result.empty() && result.back() != ' ') result += ' ';
    }
    return result;
}

void finish_site(const fs::path& folder, const Contents& contents) {
    nlohmann::json index = nlohmann::json::array();
    for (const fs::path& file : pages_of(folder)) {
        const std::string name = file.filename().string();
        std::string html = read_text(file);
        const std::string mark = "<!-- neighbours -->";
        const std::size_t place = html.find(mark);
        if (place == html.npos) continue;  // not made by Doxygen
        html.replace(place, mark.size(), neighbours_html(name, contents));
        html = with_drawings(with_scrolling_tables(with_levels(html)),
                             contents.root / "docs/diagrams", name);
        write_text(file, html);
        const std::string title = plain_text(between(html, "<title>", "</title>"));
        index.push_back(
            {{"page", name},
             {"title", title.substr(title.find(": ") == title.npos ? 0 : title.find(": ") + 2)},
             {"text", plain_text(between(html, "<main", "</main>").substr(1))}});
    }
    write_text(folder / "search-index.js",
               "window.searchIndex = " +
                   index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ";\n");
}

// ---- the checks ----

namespace {

struct CheckedPage {
    std::string name;
    std::set<std::string> anchors;
    struct Use {
        std::string tag, target;
    };
    std::vector<Use> uses;
    std::vector<std::string> twice;
    bool has_code = false;
};

CheckedPage read_page(const fs::path& file) {
    CheckedPage page;
    page.name = file.filename().string();
    const std::string html = read_text(file);
    page.has_code = html.find("<div class=\"fragment\"><div class=\"line\">") != html.npos;
    std::size_t done = 0;
    for (Tag tag; find_tag(html, done, tag); done = tag.end) {
        const std::string id = attribute(tag, "id"),
                          name = tag.name == "a" ? attribute(tag, "name") : "";
        if (!id.empty() && !page.anchors.insert(id).second && id != name) page.twice.push_back(id);
        if (!name.empty()) page.anchors.insert(name);
        for (const char* kind : {"href", "src"}) {
            if (tag.attributes.contains(kind))
                page.uses.push_back({tag.name, attribute(tag, kind)});
        }
    }
    return page;
}

bool is_elsewhere(const std::string& target) {
    return target.find("://") != target.npos || target.starts_with("//");
}

std::string fault_of(const CheckedPage::Use& use, const CheckedPage& page, const fs::path& folder,
                     const std::map<std::string, CheckedPage>& pages) {
    if (use.target.starts_with("data:")) return "";
    if (is_elsewhere(use.target)) {
        return use.tag == "a" ? "" : "<" + use.tag + "> from another host: " + use.target;
    }
    const std::size_t hash = use.target.find('#');
    const std::string file = use.target.substr(0, hash);
    const std::string anchor = hash == use.target.npos ? "" : use.target.substr(hash + 1);
    if (!file.empty() && !fs::is_regular_file(folder / file)) return "no file " + file;
    const auto target = pages.find(file.empty() ? page.name : file);
    // The links of these carry what they show, not an anchor.
    const bool has_state = file == "explorer.html" || file == "playground.html";
    if (anchor.empty() || target == pages.end() || has_state) return "";
    return target->second.anchors.contains(anchor)
               ? ""
               : "no anchor #" + anchor + " in " + target->first;
}

}  // namespace

std::vector<std::string> faults_of_site(const fs::path& folder) {
    std::map<std::string, CheckedPage> pages;
    for (const fs::path& file : pages_of(folder)) {
        CheckedPage page = read_page(file);
        pages[page.name] = page;
    }
    std::vector<std::string> faults;
    for (const auto& [name, page] : pages) {
        for (const CheckedPage::Use& use : page.uses) {
            const std::string fault = fault_of(use, page, folder, pages);
            if (!fault.empty()) faults.push_back(name + ": " + fault);
        }
        for (const std::string& id : page.twice)
            faults.push_back(name + ": two elements are #" + id);
        if (name.starts_with("lesson_") && !page.has_code) {
            faults.push_back(name + ": a lesson shows its kernel, and there is no code");
        }
    }
    return faults;
}

}  // namespace coalesce::book
