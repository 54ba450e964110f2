#include "examiner/index_sums.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"

namespace coalesce {

/// Parses an expression. The text is untrusted, so the depth and the number of terms have limits.
class IndexSumParser {
public:
    IndexSumParser(const std::string& the_text, std::string expression, int the_line, int depth)
        : text_(the_text), expression_(std::move(expression)), line_(the_line), depth_(depth) {}

    std::optional<IndexSum> parse() {
        const IndexSum found = sum();
        skip_blanks();
        if (!is_good_ || at_ != expression_.size()) return std::nullopt;
        return found;
    }

private:
    static constexpr int kMostDepth = 8;
    static constexpr std::size_t kMostTerms = 24;

    void skip_blanks() {
        while (at_ < expression_.size() &&
               std::isspace(static_cast<unsigned char>(expression_[at_])))
            ++at_;
    }
    char peek() {
        skip_blanks();
        return at_ < expression_.size() ? expression_[at_] : '\0';
    }
    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }
    IndexSum named(const std::string& name) const {
        IndexSum found;
        found.terms_[{name}] = 1;
        return found;
    }
    IndexSum number(long long value) const {
        IndexSum found;
        if (value != 0) found.terms_[{}] = value;
        return found;
    }

    IndexSum sum() {
        IndexSum found;
        const bool is_negative = take('-');
        found = found.combined(product(), is_negative ? -1 : 1);
        while (is_good_ && (peek() == '+' || peek() == '-')) {
            const bool adds = expression_[at_++] == '+';
            found = found.combined(product(), adds ? 1 : -1);
            is_good_ &= found.terms_.size() <= kMostTerms;
        }
        return found;
    }
    IndexSum product() {
        skip_blanks();
        const std::size_t begin = at_;
        IndexSum found = factor();
        while (is_good_) {
            if (take('*')) {
                found = found.multiplied(factor());
            } else if (peek() == '/' || peek() == '%') {
                ++at_;
                factor();
                std::string whole;
                for (const char letter : expression_.substr(begin, at_ - begin)) {
                    if (!std::isspace(static_cast<unsigned char>(letter))) whole += letter;
                }
                found = named(whole);
            } else {
                break;
            }
        }
        return found;
    }
    IndexSum factor() {
        if (!is_good_) return {};
        if (take('(')) {
            if (++nested_ > 32) is_good_ = false;
            const IndexSum found = sum();
            --nested_;
            is_good_ &= take(')');
            return found;
        }
        skip_blanks();
        const std::size_t begin = at_;
        while (at_ < expression_.size() &&
               (std::isalnum(static_cast<unsigned char>(expression_[at_])) ||
                expression_[at_] == '_' || expression_[at_] == '.'))
            ++at_;
        return value_of(expression_.substr(begin, at_ - begin));
    }
    IndexSum value_of(const std::string& word) {
        constexpr std::size_t most_digits = 9;
        if (word.empty()) {
            is_good_ = false;
            return {};
        }
        if (word.find_first_not_of("0123456789") == word.npos) {
            is_good_ &= word.size() <= most_digits;
            return is_good_ ? number(std::stoll(word)) : IndexSum{};
        }
        if ((word == "int" || word == "unsigned") && peek() == '(') return factor();
        if (peek() == '(' || peek() == '[' ||
            std::isdigit(static_cast<unsigned char>(word.front()))) {
            is_good_ = false;  // a call, or an element of an array
            return {};
        }
        return value_of_variable(word);
    }
    IndexSum value_of_variable(const std::string& word) {
        const bool is_constant = std::isupper(static_cast<unsigned char>(word.front())) != 0;
        if (is_constant || word.find('.') != word.npos) return named(word);
        const std::vector<Loop> loops = find_loops(text_);
        const bool is_counter =
            std::ranges::any_of(loops, [&](const Loop& loop) { return loop.counter == word; });
        const int assigned = find_assignment_line(text_, word, line_);
        if (is_counter || assigned == 0) return named(word);
        // The value of a variable that is changed in place, as in `row += 4`, is not known.
        const TextPattern changes("\\b" + word + R"(\s*(?:\+\+|--|[-+*/%^|&]=)|(?:\+\+|--)\s*)" +
                                  word + "\\b");
        const std::string code = code_for_search(text_);
        if (contains(code, changes) || depth_ >= kMostDepth) {
            is_good_ = false;
            return {};
        }
        const std::string value = assigned_value(text_, word, line_);
        if (value.find_first_of("/%?") != value.npos) return named(word);
        const auto found = IndexSumParser(text_, value, assigned, depth_ + 1).parse();
        return found ? *found : named(word);
    }

    const std::string& text_;
    const std::string expression_;
    const int line_, depth_;
    std::size_t at_ = 0;
    int nested_ = 0;
    bool is_good_ = true;
};

std::optional<IndexSum> IndexSum::parse(const std::string& text, const std::string& expression,
                                        int line) {
    constexpr std::size_t longest = 300;
    if (expression.size() > longest) return std::nullopt;
    return IndexSumParser(text, expression, line, 0).parse();
}

IndexSum IndexSum::combined(const IndexSum& other, long long factor) const {
    IndexSum found = *this;
    for (const auto& [product, count] : other.terms_) {
        const auto at = found.terms_.try_emplace(product, 0).first;
        at->second += factor * count;
        if (at->second == 0) found.terms_.erase(at);
    }
    return found;
}

