#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// A member of the returned launch, such as `.grid`, and its value.
struct LaunchMember {
    std::string name;
    std::size_t first = 0, last = 0;  ///< the value; in braces for grid and block
};

std::vector<LaunchMember> launch_members(const Program& program) {
    std::vector<LaunchMember> members;
    for (std::size_t i = 1; i + 2 < program.tokens().size(); ++i) {
        const bool is_member = program.token(i - 1).is(".") && program.token(i + 1).is("=");
        if (!is_member || !program.is_in_configure(i)) continue;
        std::size_t last = i + 2;
        while (last + 1 < program.tokens().size() && !program.token(last + 1).is(",") &&
               !program.token(last + 1).is("}")) {
            ++last;
            if (program.token(last).match > last) last = program.token(last).match;
        }
        if (program.token(i + 2).match > i + 2 && program.token(i + 2).is("{")) {
            last = program.token(i + 2).match;
        }
        members.push_back({program.token(i).text, i + 2, last});
    }
    return members;
}

/// Returns the factors by which a launch is often too large or too small.
std::set<std::string> factors_of(const Program& program, std::size_t token) {
    std::set<std::string> factors = {"2", "4", "8", "32"};
    for (const Name& one : program.names()) {
        if (one.kind == Name::Kind::constant && one.is_visible_at(token)) factors.insert(one.text);
    }
    return factors;
}

/// Multiplies or divides an element of the grid or of the block.
void list_factors(ChangeList& list, std::size_t first, std::size_t last) {
    const Program& program = list.program();
    const std::string written = program.text_between(first, last);
    const std::string whole =
        first == last || program.token(last).match == first + 1 ? written : "(" + written + ")";
    for (const std::string& factor : factors_of(program, first)) {
        if (factor == written) continue;
        list.replace(first, last, whole + " * " + factor, 1.9);
        list.replace(first, last, whole + " / " + factor, 1.9);
        list.replace(first, last, "ceil_div(" + written + ", " + factor + ")", 1.7);
    }
    list.replace(first, last, whole + " + 1", 2.2);
}

/// Adds a second dimension to a grid or block that has only one.
void list_second_dimension(ChangeList& list, const LaunchMember& member) {
    const Program& program = list.program();
    const std::string first = program.text_between(member.first + 1, member.last - 1);
    for (const Name& one : program.names()) {
        if (!one.is_integer() || !one.is_visible_at(member.first)) continue;
        list.replace(member.last, member.last, ", " + one.text + "}", 2.2);
        for (const std::string& divisor : factors_of(program, member.first)) {
            if (one.kind == Name::Kind::constant || member.name != "grid") continue;
            list.replace(member.last, member.last, ", ceil_div(" + one.text + ", " + divisor + ")}",
                         2.4);
        }
    }
}

}  // namespace

void list_launch_changes(ChangeList& list) {
    const Program& program = list.program();
    for (const LaunchMember& member : launch_members(program)) {
        if (!program.token(member.first).is("{")) {
            list_factors(list, member.first, member.last);
            list.replace(
                member.first, member.last,
                "(" + program.text_between(member.first, member.last) + ") * sizeof(float)", 1.4);
            continue;
        }
        const auto parts = program.split_at_commas(member.first, member.last);
        for (const auto& [first, last] : parts) list_factors(list, first, last);
        if (parts.size() == 1) list_second_dimension(list, member);
    }
}

}  // namespace coalesce::changes
