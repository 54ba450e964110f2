// See printf_format.h.
#include "simulator/execute/printf_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace coalesce::simulator {

namespace {

/// The maximum size of a kernel's output in bytes, which is also the size of the hardware's buffer.
/// Further output is lost. Without a limit, widths such as `%99999d` could expand a format of that
/// size to a hundred gigabytes.
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

/// One conversion specification (`%...`) in a format.
struct Conversion {
    std::string flags;  ///< characters from "-+ #0"
    int width = -1, precision = -1;
    bool has_width_argument = false, has_precision_argument = false;  ///< true if given as `*`
    std::string length;   ///< hh, h, l, ll, z, t, j or L
    char letter = 0;      ///< the conversion's letter, or 0 if the format ends before the letter
    std::size_t end = 0;  ///< index just after the conversion
};

int read_number(const std::string& text, std::size_t& position) {
    int number = 0;
    for (; position < text.size() && text[position] >= '0' && text[position] <= '9'; ++position)
        number = std::min(number * 10 + (text[position] - '0'), 100000);
    return number;
}

Conversion parse_conversion(const std::string& format, std::size_t percent) {
    Conversion c;
    std::size_t at = percent + 1;
    const auto current_character = [&] { return at < format.size() ? format[at] : '\0'; };
    while (current_character() && std::strchr("-+ #0", current_character()))
        c.flags += format[at++];
    if (current_character() == '*')
        c.has_width_argument = true, ++at;
    else if (current_character() >= '1' && current_character() <= '9')
        c.width = read_number(format, at);
    if (current_character() == '.') {
        ++at;
        if (current_character() == '*')
            c.has_precision_argument = true, ++at;
        else
            c.precision = read_number(format, at);
    }
    while (current_character() && std::strchr("hlzjtL", current_character()))
        c.length += format[at++];
    c.letter = current_character();
    c.end = c.letter ? at + 1 : at;
    return c;
}

/// Formats one conversion using the host's printf.
template <class T>
std::string print_value(const Conversion& c, const char* length, T value) {
    std::string format = "%" + c.flags;
    if (c.width >= 0) format += std::to_string(c.width);
    if (c.precision >= 0) format += "." + std::to_string(c.precision);
    format += length;
    format += c.letter;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    const int text_length = std::snprintf(nullptr, 0, format.c_str(), value);
    std::string text(text_length < 0 ? 0 : static_cast<std::size_t>(text_length), '\0');
    std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
#pragma GCC diagnostic pop
    return text;
}

class PrintfFormatter {
public:
    explicit PrintfFormatter(const FormatSource& source) : source_(source) {}

    Formatted format_all(const std::string& format) {
        for (std::size_t at = 0; at < format.size() && result_.problem.empty();) {
            const std::size_t percent = std::min(format.find('%', at), format.size());
            result_.text.append(format, at, percent - at);
            at = percent;
            if (percent == format.size()) break;
            const Conversion conversion = parse_conversion(format, percent);
            if (!append_conversion(conversion))
                result_.text.append(format, percent, conversion.end - percent);
            at = conversion.end;
            if (result_.text.size() > kMaxTextBytes)
                result_.problem =
                    "a single call prints more than the 1 MiB that the device's buffer can hold; "
                    "print less";
        }
        return std::move(result_);
    }

private:
    /// Returns the next argument as a value of type T.
    template <class T>
    T take_argument() {
        T value{};
        argument_offset_ = static_cast<u32>(round_up(argument_offset_, sizeof(T)));
        if (result_.problem.empty() && !source_.read_argument(argument_offset_, sizeof(T), &value))
            result_.problem =
                "the argument buffer cannot be read; pass pointers that are valid on the device";
        argument_offset_ += sizeof(T);
        ++result_.argument_count;
        return value;
    }

    void read_star_arguments(Conversion& c) {
        if (c.has_width_argument) {
            const i32 width = std::clamp(take_argument<i32>(), -100000, 100000);
            if (width < 0) c.flags += '-';
            c.width = std::abs(width);
        }
        if (c.has_precision_argument) c.precision = std::min(take_argument<i32>(), 100000);
    }

    /// Formats one conversion. Returns false for an unknown conversion, which is then printed
    /// unchanged.
    bool append_conversion(Conversion c) {
        if (c.letter == '%') {
            result_.text += '%';
            return true;
        }
        if (!c.letter || !std::strchr("diouxXcsfFeEgGaAp", c.letter)) return false;
        read_star_arguments(c);
        switch (c.letter) {
            case 'c': result_.text += print_value(c, "", take_argument<i32>()); break;
            case 's': result_.text += string_text(c); break;
            case 'p':
                result_.text +=
                    print_value(c, "", std::bit_cast<const void*>(take_argument<u64>()));
                break;
            case 'd':
            case 'i':
            case 'o':
            case 'u':
            case 'x':
            case 'X':
                result_.text +=
                    c.length.find_first_of("lzjtL") != std::string::npos
                        ? print_value(c, "ll", static_cast<long long>(take_argument<i64>()))
                        : print_value(c, c.length.c_str(), take_argument<i32>());
                break;
            default: result_.text += print_value(c, "", take_argument<double>());
        }
        return true;
    }

    std::string string_text(const Conversion& c) {
        const u64 address = take_argument<u64>();
        const std::optional<std::string> text = address ? source_.read_string(address) : "(null)";
        if (text) return print_value(c, "", text->c_str());
        result_.problem =
            "a string for %s cannot be read; pass pointers that are valid on the device";
        return "";
    }

    const FormatSource& source_;
    Formatted result_;
    u32 argument_offset_ = 0;
};

}  // namespace

Formatted format_printf(const std::string& format, const FormatSource& source) {
    return PrintfFormatter(source).format_all(format);
}

}  // namespace coalesce::simulator
