#include "examiner/changes/change.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace coalesce::changes {

std::string make_change(const Change& change, const std::string& text) {
    std::string changed = text;
    for (auto edit = change.edits.rbegin(); edit != change.edits.rend(); ++edit) {
        changed.replace(edit->begin, edit->end - edit->begin, edit->text);
    }
    return changed;
}

std::string in_one_line(const std::string& text) {
    std::string line;
    for (const char c : text) {
        const bool is_blank = std::isspace(static_cast<unsigned char>(c));
        if (!is_blank) line += c;
        if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
    }
    return trimmed(line);
}

std::string describe(const Change& change) {
    if (!change.clause.empty()) return change.clause + ", the kernel passes every check.";
    return "Line " + std::to_string(change.line) + " reads `" + change.before + "` where `" +
           change.after + "` would make the kernel pass every check.";
}

void ChangeList::replace(std::size_t first, std::size_t last, const std::string& text,
                         double cost) {
    const auto& tokens = program_.tokens();
    Change change{.edits = {{tokens[first].begin, tokens[last].end, text}},
                  .line = tokens[first].line,
                  .cost = cost};
    show(change, first, last);
    changes_.push_back(std::move(change));
}

void ChangeList::replace_each(const std::vector<std::pair<std::size_t, std::string>>& tokens,
                              double cost) {
    Change change{.line = program_.token(tokens.front().first).line, .cost = cost};
    for (const auto& [token, text] : tokens) {
        change.edits.push_back({program_.token(token).begin, program_.token(token).end, text});
    }
    show(change, tokens.front().first, tokens.back().first);
    changes_.push_back(std::move(change));
}

void ChangeList::add(Change change) {
    changes_.push_back(std::move(change));
}

/// Reports whether the text of these tokens occurs only once in the line of the first token.
bool ChangeList::is_once_in_line(std::size_t first, std::size_t last) const {
    const auto& tokens = program_.tokens();
    const std::size_t count = last - first + 1;
    int times = 0;
    for (std::size_t i = 0; i + count <= tokens.size(); ++i) {
        if (tokens[i].line != tokens[first].line) continue;
        bool is_same = true;
        for (std::size_t k = 0; k < count && is_same; ++k) {
            is_same = tokens[i + k].text == tokens[first + k].text;
        }
        times += is_same;
    }
    return times <= 1;
}

/// Sets the texts before and after the change. They begin and end with whole operands, and are long
/// enough to occur only once in the line.
void ChangeList::show(Change& change, std::size_t first, std::size_t last) const {
    const auto& tokens = program_.tokens();
    const auto ends_text = [&](const Token& token) {
        return token.is(";") || token.is(",") || token.is("{") || token.is("}");
    };
    const auto widen_left = [&] {
        if (first == 0 || ends_text(tokens[first - 1])) return;
        const bool opens = tokens[first - 1].match > first - 1;
        if (opens && tokens[first - 1].match > last) return;
        first = program_.begin_of_operand(first - 1);
    };
    const auto widen_right = [&] {
        if (last + 1 >= tokens.size() || ends_text(tokens[last + 1])) return;
        const bool closes = tokens[last + 1].match < first;
        if (closes) return;
        last = program_.end_of_operand(last + 1);
    };
    if (tokens[first].kind == Token::Kind::symbol) widen_left();
    if (tokens[last].kind == Token::Kind::symbol) widen_right();
    constexpr int most_steps = 4;
    for (int step = 0; step < most_steps && !is_once_in_line(first, last); ++step) {
        const std::size_t old_first = first, old_last = last;
        widen_right();
        if (last == old_last || tokens[last].kind == Token::Kind::symbol) widen_right();
        if (first == old_first && last == old_last) widen_left();
    }
    // Show whole indices: `sums[j][i]`, not `j][i`.
    for (std::size_t i = first; i <= last; ++i) {
        if (tokens[i].is("]") && tokens[i].match < first) first = program_.begin_of_operand(i);
        if (tokens[i].is("[") && tokens[i].match > last) last = tokens[i].match;
    }
    const std::size_t begin = tokens[first].begin, end = tokens[last].end;
    change.shown_begin = begin;
    change.shown_end = end;
    Change inner = change;
    for (Edit& edit : inner.edits) {
        edit.begin -= begin;
        edit.end -= begin;
    }
    const std::string text = program_.text().substr(begin, end - begin);
    change.before = in_one_line(text);
    change.after = in_one_line(make_change(inner, text));
}

}  // namespace coalesce::changes
