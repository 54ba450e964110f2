#include "grader/judge/ptx_rules.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>

#include "grader/judge/ptx_tokens.h"
#include "kernel/compile.h"
#include "kernel/wrapper.h"

namespace coalesce::grader {
namespace {

using Names = std::set<std::string_view>;

/// Instructions that compute, move data and synchronise. All others are refused: timers, policies,
/// traps, textures, clusters, whatever comes.
const Names& allowed_instructions() {
    static const Names names = {
        "abs",     "activemask", "add",    "addc",  "and",      "atom",      "bar",
        "barrier", "bfe",        "bfi",    "bfind", "bmsk",     "bra",       "brev",
        "brx",     "call",       "clz",    "cnot",  "copysign", "cos",       "cp",
        "cvt",     "cvta",       "div",    "dp2a",  "dp4a",     "elect",     "ex2",
        "exit",    "fence",      "fma",    "fns",   "isspacep", "ld",        "ldmatrix",
        "ldu",     "lg2",        "lop3",   "mad",   "mad24",    "madc",      "match",
        "max",     "mbarrier",   "membar", "min",   "mov",      "movmatrix", "mul",
        "mul24",   "neg",        "not",    "or",    "popc",     "prefetch",  "prefetchu",
        "prmt",    "rcp",        "red",    "redux", "rem",      "ret",       "rsqrt",
        "sad",     "selp",       "set",    "setp",  "shf",      "shfl",      "shl",
        "shr",     "sin",        "slct",   "sqrt",  "st",       "stmatrix",  "sub",
        "subc",    "szext",      "tanh",   "testp", "vote",     "xor"};
    return names;
}

/// What a statement may begin with if it is no instruction.
const Names& allowed_directives() {
    static const Names names = {
        ".version", ".target",  ".address_size", ".visible", ".weak",          ".func",
        ".entry",   ".extern",  ".global",       ".const",   ".shared",        ".local",
        ".param",   ".reg",     ".file",         ".loc",     ".section",       ".pragma",
        ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".branchtargets", ".noreturn"};
    return names;
}

/// Those that end with their line, not with a semicolon.
const Names& directives_of_a_line() {
    static const Names names = {".version", ".target",  ".address_size", ".file",    ".loc",
                                ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".noreturn"};
    return names;
}

/// Registers of the device that tell more than a thread's place, and what allows them.
const std::map<std::string_view, std::string_view>& special_registers() {
    static const std::map<std::string_view, std::string_view> names = {
        {"%clock", "clock"},       {"%clock64", "clock"},        {"%clock_hi", "clock"},
        {"%globaltimer", "clock"}, {"%globaltimer_lo", "clock"}, {"%globaltimer_hi", "clock"},
        {"%smid", "smid"},         {"%nsmid", "smid"},           {"%warpid", "smid"},
        {"%nwarpid", "smid"},      {"%gridid", "smid"}};
    return names;
}

/// Functions that are not in the module, and what allows them.
const std::map<std::string_view, std::string_view>& known_externs() {
    static const std::map<std::string_view, std::string_view> names = {{"vprintf", "printf"},
                                                                       {"__assertfail", "printf"},
                                                                       {"malloc", "malloc"},
                                                                       {"free", "malloc"}};
    return names;
}

std::size_t bytes_of_type(std::string_view type) {
    if (type.ends_with("64")) return 8;
    if (type.ends_with("32")) return 4;
    if (type.ends_with("16")) return 2;
    return 1;
}

std::size_t number_in(std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // What is no number is as large as it gets.
    return error == std::errc() && end == text.data() + text.size() ? number : SIZE_MAX / 4;
}

/// The statements of a module, one after the other.
class Looker {
public:
    Looker(std::string_view ptx, const PtxRules& rules) : text_(tokens_of(ptx)), rules_(rules) {}
    PtxProblem look();

private:
    using Tokens = std::span<const PtxToken>;

    void find_files();
    bool allows(std::string_view what) const {
        return std::find(rules_.allow.begin(), rules_.allow.end(), what) != rules_.allow.end();
    }
    void refuse(const std::string& what, const std::string& next = "");
    void forged(const std::string& what);
    void too_large(const std::string& what, std::size_t has, std::size_t most);

    void next_statement();
    Tokens until_line_ends();
    Tokens until_statement_ends();
    void directive(Tokens statement);
    void variable(Tokens statement);
    void external(Tokens statement);
    void entry(Tokens statement);
    void instruction(Tokens statement);
    void place(Tokens statement);
    void brace(const PtxToken& token);
    void skip_section();
    void check_registers(Tokens statement);
    void follow_variables(Tokens instruction);
    std::size_t array_bytes(Tokens statement) const;
    void look_at_end();

