#include "translator/translate.h"

namespace coalesce::translator {

Untranslated::Untranslated(const std::string& what, const std::string& instruction,
                           const std::string& file, unsigned line)
    : std::runtime_error(what), instruction(instruction), file(file), line(line) {}

std::string ptx_of(const std::string&) {
    throw Untranslated("The translator knows no instruction yet.", "", "", 0);
}

}  // namespace coalesce::translator
