// Text, cells and frames of a drawing as SVG, in colours that follow the reader's light or dark.
#pragma once

#include <string>

namespace coalesce::diagrams {

/// What a cell shows.
enum class Cell {
    idle,   ///< memory that is not touched
    used,   ///< a lane's bytes
    waste,  ///< moved with them, and wanted by nobody
};

/// An SVG under construction. Units are pixels at its natural size.
class Drawing {
public:
    Drawing(int width, int height) : width_(width), height_(height) {}

    void text(int x, int y, const std::string& words, const char* style = "");
    /// A square or oblong; `label` in its middle when there is room for it.
    void cell(int x, int y, int width, int height, Cell kind, const std::string& label = "");
    /// A square that is used after so many others: it waits until then, where pictures may move.
    void cell_in_turn(int x, int y, int side, int turn);
    /// Cells that are idle, `cols` x `rows` of them, `side` apart.
    void grid(int x, int y, int cols, int rows, int side);

    /// The whole file. `title` says what it is; the text beside the picture says what it shows.
    std::string svg(const std::string& title) const;

private:
    int width_, height_;
    std::string body_;
    bool has_turns_ = false;
};

}  // namespace coalesce::diagrams
