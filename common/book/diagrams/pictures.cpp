#include "pictures.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "drawing.h"
#include "examiner/picture.h"
#include "harness/text.h"

namespace coalesce::diagrams {
namespace {

constexpr unsigned kBanks = 32;

bool is_active(const Access& access, unsigned lane) {
    return access.active >> lane & 1;
}

bool have_same_picture(const Access& a, const Access& b) {
    return a.line == b.line && a.memory == b.memory && a.is_store == b.is_store &&
           a.cost == b.cost && a.bytes_per_lane == b.bytes_per_lane;
}

/// An access that is drawn only once, and the number of times that a loop repeats it.
struct RepeatedAccess {
    Access access;
    unsigned repetitions = 1;
};

std::vector<RepeatedAccess> group_equal_accesses(const std::vector<Access>& accesses) {
    std::vector<RepeatedAccess> groups;
    for (const Access& access : accesses) {
        const auto group =
            std::find_if(groups.begin(), groups.end(), [&](const RepeatedAccess& repeated) {
                return have_same_picture(repeated.access, access);
            });
        if (group == groups.end()) {
            groups.push_back({access});
        } else {
            ++group->repetitions;
        }
    }
    return groups;
}

std::string format_heading(const RepeatedAccess& repeated) {
    const Access& access = repeated.access;
    std::string text = access.is_store ? "Store to " : "Load from ";
    text += access.is_shared ? "the tile" : "`" + access.memory + "`";
    text += ": " + format_count(access.cost, access.is_shared ? "wavefront" : "sector");
    if (access.cost > access.ideal) {
        text += ", where " + std::to_string(access.ideal) + (access.ideal == 1 ? " is" : " are") +
                " enough";
    }
    if (repeated.repetitions > 1)
        text += "  (the first of " + std::to_string(repeated.repetitions) + ")";
    return text;
}

// ---- one warp ----

constexpr int kCellPixels = 19, kGapPixels = 5, kLabelPixels = 116, kHeadPixels = 34,
              kRowPixels = 22, kPictureWidthPixels = 760;
/// The maximum number of rows to draw. The picture states how many rows are omitted.
constexpr std::size_t kMaxDrawnRows = 6;

std::vector<PictureRow> lay_out_rows(const Access& access) {
    return access.is_shared ? draw_bank_rows(access) : draw_memory_rows(access, 0, access.memory);
}

/// Returns how to draw a word of a row. Global memory transfers whole sectors, so the unused words
/// of a transferred sector are drawn as wasted. A shared memory bank delivers only the word that is
/// used.
CellContents choose_cell_contents(const PictureRow& row, std::size_t word_index, bool is_shared) {
    if (row.lanes[word_index] >= 0) return is_shared ? CellContents::shared : CellContents::used;
    if (is_shared) return CellContents::idle;
    const auto sector = row.lanes.begin() + static_cast<std::ptrdiff_t>(word_index / 8 * 8);
    const bool is_sector_transferred =
        std::any_of(sector, sector + 8, [](int lane) { return lane >= 0; });
    return is_sector_transferred ? CellContents::wasted : CellContents::idle;
}

void draw_row(Drawing& drawing, const PictureRow& row, bool is_shared, int y) {
    drawing.add_text(kLabelPixels - 10, y + 14, row.label, "right faint code");
    for (std::size_t word_index = 0; word_index < row.lanes.size(); ++word_index) {
        const int x = kLabelPixels + static_cast<int>(word_index) * kCellPixels +
                      static_cast<int>(word_index) / 8 * kGapPixels;
        const int lane = row.lanes[word_index];
        drawing.add_cell(x, y, kCellPixels - 1, kCellPixels,
                         choose_cell_contents(row, word_index, is_shared),
                         lane < 0 ? "" : std::to_string(lane));
    }
}

int compute_rows_height(std::size_t rows) {
    const bool is_truncated = rows > kMaxDrawnRows;
    return kHeadPixels +
           kRowPixels * static_cast<int>(std::min(rows, kMaxDrawnRows) + is_truncated) + 14;
}

void draw_access(Drawing& drawing, const RepeatedAccess& repeated,
                 const std::vector<PictureRow>& rows, int y) {
    drawing.add_text(12, y + 20, format_heading(repeated), "head");
    drawing.add_text(kPictureWidthPixels - 12, y + 20,
                     "line " + std::to_string(repeated.access.line), "right faint");
    const bool is_shared = repeated.access.is_shared;
    int row_y = y + kHeadPixels;
    for (std::size_t i = 0; i < std::min(rows.size(), kMaxDrawnRows); ++i, row_y += kRowPixels) {
        draw_row(drawing, rows[i], is_shared, row_y);
    }
    if (rows.size() > kMaxDrawnRows) {
        const std::size_t omitted_rows = rows.size() - kMaxDrawnRows;
        drawing.add_text(kLabelPixels, row_y + 14,
                         "and " + std::to_string(omitted_rows) + " more " +
                             (is_shared ? "wavefronts" : "rows of 128 bytes"),
                         "faint");
    }
}

}  // namespace

std::string draw_warp_picture(const Recording& recording, const std::string& name) {
    const RecordedVariant& variant = recording.variant(name);
    const std::vector<RepeatedAccess> groups = group_equal_accesses(variant.accesses);
    std::vector<std::vector<PictureRow>> rows;
    int height = 50;
    for (const RepeatedAccess& group : groups) {
        rows.push_back(lay_out_rows(group.access));
        height += compute_rows_height(rows.back().size());
    }
    Drawing drawing(kPictureWidthPixels, height);
    drawing.add_text(12, 24,
                     recording.step + ", " + name + ": warp " + std::to_string(variant.warp) +
                         " of block 0, 256 x 256, simulated");
    drawing.add_cell(440, 12, 14, 14, CellContents::used);
    drawing.add_text(460, 24, "global", "faint");
    drawing.add_cell(516, 12, 14, 14, CellContents::shared);
    drawing.add_text(536, 24, "shared", "faint");
    drawing.add_cell(596, 12, 14, 14, CellContents::wasted);
    drawing.add_text(616, 24, "moved for nothing", "faint");
    int y = 40;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        draw_access(drawing, groups[i], rows[i], y);
        y += compute_rows_height(rows[i].size());
    }
    return drawing.svg(recording.step + ", " + name + ": what one warp touches");
}

