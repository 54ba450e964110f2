#include <doctest/doctest.h>

#include "base/codec.h"

using namespace coalesce;

struct Thing {
    int number = 1;
    std::optional<double> maybe;
    std::map<std::string, int> counts;
    codec::Json free = nullptr;
    double later = 0.5;
};

void describe(auto& codec, Thing& thing) {
    fields(codec, "number", thing.number, "maybe", thing.maybe, "counts", thing.counts, "free",
           thing.free);
    if (codec.has("later")) codec("later", thing.later);
}

namespace {

std::string problem_of(const std::string& text) {
    try {
        codec::read<Thing>(text);
        return "";
    } catch (const codec::Error& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("values are read back as they were written") {
    Thing thing{.number = -3, .maybe = 2.5, .counts = {{"a", 1}, {"b", 2}}, .later = 4};
    thing.free = {{"any", {1, "two", nullptr}}};
    const std::string text = codec::write(thing);
    CHECK(
        text ==
        R"({"number":-3,"maybe":2.5,"counts":{"a":1,"b":2},"free":{"any":[1,"two",null]},"later":4.0})");
    CHECK(codec::write(codec::read<Thing>(text)) == text);
}

TEST_CASE("a missing required key, an unknown key and a wrong type are errors") {
    const std::string good = R"("number": 1, "maybe": null, "free": null)";
    CHECK(problem_of("{" + good + R"(, "counts": {}})") == "");
    CHECK(problem_of("{" + good + "}") == ": no \"counts\"");
    CHECK(problem_of("{" + good + R"(, "counts": {}, "more": 1})") == ": unknown key \"more\"");
    CHECK(problem_of("{" + good + R"(, "counts": {"a": "b"}})") ==
          "counts.a: expected a whole number");
    CHECK(problem_of("{" + good + R"(, "counts": []})") == "counts: expected an object");
    CHECK(problem_of("[]") == ": expected an object");
    CHECK(problem_of("{") == "the text is not valid JSON");
}
