// Tests the last lines of a report and the corresponding JSON field. They state how exact the
// simulation was, and which mistakes the checks did not cover.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/tests/run/simulate_run.h"

namespace {

using coalesce::tests::Outcome;
using Words = std::vector<std::string>;

Outcome run_case(const std::string& name, const Words& options = {}) {
    return coalesce::tests::simulate(SIMULATE, options, {PROGRAMS "/exactness", name});
}

/// Returns the report from the line "exactness: ..." onwards.
std::string last_lines(const Outcome& got) {
    const std::size_t at = got.err.find("\nexactness: ");
    return at == std::string::npos ? "" : got.err.substr(at + 1);
}

const auto& field(const Outcome& got) {
    REQUIRE(got.report.is_object());
    return got.report["exactness"];
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("if all instructions are exact, the report ends with one line that states this") {
    for (const char* name : {"exact", "integer_product", "unreached", "one stream", "chain"}) {
        CAPTURE(name);
        const Outcome got = run_case(name);
        const std::string all = got.report["kernels"][0]["warp_instructions"].dump();
        CHECK(last_lines(got) == "exactness: all " + all + " warp instructions are exact\n");
        CHECK(field(got)["exact"] == field(got)["warp_instructions"]);
        CHECK(field(got)["exact"] == got.report["kernels"][0]["warp_instructions"]);
        for (const char* none : {"last_bits", "values", "no_effect", "checks_off", "not_covered",
                                 "host_functions", "newer_targets"})
            CHECK_MESSAGE(field(got)[none].empty(), none);
    }
}

TEST_CASE("instructions whose last bits may differ are named and counted") {
    const std::pair<const char*, const char*> cases[] = {
        {"approximate", "ex2.approx"}, {"full_division", "div.approx"}, {"half_product", "mma"}};
    for (const auto& [name, instruction] : cases) {
        CAPTURE(name);
        const Outcome got = run_case(name);
        const std::string line =
            "  last bits may differ from a GPU's: " + std::string(instruction) + " (1)\n";
        CHECK(mentions(last_lines(got), line));
        const int all = field(got)["warp_instructions"];
        CHECK(field(got)["exact"] == all - 1);
        CHECK(field(got)["last_bits"] == nlohmann::json{{instruction, 1}});
        CHECK(mentions(last_lines(got), "exactness: " + std::to_string(all - 1) + " of " +
                                            std::to_string(all) + " warp"));
    }
}

TEST_CASE("hints count as exact, and the report states that they have no effect") {
    const Outcome got = run_case("hints");
    CHECK(mentions(last_lines(got), "warp instructions are exact\n"));
    CHECK(mentions(last_lines(got), "  no effect here: cache hints (2), prefetch (1)\n"));
    CHECK(field(got)["exact"] == field(got)["warp_instructions"]);
}

TEST_CASE("the report states that clock values differ from a GPU's") {
    const Outcome got = run_case("clocks");
    CHECK(mentions(last_lines(got), "  values differ from a GPU's: clocks (1)\n"));
    CHECK(field(got)["values"]["clocks"] == 1);
}

TEST_CASE("mistakes that no check detects are listed if the program could contain them") {
    const std::pair<const char*, const char*> cases[] = {
        {"bulk_copy", "a missing fence.proxy.async for global memory"},
        {"two branches", "order between nodes of a graph"},
        {"registered", "host accesses before a synchronization"}};
    for (const auto& [name, gap] : cases) {
        CAPTURE(name);
        const Outcome got = run_case(name);
        CHECK(last_lines(got).ends_with("\n  not checked: " + std::string(gap) + "\n"));
        CHECK(field(got)["not_covered"] == nlohmann::json{gap});
    }
}

TEST_CASE("the checks cover the order of work in several streams") {
    for (const char* name : {"one stream", "two streams", "non-blocking stream"})
        CHECK(field(run_case(name))["not_covered"].empty());
}

TEST_CASE("disabled checks are listed") {
    CHECK(mentions(last_lines(run_case("exact", {"--check", "memcheck,racecheck"})),
                   "  checks off: globalrace, initcheck, synccheck, apicheck, streamcheck\n"));
    const Outcome sampled = run_case("many", {"--sample", "2"});
    CHECK(mentions(last_lines(sampled), "  checks off: all, of 3 launches (--sample)\n"));
    CHECK(field(sampled)["launches_only_counted"] == 3);
}

TEST_CASE("the lines about exactness fit a terminal, and --quiet prints none of them") {
    for (const char* name : {"approximate", "hints", "bulk_copy", "many"}) {
        const Outcome got = run_case(name, {"--check", "none"});
        for (const std::string& line : coalesce::tests::split_lines(last_lines(got)))
            CHECK(line.size() <= 80);
    }
    CHECK(run_case("exact", {"--quiet"}).err == "");
    CHECK(mentions(last_lines(run_case("nothing")), "exactness: no instruction was counted\n"));
}
