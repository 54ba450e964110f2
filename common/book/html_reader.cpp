#include "html_reader.h"

#include <algorithm>

namespace coalesce::book {
namespace {

std::string resolve_entities(const std::string& text) {
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

/// Reads name="value" pairs up to the end of the tag.
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
        tag.attributes[key] = resolve_entities(html.substr(end + 2, at - end - 2));
        ++at;
    }
    tag.end = at == html.npos ? html.size() : at + 1;
}

std::string remove_comments(const std::string& html) {
    std::string result = html;
    for (std::size_t at = 0; (at = result.find("<!--", at)) != result.npos;) {
        const std::size_t end = result.find("-->", at);
        result.erase(at, end == result.npos ? end : end + 3 - at);
    }
    return result;
}

}  // namespace

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
        // The contents of a script or style are not HTML.
        if (tag.name == "script" || tag.name == "style") {
            const std::size_t close = html.find("</" + tag.name, tag.end);
            tag.end = close == html.npos ? html.size() : close;
        }
        return true;
    }
    return false;
}

std::string plain_text(const std::string& commented) {
    const std::string html = remove_comments(commented);
    std::string text;
    std::size_t done = 0;
    for (Tag tag; find_tag(html, done, tag); done = tag.end) {
        text += html.substr(done, tag.begin - done) + " ";
        // Skip the text in a drawing, which is meaningless without the drawing.
        if (tag.name == "svg") tag.end = std::min(html.find("</svg>", tag.end), html.size());
    }
    text = resolve_entities(text + html.substr(done));
    std::string result;
    for (char c : text) {
        const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_blank) result += c;
        if (is_blank && !result.empty() && result.back() != ' ') result += ' ';
    }
    if (result.ends_with(' ')) result.pop_back();
    return result;
}

std::string text_between(const std::string& text, const std::string& begin,
                         const std::string& end) {
    const std::size_t from = text.find(begin);
    if (from == text.npos) return "";
    const std::size_t to = text.find(end, from + begin.size());
    return text.substr(from + begin.size(), to == text.npos ? to : to - from - begin.size());
}

}  // namespace coalesce::book
