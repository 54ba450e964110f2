// Tests how predictions are paired with published times. A kernel that is missing from one of the
// two lists must cause an error.
#include <doctest/doctest.h>

#include <sstream>

#include "lab/proof/validate/literature.h"
#include "timing/gpu.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

PublishedTimes record_of_copies() {
    return {.program = "copies",
            .title = "On copies",
            .author = "Nobody",
            .date = "2026",
            .web_addresses = {"https://example.com/copies (at the end)"},
            .gpu = "NVIDIA H200",
            .shape = {1000, 500},
            .ms = {{"slow", .001}, {"fast", .0005}}};
}

Json predicted(const std::string& kernel, double ms) {
    return {{"variant", kernel},
            {"predicted", {{"ms", ms}, {"binds", "memory"}, {"unknown", Json::array()}}}};
}

}  // namespace

TEST_CASE("a kernel that is only in the record or only in the program is reported") {
    const PublishedTimes record = record_of_copies();
    const Json slow = predicted("slow", .0011), fast = predicted("fast", .0004);
    const auto pairs = pairs_of(record, {{"results", {fast, slow}}});
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].name == "fast");
    CHECK(pairs[0].relative_error() == doctest::Approx(-.2));
    CHECK(pairs[1].relative_error() == doctest::Approx(.1));

    const auto error = [&](const Json& rows) -> std::string {
        try {
            pairs_of(record, {{"results", rows}});
        } catch (const PublishedTimesError& wrong) {
            return wrong.what();
        }
        return "no error";
    };
    CHECK(error(Json::array({slow})).starts_with("copies: no kernel is called \"fast\""));
    CHECK(error({slow, fast, predicted("new", 1)})
              .starts_with("copies: the record has no figure for \"new\""));
    CHECK(error({slow, slow}).starts_with("copies: the record has no figure for \"slow\""));
    const Json waits = {{"variant", "fast"}, {"not_predicted", "it waits"}};
    CHECK(error({slow, waits}) == "copies fast is not predicted: it waits");
}

TEST_CASE("a comparison is printed in lines of 80 columns and as a Markdown table") {
    const PublishedTimes record = record_of_copies();
    const auto pairs =
        pairs_of(record, {{"results", {predicted("fast", .0004), predicted("slow", .0011)}}});
    const std::string text = format_literature_text(record, pairs);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    CHECK(text.starts_with("NVIDIA H200, 1000 x 500\n  Nobody, \"On copies\", 2026\n"));
    CHECK(text.find("\ncopies                   2    15.0 %") != std::string::npos);

    const std::string table = format_literature_table(record, pairs);
    CHECK(table.find("| [On copies](https://example.com/copies) | NVIDIA H200 | 2 | 15.0 % | "
                     "20.0 % | 20.0 % | 100.0 % |\n") != std::string::npos);
    CHECK(format_literature_json(record, pairs)["records"][0]["kernels"][1]["published_ms"] ==
          doctest::Approx(.001));

    CHECK(are_equal_within_tolerance(table, "\n" + table + "\n"));
    const auto with = [&](const std::string& worst) {
        std::string other = table;
        return other.replace(other.rfind("20.0"), 4, worst);
    };
    CHECK(are_equal_within_tolerance(table, with("21.9")));
    CHECK(!are_equal_within_tolerance(table, with("22.1")));
    CHECK(!are_equal_within_tolerance(table, with("worse")));
    CHECK(!are_equal_within_tolerance(table, with("20.0 % | 20.0")));
    CHECK(!are_equal_within_tolerance(table, table + "| more |\n"));
    CHECK(!are_equal_within_tolerance(table + "| more |\n", table));
}

TEST_CASE("the record contains 20 times, and the model knows its GPU") {
    const PublishedTimes record = read_published_record();
    CHECK(record.ms.size() == 20);
    CHECK(record.ms.at("Naive") == doctest::Approx(18.0645));
    CHECK(timing::find_gpu(record.gpu).name == record.gpu);
    for (const std::string& address : record.web_addresses) CHECK(address.starts_with("https://"));
}
