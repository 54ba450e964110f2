#include "examiner/exercises/automatic_mutants.h"

#include <algorithm>
#include <regex>

#include "base/text.h"

namespace coalesce::exercises {
namespace {

/// A mistake to plant in a line: the first match of `pattern` is replaced with `replacement`.
struct Mutation {
    const char* description;
    std::regex pattern;
    const char* replacement;
};

const std::vector<Mutation>& mutations() {
    static const std::vector<Mutation> table = {
        {"without the barrier", std::regex(R"(__sync(threads|warp)\([^)]*\);)"), ";"},
        {"<= instead of <", std::regex(R"( < )"), " <= "},
        {"> instead of >=", std::regex(R"( >= )"), " > "},
        {"without the test", std::regex(R"(^(\s*)if \([^{};]*\)( \{|\s+[^({]))"), "$1if (true)$2"},
        {"0 instead of the conditional expression",
         std::regex(R"(([^?=]+[<>]=? [^?]+) \? ([^:?]+) : ([^;?]+);)"), "$2;"},
        {"a plain addition instead of the atomic one",
         std::regex(R"(atomicAdd\(&([^,]+), ([^;]+)\);)"), "$1 += $2;"},
        {"a plain addition instead of the atomic one",
         std::regex(R"(atomicAdd\((\w+), ([^;]+)\);)"), "*$1 += $2;"},
        {"without the initial value",
         std::regex(R"(^(\s*(?:float|double|int|unsigned) \w+) = 0[.f]*;)"), "$1;"},
        {"without the initial value", std::regex(R"(\w+\[[^\]]+\] = 0[.f]*;)"), ";"},
        {"= instead of +=", std::regex(R"( \+= (?!gridDim|blockDim|\d))"), " = "},
        {"without the block's index", std::regex(R"(blockIdx\.x \* blockDim\.\w \+ )"), ""},
        {"with the indices exchanged", std::regex(R"(\[(\w+) \* (\w+) \+ (\w+)\])"),
         "[$3 * $2 + $1]"},
        {"a step that is too large", std::regex(R"(\+= (gridDim\.x \* blockDim\.\w))"),
         "+= 2 * $1"},
        {"one step less", std::regex(R"(> 0; (\w+) /= 2)"), "> 1; $1 /= 2"},
        {"with half of the distance", std::regex(R"(/ 2;)"), "/ 4;"},
    };
    return table;
}

/// Returns the code of a line, without its comment.
std::string strip_comment(const std::string& line) {
    return line.substr(0, line.find("//"));
}

}  // namespace

std::vector<AutomaticMutant> make_mutants(const std::string& solution) {
    const std::vector<std::string> lines = lines_of(solution);
    std::vector<AutomaticMutant> mutants;
    bool is_in_launch = false;
    for (std::size_t number = 0; number < lines.size(); ++number) {
        const std::string code = strip_comment(lines[number]);
        is_in_launch = (is_in_launch || code.find("configure(") != code.npos) && code != "}";
        if (is_in_launch || code.starts_with("#")) continue;
        for (const Mutation& mutation : mutations()) {
            const std::string mutated_line =
                std::regex_replace(code, mutation.pattern, mutation.replacement,
                                   std::regex_constants::format_first_only);
            if (mutated_line == code) continue;
            std::vector<std::string> mutated_lines = lines;
            mutated_lines[number] = mutated_line;
            const std::string text = joined(mutated_lines, "\n", [](const std::string& line) {
                return line.empty() ? std::string(" ") : line;
            });
            mutants.push_back({mutation.description, static_cast<int>(number) + 1, text + "\n"});
        }
    }
    return mutants;
}

}  // namespace coalesce::exercises
