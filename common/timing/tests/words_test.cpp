// Tests how a single prediction is explained.
#include "timing/words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "base/enum_names.h"
#include "timing/comparison.h"
#include "timing/figures.h"
#include "timing/tests/samples.h"
#include "timing/time_line.h"
#include "timing/time_line_svg.h"

using namespace coalesce::timing;
using samples::says;

namespace {

template <class E>
std::vector<E> all_of_enum() {
    std::vector<E> all;
    for (int i = 0; i <= static_cast<int>(last_of(E{})); ++i) all.push_back(static_cast<E>(i));
    return all;
}

TimeExplanation said_of(const Prediction& prediction) {
    return explain_prediction(prediction, samples::gpu(), samples::useful_bytes);
}

/// Returns pointers to a prediction's numbers, so that tests can remove these numbers one by one.
std::vector<double*> numbers_of(Prediction& p) {
    return {&p.ms,
            &p.error_band,
            &p.memory_bytes,
            &p.run_bytes_read,
            &p.run_bytes_written,
            &p.rounds,
            &p.bytes_in_flight,
            &p.bytes_needed,
            &p.fraction_without_loads,
            &p.latency_cycles,
            &p.utilization.memory,
            &p.utilization.l2_read,
            &p.utilization.l2_write,
            &p.utilization.shared,
            &p.utilization.issue,
            &p.warp_life.start,
            &p.warp_life.issue,
            &p.warp_life.loads,
            &p.warp_life.shared,
            &p.warp_life.barrier,
            &p.warp_life.stores,
            &p.warp_life.other,
            &p.time_line.cycles_per_moment,
            &p.time_line.moments[7].bytes_in_flight,
            &p.time_line.moments[8].bytes_stored,
            &p.time_line.moments[9].warps_at_barrier,
            &p.time_line.moments[10].warps_waiting_for_loads,
            &p.time_line.moments[11].warps_working,
            &p.time_line.blocks[1].begin,
            &p.time_line.blocks[2].end};
}

/// Returns all texts about a prediction, by itself and in comparison with another prediction.
std::string everything(const Prediction& p) {
    return said_of(p).text() + explain_prediction(p, Gpu{}).text() +
           compare_predictions(p, samples::like_05()) + compare_predictions(samples::like_05(), p) +
           time_line_text(p) + time_line_svg(p);
}

/// Reports whether `part` occurs in the text as a word: with no letter, digit or point before it,
/// and no letter or digit after it.
bool has_word(const std::string& text, const std::string& part) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        const char before = at > 0 ? text[at - 1] : ' ';
        const std::size_t end = at + part.size();
        const char after = end < text.size() ? text[end] : ' ';
        if (!is_letter(before) && before != '.' && !is_letter(after)) return true;
    }
    return false;
}

/// Checks that the text makes no statement about numbers that the prediction lacks.
void check_claims(const Prediction& p) {
    const std::string text = everything(p);
    for (const char* no_number : {"nan", "inf"}) CHECK_FALSE(has_word(text, no_number));
    const std::string words = said_of(p).text() + compare_predictions(p, samples::like_05()) +
                              compare_predictions(samples::like_05(), p);
    for (const char* unit : {"%", "KB", "MB", "GB", "bytes", "ms", "us", "cycles", "blocks",
                             "threads", "warps", "registers", "rounds", "at", "until", "waiting"}) {
        CHECK_MESSAGE(!has_word(words, std::string("0 ") + unit), words);
    }
    for (std::size_t at = words.find(" -"); at != words.npos; at = words.find(" -", at + 1)) {
        CHECK_MESSAGE(!std::isdigit(static_cast<unsigned char>(words[at + 2])), words);
    }
    CHECK(says(words, "predicted"));
}

}  // namespace

