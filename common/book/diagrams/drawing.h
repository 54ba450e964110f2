// Draws text, cells and frames as SVG, in colours that follow the reader's light or dark theme.
#pragma once

#include <string>

namespace coalesce::diagrams {

enum class CellContents {
    idle,    ///< memory that is not accessed
    used,    ///< bytes of global memory that a lane accesses
    wasted,  ///< bytes of global memory that are transferred but not needed
    shared,  ///< a word of shared memory that a lane accesses
};

/// An SVG under construction. Coordinates are in pixels at the drawing's natural size.
class Drawing {
public:
    Drawing(int width, int height) : width_(width), height_(height) {}

    void add_text(int x, int y, const std::string& words, const char* style = "");
    /// Draws a rectangle, with `label` in its centre if it fits.
    void add_cell(int x, int y, int width, int height, CellContents contents,
                  const std::string& label = "");
    /// Draws a square that lights up at step `step` of the animation. If the reader prefers reduced
    /// motion, the square stays dark.
    void add_animated_cell(int x, int y, int side, int step);
    /// Draws a grid of `cols` x `rows` idle cells that are `side` pixels apart.
    void add_grid(int x, int y, int cols, int rows, int side);

    /// Returns the complete SVG file. A short `title` is enough, because the text around the
    /// drawing describes it.
    std::string svg(const std::string& title) const;

private:
    int width_, height_;
    std::string body_;
    bool is_animated_ = false;
};

}  // namespace coalesce::diagrams
