#include "examiner/course/size_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace coalesce {
namespace {

/// The maximum depth of nested brackets. Deeper nesting is an error, so that no text can overflow
/// the stack.
constexpr int kMaxDepth = 50;

class Evaluation {
public:
    Evaluation(const std::string& text, const std::vector<NamedSize>& sizes)
        : text_(text), sizes_(sizes) {}

    double evaluate_whole() {
        const double value = sum();
        if (position_ < text_.size()) fail("`" + text_.substr(position_) + "` is not allowed here");
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& reason) const {
        throw ExpressionError("`" + text_ + "` cannot be computed: " + reason);
    }
    bool accept_character(char sign) {
        skip_blanks();
        if (position_ >= text_.size() || text_[position_] != sign) return false;
        ++position_;
        skip_blanks();
        return true;
    }
    void skip_blanks() {
        while (position_ < text_.size() &&
               std::isspace(static_cast<unsigned char>(text_[position_])))
            ++position_;
    }
    void require(char sign) {
        if (!accept_character(sign)) fail(std::string("a `") + sign + "` is missing");
    }

    double sum() {
        double value = product();
        for (;;) {
            if (accept_character('+')) {
                value += product();
            } else if (accept_character('-')) {
                value -= product();
            } else {
                return value;
            }
        }
    }

    double product() {
        double value = factor();
        for (;;) {
            if (accept_character('*')) {
                value *= factor();
            } else if (accept_character('/')) {
                value = quotient(value, factor());
            } else {
                return value;
            }
        }
    }

    double quotient(double value, double divisor) const {
        if (divisor == 0) fail("the expression divides by zero");
        const bool are_both_whole = value == std::trunc(value) && divisor == std::trunc(divisor);
        return are_both_whole ? std::trunc(value / divisor) : value / divisor;
    }

    double factor() {
        if (++depth_ > kMaxDepth) fail("the expression is nested too deeply");
        const double value = unnested_factor();
        --depth_;
        return value;
    }

    double unnested_factor() {
        if (accept_character('-')) return -factor();
        if (accept_character('(')) {
            const double value = sum();
            require(')');
            return value;
        }
        skip_blanks();
        if (position_ >= text_.size()) fail("the expression is incomplete");
        const auto first_character = static_cast<unsigned char>(text_[position_]);
        return std::isdigit(first_character) || first_character == '.' ? number() : parse_name();
    }

    double number() {
        char* end = nullptr;
        const double value = std::strtod(text_.c_str() + position_, &end);
        if (end == text_.c_str() + position_) fail("`.` is not a number");
        position_ = static_cast<std::size_t>(end - text_.c_str());
        if (position_ < text_.size() && text_[position_] == 'f') ++position_;
        skip_blanks();
        return value;
    }

    double parse_name() {
        const std::size_t begin = position_;
        while (position_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[position_])) ||
                text_[position_] == '_')) {
            ++position_;
        }
        const std::string name = text_.substr(begin, position_ - begin);
        if (name.empty()) fail(std::string("`") + text_[position_] + "` is not allowed here");
        skip_blanks();
        if (position_ < text_.size() && text_[position_] == '(') return call(name);
        for (const NamedSize& size : sizes_) {
            if (size.name == name) return static_cast<double>(size.value);
        }
        const auto quote_name = [](const NamedSize& size) { return "`" + size.name + "`"; };
        fail("`" + name + "` is not one of the sizes " + joined(sizes_, ", ", quote_name));
    }

    /// Evaluates a call of a function, all of which have two arguments.
    double call(const std::string& name) {
        if (name != "ceil_div" && name != "min" && name != "max")
            fail("`" + name + "` is not a function; there are ceil_div, min and max");
        require('(');
        const double first_value = sum();
        require(',');
        const double second_value = sum();
        require(')');
        if (name == "min") return std::min(first_value, second_value);
        if (name == "max") return std::max(first_value, second_value);
        if (second_value == 0) fail("the expression divides by zero");
        return std::ceil(first_value / second_value);
    }

    const std::string& text_;
    const std::vector<NamedSize>& sizes_;
    std::size_t position_ = 0;
    int depth_ = 0;
};

}  // namespace

double evaluate(const std::string& expression, const std::vector<NamedSize>& sizes) {
    return Evaluation(expression, sizes).evaluate_whole();
}

}  // namespace coalesce
