// The record of public programs: slips are told, and the tables say what the record does.
#include <doctest/doctest.h>

#include "base/errors.h"
#include "lab/proof/public_programs/record.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

std::string row(const std::string& file, const std::string& outcome, const std::string& more = "") {
    return R"({"repository": "a/b", "commit": "c0ffee", "file": ")" + file + R"(", "outcome": ")" +
           outcome + "\"" + more + "}";
}

std::string record(const std::string& rows) {
    return R"({"simulator": "abc", "how": "built, then run", "programs": [)" + rows + "]}";
}

std::string error_of(const std::string& json) {
    try {
        read_public_programs(json);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a record of public programs that cannot be is refused") {
    CHECK(error_of(record(row("x.cu", "verified"))) == "no error");
    CHECK(has(error_of("{"), "results of public programs"));
    CHECK(has(error_of(record(row("x.cu", "fine"))), "a/b: x.cu: unknown outcome fine"));
    CHECK(has(error_of(record(row("x.cu", "ran", R"(, "time": 3)"))), "unknown key time"));
    CHECK(has(error_of(record(row("x.cu", "slow"))), "must say what is missing"));
    CHECK(has(error_of(record(row("x.cu", "ran") + "," + row("x.cu", "ran"))), "twice"));
}

TEST_CASE("the tables count every outcome, those that did not happen too") {
    const std::string why = R"(, "detail": "a | b")";
    const PublicPrograms all = read_public_programs(
        record(row("y.cu", "verified") + "," + row("x.cu", "bug-found", why) + "," +
               row("z.cu", "slow", why) + "," + row("n.cu", "not-built", why) + "," +
               row("l.cu", "needs-library", why)));
    const std::string totals = totals_table(all);
    CHECK(has(totals, "| ran, and verified itself | 1 |"));
    CHECK(has(totals, "| crash | 0 |"));
    CHECK(has(totals, "| **all** | **5** |"));
    CHECK(has(totals, "3 of them compile"));
    CHECK(has(totals, "2 of these ran to their end"));

    const std::string tables = programs_tables(all);
    CHECK(has(tables, "### [a/b](https://github.com/a/b/tree/c0ffee)"));
    CHECK(has(tables, "| `x.cu` | ran; the report is a bug of the program | a \\| b |"));
    CHECK(tables.find("`x.cu`") < tables.find("`y.cu`"));
}