IndexSum IndexSum::multiplied(const IndexSum& other) const {
    constexpr long long limit = 1LL << 30;
    IndexSum found;
    for (const auto& [one, count] : terms_) {
        for (const auto& [two, times] : other.terms_) {
            Product product = one;
            product.insert(product.end(), two.begin(), two.end());
            std::sort(product.begin(), product.end());
            const auto at = found.terms_.try_emplace(product, 0).first;
            at->second = std::clamp(
                at->second + std::clamp(count, -limit, limit) * std::clamp(times, -limit, limit),
                -limit, limit);
            if (at->second == 0) found.terms_.erase(at);
        }
    }
    return found;
}

IndexSum IndexSum::plus(long long number) const {
    IndexSum one;
    if (number != 0) one.terms_[{}] = number;
    return combined(one, 1);
}

long long IndexSum::constant() const {
    const auto found = terms_.find({});
    return found == terms_.end() ? 0 : found->second;
}

long long IndexSum::factor_of(const std::string& name) const {
    const auto found = terms_.find({name});
    return found == terms_.end() ? 0 : found->second;
}

bool IndexSum::has_no_negative_term() const {
    return std::ranges::all_of(terms_, [](const auto& term) { return term.second >= 0; });
}

bool IndexSum::is_constant() const {
    return std::ranges::all_of(terms_, [](const auto& term) {
        return std::ranges::all_of(term.first, [](const std::string& name) {
            return std::isupper(static_cast<unsigned char>(name.front())) != 0;
        });
    });
}

std::vector<std::string> IndexSum::varying_names(const std::string& text, int line) const {
    const std::vector<Loop> loops = find_loops(text);
    const auto varies = [&](const std::string& name) {
        if (name.find('.') != name.npos && name.find_first_of("/%") == name.npos)
            return name.starts_with("threadIdx");
        static const TextPattern built_in(R"(\b(?:blockIdx|blockDim|gridDim)\.[xyz])");
        const std::string whole = expand(text, name, line);
        std::string expanded = whole;
        for (const TextMatch& one : find_matches(whole, built_in))
            expanded.replace(one.position(), one.length(), one.length(), ' ');
        return expanded.find("threadIdx") != expanded.npos ||
               std::ranges::any_of(loops, [&](const Loop& loop) {
                   return !loop.counter.empty() && contains_word(expanded, loop.counter);
               });
    };
    std::vector<std::string> names;
    for (const auto& [product, count] : terms_) {
        for (const std::string& name : product) {
            if (varies(name) && std::ranges::count(names, name) == 0) names.push_back(name);
        }
    }
    return names;
}

bool IndexSum::is_zero_with_constants(const std::string& text) const {
    IndexSum numeric;
    for (const auto& [product, count] : terms_) {
        long long value = count;
        Product names;
        for (const std::string& name : product) {
            const auto known = constant_value(text, name);
            if (known && value < (1LL << 30)) {
                value *= *known;
            } else {
                names.push_back(name);
            }
        }
        const auto at = numeric.terms_.try_emplace(names, 0).first;
        at->second += value;
        if (at->second == 0) numeric.terms_.erase(at);
    }
    return numeric.is_zero();
}

bool IndexSum::is_multiple_of(const std::string& text, long long number) const {
    return std::ranges::all_of(terms_, [&](const auto& term) {
        long long value = term.second % number;
        for (const std::string& name : term.first)
            value = value * (constant_value(text, name).value_or(1) % number) % number;
        return value == 0;
    });
}

std::string IndexSum::format() const {
    std::string text;
    // Put terms with names first, and the constant term last.
    std::vector<std::pair<Product, long long>> order(terms_.begin(), terms_.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& one, const auto& two) {
        const auto rank = [](const auto& term) {
            if (term.first.empty()) return 4;
            const std::string& name = *std::ranges::max_element(
                term.first, {}, [](const std::string& one) { return one.find('.') != one.npos; });
            if (term.second < 0) return 3;
            return name.starts_with("blockIdx") ? 0 : name.starts_with("threadIdx") ? 1 : 2;
        };
        return rank(one) < rank(two);
    });
    for (const auto& [product, count] : order) {
        const long long size = count < 0 ? -count : count;
        std::string term;
        // Put built-in variables first, as in `threadIdx.x * 4` and `blockIdx.x * TILE_DIM`.
        Product names = product;
        std::stable_sort(
            names.begin(), names.end(), [](const std::string& one, const std::string& two) {
                const auto rank_of = [](const std::string& factor) {
                    if (factor.find('.') != factor.npos) return 0;
                    return std::isupper(static_cast<unsigned char>(factor.front())) ? 2 : 1;
                };
                return rank_of(one) < rank_of(two);
            });
        for (const std::string& name : names) term += (term.empty() ? "" : " * ") + name;
        if (term.empty()) {
            term = std::to_string(size);
        } else if (size != 1) {
            term += " * " + std::to_string(size);
        }
        if (text.empty()) {
            text = (count < 0 ? "-" : "") + term;
        } else {
            text += (count < 0 ? " - " : " + ") + term;
        }
    }
    return text.empty() ? "0" : text;
}

}  // namespace coalesce
