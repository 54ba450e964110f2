#include "base/text.h"

#include <cstdio>

namespace coalesce {

std::string short_number(double value) {
    char digits[400];
    std::snprintf(digits, sizeof digits, "%.2f", value);
    std::string text = digits;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

}  // namespace coalesce
