// A small reader of HTML: tags and their attributes, and the text between them, nothing else.
#pragma once

#include <map>
#include <string>

namespace coalesce::book {

/// A tag, and where it stands.
struct Tag {
    std::size_t begin = 0, end = 0;  ///< in the text
    std::string name;                ///< "a", "/a"
    std::map<std::string, std::string> attributes;

    bool has(const std::string& key) const { return attributes.contains(key); }
    /// "" when it is not there.
    std::string attribute(const std::string& key) const {
        const auto found = attributes.find(key);
        return found == attributes.end() ? "" : found->second;
    }
};

/// The first tag at or after `from`; what a comment, a script or a style sheet holds is none.
bool find_tag(const std::string& html, std::size_t from, Tag& tag);

/// A text without marks, comments and drawings, blanks made one, entities resolved.
std::string plain_text(const std::string& html);

/// What stands between the first `begin` and the next `end`; "" without them.
std::string between(const std::string& text, const std::string& begin, const std::string& end);

}  // namespace coalesce::book
