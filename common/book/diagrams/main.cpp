// Draws the lessons' pictures from recordings, or checks that the existing pictures are up to date.

#include <cstdio>
#include <fstream>
#include <map>

#include "base/files.h"
#include "pictures.h"

using namespace coalesce::diagrams;
namespace fs = std::filesystem;

namespace {

constexpr const char* kUsageText =
    "Usage: diagrams RECORDINGS FOLDER            draws all pictures into FOLDER\n"
    "       diagrams --check RECORDINGS FOLDER    changes nothing; exits with 1 if a picture "
    "differs\n"
    "RECORDINGS is build/docs/recordings (from the target `recordings`), and FOLDER is "
    "docs/diagrams.\n";

using Pictures = std::map<std::string, std::string>;  // maps a file's name to its SVG

Pictures draw_pictures(const fs::path& folder) {
    const auto read_step = [&](const char* step) { return read_recording(folder, step); };
    Pictures pictures;
    const std::pair<const char*, const char*> warp_variants[] = {
        {"01_copy", "copy"},          {"02_naive", "naive"},         {"03_tiled", "tiled"},
        {"04_padded", "padded"},      {"05_coarsened", "coarsened"}, {"06_diagonal", "diagonal"},
        {"07_vec2", "vec2"},          {"08_vec4", "vec4"},           {"09_vec4_t64", "vec4_t64"},
        {"10_registers", "registers"}};
    for (const auto& [step, variant] : warp_variants) {
        pictures["warp_" + std::string(step) + ".svg"] =
            draw_warp_picture(read_step(step), variant);
    }
    pictures["warp_02_naive_8x32.svg"] = draw_warp_picture(read_step("02_naive"), "8x32");
    const Recording tiled = read_step("03_tiled"), padded = read_step("04_padded");
    pictures["banks.svg"] =
        draw_banks_picture({{&tiled, "tiled"}, {&padded, "padded"}, {&padded, "swizzled"}});
    pictures["race.svg"] = draw_wavefront_picture({&tiled, "tiled"}, {&padded, "padded"});
    pictures["block_order.svg"] = draw_block_order_picture(
        read_step("06_diagonal"), {"row_major", "column_major", "diagonal", "supertile"});
    return pictures;
}

int find_stale_pictures(const Pictures& pictures, const fs::path& folder) {
    int stale_count = 0;
    for (const auto& [name, svg] : pictures) {
        if (coalesce::read_if_exists(folder / name) == svg) continue;
        std::printf("%s is out of date: it differs from the picture of the current recordings\n",
                    (folder / name).c_str());
        ++stale_count;
    }
    if (stale_count == 0) {
        std::printf("all %zu pictures are up to date\n", pictures.size());
        return 0;
    }
    std::printf("Draw the pictures again: cmake --build build --target pictures\n");
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (arguments.size() == 3 && arguments[0] == "--check")
            return find_stale_pictures(draw_pictures(arguments[1]), arguments[2]);
        if (arguments.size() == 2 && !arguments[0].starts_with('-')) {
            for (const auto& [name, svg] : draw_pictures(arguments[0])) {
                std::ofstream file(fs::path(arguments[1]) / name, std::ios::binary);
                file << svg;
                if (!file.flush())
                    throw std::runtime_error(arguments[1] + "/" + name + ": cannot be written");
            }
            return 0;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "diagrams: %s\n", error.what());
        return 2;
    }
    const bool wants_help =
        arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h");
    std::fputs(kUsageText, wants_help ? stdout : stderr);
    return wants_help ? 0 : 2;
}
