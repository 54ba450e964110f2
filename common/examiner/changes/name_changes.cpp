#include <algorithm>
#include <map>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// Words that stand for the two dimensions of a matrix, or for two matrices. Each is often mistaken
/// for the other.
constexpr std::pair<const char*, const char*> kCounterparts[] = {
    {"row", "col"},     {"rows", "cols"},    {"x", "y"},          {"r", "c"},
    {"i", "j"},         {"in", "out"},       {"a", "b"},          {"top", "left"},
    {"down", "across"}, {"tx", "ty"},        {"bx", "by"},        {"upper", "lower"},
    {"row", "column"},  {"rows", "columns"}, {"height", "width"}, {"first", "second"},
    {"load", "store"},  {"src", "dst"},      {"m", "n"},          {"X", "Y"},
    {"ROWS", "COLS"},   {"lane", "warp"},    {"up", "down"},      {"x", "z"},
    {"y", "z"},         {"z", "w"},          {"first", "last"}};

/// Splits a name at its underscores and dots. The separators are parts of their own.
std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts = {""};
    for (const char c : name) {
        if (c == '_' || c == '.') {
            parts.push_back(std::string(1, c));
            parts.push_back("");
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string joined_parts(const std::vector<std::string>& parts) {
    std::string name;
    for (const std::string& part : parts) name += part;
    return name;
}

bool are_counterparts(const std::string& one, const std::string& other) {
    return std::ranges::count(counterparts_of(one), other) > 0;
}

/// Returns how unlikely it is that `written` was written instead of `meant`. Returns a negative
/// number if the two are of different kinds.
double cost_of_mistake(const Program& program, std::size_t token, const std::string& written,
                       const std::string& meant) {
    if (is_built_in_index(written) && is_built_in_index(meant)) {
        if (base_of(written) == base_of(meant)) return member_of(meant) == "z" ? 2.2 : 1.0;
        return member_of(written) == member_of(meant) ? 1.9 : 2.8;
    }
    if (are_counterparts(written, meant)) return 1.0;
    const Name* one = program.find_name(written, token);
    const Name* other = program.find_name(meant, token);
    const bool is_size = is_built_in_index(meant) && member_of(meant) != "z" &&
                         (base_of(meant) == "blockDim" || base_of(meant) == "gridDim");
    if (!one && !is_built_in_index(written)) return -1;
    if (one && one->is_integer() && is_built_in_index(meant)) {
        if (one->kind == Name::Kind::constant) return is_size ? 2.0 : 2.8;
        return is_size ? 2.8 : 2.3;
    }
    if (!one) return other && other->is_integer() ? 2.3 : -1;
    if (!other) return -1;
    if (one->is_integer() && other->is_integer()) return one->kind == other->kind ? 1.6 : 2.2;
    if (one->kind != other->kind) return -1;
    return one->kind == Name::Kind::other && one->type != other->type ? -1 : 1.8;
}

/// Returns the names that can be used at a token, and the built-in indices.
std::vector<std::string> names_at(const Program& program, std::size_t token) {
    std::set<std::string> names;
    for (const Name& one : program.names()) {
        if (one.is_visible_at(token)) names.insert(one.text);
    }
    if (!program.is_in_configure(token)) {
        for (const char* base : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
            for (const char* member : {".x", ".y"}) names.insert(std::string(base) + member);
        }
        if (program.text().find("Idx.z") != std::string::npos) {
            names.insert({"blockIdx.z", "threadIdx.z"});
        }
    }
    return {names.begin(), names.end()};
}

/// Returns the tokens of a statement's own text: a simple statement, or the parentheses of a branch
/// or loop.
std::pair<std::size_t, std::size_t> own_tokens(const Statement& one) {
    const bool has_header = one.close > 0;
    return has_header ? std::pair(one.open, one.close) : std::pair(one.first, one.last);
}

bool has_text(const Statement& one) {
    return one.kind != Statement::Kind::block;
}

/// Replaces members of a vector or built-in, such as `v.x` by `v.y`.
void list_member_changes(ChangeList& list, std::size_t token) {
    const std::string& written = list.program().token(token).text;
    const std::string member = member_of(written);
    if (member.empty() || is_built_in_index(written)) return;
    for (const char* other : {"x", "y", "z", "w"}) {
        if (member == other || member.size() != 1) continue;
        const std::string start = written.substr(0, written.size() - 1);
        list.replace(token, token, start + other, 1.6);
    }
}

}  // namespace

std::vector<std::string> counterparts_of(const std::string& name) {
    std::vector<std::string> found;
    const std::vector<std::string> parts = parts_of(name);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const auto& [one, other] : kCounterparts) {
            std::vector<std::string> changed = parts;
            if (parts[i] == one) changed[i] = other;
            if (parts[i] == other) changed[i] = one;
            if (changed != parts) found.push_back(joined_parts(changed));
        }
    }
    return found;
}

