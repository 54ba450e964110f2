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
    IndexSumParser(const std::string& text, std::string expression, int line, int depth)
        : text_(text), expression_(std::move(expression)), line_(line), depth_(depth) {}

    std::optional<IndexSum> parse() {
        const IndexSum result = sum();
        skip_blanks();
        if (!is_valid_ || position_ != expression_.size()) return std::nullopt;
        return result;
    }

private:
    static constexpr int kMaxNesting = 8;
    static constexpr std::size_t kMaxTerms = 24;

    void skip_blanks() {
        while (position_ < expression_.size() &&
               std::isspace(static_cast<unsigned char>(expression_[position_])))
            ++position_;
    }
    char peek() {
        skip_blanks();
        return position_ < expression_.size() ? expression_[position_] : '\0';
    }
    bool accept_character(char expected_character) {
        if (peek() != expected_character) return false;
        ++position_;
        return true;
    }
    IndexSum make_variable(const std::string& name) const {
        IndexSum result;
        result.terms_[{name}] = 1;
        return result;
    }
    IndexSum number(long long value) const {
        IndexSum result;
        if (value != 0) result.terms_[{}] = value;
        return result;
    }

    IndexSum sum() {
        IndexSum result;
        const bool is_negative = accept_character('-');
        result = result.add_multiple(product(), is_negative ? -1 : 1);
        while (is_valid_ && (peek() == '+' || peek() == '-')) {
            const bool is_plus = expression_[position_++] == '+';
            result = result.add_multiple(product(), is_plus ? 1 : -1);
            is_valid_ &= result.terms_.size() <= kMaxTerms;
        }
        return result;
    }
    IndexSum product() {
        skip_blanks();
        const std::size_t begin = position_;
        IndexSum result = factor();
        while (is_valid_) {
            if (accept_character('*')) {
                result = result.multiply(factor());
            } else if (peek() == '/' || peek() == '%') {
                ++position_;
                factor();
                std::string number_text;
                for (const char letter : expression_.substr(begin, position_ - begin)) {
                    if (!std::isspace(static_cast<unsigned char>(letter))) number_text += letter;
                }
                result = make_variable(number_text);
            } else {
                break;
            }
        }
        return result;
    }
    IndexSum factor() {
        if (!is_valid_) return {};
        if (accept_character('(')) {
            if (++nesting_depth_ > 32) is_valid_ = false;
            const IndexSum result = sum();
            --nesting_depth_;
            is_valid_ &= accept_character(')');
            return result;
        }
        skip_blanks();
        const std::size_t begin = position_;
        while (position_ < expression_.size() &&
               (std::isalnum(static_cast<unsigned char>(expression_[position_])) ||
                expression_[position_] == '_' || expression_[position_] == '.'))
            ++position_;
        return evaluate_word(expression_.substr(begin, position_ - begin));
    }
    IndexSum evaluate_word(const std::string& word) {
        constexpr std::size_t max_digits = 9;
        if (word.empty()) {
            is_valid_ = false;
            return {};
        }
        if (word.find_first_not_of("0123456789") == word.npos) {
            is_valid_ &= word.size() <= max_digits;
            return is_valid_ ? number(std::stoll(word)) : IndexSum{};
        }
        if ((word == "int" || word == "unsigned") && peek() == '(') return factor();
        if (peek() == '(' || peek() == '[' ||
            std::isdigit(static_cast<unsigned char>(word.front()))) {
            is_valid_ = false;  // a call, or an element of an array
            return {};
        }
        return evaluate_variable(word);
    }
    IndexSum evaluate_variable(const std::string& word) {
        const bool is_constant = std::isupper(static_cast<unsigned char>(word.front())) != 0;
        if (is_constant || word.find('.') != word.npos) return make_variable(word);
        const std::vector<Loop> loops = find_loops(text_);
        const bool is_counter =
            std::ranges::any_of(loops, [&](const Loop& loop) { return loop.counter == word; });
        const int assignment_line = find_assignment_line(text_, word, line_);
        if (is_counter || assignment_line == 0) return make_variable(word);
        // The value of a variable that is changed in place, as in `row += 4`, is not known.
        const TextPattern update_pattern(
            "\\b" + word + R"(\s*(?:\+\+|--|[-+*/%^|&]=)|(?:\+\+|--)\s*)" + word + "\\b");
        const std::string code = code_for_search(text_);
        if (contains(code, update_pattern) || depth_ >= kMaxNesting) {
            is_valid_ = false;
            return {};
        }
        const std::string value = assigned_value(text_, word, line_);
        if (value.find_first_of("/%?") != value.npos) return make_variable(word);
        const auto parsed_sum = IndexSumParser(text_, value, assignment_line, depth_ + 1).parse();
        return parsed_sum ? *parsed_sum : make_variable(word);
    }

    const std::string& text_;
    const std::string expression_;
    const int line_, depth_;
    std::size_t position_ = 0;
    int nesting_depth_ = 0;
    bool is_valid_ = true;
};