TEST_CASE("the text for lesson 04 states its time, label, Little's law and a warp's life") {
    const TimeExplanation said = said_of(samples::like_04());
    CHECK(said.headline() ==
          "padded: about 4.6 ms, 44 % of a copy (predicted, NVIDIA H200, within 8 %). The kernel "
          "waits at "
          "barriers: 3.4 KB are in flight per multiprocessor, but 16 KB are needed (Little's law); "
          "38 % of the time nothing is in flight.");
    REQUIRE(said.reasons.size() == 4);
    CHECK(said.reasons[0] ==
          "A multiprocessor holds 2 blocks of 1024 threads at a time: another block would exceed "
          "its limit of 2048 "
          "threads.");
    CHECK(
        said.reasons[1] ==
        "A warp lives about 2370 cycles: 350 until it starts, 240 executing instructions, 940 "
        "waiting for "
        "loads, 670 waiting at barriers for the slowest of 32 warps and 170 for everything else.");
    CHECK(said.reasons[2] ==
          "A load takes about 860 cycles, so 3.4 KB in flight give a multiprocessor 4 bytes per "
          "cycle.");
    CHECK(said.reasons[3] ==
          "Busy: memory 52 %, instruction issue 24 % and the load path from the cache 12 % of the "
          "time.");
    CHECK(says(said.cure, "before a barrier"));
    CHECK(said.unknown.empty());
}

TEST_CASE("the text for lesson 05 states that memory is the limit, and mentions the runs") {
    const TimeExplanation said = said_of(samples::like_05());
    CHECK(said.verdict ==
          "memory is the limit: it is busy 97 % of the time, writing runs of 128 bytes");
    CHECK(said.time == "about 2.5 ms, 82 % of a copy");
    CHECK(said.reasons[0] ==
          "Memory sees writes in runs of 128 bytes (up to 19 % slower than long runs).");
    CHECK(says(said.cure, "longer runs"));
    CHECK(said.cure_is_advice);
    Prediction as_a_copy = samples::like_05();
    as_a_copy.ms = 2.1;
    CHECK(said_of(as_a_copy).cure ==
          "The kernel is nearly as fast as a copy; only moving fewer bytes would make it faster.");
    CHECK_FALSE(said_of(as_a_copy).cure_is_advice);
}

TEST_CASE("runs cost as much as the next shorter runs in the table") {
    const auto why = [](double bytes) {
        Prediction p = samples::like_05();
        p.run_bytes_read = bytes;
        return said_of(p).reasons[0];
    };
    CHECK(says(why(16), "reads in runs of 16 bytes (up to 33 % slower than long runs) and writes"));
    CHECK(says(why(127), "reads in runs of 127 bytes (up to 33 %"));
    CHECK(says(why(264), "reads in runs of 264 bytes (up to 6 %"));
    CHECK_FALSE(says(why(1024), "reads"));
}

TEST_CASE("each paragraph of the text is one line") {
    const TimeExplanation said = said_of(samples::like_04());
    const std::string text = said.text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    CHECK(text.substr(0, said.headline().size() + 1) == said.headline() + "\n");
}

TEST_CASE("every bottleneck has its own name, verdict and remedy") {
    std::set<std::string> names, verdicts, cures;
    for (const Bottleneck bottleneck : all_of_enum<Bottleneck>()) {
        CAPTURE(coalesce::dashed_name(bottleneck));
        const TimeExplanation said = said_of(samples::that_binds(bottleneck));
        CHECK_FALSE(said.verdict.empty());
        CHECK(said.cure.back() == '.');
        names.insert(describe_bottleneck(samples::that_binds(bottleneck)));
        verdicts.insert(said.verdict);
        cures.insert(said.cure);
        check_claims(samples::that_binds(bottleneck));
    }
    const std::size_t all = all_of_enum<Bottleneck>().size();
    CHECK(names.size() == all);
    CHECK(names.count("") == 0);
    CHECK(verdicts.size() == all);
    CHECK(cures.size() == all);
}

