// Parses numbers in all their notations, and evaluates constant expressions.
#include "simulator/ptx/constants.h"

#include <bit>
#include <charconv>
#include <limits>

namespace coalesce::simulator::ptx {

namespace {

/// The maximum nesting depth of parentheses and signs. Real programs never nest this deeply.
constexpr int kMaxExpressionDepth = 64;

bool parse_digits(std::string_view digits, int base, u64& value) {
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return error == std::errc() && stop == digits.data() + digits.size();
}

bool starts_with_prefix(std::string_view text, char letter) {
    return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

/// Parses 0f3F800000 or 0d3FF0000000000000, which specify the bits of a floating-point number.
bool parse_float_bits(std::string_view text, Constant& constant) {
    const bool is_f32 = starts_with_prefix(text, 'f') && text.size() == 2 + 8;
    const bool is_f64 = starts_with_prefix(text, 'd') && text.size() == 2 + 16;
    if (!is_f32 && !is_f64) return false;
    constant.kind = is_f32 ? Constant::Kind::f32_bits : Constant::Kind::f64_bits;
    return parse_digits(text.substr(2), 16, constant.bits);
}

bool parse_decimal_float(std::string_view text, Constant& constant) {
    if (starts_with_prefix(text, 'x')) return false;
    if (text.find_first_of(".eE") == std::string_view::npos) return false;
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) return false;
    constant = {Constant::Kind::f64_bits, std::bit_cast<u64>(value)};
    return true;
}

bool parse_integer(std::string_view text, Constant& constant) {
    if (text.ends_with('U')) text.remove_suffix(1);
    constant.kind = Constant::Kind::immediate;
    if (starts_with_prefix(text, 'x')) return parse_digits(text.substr(2), 16, constant.bits);
    if (starts_with_prefix(text, 'b')) return parse_digits(text.substr(2), 2, constant.bits);
    if (text.size() > 1 && text[0] == '0') return parse_digits(text, 8, constant.bits);
    return parse_digits(text, 10, constant.bits);
}

/// Evaluates an expression by precedence climbing. `read_expression` reads operators whose
/// precedence is at least `min_precedence`.
class ConstantExpressionReader {
public:
    explicit ConstantExpressionReader(Lexer& lexer) : lexer_(lexer) {}

    Constant read_expression(int min_precedence) {
        Constant left_operand = read_primary();
        for (int precedence; (precedence = current_precedence()) >= min_precedence;) {
            const char operation = lexer_.take_token().text[0];
            if (operation == '<' || operation == '>') lexer_.expect(operation);
            const Constant right_operand = read_expression(precedence + 1);
            left_operand.bits = apply_operator(operation, require_integer(left_operand),
                                               require_integer(right_operand));
        }
        return left_operand;
    }

    i64 require_integer(const Constant& constant) const {
        if (constant.kind != Constant::Kind::immediate) lexer_.fail_expected("an integer");
        return static_cast<i64>(constant.bits);
    }

private:
    /// Returns the precedence of the operator at the current token, or 0 if the token is not an
    /// operator.
    int current_precedence() const {
        if (!lexer_.is_at(TokenKind::punctuation)) return 0;
        switch (lexer_.current().text[0]) {
            case '|': return 1;
            case '^': return 2;
            case '&': return 3;
            case '<':
            case '>': return 4;
            case '+':
            case '-': return 5;
            case '*':
            case '/': return 6;
            default: return 0;
        }
    }

    Constant read_primary() {
        if (++depth_ > kMaxExpressionDepth) lexer_.fail("this expression is nested too deeply");
        Constant value;
        if (lexer_.accept('(')) {
            value = read_expression(1);
            lexer_.expect(')');
        } else if (lexer_.accept('-')) {
            value = negate_constant(read_primary());
        } else if (lexer_.accept('+')) {
            value = read_primary();
        } else if (lexer_.accept('~')) {
            value = read_primary();
            value.bits = ~static_cast<u64>(require_integer(value));
        } else {
            value = read_number(lexer_);
        }
        --depth_;
        return value;
    }

    static Constant negate_constant(Constant value) {
        if (value.kind == Constant::Kind::immediate)
            value.bits = 0 - value.bits;
        else
            value.bits ^= u64{1} << (value.kind == Constant::Kind::f32_bits ? 31 : 63);
        return value;
    }

    /// Applies an operator. Arithmetic is unsigned, so that overflow wraps around as on the GPU.
    u64 apply_operator(char operation, i64 a, i64 b) const {
        const u64 x = static_cast<u64>(a), y = static_cast<u64>(b);
        switch (operation) {
            case '|': return x | y;
            case '^': return x ^ y;
            case '&': return x & y;
            case '<': return y < 64 ? x << y : 0;
            case '>': return static_cast<u64>(a >> (y < 64 ? y : 63));
            case '+': return x + y;
            case '-': return x - y;
            case '*': return x * y;
            default: break;
        }
        if (b == 0) lexer_.fail("the expression divides by zero");
        return b == -1 ? 0 - x : static_cast<u64>(a / b);
    }

    Lexer& lexer_;
    int depth_ = 0;
};

}  // namespace

u64 Constant::convert_to(Type type) const {
    const bool is_to_f32 = type == Type::f32 || (type == Type::b32 && kind != Kind::immediate);
    const bool is_to_f64 = type == Type::f64 || (type == Type::b64 && kind != Kind::immediate);
    if (!is_to_f32 && !is_to_f64) return bits;
    if (kind == (is_to_f32 ? Kind::f32_bits : Kind::f64_bits)) return bits;
    double value = kind == Kind::immediate  ? static_cast<double>(static_cast<i64>(bits))
                   : kind == Kind::f32_bits ? std::bit_cast<float>(static_cast<u32>(bits))
                                            : std::bit_cast<double>(bits);
    if (is_to_f64) return std::bit_cast<u64>(value);
    // A double outside the range of float becomes infinity. Without this check, the cast would be
    // undefined.
    constexpr double kMaxFloat = std::numeric_limits<float>::max();
    if (value > kMaxFloat) value = std::numeric_limits<double>::infinity();
    if (value < -kMaxFloat) value = -std::numeric_limits<double>::infinity();
    return std::bit_cast<u32>(static_cast<float>(value));
}

Constant read_number(Lexer& lexer) {
    // WARP_SZ is PTX's only named constant.
    if (lexer.is_at_identifier("WARP_SZ")) {
        lexer.take_token();
        return {Constant::Kind::immediate, kLanes};
    }
    if (!lexer.is_at(TokenKind::number)) lexer.fail_expected("a number");
    const std::string_view text = lexer.current().text;
    Constant constant;
    // Try integers first, because the numbers in long tables are integers.
    if (!parse_integer(text, constant) && !parse_float_bits(text, constant) &&
        !parse_decimal_float(text, constant)) {
        lexer.fail_expected("a number of at most 64 bits");
    }
    lexer.take_token();
    return constant;
}

Constant read_constant(Lexer& lexer) {
    return ConstantExpressionReader(lexer).read_expression(1);
}

i64 read_integer(Lexer& lexer) {
    ConstantExpressionReader expression(lexer);
    return expression.require_integer(expression.read_expression(1));
}

u64 read_count(Lexer& lexer, const char* value_name, u64 max_value) {
    const i64 value = read_integer(lexer);
    if (value < 0 || static_cast<u64>(value) > max_value) {
        lexer.fail(std::string(value_name) + " must be from 0 to " + std::to_string(max_value) +
                   ", not " + std::to_string(value));
    }
    return static_cast<u64>(value);
}

}  // namespace coalesce::simulator::ptx
