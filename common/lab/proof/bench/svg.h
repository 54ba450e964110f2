/// \file
/// Draws pictures in SVG. Shapes that are drawn later cover earlier ones. Colours are variables
/// with one value for light backgrounds and one for dark ones.
#pragma once

#include <string>

namespace coalesce::proof {

constexpr const char* kBackgroundColour = "var(--c-page)";
constexpr const char* kTextColour = "var(--c-ink)";
constexpr const char* kSecondaryTextColour = "var(--c-quiet)";
constexpr const char* kGridColour = "var(--c-grid)";

// Colours, named by hue. People with red or green colour blindness can tell them apart.
constexpr const char* kBlue = "var(--c-blue)";
constexpr const char* kGrey = "var(--c-grey)";
constexpr const char* kRed = "var(--c-red)";
constexpr const char* kAmber = "var(--c-amber)";
constexpr const char* kPaleAmber = "var(--c-pale)";
constexpr const char* kGreen = "var(--c-green)";
constexpr const char* kSky = "var(--c-sky)";
constexpr const char* kPink = "var(--c-pink)";
constexpr const char* kViolet = "var(--c-violet)";

/// A point in a picture, in pixels from the top left corner.
struct Point {
    double x = 0, y = 0;
};

/// The alignment of text relative to its point.
enum class TextAnchor { start, middle, end };

/// An SVG picture that is being drawn.
class Svg {
public:
    /// \param title is read by screen readers.
    Svg(int width, int height, const std::string& title);

    /// Draws a filled rectangle.
    void draw_box(Point corner, double width, double height, const std::string& fill);
    /// Draws a line. `dashes` is a pattern such as "4 3", or "" for a solid line.
    void line(Point from, Point to, const std::string& colour, double width = 1,
              const std::string& dashes = "");
    /// Draws a disc.
    void dot(Point centre, double radius, const std::string& fill);
    /// Draws a ring.
    void draw_ring(Point centre, double radius, const std::string& colour);
    /// Draws text of `size` pixels.
    void text(Point place, const std::string& text, TextAnchor anchor = TextAnchor::start,
              double size = 12, const std::string& colour = kTextColour);

    /// Returns the whole SVG file.
    std::string finish() const { return svg_text_ + "</svg>\n"; }

private:
    std::string svg_text_;
};

}  // namespace coalesce::proof
