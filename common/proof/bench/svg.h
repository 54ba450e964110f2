/// \file
/// Pictures in SVG: shapes in the order in which they are drawn, on a white ground, so that they can
/// be read in dark surroundings too.
#pragma once

#include <string>

namespace coalesce::proof {

/// Of lines that only guide the eye.
constexpr const char* kGridColour = "#ddd";
/// Of text that explains.
constexpr const char* kQuiet = "#666";

/// A place in a picture, in pixels from the top left corner.
struct Point {
    double x = 0, y = 0;
};

/// How text stands to its place.
enum class Anchor { start, middle, end };

/// A picture in the making.
class Svg {
public:
    /// `title` is read out to who can not see the picture.
    Svg(int width, int height, const std::string& title);

    /// A filled rectangle.
    void box(Point corner, double width, double height, const std::string& fill);
    /// A line; `dashes` such as "4 3", or "".
    void line(Point from, Point to, const std::string& colour, double width = 1,
              const std::string& dashes = "");
    /// A disc.
    void dot(Point centre, double radius, const std::string& fill);
    /// A circle, white inside.
    void ring(Point centre, double radius, const std::string& colour);
    /// Text of `size` pixels.
    void text(Point place, const std::string& text, Anchor anchor = Anchor::start, double size = 12,
              const std::string& colour = "#222");

    /// The whole file.
    std::string finished() const { return body_ + "</svg>\n"; }

private:
    std::string body_;
};

}  // namespace coalesce::proof
