#include "front.h"

#include <algorithm>
#include <cmath>

#include "measured.h"
#include "questions.h"

namespace coalesce::book {
namespace {

/// The button that stores the book and its compiler in the browser. A script shows it.
constexpr const char* kOfflineButton =
    "<p class=\"offline\" hidden><button type=\"button\">Keep for offline use</button> "
    "<span role=\"status\"></span></p>\n";
/// The first and the last lesson in the chart. Later lessons are not comparable, because they solve
/// other problems.
constexpr const char* kFirstLessonInChart = "02";
constexpr const char* kLastLessonInChart = "10";

/// Returns data for the picture's script: the measured bandwidths of lessons 03 and 04, whose tiles
/// have rows of 32 and of 33 floats.
std::string lesson_bandwidths_by_row_length(const nlohmann::json& measurements,
                                            const course::Course& course) {
    nlohmann::json bandwidth_texts = nlohmann::json::object();
    const auto add_bandwidth = [&](const char* row_length, const char* number,
                                   const std::string& text) {
        const course::Step* step = course.find(number);
        const long gbps = step ? bandwidth_gbps(measurements, *step) : 0;
        if (gbps)
            bandwidth_texts[row_length] =
                text + std::to_string(gbps) + " GB/s, measured on an H200.";
    };
    add_bandwidth("32", "03", "Lesson 03 reads its tile like this: ");
    add_bandwidth("33", "04", "Lesson 04 adds one float to each row: ");
    return bandwidth_texts.dump();
}

/// Returns the part of a title before its colon, such as "Naive".
std::string trim_title_after_colon(const std::string& title) {
    return title.substr(0, title.find(':'));
}

std::string bandwidth_chart_html(const nlohmann::json& measurements, const Contents& contents,
                                 const course::Course& course) {
    if (!measurements.is_object()) return "";
    const double copy_gbps = measurements.at("copy_gbps").get<double>();
    std::string items_html;
    for (const course::Step& step : course.steps) {
        const long gbps = bandwidth_gbps(measurements, step);
        const Page* page = contents.find_page("lesson_" + step.name);
        if (!gbps || !page || step.number() < kFirstLessonInChart ||
            step.number() > kLastLessonInChart)
            continue;
        const std::string percent = std::to_string(std::lround(100 * gbps / copy_gbps)) + "%";
        items_html += "<li><a href=\"" + page->html_file() + "\"><span class=\"number\">" +
                      step.number() + "</span> " + to_html(trim_title_after_colon(step.title)) +
                      "</a><span class=\"rung\" aria-hidden=\"true\"><i class=\"" +
                      limiting_idea_class(contents.root, step) + "\" style=\"width: " + percent +
                      "\"></i></span><span class=\"figure\">" + std::to_string(gbps) +
                      "</span></li>\n";
    }
    if (items_html.empty()) return "";
    return "<section class=\"chart-of-lessons\"><h2 class=\"part\">One idea per lesson</h2>\n"
           "<p>The bandwidth of each lesson's kernel in GB/s, measured on an H200. The line at the "
           "right marks the bandwidth of a copy, " +
           std::to_string(std::lround(copy_gbps)) +
           " GB/s: no transpose can be faster. The colors say what limits a kernel, as predicted "
           "for "
           "an H200: <span class=\"idea global\">the bytes of global memory</span>, or <span "
           "class=\"idea waiting\">waiting at barriers</span>.</p>\n<ol class=\"ladder\">\n" +
           items_html + "</ol></section>\n";
}

}  // namespace

std::string front_page_html(const Contents& contents, const course::Course& course,
                            bool has_explorer) {
    // In pages with editors, begin with the first lesson whose exercise can be solved there.
    const auto first_lesson =
        std::find_if(contents.pages.begin(), contents.pages.end(), [&](const Page& lesson_page) {
            const course::Step* step = course.find(lesson_page.step_name());
            return !lesson_page.step_name().empty() && (!has_explorer || (step && step->exercise));
        });
    if (first_lesson == contents.pages.end())
        throw BookError("the book has no lesson to which the front page can link");
    const std::string start_text =
        has_explorer ? "Write your first kernel" : "Start with the first lesson";
    const nlohmann::json measurements = read_measurements(contents.root);
    const std::string other_link_html = has_explorer
                                            ? "<a href=\"playground.html\">Break a kernel</a>"
                                            : "<a href=\"introduction.html\">New to GPUs</a>";
    return "<section class=\"hero\"><div class=\"said\">\n"
           "<p class=\"tagline\">Why is one kernel nine times as fast as another?</p>\n"
           "<p class=\"lead\">Both transpose the same matrix on the same GPU. They differ only in "
           "how they access memory. Learn to see the difference, one idea at a time, with kernels "
           "that run, explain themselves, and are yours to break: here in the browser, without a "
           "GPU.</p>\n"
           "<p class=\"ways\"><a class=\"first\" href=\"" +
           first_lesson->html_file() + "\">" + start_text + "</a> " + other_link_html + "</p>\n" +
           (has_explorer ? kOfflineButton : "") +
           "</div>\n<figure class=\"toy\"><figcaption><b>Try it.</b> 32 lanes of a warp each "
           "read a float from shared memory, all from the same column of a tile. Shared memory has "
           "32 banks.</figcaption><div class=\"bank-toy\" data-lessons=\"" +
           to_html(lesson_bandwidths_by_row_length(measurements, course)) +
           "\"><p>This picture needs JavaScript.</p></div></figure></section>\n" +
           bandwidth_chart_html(measurements, contents, course) +
           "<script defer src=\"front.js\"></script>\n";
}

}  // namespace coalesce::book
