#include <algorithm>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// The three parts of a `for` loop's header, as first and last tokens. A part may be empty; its
/// first token is then behind its last.
struct LoopHeader {
    std::size_t start_first = 0, start_last = 0;
    std::size_t test_first = 0, test_last = 0;
    std::size_t step_first = 0, step_last = 0;
};

std::vector<LoopHeader> headers_of(const Program& program) {
    std::vector<LoopHeader> headers;
    for (const Statement& one : program.statements()) {
        if (one.kind != Statement::Kind::loop || !program.token(one.first).is("for")) continue;
        std::vector<std::size_t> ends;
        for (std::size_t i = one.open + 1; i < one.close; ++i) {
            if (program.token(i).match > i) i = program.token(i).match;
            if (program.token(i).is(";")) ends.push_back(i);
        }
        if (ends.size() != 2 || ends[0] <= one.open + 1 || ends[1] == ends[0] + 1 ||
            one.close == ends[1] + 1) {
            continue;
        }
        headers.push_back(
            {one.open + 1, ends[0] - 1, ends[0] + 1, ends[1] - 1, ends[1] + 1, one.close - 1});
    }
    return headers;
}

/// Returns the first of these tokens with one of the texts, or `last + 1` if there is none.
std::size_t find_token(const Program& program, std::size_t first, std::size_t last,
                       const std::set<std::string>& texts) {
    for (std::size_t i = first; i <= last; ++i) {
        if (texts.contains(program.token(i).text)) return i;
    }
    return last + 1;
}

const std::set<std::string> kComparisons = {"<", "<=", ">", ">=", "!="};

/// Replaces the tokens from `first` to `last` by each of the expressions.
void replace_by(ChangeList& list, std::size_t first, std::size_t last,
                const std::set<std::string>& expressions, double cost) {
    const std::string written = list.program().text_between(first, last);
    for (const std::string& one : expressions) {
        if (one != written) list.replace(first, last, one, cost);
    }
}

/// Returns the integers that can be used at a token: declared names, and the sizes of the launch.
std::set<std::string> integers_at(const Program& program, std::size_t token) {
    std::set<std::string> names;
    for (const Name& one : program.names()) {
        if (one.is_visible_at(token) && one.is_integer()) names.insert(one.text);
    }
    return names;
}

std::set<std::string> starts_in(const Program& program, const std::vector<LoopHeader>& headers) {
    std::set<std::string> starts = {"0", "1", "threadIdx.x", "threadIdx.y",
                                    "blockIdx.x * blockDim.x + threadIdx.x"};
    for (const LoopHeader& one : headers) {
        const std::size_t equals = find_token(program, one.start_first, one.start_last, {"="});
        if (equals < one.start_last) {
            starts.insert(program.text_between(equals + 1, one.start_last));
        }
    }
    return starts;
}

std::set<std::string> steps_in(const Program& program, const std::vector<LoopHeader>& headers) {
    std::set<std::string> steps = {"blockDim.x", "blockDim.y", "gridDim.x * blockDim.x",
                                   "blockDim.x * blockDim.y"};
    for (const LoopHeader& one : headers) {
        const std::size_t adds = find_token(program, one.step_first, one.step_last, {"+="});
        if (adds < one.step_last) steps.insert(program.text_between(adds + 1, one.step_last));
    }
    return steps;
}

void list_start_changes(ChangeList& list, const LoopHeader& header,
                        const std::set<std::string>& starts) {
    const Program& program = list.program();
    const std::size_t equals = find_token(program, header.start_first, header.start_last, {"="});
    if (equals >= header.start_last) return;
    replace_by(list, equals + 1, header.start_last, starts, 1.7);
    replace_by(list, equals + 1, header.start_last, integers_at(program, header.start_first), 2.2);
}

void list_bound_changes(ChangeList& list, const LoopHeader& header) {
    const Program& program = list.program();
    const std::size_t compares =
        find_token(program, header.test_first, header.test_last, kComparisons);
    if (compares >= header.test_last) return;
    const std::set<std::string> bounds = integers_at(program, compares);
    if (header.test_last > compares + 1) {
        replace_by(list, compares + 1, header.test_last, bounds, 1.8);
    }
    const std::string bound = program.text_between(compares + 1, header.test_last);
    list.replace(compares + 1, header.test_last, bound + " - 1", 1.9);
    list.replace(compares + 1, header.test_last, bound + " + 1", 1.9);
}

void list_step_changes(ChangeList& list, const LoopHeader& header,
                       const std::set<std::string>& steps) {
    const Program& program = list.program();
    const std::size_t adds = find_token(program, header.step_first, header.step_last, {"+="});
    const std::size_t counts = find_token(program, header.step_first, header.step_last, {"++"});
    std::set<std::string> all = integers_at(program, header.step_first);
    all.insert(steps.begin(), steps.end());
    if (adds < header.step_last) {
        replace_by(list, adds + 1, header.step_last, all, 1.8);
        list.replace(adds, header.step_last, "++", 2.0);
    }
    if (counts > header.step_last || header.step_last != header.step_first + 1) return;
    const std::string counter = counts == header.step_first ? program.token(header.step_last).text
                                                            : program.token(header.step_first).text;
    for (const std::string& step : all) {
        if (step == counter) continue;
        list.replace(header.step_first, header.step_last, counter + " += " + step, 1.5);
    }
}

}  // namespace

void list_loop_changes(ChangeList& list) {
    const Program& program = list.program();
    const std::vector<LoopHeader> headers = headers_of(program);
    const std::set<std::string> starts = starts_in(program, headers);
    const std::set<std::string> steps = steps_in(program, headers);
    for (const LoopHeader& one : headers) {
        list_start_changes(list, one, starts);
        list_bound_changes(list, one);
        list_step_changes(list, one, steps);
    }
}

}  // namespace coalesce::changes