    PtxText text_;
    const PtxRules& rules_;
    std::size_t at_ = 0;
    int depth_ = 0, inline_depth_ = 0;
    int line_ = 0;
    std::set<int> learners_files_;
    std::set<std::string_view> constants_;  ///< variables in global memory that are only read
    std::set<std::string_view> addresses_;  ///< registers that hold an address of theirs
    std::map<std::string_view, int> entries_;
    std::size_t shared_ = 0, local_ = 0, global_ = 0;
    PtxProblem problem_;
};

void Looker::refuse(const std::string& what, const std::string& next) {
    if (!problem_.ok()) return;
    problem_ = {PtxProblem::Kind::refused, what,
                next.empty() ? "Take it out: the assignment needs nothing of the kind." : next,
                line_};
}

void Looker::forged(const std::string& what) {
    if (problem_.kind == PtxProblem::Kind::forged) return;
    problem_ = {PtxProblem::Kind::forged, what, "Write the kernel in CUDA C++.", line_};
}

void Looker::too_large(const std::string& what, std::size_t has, std::size_t most) {
    if (!problem_.ok() || has <= most) return;
    problem_ = {PtxProblem::Kind::too_large,
                what + " take " + (has < SIZE_MAX / 4 ? std::to_string(has) : "far too many") +
                    " bytes; the assignment allows " + std::to_string(most) + ".",
                "Make it smaller: a tile of 32 x 33 floats has 4224 bytes.", 0};
}

/// The .file directives stand at the end; lines are told by their numbers.
void Looker::find_files() {
    for (std::size_t i = 0; i + 2 < text_.tokens.size(); ++i) {
        if (text_.tokens[i].text != ".file" || text_.tokens[i].is_inline) continue;
        const std::string name = "\"" + std::string(learners_file) + "\"";
        if (text_.tokens[i + 2].text == name) {
            learners_files_.insert(static_cast<int>(number_in(text_.tokens[i + 1].text)));
        }
    }
}

PtxProblem Looker::look() {
    if (text_.is_broken) {
        refuse("the compiler's output is no PTX.", "Is there inline assembly in the file?");
        return problem_;
    }
    if (text_.has_forged_marks) forged("inline assembly pretends to end where it does not.");
    find_files();
    while (at_ < text_.tokens.size() && problem_.kind != PtxProblem::Kind::forged) next_statement();
    look_at_end();
    return problem_;
}

void Looker::next_statement() {
    const PtxToken& first = text_.tokens[at_];
    if (first.text == "{" || first.text == "}") {
        brace(first);
        ++at_;
    } else if (first.text == ";") {
        ++at_;
    } else if (at_ + 1 < text_.tokens.size() && text_.tokens[at_ + 1].text == ":") {
        at_ += 2;  // a label
    } else if (directives_of_a_line().contains(first.text)) {
        directive(until_line_ends());
    } else if (first.text == ".section") {
        directive(Tokens(text_.tokens).subspan(at_, 1));
        skip_section();
    } else if (first.begins(".")) {
        directive(until_statement_ends());
    } else {
        instruction(until_statement_ends());
    }
}

Looker::Tokens Looker::until_line_ends() {
    const std::size_t begin = at_;
    const int line = text_.tokens[at_].line;
    while (at_ < text_.tokens.size() && text_.tokens[at_].line == line) ++at_;
    return Tokens(text_.tokens).subspan(begin, at_ - begin);
}

/// To the semicolon; or to the brace that begins a function's body. The braces of initial values and
/// of vectors belong to the statement.
Looker::Tokens Looker::until_statement_ends() {
    const std::size_t begin = at_;
    bool is_function = false, has_value = false;
    int inner = 0;
    for (; at_ < text_.tokens.size(); ++at_) {
        const std::string_view word = text_.tokens[at_].text;
        is_function |= word == ".entry" || word == ".func";
        has_value |= word == "=";
        if (word == ";") {
            ++at_;
            break;
        }
        if (word == "{" && is_function && !has_value) break;
        inner += word == "{";
        inner -= word == "}";
        if (inner < 0) break;
    }
    return Tokens(text_.tokens).subspan(begin, at_ - begin);
}

void Looker::brace(const PtxToken& token) {
    const int step = token.text == "{" ? 1 : -1;
    depth_ += step;
    if (token.is_inline) inline_depth_ += step;
    if (depth_ < 0 || inline_depth_ < 0)
        forged("inline assembly closes a brace that is not its own.");
    if (!token.is_inline && inline_depth_ != 0) {
        forged("inline assembly leaves a brace open.");
    }
}

/// Names for a debugger: numbers and labels within braces.
void Looker::skip_section() {
    ++at_;
    while (at_ < text_.tokens.size() && text_.tokens[at_].text != "{") ++at_;
    while (at_ < text_.tokens.size() && text_.tokens[at_].text != "}") {
        if (text_.tokens[at_].begins("%")) refuse("a section of the module has instructions.");
        ++at_;
    }
    ++at_;
}

void Looker::directive(Tokens statement) {
    const std::string_view name = statement.front().text;
    if (statement.front().is_inline && name != ".reg") {
        return forged("inline assembly has the directive '" + std::string(name) +
                      "': only the compiler writes those.");
    }
    if (!allowed_directives().contains(name)) {
        return refuse("the compiled kernel has the directive '" + std::string(name) + "'.");
    }
    const auto has = [&](std::string_view word) {
        return std::any_of(statement.begin(), statement.end(),
                           [&](const PtxToken& token) { return token.text == word; });
    };
    if (name == ".loc") return place(statement);
    if (name == ".pragma" && !has("\"nounroll\""))
        return refuse("the compiled kernel has a pragma.");
    if (has(".extern")) return external(statement);
    if (has(".entry")) return entry(statement);
    variable(statement);
}

void Looker::place(Tokens statement) {
    if (statement.size() < 3) return;
    const int file = static_cast<int>(number_in(statement[1].text));
    const auto line = static_cast<int>(number_in(statement[2].text));
    if (learners_files_.contains(file) && line > 0) line_ = line;
}

void Looker::external(Tokens statement) {
    const auto has = [&](std::string_view word) {
        return std::any_of(statement.begin(), statement.end(),
                           [&](const PtxToken& token) { return token.text == word; });
    };
    if (has(".shared")) return;  // whose size the launch gives
    for (const auto& [function, needed] : known_externs()) {
        if (!has(function)) continue;
        if (!allows(needed)) {
            refuse(function == "vprintf"        ? "the kernel prints."
                   : function == "__assertfail" ? "the kernel has an assert."
                                                : "the kernel calls malloc or free.",
                   "Take it out before you hand the file in.");
        }
        return;
    }
    refuse("the kernel uses something that is not in the file.");
}

void Looker::entry(Tokens statement) {
    std::string_view name;
    std::string types;
    for (std::size_t i = 0; i + 1 < statement.size(); ++i) {
        if (statement[i].text == ".entry") name = statement[i + 1].text;
        if (statement[i].text == ".param") {
            types += std::to_string(8 * bytes_of_type(statement[i + 1].text)) + " ";
        }
    }
    ++entries_[name];
    const bool has_body = at_ < text_.tokens.size() && text_.tokens[at_].text == "{";
    if (!has_body) refuse("a kernel of the compiled file has no body.");
    const bool is_kernel = name == rules_.entry;
    if (is_kernel && types != "64 64 32 32 ")
        forged("the kernel's arguments are not those of the task.");
    if (name == configure_entry && types != "64 32 32 ")
        forged("another configure is hidden in the file.");
    line_ = 0;
    addresses_.clear();
}

std::size_t Looker::array_bytes(Tokens statement) const {
    std::size_t bytes = 1;
    for (std::size_t i = 0; i + 1 < statement.size(); ++i) {
        const std::string_view word = statement[i].text;
        if (word == "=") break;
        if (word == ".align") continue;
        const bool is_type = word.size() >= 3 && word[0] == '.' && word.size() <= 4 &&
                             std::string_view("bsuf").find(word[1]) != std::string_view::npos &&
                             word[2] >= '0' && word[2] <= '9';
        if (is_type) bytes = bytes_of_type(word);
        if (word == ".v2") bytes *= 2;
        if (word == ".v4") bytes *= 4;
        if (word != "[") continue;
        const std::size_t count = number_in(statement[i + 1].text);
        bytes = count > 0 && bytes > SIZE_MAX / 4 / count ? SIZE_MAX / 4 : bytes * count;
    }
    return bytes;
}

void Looker::variable(Tokens statement) {
    const auto sum = [&](std::size_t& total) {
        total = std::min(total + array_bytes(statement), SIZE_MAX / 4);
    };
    const auto find = [&](std::string_view word) {
        return std::find_if(statement.begin(), statement.end(),
                            [&](const PtxToken& token) { return token.text == word; });
    };
    if (find(".func") != statement.end()) {
        line_ = 0;
        addresses_.clear();
    } else if (find(".shared") != statement.end()) {
        sum(shared_);
    } else if (find(".local") != statement.end()) {
        sum(local_);
    } else if (find(".global") != statement.end()) {
        sum(global_);
        if (allows("global")) return;
        if (find(".attribute") != statement.end()) {
            return refuse("the file has a variable that the host shares (__managed__).",
                          "Let the kernel work with its arguments alone.");
        }
        const auto after =
            std::find_if(statement.begin(), statement.end(), [](const PtxToken& token) {
                return token.text == "[" || token.text == "=" || token.text == ";";
            });
        if (after != statement.begin() && after != statement.end()) {
            constants_.insert((after - 1)->text);
        }
    }
}

void Looker::check_registers(Tokens statement) {
    for (const PtxToken& token : statement) {
        if (!token.begins("%")) continue;
        const std::string_view name = token.text.substr(0, token.text.find('.'));
        const auto found = special_registers().find(name);
        const bool is_special = found != special_registers().end()
                                    ? !allows(found->second)
                                    : name.starts_with("%pm") || name.starts_with("%envreg");
        if (is_special) {
            return refuse("the kernel reads " + std::string(name) + ".",
                          "Take out what asks for times, or for the place where it runs.");
        }
    }
}

void Looker::instruction(Tokens statement) {
    std::size_t first = 0;
    if (statement.front().text == "@") {
        first = 1;
        if (first < statement.size() && statement[first].text == "!") ++first;
        ++first;
    }
    if (first >= statement.size()) return refuse("the compiled kernel is no PTX.");
    const std::string_view word = statement[first].text;
    const std::string_view name = word.substr(0, word.find('.'));
    if (depth_ == 0) return forged("there are instructions outside of any function.");
    const bool is_policy = name == "createpolicy" || word.find("cache_hint") != word.npos ||
                           word.find("evict_last") != word.npos;
    const bool is_allowed =
        is_policy ? allows("createpolicy") : allowed_instructions().contains(name);
    if (!is_allowed) {
        return refuse(is_policy
                          ? "the kernel asks the cache to keep data ('" + std::string(word) + "')."
                          : "the kernel uses '" + std::string(name) + "'.");
    }
    check_registers(statement);
    follow_variables(statement.subspan(first));
}

/// Tables in global memory may be read, not changed: registers with their addresses are followed as
/// far as straight code goes. (What slips through is gone with its launch: each has a process.)
void Looker::follow_variables(Tokens instruction) {
    const std::string_view word = instruction.front().text;
    const std::string_view name = word.substr(0, word.find('.'));
    const auto is_address = [&](const PtxToken& token) {
        return constants_.contains(token.text) || addresses_.contains(token.text);
    };
    if (name == "st" || name == "atom" || name == "red") {
        for (std::size_t i = 0; i + 1 < instruction.size(); ++i) {
            if (instruction[i].text == "[" && is_address(instruction[i + 1])) {
                refuse(
                    "the file has a variable in global memory (__device__) that the kernel "
                    "changes.",
                    "Let the kernel work with its arguments alone.");
            }
        }
    } else if (name != "ld" && name != "setp" && instruction.size() > 2) {
        const Tokens sources = instruction.subspan(2);
        if (std::any_of(sources.begin(), sources.end(), is_address)) {
            addresses_.insert(instruction[1].text);
        }
    }
}

void Looker::look_at_end() {
    if (depth_ != 0 || inline_depth_ != 0)
        forged("the braces of the compiled kernel do not match.");
    const auto count = [&](std::string_view name) {
        const auto found = entries_.find(name);
        return found == entries_.end() ? 0 : found->second;
    };
    if (count(rules_.entry) != 1 || count(configure_entry) != 1) {
        forged("the compiled file has not exactly one kernel and one configure.");
    }
    too_large("its __shared__ arrays", shared_, rules_.most_shared);
    too_large("arrays of each thread", local_, rules_.most_local);
    too_large("tables in global memory", global_, std::size_t{1} << 20);
}

}  // namespace

PtxProblem look_at_ptx(std::string_view ptx, const PtxRules& rules) {
    if (ptx.size() > rules.most_bytes) {
        return {
            PtxProblem::Kind::too_large,
            "the compiled kernel has more than " + std::to_string(rules.most_bytes >> 10) + " KB.",
            "Unroll less: a kernel of this course has about 10 KB.", 0};
    }
    return Looker(ptx, rules).look();
}

}  // namespace coalesce::grader
