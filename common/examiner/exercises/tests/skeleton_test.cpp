#include "examiner/exercises/skeleton.h"

#include <doctest/doctest.h>

using namespace coalesce;
using namespace coalesce::exercises;

namespace {

const std::string MARKED =
    "one\n"
    "    //! [blank]\n"
    "    //! // TODO: two\n"
    "    //! if (almost) {\n"
    "    //!     nothing();\n"
    "    //! }\n"
    "    // two, at last\n"
    "    two();\n"
    "    //! [blank]\n"
    "three\n";

const std::string BLANK =
    "one\n"
    "    // TODO: two\n"
    "    if (almost) {\n"
    "        nothing();\n"
    "    }\n"
    "three\n";

std::string error_of(const std::string& marked) {
    try {
        parse_skeleton(marked, "kernel.cu");
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the skeleton and the solution are extracted from a marked solution") {
    Skeleton skeleton = parse_skeleton(MARKED, "kernel.cu");
    CHECK(skeleton.blank_text() == BLANK);
    CHECK(skeleton.solved_text() == "one\n    // two, at last\n    two();\nthree\n");
    CHECK(skeleton.blank_count() == 1);
    CHECK(skeleton.lines_to_write() == 1);
    CHECK(skeleton.segments.size() == 3);
}

TEST_CASE("marks may be on the first and last line") {
    Skeleton skeleton = parse_skeleton("//! [blank]\n//! // TODO\nx\n//! [blank]\n", "kernel.cu");
    CHECK(skeleton.blank_text() == "// TODO\n");
    CHECK(skeleton.solved_text() == "x\n");
}

TEST_CASE("a mark's prefix without text becomes an empty line of the skeleton") {
    Skeleton skeleton =
        parse_skeleton("//! [blank]\n//! // TODO\n//!\nx\n//! [blank]\n", "kernel.cu");
    CHECK(skeleton.blank_text() == "// TODO\n\n");
}

TEST_CASE("invalid marks are rejected with their line numbers") {
    CHECK(contains(error_of("one\ntwo\n"), "kernel.cu:1: nothing is marked"));
    CHECK(contains(error_of("one\n//! [blank]\n//! // TODO\nx\n"),
                   "kernel.cu:2: this marker has no"));
    CHECK(contains(error_of("one\n//! // TODO\n"), "kernel.cu:2: `//!` is allowed only"));
    CHECK(contains(error_of("//! [blank]\n//! // TODO\n//! [blank]\n"),
                   "kernel.cu:1: there is nothing to write"));
    CHECK(contains(error_of("//! [blank]\nx\n//! [blank]\n"),
                   "kernel.cu:1: the skeleton does not say"));
}

TEST_CASE("a skeleton may differ from its solution only in marked lines") {
    CHECK(find_unmarked_difference(BLANK, MARKED) == "");
}

TEST_CASE("every other difference is reported with its line") {
    auto changed = [](const std::string& from, const std::string& to) {
        std::string text = BLANK;
        return text.replace(text.find(from), from.size(), to);
    };
    CHECK(contains(find_unmarked_difference(changed("one", "won"), MARKED), "line 1 is \"won\""));
    CHECK(contains(find_unmarked_difference(changed("three\n", ""), MARKED),
                   "line 6 is \"(the end)\""));
    CHECK(contains(find_unmarked_difference(changed("TODO: two", "TODO: too"), MARKED), "line 2"));
    CHECK(contains(find_unmarked_difference(changed("    // TODO: two\n", ""), MARKED), "line 2"));
    CHECK(contains(find_unmarked_difference(BLANK + "four\n", MARKED),
                   "line 7 is not part of the skeleton"));
    // The skeleton must not contain lines that the learner has to write.
    CHECK(find_unmarked_difference(changed("    }\n", "    }\n    two();\n"), MARKED) != "");
}
