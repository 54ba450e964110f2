#include "grader/class/templates.h"

#include "grader/class/manifest.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

namespace coalesce::grader {

std::string platform_file(const std::string& file,
                          const std::map<std::string, std::string>& words) {
    const std::string text = read_file(repository() / "common/grader/platforms" / file);
    std::string filled;
    std::size_t done = 0;
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
        std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1);
        if (end == text.npos || text[end] != '@' || end == at + 1) continue;
        auto word = words.find(text.substr(at + 1, end - at - 1));
        if (word == words.end()) {
            throw Infrastructure("common/grader/platforms/" + file + " wants " +
                                 text.substr(at, end + 1 - at) + ", which nobody gives");
        }
        filled += text.substr(done, at - done) + word->second;
        done = end + 1;
        at = end;
    }
    return filled + text.substr(done);
}

std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

}  // namespace coalesce::grader
