#include "examiner/line_mistake.h"

namespace coalesce {

void blame(Failure& failure, const LineMistake& mistake) {
    failure.headline = mistake.sentence;
    failure.place.line = mistake.line;
    failure.advice = mistake.advice;
}

std::string add_backticks(const std::string& code) {
    return "`" + code + "`";
}

std::string first_sentence(const std::string& headline) {
    return headline.substr(0, headline.find(". ") + 1);
}

int vector_width(const std::string& code) {
    if (code.find("float4") != code.npos) return 4;
    return code.find("float2") != code.npos ? 2 : 1;
}

}  // namespace coalesce
