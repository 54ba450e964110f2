// Tests the kernel's printf with formats that programs/printf.cu cannot contain because compilers
// reject them.
#include "simulator/execute/printf_format.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace coalesce::simulator;

namespace {

/// An argument buffer in the layout that nvcc uses.
class Arguments {
public:
    template <class T>
    Arguments& add(T value) {
        bytes_.resize(round_up(bytes_.size(), sizeof(T)) + sizeof(T));
        std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
        return *this;
    }
    Formatted format(const std::string& text) const {
        FormatSource source;
        source.read_argument = [&](u32 offset, u32 bytes, void* to) {
            if (offset + bytes > bytes_.size()) return false;
            std::memcpy(to, bytes_.data() + offset, bytes);
            return true;
        };
        source.read_string = [](u64 address) -> std::optional<std::string> {
            if (address == 0x100) return "text";
            return std::nullopt;
        };
        return format_printf(text, source);
    }

private:
    std::vector<u8> bytes_;
};

}  // namespace

TEST_CASE("the offset of an argument is a multiple of its size") {
    const Formatted f =
        Arguments().add(i32{1}).add(2.5).add(i32{3}).add(i64{4}).format("%d %g %d %lld");
    CHECK(f.text == "1 2.5 3 4");
    CHECK(f.argument_count == 4);
    CHECK(f.problem.empty());
}

TEST_CASE("text that is not part of a conversion is printed unchanged") {
    CHECK(Arguments().format("100%").text == "100%");
    CHECK(Arguments().format("%y %5k|").text == "%y %5k|");
    CHECK(Arguments().format("%%d").text == "%d");
    CHECK(Arguments().format("%n").text == "%n");
    CHECK(Arguments().format("").text == "");
}

TEST_CASE("integers of every length are printed") {
    CHECK(Arguments().add(i64{-1}).format("%zu").text == "18446744073709551615");
    CHECK(Arguments().add(i64{-1}).format("%td").text == "-1");
    CHECK(Arguments().add(i64{-1}).format("%jx").text == "ffffffffffffffff");
    CHECK(Arguments().add(i32{65537}).format("%hd").text == "1");
    CHECK(Arguments().add(i32{-1}).format("%u").text == "4294967295");
}

TEST_CASE("strings are padded, and an unreadable string is an error") {
    CHECK(Arguments().add(u64{0x100}).format("<%6s>").text == "<  text>");
    CHECK(Arguments().add(u64{0}).format("%s").text == "(null)");
    CHECK_FALSE(Arguments().add(u64{0x200}).format("%s").problem.empty());
}

TEST_CASE("output that exceeds the device's limit is an error, and formatting stops early") {
    std::string format;
    for (int k = 0; k < 1000; ++k) format += "%99999d";
    Arguments arguments;
    for (int k = 0; k < 1000; ++k) arguments.add(k);
    const Formatted f = arguments.format(format.c_str());
    CHECK_FALSE(f.problem.empty());
    CHECK(f.text.size() < 2 << 20);
    CHECK(Arguments().add(7).format("%99999d").problem.empty());
}

TEST_CASE("too few arguments are an error") {
    const Formatted f = Arguments().add(i32{1}).format("%d %d %d");
    CHECK_FALSE(f.problem.empty());
}

TEST_CASE("huge widths and precisions are limited") {
    CHECK(Arguments().add(i32{1}).format("%999999999d").text.size() == 100000);
    CHECK(Arguments().add(i32{2000000000}).add(i32{1}).format("%*d").text.size() == 100000);
    CHECK(Arguments().add(i32{-2147483647 - 1}).add(i32{1}).format("%*d").text.size() == 100000);
    CHECK(Arguments().add(1.0).format("%.999999999f").text.size() == 100002);
}
