#include "array_answer.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/pattern.h"
#include "harness/text.h"

namespace coalesce::page {
namespace {

using nlohmann::json;

/// The most elements of a list that are shown, and the most rows and columns of a matrix.
constexpr std::int64_t kMaxListed = 1000, kMaxSide = 100;
/// The most rows and columns of a heat map. Each cell is the mean of several elements if there are
/// more.
constexpr std::int64_t kMaxMapSide = 64;

/// The elements of an array, some of which may never have been written.
class Elements {
public:
    Elements(const ElementType& type, const CallArgument& before, const std::string& bytes)
        : type_(type), bytes_(bytes), is_unwritten_(before.is_unwritten && type.bytes() > 1) {}

    /// Reports whether the element still has the bits that the array had before the launch. One
    /// byte alone does not show this.
    bool is_untouched(std::int64_t index) const {
        const std::string_view element(at(index), type_.bytes());
        return is_unwritten_ && std::ranges::all_of(element, [](char byte) {
                   return static_cast<unsigned char>(byte) == kPoisonByte;
               });
    }
    double value(std::int64_t index) const { return type_.read_value(at(index)); }

    /// Returns the element as text, with as many digits as its type has, or null if no thread has
    /// written it.
    json text(std::int64_t index) const {
        if (is_untouched(index)) return nullptr;
        if (type_.is_integer()) return type_.format_element(at(index));
        const auto digits = static_cast<int>(std::floor(type_.precision_bits() * std::log10(2.0)));
        std::string all;
        for (int i = 0; i < type_.components; ++i) {
            const char* const from = at(index) + static_cast<std::size_t>(i) * type_.scalar_bytes;
            all += (i == 0 ? "" : ", ") + format("%.*g", digits, type_.read_value(from));
        }
        return type_.components == 1 ? all : "(" + all + ")";
    }

private:
    const char* at(std::int64_t index) const {
        return bytes_.data() + static_cast<std::size_t>(index) * type_.bytes();
    }

    const ElementType& type_;
    const std::string& bytes_;
    bool is_unwritten_;
};

/// Returns the mean of the elements of a cell, or null if the cell has an element that was never
/// written, or that is no finite number.
json cell_mean(const Elements& elements, std::int64_t cols, std::array<std::int64_t, 2> first,
               std::array<std::int64_t, 2> last) {
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t row = first[0]; row < last[0]; ++row) {
        for (std::int64_t col = first[1]; col < last[1]; ++col, ++count) {
            if (elements.is_untouched(row * cols + col)) return nullptr;
            sum += elements.value(row * cols + col);
        }
    }
    return std::isfinite(sum) ? json(sum / static_cast<double>(count)) : json();
}

json heat_map_json(const Elements& elements, std::int64_t rows, std::int64_t cols) {
    const std::int64_t down = (rows + kMaxMapSide - 1) / kMaxMapSide,
                       across = (cols + kMaxMapSide - 1) / kMaxMapSide;
    json cells = json::array();
    for (std::int64_t row = 0; row < rows; row += down) {
        for (std::int64_t col = 0; col < cols; col += across) {
            cells.push_back(cell_mean(elements, cols, {row, col},
                                      {std::min(row + down, rows), std::min(col + across, cols)}));
        }
    }
    return {{"down", down}, {"across", across}, {"cells", cells}};
}

}  // namespace

json array_json(const Parameter& parameter, const std::vector<std::int64_t>& extents,
                const CallArgument& before, const ArrayAfter& after) {
    const std::int64_t cols = extents.back(), count = count_elements(extents), rows = count / cols;
    const bool is_list = extents.size() == 1;
    const std::int64_t shown_rows = std::min(rows, kMaxSide),
                       shown_cols = std::min(cols, is_list ? kMaxListed : kMaxSide);
    const Elements elements(parameter.type, before, after.bytes);
    json values = json::array();
    for (std::int64_t row = 0; row < shown_rows; ++row) {
        for (std::int64_t col = 0; col < shown_cols; ++col) {
            values.push_back(elements.text(row * cols + col));
        }
    }
    const bool has_map = extents.size() == 2 && parameter.type.components == 1;
    return {{"name", parameter.name},
            {"type", parameter.type.name},
            {"is_output", parameter.is_output()},
            {"extents", extents},
            {"shown", {shown_rows, shown_cols}},
            {"values", values},
            {"map", has_map ? heat_map_json(elements, rows, cols) : json()}};
}

}  // namespace coalesce::page
