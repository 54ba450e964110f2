/// \file
/// Pictures in SVG: shapes in the order in which they are drawn. Their colours have names, with a value for light
/// surroundings and one for dark ones; a page that has a switch sets the names itself.
#pragma once

#include <string>

namespace coalesce::proof {

constexpr const char* kPaper = "var(--c-page)";       ///< the ground
constexpr const char* kInk = "var(--c-ink)";          ///< text
constexpr const char* kQuiet = "var(--c-quiet)";      ///< text that explains
constexpr const char* kGridColour = "var(--c-grid)";  ///< lines that only guide the eye

// What something is: told apart by eyes that see no red, or no green.
constexpr const char* kBlue = "var(--c-blue)";
constexpr const char* kGrey = "var(--c-grey)";
constexpr const char* kRed = "var(--c-red)";
constexpr const char* kAmber = "var(--c-amber)";
constexpr const char* kPaleAmber = "var(--c-pale)";
constexpr const char* kGreen = "var(--c-green)";
constexpr const char* kSky = "var(--c-sky)";
constexpr const char* kPink = "var(--c-pink)";
constexpr const char* kViolet = "var(--c-violet)";

/// A place in a picture, in pixels from the top left corner.
struct Point {
    double x = 0, y = 0;
};

/// How text stands to its place.
enum class Anchor { start, middle, end };

/// A picture in the making.
class Svg {
public:
    /// `title` is read out to who cannot see the picture.
    Svg(int width, int height, const std::string& title);

    /// A filled rectangle.
    void box(Point corner, double width, double height, const std::string& fill);
    /// A line; `dashes` such as "4 3", or "".
    void line(Point from, Point to, const std::string& colour, double width = 1,
              const std::string& dashes = "");
    /// A disc.
    void dot(Point centre, double radius, const std::string& fill);
    /// A circle, empty inside.
    void ring(Point centre, double radius, const std::string& colour);
    /// Text of `size` pixels.
    void text(Point place, const std::string& text, Anchor anchor = Anchor::start, double size = 12,
              const std::string& colour = kInk);

    /// The whole file.
    std::string finished() const { return body_ + "</svg>\n"; }

private:
    std::string body_;
};

}  // namespace coalesce::proof