void list_name_changes(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t i = 0; i < program.tokens().size(); ++i) {
        if (!program.is_used_name(i)) continue;
        list_member_changes(list, i);
        const std::string& written = program.token(i).text;
        for (const std::string& meant : names_at(program, i)) {
            if (meant == written) continue;
            const double cost = cost_of_mistake(program, i, written, meant);
            // A learner rarely assigns to a wrong variable.
            const bool is_target = program.token(i + 1).is("=");
            if (cost >= 0) list.replace(i, i, meant, is_target ? cost + 0.6 : cost);
        }
    }
}

namespace {

/// The uses of names in a statement's own text, by name.
std::map<std::string, std::vector<std::size_t>> uses_in(const Program& program,
                                                        const Statement& statement) {
    std::map<std::string, std::vector<std::size_t>> uses;
    const auto [first, last] = own_tokens(statement);
    for (std::size_t i = first; i <= last; ++i) {
        if (program.is_used_name(i)) uses[program.token(i).text].push_back(i);
    }
    return uses;
}

/// Exchanges all uses of two names in a statement.
void swap_everywhere(ChangeList& list, const std::vector<std::size_t>& uses_of_one,
                     const std::vector<std::size_t>& uses_of_other, double cost) {
    const Program& program = list.program();
    const std::string one = program.token(uses_of_one.front()).text;
    const std::string other = program.token(uses_of_other.front()).text;
    std::vector<std::pair<std::size_t, std::string>> changed;
    for (const std::size_t token : uses_of_one) changed.push_back({token, other});
    for (const std::size_t token : uses_of_other) changed.push_back({token, one});
    std::ranges::sort(changed);
    list.replace_each(changed, cost);
}

/// Exchanges a use of one name with a use of another, if a statement uses them several times. Only
/// uses in the same brackets are exchanged.
void swap_single_uses(ChangeList& list, const std::vector<std::size_t>& uses_of_one,
                      const std::vector<std::size_t>& uses_of_other, double cost) {
    const Program& program = list.program();
    if (uses_of_one.size() == 1 && uses_of_other.size() == 1) return;
    for (const std::size_t one : uses_of_one) {
        for (const std::size_t other : uses_of_other) {
            const std::size_t low = std::min(one, other), high = std::max(one, other);
            bool is_near = high - low <= 12;
            for (std::size_t i = low; i < high && is_near; ++i) {
                is_near = program.token(i).text != "=" && program.token(i).text != "&&";
            }
            if (!is_near) continue;
            list.replace_each({{low, program.token(high).text}, {high, program.token(low).text}},
                              cost);
        }
    }
}

/// Replaces every use of a name in a statement by its counterpart.
void replace_everywhere(ChangeList& list, const std::vector<std::size_t>& uses) {
    if (uses.size() < 2) return;
    const Program& program = list.program();
    const std::string written = program.token(uses.front()).text;
    for (const std::string& meant : names_at(program, uses.front())) {
        const double cost = cost_of_mistake(program, uses.front(), written, meant);
        if (meant == written || cost < 0) continue;
        std::vector<std::pair<std::size_t, std::string>> changed;
        for (const std::size_t token : uses) changed.push_back({token, meant});
        list.replace_each(changed, cost + 0.3);
    }
}

void list_swaps_of_names(ChangeList& list, const Statement& statement) {
    const Program& program = list.program();
    const auto uses = uses_in(program, statement);
    for (auto one = uses.begin(); one != uses.end(); ++one) {
        replace_everywhere(list, one->second);
        for (auto other = std::next(one); other != uses.end(); ++other) {
            const double cost =
                cost_of_mistake(program, one->second.front(), one->first, other->first);
            if (cost < 0) continue;
            swap_everywhere(list, one->second, other->second, cost + 0.1);
            swap_single_uses(list, one->second, other->second, cost + 0.2);
        }
    }
}

/// Exchanges neighbouring indices, as in tile[a][b], and neighbouring arguments or elements of
/// braces.
void list_swaps_of_parts(ChangeList& list, std::size_t open) {
    const Program& program = list.program();
    const std::size_t close = program.token(open).match;
    const auto exchange = [&](std::size_t first, std::size_t last, std::size_t other_first,
                              std::size_t other_last, double cost) {
        const std::string one = program.text_between(first, last);
        const std::string between = program.text().substr(
            program.token(last).end, program.token(other_first).begin - program.token(last).end);
        const std::string other = program.text_between(other_first, other_last);
        if (one != other) list.replace(first, other_last, other + between + one, cost);
    };
    const bool is_indexed_again = program.token(open).is("[") &&
                                  close + 2 < program.tokens().size() &&
                                  program.token(close + 1).is("[");
    if (is_indexed_again && close > open + 1) {
        const std::size_t end = program.token(close + 1).match;
        const std::string one = program.text_between(open, close),
                          other = program.text_between(close + 1, end);
        const std::size_t first = program.token(open - 1).is_word() ? open - 1 : open;
        const std::string array = first < open ? program.token(first).text : "";
        if (end > close + 2 && one != other) list.replace(first, end, array + other + one, 1.1);
    }
    if (program.token(open).is("[")) return;
    const auto parts = program.split_at_commas(open, close);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        // The order of the arguments of ceil_div, a quotient, is rarely mistaken.
        const double cost = program.token(open - 1).is("ceil_div") ? 1.8 : 1.4;
        exchange(parts[i].first, parts[i].second, parts[i + 1].first, parts[i + 1].second, cost);
    }
}

