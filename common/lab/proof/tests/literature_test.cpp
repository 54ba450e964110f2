// Records of what others have published: slips of the pen are told, and predictions are put beside the figures.
#include <doctest/doctest.h>

#include <sstream>

#include "lab/proof/validate/literature.h"
#include "timing/gpu.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string GOOD = R"toml(title = "On copies"
author = "Nobody"
date = "2026"
addresses = ["https://example.com/copies (at the end)"]
card = "an H200"
gpu = "NVIDIA H200"
rows = 1000
cols = 500
unit = "GB/s"

[published]
slow = 4000
fast = 8000
)toml";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = GOOD;
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    return text.replace(at, from.size(), to);
}

Record record_of(const std::string& text) {
    return read_record(text, "some/copies.toml");
}

std::string error_of(const std::string& text) {
    try {
        record_of(text);
    } catch (const RecordError& error) {
        return error.what();
    }
    return "no error";
}

Json predicted(const std::string& kernel, double ms) {
    return {{"variant", kernel},
            {"predicted", {{"ms", ms}, {"binds", "memory"}, {"unknown", Json::array()}}}};
}

}  // namespace

TEST_CASE("a record has times, whatever unit they were published in") {
    const Record record = record_of(GOOD);
    CHECK(record.program == "copies");
    CHECK(record.shape == Shape{1000, 500});
    // 4 MB in all.
    CHECK(record.ms.at("slow") == doctest::Approx(.001));
    CHECK(record.ms.at("fast") == doctest::Approx(.0005));
    CHECK(record_of(changed("GB/s", "ms")).ms.at("slow") == 4000);
}

TEST_CASE("slips of the pen in a record are told, with their line") {
    CHECK(error_of(GOOD) == "no error");
    CHECK(error_of(changed("author", "autor")).starts_with("copies.toml:2: a record has no key"));
    CHECK(error_of(changed("card = \"an H200\"\n", "")).find("a record has no `card`") !=
          std::string::npos);
    CHECK(error_of(changed("GB/s", "TB/s")).starts_with("copies.toml:9: `unit` must be one of"));
    CHECK(error_of(changed("slow = 4000", "slow = 0")).starts_with("copies.toml:12: `slow` must"));
    CHECK(error_of(changed("slow = 4000", "slow = \"4\"")).starts_with("copies.toml:12: "));
    CHECK(error_of(changed("rows = 1000", "rows = 0")).starts_with("copies.toml:7: `rows` must"));
    CHECK(error_of(changed("slow = 4000\nfast = 8000\n", "")).find("add both") !=
          std::string::npos);
    CHECK(
        error_of(changed("[\"https://example.com/copies (at the end)\"]", "[]")).find("add both") !=
        std::string::npos);
}

TEST_CASE("a kernel that only the record or only the program has is told") {
    const Record record = record_of(GOOD);
    const Json slow = predicted("slow", .0011), fast = predicted("fast", .0004);
    const auto pairs = pairs_of(record, {{"results", {fast, slow}}});
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].name == "fast");
    CHECK(pairs[0].error() == doctest::Approx(-.2));
    CHECK(pairs[1].error() == doctest::Approx(.1));

    const auto error = [&](const Json& rows) -> std::string {
        try {
            pairs_of(record, {{"results", rows}});
        } catch (const RecordError& wrong) {
            return wrong.what();
        }
        return "no error";
    };
    CHECK(error(Json::array({slow})).starts_with("copies.toml: no kernel is called \"fast\""));
    CHECK(error({slow, fast, predicted("new", 1)})
              .starts_with("copies.toml: it has no figure for \"new\""));
    CHECK(error({slow, slow}).starts_with("copies.toml: it has no figure for \"slow\""));
    const Json waits = {{"variant", "fast"}, {"not_predicted", "it waits"}};
    CHECK(error({slow, waits}) == "copies fast is not predicted: it waits");
}

TEST_CASE("records are compared in lines of 80 columns, and in a table") {
    const Record record = record_of(GOOD);
    const std::vector<ComparedRecord> compared = {
        {record,
         pairs_of(record, {{"results", {predicted("fast", .0004), predicted("slow", .0011)}}})}};
    const std::string text = literature_text(compared);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    CHECK(text.starts_with("NVIDIA H200, 1000 x 500\n  Nobody, \"On copies\", 2026\n"));
    CHECK(text.find("\ncopies                   2    15.0 %") != std::string::npos);

    const std::string table = literature_table(compared);
    CHECK(table.find("| [On copies](https://example.com/copies) | NVIDIA H200 | 2 | 15.0 % | "
                     "20.0 % | 20.0 % | 100.0 % |\n") != std::string::npos);
    CHECK(literature_json(compared)["records"][0]["kernels"][1]["published_ms"] ==
          doctest::Approx(.001));

    CHECK(say_the_same(table, "\n" + table + "\n"));
    const auto with = [&](const std::string& worst) {
        std::string other = table;
        return other.replace(other.rfind("20.0"), 4, worst);
    };
    CHECK(say_the_same(table, with("21.9")));
    CHECK(!say_the_same(table, with("22.1")));
    CHECK(!say_the_same(table, with("worse")));
    CHECK(!say_the_same(table, with("20.0 % | 20.0")));
    CHECK(!say_the_same(table, table + "| more |\n"));
    CHECK(!say_the_same(table + "| more |\n", table));
}

TEST_CASE("the records that are there are good, and of GPUs that the model knows") {
    const std::vector<Record> records = read_records();
    for (const Record& record : records) {
        CAPTURE(record.program);
        CHECK(timing::gpu_named(record.gpu).name == record.gpu);
        for (const std::string& address : record.addresses) CHECK(address.starts_with("https://"));
    }
    CHECK(!records.empty());
}
