#include "front.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "questions.h"

namespace coalesce::book {
namespace {

/// The file with the measurements that the front page shows.
constexpr const char* kMeasurementsFile = "docs/results/nvidia-h200.json";
/// The first and the last lesson in the chart. Later lessons are not comparable, because they solve
/// other problems.
constexpr const char* kFirstLessonInChart = "02";
constexpr const char* kLastLessonInChart = "10";

nlohmann::json read_measurements(const Contents& contents) {
    const auto file = contents.root / kMeasurementsFile;
    if (!std::filesystem::exists(file)) return nullptr;
    return nlohmann::json::parse(read_file(file));
}

/// Returns the bandwidth of a lesson's kernel in GB/s, or 0 if it was not measured.
long bandwidth_gbps(const nlohmann::json& measured, const course::Step& step) {
    if (!measured.is_object() || step.variants.empty()) return 0;
    for (const auto& row : measured.at("results")) {
        if (row.at("step") == step.name && row.at("variant") == step.variants.front().name)
            return std::lround(row.at("gbps").get<double>());
    }
    return 0;
}

/// Returns data for the picture's script: the measured bandwidths of lessons 03 and 04, whose tiles
/// have rows of 32 and of 33 floats.
std::string lesson_bandwidths_by_row_length(const nlohmann::json& measured,
                                            const course::Course& course) {
    nlohmann::json words = nlohmann::json::object();
    const auto add = [&](const char* length, const char* number, const std::string& what) {
        const course::Step* step = course.find(number);
        const long gbps = step ? bandwidth_gbps(measured, *step) : 0;
        if (gbps) words[length] = what + std::to_string(gbps) + " GB/s, measured on an H200.";
    };
    add("32", "03", "Lesson 03 reads its tile like this: ");
    add("33", "04", "Lesson 04 adds one float to each row: ");
    return words.dump();
}

/// Returns the part of a title before its colon, such as "Naive".
std::string title_before_colon(const std::string& title) {
    return title.substr(0, title.find(':'));
}

std::string bandwidth_chart_html(const nlohmann::json& measured, const Contents& contents,
                                 const course::Course& course) {
    if (!measured.is_object()) return "";
    const double copy = measured.at("copy_gbps").get<double>();
    std::string rows;
    for (const course::Step& step : course.steps) {
        const long gbps = bandwidth_gbps(measured, step);
        const Page* page = contents.find("lesson_" + step.name);
        if (!gbps || !page || step.number() < kFirstLessonInChart ||
            step.number() > kLastLessonInChart)
            continue;
        const std::string percent = std::to_string(std::lround(100 * gbps / copy)) + "%";
        rows += "<li><a href=\"" + page->html_file() + "\"><span class=\"number\">" +
                step.number() + "</span> " + to_html(title_before_colon(step.title)) +
                "</a><span class=\"rung\" aria-hidden=\"true\"><i style=\"width: " + percent +
                "\"></i></span><span class=\"figure\">" + std::to_string(gbps) + "</span></li>\n";
    }
    if (rows.empty()) return "";
    return "<section class=\"chart-of-lessons\"><h2 class=\"part\">One idea per lesson</h2>\n"
           "<p>The bandwidth of each lesson's kernel in GB/s, measured on an H200. The line at the "
           "right marks the bandwidth of a copy, " +
           std::to_string(std::lround(copy)) +
           " GB/s: no transpose can be faster.</p>\n<ol class=\"ladder\">\n" + rows +
           "</ol></section>\n";
}

}  // namespace

std::string front_page_html(const Contents& contents, const course::Course& course,
                            bool with_explorer) {
    const auto first = std::find_if(contents.pages.begin(), contents.pages.end(),
                                    [](const Page& one) { return !one.step_name().empty(); });
    if (first == contents.pages.end())
        throw BookError("the book has no lesson to which the front page can link");
    const nlohmann::json measured = read_measurements(contents);
    const std::string other = with_explorer ? "<a href=\"playground.html\">Break a kernel</a>"
                                            : "<a href=\"introduction.html\">New to GPUs</a>";
    return "<section class=\"hero\"><div class=\"said\">\n"
           "<p class=\"tagline\">Why is one kernel nine times as fast as another?</p>\n"
           "<p class=\"lead\">Both transpose the same matrix on the same GPU. They differ only in "
           "how they access memory. Learn to see the difference, one idea at a time, with kernels "
           "that run, explain themselves, and are yours to break: here in the browser, without a "
           "GPU.</p>\n"
           "<p class=\"ways\"><a class=\"first\" href=\"" +
           first->html_file() + "\">Start with the first lesson</a> " + other +
           "</p>\n</div>\n<figure class=\"toy\"><figcaption><b>Try it.</b> 32 lanes of a warp each "
           "read a float from shared memory, all from the same column of a tile. Shared memory has "
           "32 banks.</figcaption><div class=\"bank-toy\" data-lessons=\"" +
           to_html(lesson_bandwidths_by_row_length(measured, course)) +
           "\"><p>This picture needs JavaScript.</p></div></figure></section>\n" +
           bandwidth_chart_html(measured, contents, course) +
           "<script defer src=\"front.js\"></script>\n";
}

}  // namespace coalesce::book
