// A small HTML reader, which finds tags with their attributes, and the text between tags.
#pragma once

#include <map>
#include <string>

namespace coalesce::book {

/// A tag and its position.
struct Tag {
    std::size_t begin = 0, end = 0;  ///< offsets in the HTML
    std::string name;                ///< the tag's name: "a", or "/a" for an end tag
    std::map<std::string, std::string> attributes;

    bool has_attribute(const std::string& key) const { return attributes.contains(key); }
    /// Returns the value of the attribute, or "" if the tag does not have it.
    std::string attribute(const std::string& key) const {
        const auto attribute_value = attributes.find(key);
        return attribute_value == attributes.end() ? "" : attribute_value->second;
    }
};

/// Finds the first tag at or after `from`, ignoring the contents of comments, scripts and style
/// sheets. Returns false if there is no tag.
bool find_tag(const std::string& html, std::size_t from, Tag& tag);

/// Returns the text without tags, comments and drawings. White space is collapsed, and entities are
/// resolved.
std::string plain_text(const std::string& html);

/// Returns the text between the first `begin` and the next `end`, or "" if one of them does not
/// occur.
std::string text_between(const std::string& text, const std::string& begin, const std::string& end);

}  // namespace coalesce::book