// ---- banks ----

namespace {

constexpr int kWordPixels = 7;

const Access& find_first_shared_load(const RecordedVariant& variant) {
    for (const Access& access : variant.accesses) {
        if (access.is_shared && !access.is_store) return access;
    }
    throw std::runtime_error(variant.name + " reads no shared memory");
}

void draw_tile(Drawing& drawing, const RecordedTile& tile, int x, int y) {
    const Access& load = find_first_shared_load(tile.recording->variant(tile.variant));
    drawing.add_text(x, y, tile.recording->step + ", " + tile.variant, "head");
    drawing.add_text(x, y + 18, "reads in " + format_count(load.cost, "wavefront"));
    drawing.add_text(x, y + 38, "bank 0", "faint");
    drawing.add_text(x + static_cast<int>(kBanks) * kWordPixels, y + 38, "31", "right faint");
    drawing.add_grid(x, y + 46, static_cast<int>(kBanks), 33, kWordPixels);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!is_active(load, lane)) continue;
        const int word = static_cast<int>(load.addresses[lane] / 4),
                  bank_count = static_cast<int>(kBanks);
        drawing.add_cell(x + word % bank_count * kWordPixels,
                         y + 46 + word / bank_count * kWordPixels, kWordPixels - 1, kWordPixels - 1,
                         CellContents::shared);
    }
}

}  // namespace