/// Exchanges threadIdx.x and threadIdx.y, or the like, in two successive statements.
void list_swaps_of_members(ChangeList& list, const Statement& one, const Statement& next) {
    const Program& program = list.program();
    for (const char* base : {"threadIdx", "blockIdx"}) {
        std::vector<std::pair<std::size_t, std::string>> changed;
        std::set<std::string> members;
        for (std::size_t i = one.first; i <= next.last; ++i) {
            const std::string& word = program.token(i).text;
            if (base_of(word) != base || member_of(word) == "z") continue;
            members.insert(member_of(word));
            changed.push_back({i, std::string(base) + (member_of(word) == "x" ? ".y" : ".x")});
        }
        if (members.size() == 2 && changed.size() == 2) list.replace_each(changed, 1.5);
    }
}

}  // namespace

void list_swaps(ChangeList& list) {
    const Program& program = list.program();
    for (const Statement& one : program.statements()) {
        if (has_text(one)) list_swaps_of_names(list, one);
        for (std::size_t i = 0; i + 1 < one.children.size(); ++i) {
            const Statement& child = program.statement(one.children[i]);
            const Statement& next = program.statement(one.children[i + 1]);
            const bool are_simple =
                child.kind == Statement::Kind::simple && next.kind == Statement::Kind::simple;
            if (are_simple) list_swaps_of_members(list, child, next);
        }
    }
    for (std::size_t i = 0; i < program.tokens().size(); ++i) {
        const bool opens = program.token(i).match > i && program.function_at(i);
        const bool is_body = program.token(i).is("{") && i > 0 &&
                             (program.token(i - 1).is(")") || program.token(i - 1).is("else"));
        const int around = program.statement_at(i);
        const bool is_header = around >= 0 && program.statement(around).open == i;
        const bool is_parameters = opens && program.function_at(i)->open == i;
        if (opens && !is_body && !is_header && !is_parameters) list_swaps_of_parts(list, i);
    }
}

}  // namespace coalesce::changes