TEST_CASE("each verdict contains its decisive number") {
    const auto verdict = [](Bottleneck bottleneck) {
        return said_of(samples::that_binds(bottleneck)).verdict;
    };
    CHECK(says(verdict(Bottleneck::shared), "busy 93 % of the time"));
    CHECK(says(verdict(Bottleneck::cache), "for loads it is busy 94 % of the time"));
    CHECK(says(verdict(Bottleneck::stores), "busy 95 % of the time"));
    CHECK(says(verdict(Bottleneck::issue), "the schedulers are busy 91 % of the time"));
    CHECK(says(verdict(Bottleneck::blocks), "starts a block every 160 cycles at best"));
    CHECK(says(verdict(Bottleneck::blocks), "spends 1200 of its 3220 cycles"));
    CHECK(says(verdict(Bottleneck::few_blocks), "the last of 2 waves fills 12 % of the GPU"));
    Prediction few = samples::that_binds(Bottleneck::few_blocks);
    few.rounds = 0.4;
    CHECK(said_of(few).verdict ==
          "too few blocks: the grid has only 40 % of the blocks that the GPU can hold at once");
    few.rounds = 2;
    CHECK(said_of(few).verdict == "there are too few blocks to fill the GPU");
}

TEST_CASE("the first advice is to avoid bank conflicts if they cost at least a tenth of the time") {
    Prediction p = samples::that_binds(Bottleneck::barrier);
    p.ms = 0.5;
    p.ms_without_conflicts = 0.2;
    CHECK(said_of(p).cure ==
          "Avoid the bank conflicts: without them, the predicted time is about 0.2 ms.");
    p.ms_without_conflicts = 0.47;
    CHECK_FALSE(says(said_of(p).cure, "bank conflicts"));
}

TEST_CASE("shared memory is not named as the bottleneck of a kernel that does not use it") {
    Prediction p = samples::that_binds(Bottleneck::shared);
    p.shared_bytes = 0;
    CHECK(describe_bottleneck(p) == "the L1 cache");
    p.shared_bytes = 4096;
    CHECK(describe_bottleneck(p) == "shared memory");
}

TEST_CASE("each limit of occupancy has a name, and the text gives the limit") {
    std::set<std::string> names, sentences;
    for (const OccupancyLimit occupancy_limit : all_of_enum<OccupancyLimit>()) {
        Prediction p = samples::like_04();
        p.occupancy_limit = occupancy_limit;
        names.insert(phrase_for(occupancy_limit));
        sentences.insert(said_of(p).reasons.at(0));
        check_claims(p);
    }
    const std::size_t all = all_of_enum<OccupancyLimit>().size();
    CHECK(names.size() == all);
    CHECK(names.count("") == 0);
    CHECK(sentences.size() == all);
    CHECK(sentences.count("A multiprocessor holds 2 blocks of 1024 threads at a time: .") == 0);
}

TEST_CASE("if too few blocks fit, the text states how more blocks would fit") {
    Prediction p = samples::that_binds(Bottleneck::flight);
    CHECK_FALSE(says(said_of(p).cure, "more blocks"));
    p.occupancy_limit = OccupancyLimit::registers;
    CHECK(says(said_of(p).cure, "fewer registers per thread, so that more blocks fit"));
    p.occupancy_limit = OccupancyLimit::shared_memory;
    CHECK(says(said_of(p).cure, "less shared memory per block, so that more blocks fit"));
}

TEST_CASE("every unknown effect is mentioned, and the label states only a minimum error") {
    std::set<std::string> names;
    for (const Unknown unknown : all_of_enum<Unknown>()) {
        Prediction p = samples::like_04();
        p.unknown = {unknown};
        const std::string name = phrase_for(unknown);
        names.insert(name);
        const TimeExplanation said = said_of(p);
        CHECK(said.label == "predicted, NVIDIA H200, off by 8 % or more");
        REQUIRE(said.unknown.size() == 1);
        CHECK(said.unknown[0] == "The model does not know " + name +
                                     ": the prediction may be wrong by more than 8 %.");
        CHECK(says(said.text(), said.unknown[0]));
        CHECK(says(compare_predictions(p, samples::like_05()),
                   "The model does not know " + name + "."));
    }
    CHECK(names.size() == all_of_enum<Unknown>().size());
    CHECK(names.count("") == 0);
}

