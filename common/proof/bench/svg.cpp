#include "proof/bench/svg.h"

#include "harness/text.h"

namespace coalesce::proof {
namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else
            result += c;
    }
    return result;
}

}  // namespace

Svg::Svg(int width, int height, const std::string& title) {
    body_ = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" font-family=\"sans-serif\" role=\"img\">\n",
        width, height, width, height);
    body_ += "<title>" + escaped(title) + "</title>\n";
    box({0, 0}, width, height, "#fff");
}

void Svg::box(Point corner, double width, double height, const std::string& fill) {
    body_ += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                    corner.x, corner.y, width, height, fill.c_str());
}

void Svg::line(Point from, Point to, const std::string& colour, double width,
               const std::string& dashes) {
    body_ += format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
        "stroke-width=\"%.1f\"",
        from.x, from.y, to.x, to.y, colour.c_str(), width);
    if (!dashes.empty()) body_ += " stroke-dasharray=\"" + dashes + "\"";
    body_ += "/>\n";
}

void Svg::dot(Point centre, double radius, const std::string& fill) {
    body_ += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", centre.x,
                    centre.y, radius, fill.c_str());
}

void Svg::ring(Point centre, double radius, const std::string& colour) {
    body_ += format(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#fff\" stroke=\"%s\" "
        "stroke-width=\"1.5\"/>\n",
        centre.x, centre.y, radius, colour.c_str());
}

void Svg::text(Point place, const std::string& text, Anchor anchor, double size,
               const std::string& colour) {
    const char* name = anchor == Anchor::start    ? "start"
                       : anchor == Anchor::middle ? "middle"
                                                  : "end";
    body_ +=
        format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\" fill=\"%s\">",
               place.x, place.y, size, name, colour.c_str());
    body_ += escaped(text) + "</text>\n";
}

}  // namespace coalesce::proof