std::string draw_banks_picture(const std::vector<RecordedTile>& tiles) {
    constexpr int panel_width = 250;
    Drawing drawing(panel_width * static_cast<int>(tiles.size()), 334);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        draw_tile(drawing, tiles[i], 12 + panel_width * static_cast<int>(i), 24);
    }
    drawing.add_text(
        12, 324,
        "Each row is 32 words of shared memory, one in each bank. Marked: the words that one "
        "warp reads at once. Simulated.",
        "faint");
    return drawing.svg("The words of the tile that one warp reads at once, by bank");
}

// ---- two tiles, one wavefront after the other ----

namespace {

/// Draws the words that one warp reads, and for each word the wavefront that delivers it.
void draw_wavefronts(Drawing& drawing, const RecordedTile& tile, int x, int y) {
    constexpr int cell_side = 9;
    const Access& load = find_first_shared_load(tile.recording->variant(tile.variant));
    drawing.add_text(x, y, tile.recording->step, "head");
    drawing.add_text(x, y + 18, format_count(load.cost, "wavefront") + " for one load of a warp");
    drawing.add_grid(x, y + 28, static_cast<int>(kBanks), 33, cell_side);
    const std::vector<PictureRow> wavefronts = lay_out_rows(load);
    for (std::size_t wavefront_index = 0; wavefront_index < wavefronts.size(); ++wavefront_index) {
        for (const int lane : wavefronts[wavefront_index].lanes) {
            if (lane < 0) continue;
            const int word = static_cast<int>(load.addresses[static_cast<std::size_t>(lane)] / 4);
            const int bank_count = static_cast<int>(kBanks);
            drawing.add_animated_cell(x + word % bank_count * cell_side,
                                      y + 28 + word / bank_count * cell_side, cell_side - 1,
                                      static_cast<int>(wavefront_index));
        }
    }
}

}  // namespace

std::string draw_wavefront_picture(const RecordedTile& left, const RecordedTile& right) {
    constexpr int panel_width = 320;
    Drawing drawing(2 * panel_width + 4, 378);
    draw_wavefronts(drawing, left, 14, 24);
    draw_wavefronts(drawing, right, 14 + panel_width, 24);
    drawing.add_text(
        14, 368, "Each column is a bank. A wavefront delivers one word from each bank. Simulated.",
        "faint");
    return drawing.svg("The words that one warp reads at once, wavefront by wavefront");
}

// ---- the order of blocks ----

namespace {

constexpr int kSmallTilePixels = 11, kTilesPerSide = 16, kTileSide = 32;
/// The number of blocks to mark: the blocks that 4 multiprocessors run at the same time if each
/// runs 8 blocks.
constexpr std::size_t kMarkedBlocks = 32;

void draw_block_order(Drawing& drawing, const RecordedVariant& variant, int x, int y) {
    if (variant.block_order.size() != kTilesPerSide * kTilesPerSide)
        throw std::runtime_error(variant.name + ": no order");
    drawing.add_text(x, y, variant.name, "head");
    drawing.add_grid(x, y + 10, kTilesPerSide, kTilesPerSide, kSmallTilePixels);
    for (std::size_t block = 0; block < kMarkedBlocks; ++block) {
        const auto [row, col] = variant.block_order[block];
        drawing.add_cell(x + col / kTileSide * kSmallTilePixels,
                         y + 10 + row / kTileSide * kSmallTilePixels, kSmallTilePixels - 1,
                         kSmallTilePixels - 1, CellContents::used);
    }
}

}  // namespace

std::string draw_block_order_picture(const Recording& recording,
                                     const std::vector<std::string>& variants) {
    constexpr int panel_width = 190;
    Drawing drawing(panel_width * static_cast<int>(variants.size()), 250);
    for (std::size_t i = 0; i < variants.size(); ++i) {
        draw_block_order(drawing, recording.variant(variants[i]),
                         10 + panel_width * static_cast<int>(i), 24);
    }
    drawing.add_text(10, 238,
                     "`in` has 16 x 16 tiles of 32 x 32 elements. Marked: the tiles that the first "
                     "32 blocks read. Simulated.",
                     "faint");
    return drawing.svg("The tiles that the first blocks read, in four orders");
}

}  // namespace coalesce::diagrams