TEST_CASE("a GPU that has not been measured is called unverified everywhere") {
    Prediction p = samples::like_04();
    p.gpu = "NVIDIA L4";
    p.is_gpu_measured = false;
    p.error_band = 0.2;
    CHECK(prediction_label(p) == "predicted, unverified, NVIDIA L4, within 20 %");
    for (const std::string& text :
         {said_of(p).headline(), compare_predictions(p, samples::like_05()), time_line_text(p),
          time_line_svg(p)}) {
        CHECK(says(text, "unverified"));
    }
    p.error_band = 0;
    CHECK(prediction_label(p) == "predicted, unverified, NVIDIA L4, error unknown");
}

TEST_CASE("if useful bytes are unknown, the text explains the time by the bytes moved") {
    const TimeExplanation said = explain_prediction(samples::like_05(), samples::gpu());
    CHECK(said.time == "about 2.5 ms; memory moves 8.6 GB in this time, at 82 % of a copy's speed");
    CHECK_FALSE(fraction_of_copy(samples::like_05(), samples::gpu(), 0).has_value());
    CHECK(*fraction_of_copy(samples::like_04(), samples::gpu(), samples::useful_bytes) ==
          doctest::Approx(0.4356).epsilon(0.001));
}

TEST_CASE("useless traffic and data in the cache are mentioned") {
    Prediction p = samples::that_binds(Bottleneck::memory);
    p.memory_bytes = 4.5 * samples::useful_bytes;
    CHECK(said_of(p).reasons[0] == "Memory moves 39 GB; 8.6 GB would be enough.");
    CHECK(says(said_of(p).cure, "Use every byte of each sector"));
    p.memory_bytes = samples::useful_bytes / 2;
    CHECK(says(said_of(p).reasons[0], "the cache serves the rest"));
}

TEST_CASE("missing numbers are not mentioned") {
    const double missing[] = {0, -1, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(), 1e-9};
    for (const Bottleneck bottleneck : all_of_enum<Bottleneck>()) {
        for (const double value : missing) {
            Prediction all_missing = samples::that_binds(bottleneck);
            for (double* number : numbers_of(all_missing)) *number = value;
            check_claims(all_missing);
        }
    }
    Prediction whole = samples::like_04();
    for (std::size_t i = 0; i < numbers_of(whole).size(); ++i) {
        Prediction p =
            samples::that_binds(static_cast<Bottleneck>(i % all_of_enum<Bottleneck>().size()));
        CAPTURE(i);
        *numbers_of(p)[i] = missing[i % std::size(missing)];
        check_claims(p);
    }
    check_claims(Prediction{});
}

TEST_CASE("without a time, the text mentions unknown effects but no bottleneck") {
    Prediction p = samples::like_04();
    p.ms = 0;
    p.unknown = {Unknown::waits};
    CHECK(said_of(p).text() ==
          "padded: no time (predicted, NVIDIA H200, off by 8 % or more). The model cannot predict "
          "a time "
          "for this launch.\n"
          "The model does not know how long blocks wait for each other: the prediction may be "
          "wrong by more "
          "than 8 %.\n");
}

TEST_CASE("the text for a random prediction does not mention missing numbers") {
    std::mt19937 random(20);
    std::uniform_real_distribution<double> exponent(-3, 7);
    for (int turn = 0; turn < 200; ++turn) {
        Prediction p = samples::that_binds(
            static_cast<Bottleneck>(random() % all_of_enum<Bottleneck>().size()));
        for (double* number : numbers_of(p)) {
            if (random() % 3 == 0) *number = std::pow(10, exponent(random));
        }
        p.resident_blocks = static_cast<int>(random() % 33);
        p.warps_per_block = static_cast<int>(random() % 33);
        check_claims(p);
    }
}

TEST_CASE("kernel names are safe to print") {
    CHECK(replace_non_ascii("padded<float, 32>") == "padded<float, 32>");
    CHECK(replace_non_ascii("a\x1b[31m\n\xc3\xa9") == "a?[31m???");
    Prediction p = samples::like_04();
    p.kernel = "turn<float>&\x1b";
    CHECK(says(time_line_svg(p), "turn&lt;float&gt;&amp;?"));
    p.kernel.clear();
    CHECK(said_of(p).headline().substr(0, 12) == "About 4.6 ms");
}