std::optional<IndexSum> IndexSum::parse(const std::string& text, const std::string& expression,
                                        int line) {
    constexpr std::size_t longest = 300;
    if (expression.size() > longest) return std::nullopt;
    return IndexSumParser(text, expression, line, 0).parse();
}

IndexSum IndexSum::add_multiple(const IndexSum& addend, long long factor) const {
    IndexSum result = *this;
    for (const auto& [product, count] : addend.terms_) {
        const auto at = result.terms_.try_emplace(product, 0).first;
        at->second += factor * count;
        if (at->second == 0) result.terms_.erase(at);
    }
    return result;
}

IndexSum IndexSum::multiply(const IndexSum& factor_sum) const {
    constexpr long long limit = 1LL << 30;
    IndexSum result;
    for (const auto& [left_product, count] : terms_) {
        for (const auto& [other_product, other_count] : factor_sum.terms_) {
            Product product = left_product;
            product.insert(product.end(), other_product.begin(), other_product.end());
            std::sort(product.begin(), product.end());
            const auto at = result.terms_.try_emplace(product, 0).first;
            at->second = std::clamp(at->second + std::clamp(count, -limit, limit) *
                                                     std::clamp(other_count, -limit, limit),
                                    -limit, limit);
            if (at->second == 0) result.terms_.erase(at);
        }
    }
    return result;
}

IndexSum IndexSum::add_constant(long long number) const {
    IndexSum constant_sum;
    if (number != 0) constant_sum.terms_[{}] = number;
    return add_multiple(constant_sum, 1);
}

long long IndexSum::constant() const {
    const auto term = terms_.find({});
    return term == terms_.end() ? 0 : term->second;
}

long long IndexSum::factor_of(const std::string& name) const {
    const auto term = terms_.find({name});
    return term == terms_.end() ? 0 : term->second;
}

IndexSum IndexSum::without(const std::string& name) const {
    IndexSum rest;
    for (const auto& term : terms_) {
        if (std::ranges::count(term.first, name) == 0) rest.terms_.insert(term);
    }
    return rest;
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
        const std::string expanded_name = expand(text, name, line);
        std::string expanded_index = expanded_name;
        for (const TextMatch& match : find_matches(expanded_name, built_in))
            expanded_index.replace(match.position(), match.length(), match.length(), ' ');
        return expanded_index.find("threadIdx") != expanded_index.npos ||
               std::ranges::any_of(loops, [&](const Loop& loop) {
                   return !loop.counter.empty() && contains_word(expanded_index, loop.counter);
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
    IndexSum numeric_sum;
    for (const auto& [product, count] : terms_) {
        long long value = count;
        Product names;
        for (const std::string& name : product) {
            const auto constant = constant_value(text, name);
            if (constant && value < (1LL << 30)) {
                value *= *constant;
            } else {
                names.push_back(name);
            }
        }
        const auto at = numeric_sum.terms_.try_emplace(names, 0).first;
        at->second += value;
        if (at->second == 0) numeric_sum.terms_.erase(at);
    }
    return numeric_sum.is_zero();
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
    std::vector<std::pair<Product, long long>> ordered_terms(terms_.begin(), terms_.end());
    std::stable_sort(
        ordered_terms.begin(), ordered_terms.end(), [](const auto& left, const auto& right) {
            const auto term_rank = [](const auto& term) {
                if (term.first.empty()) return 4;
                const std::string& name =
                    *std::ranges::max_element(term.first, {}, [](const std::string& factor_name) {
                        return factor_name.find('.') != factor_name.npos;
                    });
                if (term.second < 0) return 3;
                return name.starts_with("blockIdx") ? 0 : name.starts_with("threadIdx") ? 1 : 2;
            };
            return term_rank(left) < term_rank(right);
        });
    for (const auto& [product, count] : ordered_terms) {
        const long long size = count < 0 ? -count : count;
        std::string term;
        // Put built-in variables first, as in `threadIdx.x * 4` and `blockIdx.x * TILE_DIM`.
        Product names = product;
        std::stable_sort(
            names.begin(), names.end(), [](const std::string& left, const std::string& right) {
                const auto factor_rank = [](const std::string& factor) {
                    if (factor.find('.') != factor.npos) return 0;
                    return std::isupper(static_cast<unsigned char>(factor.front())) ? 2 : 1;
                };
                return factor_rank(left) < factor_rank(right);
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
