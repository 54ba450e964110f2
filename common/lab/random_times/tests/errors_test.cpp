#include "lab/random_times/errors.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/text.h"
#include "lab/proof/bench/svg.h"

using namespace coalesce::timing;
using coalesce::occurrences;

namespace {

TimePair pair_of(const std::string& name, double measured, double predicted) {
    return {name, measured, predicted, "memory", {}};
}

/// Returns five pairs of times. The errors of the predictions are +10 %, -20 %, 0, +50 % and -4 %.
std::vector<TimePair> five() {
    std::vector<TimePair> pairs{pair_of("a", 1.00, 1.10), pair_of("b", 2.00, 1.60),
                                pair_of("c", 4.00, 4.00), pair_of("d", 8.00, 12.00),
                                pair_of("e", 1.03, 0.9888)};
    pairs[3].unknown = {"atomics"};
    return pairs;
}

}  // namespace

TEST_CASE("the statistics equal the values computed by hand") {
    const ErrorSummary summary = summarize_errors(five());
    CHECK(summary.pairs == 5);
    CHECK(summary.median == doctest::Approx(0.10));
    // The 90th percentile of five values has rank 4.5. This rank is rounded up, so the fifth value
    // is returned.
    CHECK(summary.percentile_90_error == doctest::Approx(0.50));
    CHECK(summary.worst_error == doctest::Approx(0.50));
    CHECK(summary.pairs_beyond_30_percent == 1);
    /// The errors of the known pairs are 0, 4, 10 and 20 %, so the median is 7 %.
    CHECK(summarize_errors(select_fully_modelled_pairs(five())).median == doctest::Approx(0.07));
    CHECK(summarize_errors(select_fully_modelled_pairs(five())).worst_error ==
          doctest::Approx(0.20));
}

TEST_CASE("the 90th percentile of ten values is the ninth") {
    std::vector<TimePair> pairs;
    for (int i = 1; i <= 10; ++i) pairs.push_back(pair_of("", 1, 1 + 0.009 * i));
    CHECK(summarize_errors(pairs).percentile_90_error == doctest::Approx(0.081));
    CHECK(summarize_errors(pairs).pairs_within_10_percent == 10);
    CHECK(summarize_errors(pairs).median == doctest::Approx(0.0495));
}

TEST_CASE("only kernels whose times differ by more than 5 % are compared") {
    // The times of a and e differ by only 3 %, so only nine of the ten combinations count. All nine
    // are in order.
    CHECK(summarize_errors(five()).comparable_orders == 9);
    CHECK(summarize_errors(five()).correct_orders == 9);
    // Now b is predicted to be slower than c, although c takes twice as long.
    auto pairs = five();
    pairs[1].predicted = 4.5;
    CHECK(summarize_errors(pairs).correct_orders == 8);
    CHECK(summarize_errors(pairs).correct_order_fraction() == doctest::Approx(8.0 / 9));
    // Two equal predictions do not count as a correct order.
    pairs[1].predicted = 4.0;
    CHECK(summarize_errors(pairs).correct_orders == 8);
}

TEST_CASE("the largest errors come first, whatever their sign") {
    const auto worst = find_worst_pairs(five(), 2);
    REQUIRE(worst.size() == 2);
    CHECK(worst[0].name == "d");
    CHECK(worst[1].name == "b");
    CHECK(find_worst_pairs(five(), 10).size() == 5);
}

TEST_CASE("the table fits 80 columns, and names bottlenecks and unknowns") {
    auto pairs = five();
    pairs[0].name = "a name that is by far too long for the column that names have, and goes on";
    pairs[1].measured = 123.4567;
    for (int i = 0; i < 7; ++i) pairs.push_back(pair_of("more", 3, 3));
    const std::string text = format_text(pairs);
    for (const std::string& line : coalesce::lines_of(text)) CHECK(line.size() <= 80);
    CHECK(text.find("+50.0 % memory ?\n") != text.npos);
    CHECK(text.find("the worst ten") != text.npos);
    CHECK(text.find("12 pairs: median") != text.npos);
    CHECK(text.find("11 pairs: median") != text.npos);
}

TEST_CASE("an empty list of time pairs is not an error") {
    CHECK(format_text({}).find("no pairs") != std::string::npos);
    CHECK(summarize_errors({}).correct_order_fraction() == 1);
    CHECK(draw_svg({}, "none").find("</svg>") != std::string::npos);
}

TEST_CASE("Markdown has a row for each pair") {
    const std::string text = format_markdown(five());
    CHECK(text.find("| all | 5 | 10.0 % | 50.0 % | 50.0 % |") != text.npos);
    CHECK(text.find("| known | 4 | 7.0 % |") != text.npos);
    CHECK(text.find("| d | 8.0000 | 12.0000 | +50.0 % | memory? atomics |") != text.npos);
}

TEST_CASE("the picture has a dot per pair and a ring per warning, and names the worst pairs") {
    const std::string svg = draw_svg(five(), "Five & more");
    // The legend contains a dot and a ring, and each ring consists of two discs.
    CHECK(occurrences(svg, "<circle") == 5 + 1 + 3);
    CHECK(occurrences(svg, "r=\"2.6\" style=\"fill:" +
                               std::string(coalesce::proof::kBackgroundColour)) == 2);
    CHECK(occurrences(svg, "stroke-dasharray") == 2 + 1);
    CHECK(svg.find("Five &amp; more") != svg.npos);
    CHECK(svg.find("d, +50 %") != svg.npos);
    CHECK(svg.find("nan") == svg.npos);
}
