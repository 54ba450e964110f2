// Tests how the text of a lesson is shown in a terminal.
#include "learn/lesson_text.h"

#include <doctest/doctest.h>

#include "base/text.h"

using namespace coalesce;

namespace {

std::string shown(const std::string& markdown, bool with_answers = false) {
    return learn::lesson_text(markdown, {}, with_answers);
}

}  // namespace

TEST_CASE("paragraphs are wrapped, and links are replaced by their text") {
    CHECK(shown("# 03 Tiled\n\nSee [the guide](../x.md)\nand **note** `a[i](b)`.\n") ==
          "03 Tiled\n========\n\nSee the guide and note `a[i](b)`.\n");
    std::string words;
    for (int i = 0; i < 40; ++i) words += "word ";
    for (const std::string& line : lines_of(shown("- " + words + "\n"))) {
        CHECK(line.size() <= 80);
        CHECK((line.starts_with("- ") || line.starts_with("  ")));
    }
}

TEST_CASE("code keeps its line breaks, comments are removed, and pictures are replaced by text") {
    CHECK(shown("```cpp\nint  a;  // <x>\n<b>\n```\n") == "int  a;  // <x>\n<b>\n");
    CHECK(shown("    ./learn run 03\n") == "    ./learn run 03\n");
    CHECK(shown("<!-- questions -->\nText.\n") == "Text.\n");
    CHECK(shown("![A bank](a.svg)\n") == "(Picture: A bank)\n");
}

TEST_CASE("folded sections are shown only on request") {
    const std::string folded =
        "<details><summary>Why?</summary>\n\nBecause.\n\n</details>\n\nNext.\n";
    CHECK(shown(folded) == "Why? (folded; --answers shows the text)\n\nNext.\n");
    CHECK(shown(folded, true) == "Why?\n\nBecause.\n\nNext.\n");
}

TEST_CASE("a table is aligned, or becomes a list if it is too wide") {
    CHECK(shown("| a | b |\n|---|--:|\n| one | 2 |\n") == "a    b\none  2\n");
    const std::string wide(70, 'x');
    CHECK(shown("| what | why |\n|---|---|\n| " + wide + " | so it is |\n") ==
          "- what: " + wide + ";\n  why: so it is\n");
}

TEST_CASE("code that is too wide is split, and its comment moves to the line above") {
    const std::string call = "    in[(row + k) * cols + col] = out[(row + k) * rows + col];";
    CHECK(shown("```cpp\n" + call + "  // a comment that does not fit behind it\n```\n") ==
          "    // a comment that does not fit behind it\n" + call + "\n");
    const std::string counters(60, 'c'), others(60, 'd');
    CHECK(shown("```sh\nncu --metrics " + counters + "," + others + " b\n```\n") ==
          "ncu --metrics \\\n" + std::string("    ") + counters + ",\\\n" + others +
              " \\\n    b\n");
}

TEST_CASE("columns that are blank in all lines of a wide diagram are removed") {
    const std::string gap(60, ' '), part(20, '-');
    CHECK(shown("```\n" + part + gap + part + "\n" + gap + "\n```\n") ==
          part + gap.substr(20) + part + "\n" + gap.substr(20) + "\n");
    const std::string full(90, '-');
    CHECK(shown("```\n" + full + "\n```\n") == full + "\n");
}
