#include "html_reader.h"

#include <algorithm>

namespace coalesce::book {
namespace {

std::string resolve_entities(const std::string& text) {
    static const std::pair<const char*, const char*> entities[] = {
        {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},
        {"&#39;", "'"}, {"&#160;", " "}, {"&amp;", "&"}};
    std::string result = text;
    for (const auto& [entity, character] : entities) {
        for (std::size_t entity_position = 0;
             (entity_position = result.find(entity, entity_position)) != result.npos;
             ++entity_position) {
            result.replace(entity_position, std::string(entity).size(), character);
        }
    }
    return result;
}

/// Reads name="value" pairs up to the end of the tag.
void read_attributes(const std::string& html, Tag& tag) {
    std::size_t position = tag.begin + 1 + tag.name.size();
    while (position < html.size() && html[position] != '>') {
        const std::size_t name_begin = html.find_first_not_of(" \t\n/", position);
        if (name_begin == html.npos || html[name_begin] == '>') {
            position = name_begin;
            break;
        }
        const std::size_t end = html.find_first_of("= \t\n/>", name_begin);
        const std::string attribute_name = html.substr(name_begin, end - name_begin);
        position = end;
        if (end == html.npos || html[end] != '=') continue;
        const char quote = end + 1 < html.size() ? html[end + 1] : '\0';
        if (quote != '"' && quote != '\'') {
            position = html.find_first_of(" \t\n>", end);
            tag.attributes[attribute_name] = html.substr(end + 1, position - end - 1);
            continue;
        }
        position = html.find(quote, end + 2);
        if (position == html.npos) break;
        tag.attributes[attribute_name] = resolve_entities(html.substr(end + 2, position - end - 2));
        ++position;
    }
    tag.end = position == html.npos ? html.size() : position + 1;
}

std::string remove_comments(const std::string& html) {
    std::string result = html;
    for (std::size_t comment_position = 0;
         (comment_position = result.find("<!--", comment_position)) != result.npos;) {
        const std::size_t end = result.find("-->", comment_position);
        result.erase(comment_position, end == result.npos ? end : end + 3 - comment_position);
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
            const std::size_t end_tag = html.find("</" + tag.name, tag.end);
            tag.end = end_tag == html.npos ? html.size() : end_tag;
        }
        return true;
    }
    return false;
}

std::string plain_text(const std::string& commented_html) {
    const std::string html = remove_comments(commented_html);
    std::string text;
    std::size_t position = 0;
    for (Tag tag; find_tag(html, position, tag); position = tag.end) {
        text += html.substr(position, tag.begin - position) + " ";
        // Skip the text in a drawing, which is meaningless without the drawing.
        if (tag.name == "svg") tag.end = std::min(html.find("</svg>", tag.end), html.size());
    }
    text = resolve_entities(text + html.substr(position));
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
    const std::size_t begin_index = text.find(begin);
    if (begin_index == text.npos) return "";
    const std::size_t end_index = text.find(end, begin_index + begin.size());
    return text.substr(begin_index + begin.size(),
                       end_index == text.npos ? end_index : end_index - begin_index - begin.size());
}

}  // namespace coalesce::book
