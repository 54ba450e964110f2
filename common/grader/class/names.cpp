#include "grader/class/names.h"

#include <cctype>

#include "grader/store/sha256.h"

namespace coalesce::grader {

std::string file_name(std::string_view student) {
    std::string text;
    for (char letter : student.substr(0, 40)) {
        bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
        if (static_cast<unsigned char>(letter) >= 0x80) is_plain = false;
        text += is_plain ? letter : '-';
    }
    // A name that begins with - would be an option.
    return "s" + sha256_hex(student).substr(0, 10) + "-" + text;
}

}  // namespace coalesce::grader
