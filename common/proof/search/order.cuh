/// \file
/// In which order blocks take the tiles of a matrix.
#pragma once

#include <cuda_runtime.h>

namespace coalesce::proof {

enum class Order { along_rows, down_columns, apart, diagonal, bands, hilbert };

struct Place {
    int row, col;  // of a tile, counted in tiles
};

/// Number `number` on Hilbert's curve through a square of `side` tiles, a power of two.
__device__ inline Place on_hilbert_curve(int side, int number) {
    int row = 0, col = 0;
    for (int quarter = 1; quarter < side; quarter *= 2, number /= 4) {
        const int right = number / 2 % 2, down = (number ^ right) % 2;
        if (!down) {  // the curve within this quarter is turned
            const int turned = right ? quarter - 1 - col : col;
            col = right ? quarter - 1 - row : row;
            row = turned;
        }
        row += quarter * down;
        col += quarter * right;
    }
    return {row, col};
}

/// WIDTH: of bands, tiles side by side in one, fewer in the last; bands are walked row by row, one after
/// the other. Of Hilbert's curve: the side of the squares that it fills, one below the other.
template <Order ORDER, int WIDTH>
__device__ Place place_of(int block, int tile_rows, int tile_cols) {
    if constexpr (ORDER == Order::along_rows) return {block / tile_cols, block % tile_cols};
    if constexpr (ORDER == Order::down_columns) return {block % tile_rows, block / tile_rows};
    if constexpr (ORDER == Order::apart) {  // strips 0, 32, 1, 33, ...: 8 KB apart
        const int strip = block / tile_rows;
        const bool is_whole = (strip | 63) < tile_cols;
        return {block % tile_rows,
                is_whole ? (strip & ~63) | (strip & 1) << 5 | (strip & 63) >> 1 : strip};
    }
    if constexpr (ORDER == Order::diagonal) {
        const int row = block % tile_rows;
        return {row, (block / tile_rows + row) % tile_cols};
    }
    if constexpr (ORDER == Order::hilbert) {
        const int square = block / (WIDTH * WIDTH), below = tile_rows / WIDTH;
        const Place place = on_hilbert_curve(WIDTH, block % (WIDTH * WIDTH));
        return {square % below * WIDTH + place.row, square / below * WIDTH + place.col};
    }
    const int first = block / (tile_rows * WIDTH) * WIDTH;
    const int width = min(WIDTH, tile_cols - first);
    const int in_band = block - first * tile_rows;
    return {in_band / width, first + in_band % width};
}

}  // namespace coalesce::proof
