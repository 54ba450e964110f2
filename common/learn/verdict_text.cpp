#include "learn/verdict_text.h"

#include <algorithm>

#include "examiner/render.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/predict.h"

namespace coalesce::learn {
namespace {

std::string command_line(const std::string& words, const std::string& about) {
    return format("./learn %-17s  %s\n", words.c_str(), about.c_str());
}

std::string guesses_text(const Record& record) {
    std::string text;
    for (auto& guess : record.guesses) {
        if (!guess.fact || !guess.said) continue;
        text += wrap("You predicted " + figure(guess.said) + " " + words_for(guess.counter) + "; " +
                     fact_text(guess) + ".");
    }
    return text.empty() ? "" : "\n" + text;
}

std::string pass_told_with(const Work& exercise, const CheckResult& result, const PassedText& more,
                           const Style& style, TimeShown time) {
    std::string text = headline_of(exercise, result, style) + "\n";
    text += terminal_text(*result.verdict,
                          {.is_bold = style.colour, .has_costs = more.counters, .time = time});
    if (!more.counters) {
        text += "\n" + wrap("What does it cost? Predict it first, then see it: ./learn predict " +
                            exercise.words());
    } else if (more.record != nullptr) {
        text += guesses_text(*more.record);
    }
    text += "\nNext: " + command_line("explain " + exercise.words(), "yours beside the solution");
    for (const Work& one : more.next) {
        text += "      " + command_line("check " + one.words(), one.relative_file());
    }
    return text + "Again: " + command_for(exercise, result) + "\n";
}

}  // namespace

std::string command_for(const Work& exercise, const CheckResult& result) {
    bool is_usual = result.file.empty() || result.file == exercise.relative_file();
    return "./learn check " + exercise.words() + (is_usual ? "" : " --file " + result.file) +
           (result.through_ir ? " --through-ir" : "");
}

std::string words_for(CheckResult::Outcome outcome, const Style& style) {
    if (outcome == CheckResult::passed) return style.good("passed");
    return style.bad(outcome == CheckResult::not_yet ? "not yet" : "could not be examined");
}

std::string headline_of(const Work& exercise, const CheckResult& result, const Style& style) {
    std::string where;
    if (result.verdict) {
        where = result.verdict->is_simulated ? "" : result.verdict->device + ", ";
    }
    return style.strong(exercise.name()) + ": " + words_for(result.outcome, style) + "  (" + where +
           format("checked in %.1f s)\n", std::max(result.milliseconds / 1000, .1));
}

std::string text_of_failure(const Work& exercise, const CheckResult& result, const Style& style,
                            bool has_full_map) {
    std::string text = headline_of(exercise, result, style) + "\n";
    std::string again = "Again: " + command_for(exercise, result);
    if (!result.verdict) return text + wrap(result.problem) + "\n" + again + "\n";
    std::string hint = "./learn hint " + exercise.words();
    bool is_short = again.size() + hint.size() < 62;
    if (result.outcome == CheckResult::not_yet) {
        again += (is_short ? "      Stuck? " : "\nStuck? ") + hint;
    }
    const int lines = style.lines == 0 ? kLinesOfVerdict : style.lines;
    const auto with = [&](const std::string& after_next) {
        const int of_headline = 2;
        return text + terminal_text(*result.verdict, {.is_bold = style.colour,
                                                      .lines = lines - of_headline,
                                                      .has_full_map = has_full_map,
                                                      .after_next = after_next + "\n"});
    };
    // The line about the map is the first one to go if the screen is full.
    if (has_map(*result.verdict) && !has_full_map) {
        const std::string offer = with(again + "\nMap of right and wrong cells: add --map");
        if (std::count(offer.begin(), offer.end(), '\n') <= lines) return offer;
    }
    return with(again);
}

std::string text_of_pass(const Work& exercise, const CheckResult& result, const PassedText& more,
                         const Style& style) {
    std::string text;
    for (TimeShown time : {TimeShown::in_words, TimeShown::in_table, TimeShown::nowhere}) {
        text = pass_told_with(exercise, result, more, style, time);
        auto lines = std::count(text.begin(), text.end(), '\n');
        if (lines <= (style.lines == 0 ? kLinesOfVerdict : style.lines)) break;
    }
    return text;
}

}  // namespace coalesce::learn
