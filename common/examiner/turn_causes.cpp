// Finds mistakes in kernels that share the columns of a matrix among four GPUs, and serve the GPUs
// in turn.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/line_mistake.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

constexpr long long kGpus = 4, kTileSide = 32;

/// The maximum number of blocks whose tiles are compared with those that the lesson requires.
constexpr long long kMaxComparedBlocks = 96;

/// A tile, as the GPU to whose part of the output it belongs, and its number within this part.
struct TileOfGpu {
    long long gpu = 0, number = 0;
    bool operator==(const TileOfGpu&) const = default;
};

/// A block whose tile is not the one that the lesson requires.
struct WrongTurn {
    long long x = 0, y = 0;
    long long holder = 0;  ///< the GPU that holds the rows of the block
    TileOfGpu expected = {};
    std::optional<TileOfGpu> taken = {};  ///< nothing if the block stores nothing
};

/// Returns the column of tiles of the first element that a block's first warp stores.
std::optional<long long> find_stored_column(long long block, const Trial& trial,
                                            const Evidence& evidence) {
    const Trial traced = evidence.relaunch(
        {.shape = trial.shape,
         .traced = {.block = static_cast<std::uint64_t>(block), .limit = kMaxTracedAccesses}});
    for (const simulated::Access& access : traced.accesses) {
        if (access.is_shared || !access.is_store || access.active == 0) continue;
        const std::uint64_t address = access.active_addresses().front();
        const auto element = static_cast<long long>(address - traced.out_address) / 4;
        return element / trial.shape.rows / kTileSide;
    }
    return std::nullopt;
}

/// Returns the first block that does not store the tile that the lesson requires, or nothing if
/// there is none. The grid's width must be a multiple of the number of GPUs.
std::optional<WrongTurn> find_wrong_turn(const Trial& trial, const Evidence& evidence) {
    const long long width = trial.launch.grid[0], height = trial.launch.grid[1];
    const long long tiles_of_gpu = width / kGpus, rows_of_gpu = (height + kGpus - 1) / kGpus;
    const long long tile_cols = (trial.shape.cols + kTileSide - 1) / kTileSide;
    for (long long block = 0; block < std::min(width * height, kMaxComparedBlocks); ++block) {
        WrongTurn turn{.x = block % width, .y = block / width};
        turn.holder = turn.y / rows_of_gpu;
        turn.expected = {(turn.x + turn.holder) % kGpus, turn.x / kGpus};
        const auto column = find_stored_column(block, trial, evidence);
        if (column) turn.taken = TileOfGpu{*column / tiles_of_gpu, *column % tiles_of_gpu};
        const bool has_tile = turn.expected.gpu * tiles_of_gpu + turn.expected.number < tile_cols;
        if (has_tile ? turn.taken != turn.expected : turn.taken.has_value()) return turn;
    }
    return std::nullopt;
}

/// The variables that choose a block's column of tiles, as in
/// `tile_col = peer * tiles_across + blockIdx.x / GPUS`. The names are empty if there are none.
struct ColumnChoice {
    std::string column, peer, share;
    int column_line = 0;
};

ColumnChoice find_column_choice(const std::string& text) {
    static const TextPattern product(R"(\b(\w+)\s*=\s*(\w+)\s*\*\s*(\w+)\s*\+[^;,]*blockIdx\.x)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, product)) {
        const int line = line_of_match(code, match);
        for (const int first : {2, 3}) {
            const std::string peer = match.str(first), share = match.str(5 - first);
            const bool is_peer = assigned_value(text, peer, line).find('%') != std::string::npos;
            if (is_peer) return {match.str(1), peer, share, line};
        }
    }
    return {};
}

/// Returns the value of an expression in a block, or nothing if it cannot be evaluated.
std::optional<long long> value_in_block(const std::string& text, const std::string& expression,
                                        int line, const WrongTurn& turn, const Trial& trial) {
    return index_value(text, expression, line,
                       {{"blockIdx.x", turn.x},
                        {"blockIdx.y", turn.y},
                        {"gridDim.x", trial.launch.grid[0]},
                        {"gridDim.y", trial.launch.grid[1]},
                        {"rows", trial.shape.rows},
                        {"cols", trial.shape.cols}});
}

std::string block_text(const WrongTurn& turn) {
    return "block (" + std::to_string(turn.x) + ", " + std::to_string(turn.y) + ")";
}

/// Returns the variable in the value of `peer` that depends on blockIdx.x but is not blockIdx.x
/// itself, or "" if there is none.
std::string find_term_with_block(const std::string& text, const std::string& value, int line) {
    static const TextPattern name(R"(\b[a-z_]\w*\b)");
    for (const TextMatch& match : find_matches(value, name)) {
        const bool is_member = match_offset(match) > 0 && value[match_offset(match) - 1] == '.';
        if (is_member || match.str() == "blockIdx" || match.str() == "gridDim") continue;
        if (expand(text, match.str(), line).find("blockIdx.x") != std::string::npos)
            return match.str();
    }
    return "";
}

/// Explains a block that serves a GPU other than the one that the lesson requires.
LineMistake explain_wrong_gpu(const WrongTurn& turn, const ColumnChoice& choice,
                              const std::string& text) {
    const int line = find_assignment_line(text, choice.peer, choice.column_line);
    const std::string expected = std::to_string(turn.expected.gpu);
    const std::string sentence =
        block_text(turn) + " should serve GPU " + expected +
        (turn.taken ? ", but stores to the part of GPU " + std::to_string(turn.taken->gpu) + "."
                    : ", but stores nothing.");
    const std::string rule = "GPU " + std::to_string(turn.holder) +
                             " holds the rows of this block: its block x must serve GPU (" +
                             std::to_string(turn.holder) + " + x) % 4.";
    const int first_line = find_assignment_line(text, choice.peer, line);
    if (first_line > 0 && first_line < line) {
        return {line,
                sentence + " Line " + std::to_string(first_line) + " sets " +
                    add_backticks(choice.peer) + ", and this line changes it.",
                rule + " What does this line do to such a block?"};
    }
    const std::string term =
        find_term_with_block(text, assigned_value(text, choice.peer, choice.column_line), line);
    const int term_line = term.empty() ? 0 : find_assignment_line(text, term, line);
    if (term_line > 0) {
        return {term_line,
                add_backticks(term) +
                    " depends on blockIdx.x, so it is not the same for all blocks with the same "
                    "rows: " +
                    sentence,
                rule + " Compute the GPU that holds the rows from blockIdx.y alone."};
    }
    return {line, sentence, rule};
}

/// Explains the tile of a block by the variables that choose it.
LineMistake explain_turn(const WrongTurn& turn, const ColumnChoice& choice, const Trial& trial,
                         const std::string& text) {
    const auto value_of = [&](const std::string& name) {
        return value_in_block(text, name, choice.column_line, turn, trial);
    };
    const long long tiles_of_gpu = trial.launch.grid[0] / kGpus;
    const auto peer = value_of(choice.peer), share = value_of(choice.share);
    const bool is_peer_right = peer && *peer == turn.expected.gpu;
    if (is_peer_right && share && *share != tiles_of_gpu) {
        return {find_assignment_line(text, choice.share, choice.column_line),
                add_backticks(choice.share) + " is " + std::to_string(*share) +
                    " with cols = " + std::to_string(trial.shape.cols) + ", but the grid has " +
                    format_count(static_cast<std::uint64_t>(tiles_of_gpu), "column") +
                    " of blocks for each GPU: the part of GPU 1 begins at tile " +
                    std::to_string(tiles_of_gpu) + ".",
                "Round the number of tiles per GPU up, as configure does, or compute it from "
                "gridDim.x."};
    }
    if (!turn.taken || turn.taken->gpu != turn.expected.gpu)
        return is_peer_right ? LineMistake{} : explain_wrong_gpu(turn, choice, text);
    const std::string first = std::to_string(turn.expected.number);
    return {choice.column_line,
            block_text(turn) + " serves GPU " + std::to_string(turn.expected.gpu) +
                ", as it should, but takes tile " + std::to_string(turn.taken->number) +
                " of the part of this GPU, where it should take tile " + first + ".",
            "Count the rounds through the GPUs: a GPU is served once in every four blocks along x, "
            "so the number of the tile is blockIdx.x / 4."};
}

}  // namespace

LineMistake find_turn_mistake(const Failure& failure, const Trial& trial,
                              const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (evidence.exercise.block_order != "in-turn" || !trial.comparison ||
        trial.comparison->wrong > 0 || failure.kind != FailureKind::wrong_result)
        return {};
    if (const LineMistake mistake = find_wrong_grid_width(trial.launch, trial.shape, text);
        mistake.line > 0)
        return mistake;
    const ColumnChoice choice = find_column_choice(text);
    if (choice.column_line == 0 || trial.launch.grid[0] % kGpus != 0) return {};
    const auto turn = find_wrong_turn(trial, evidence);
    return turn ? explain_turn(*turn, choice, trial, text) : LineMistake{};
}

}  // namespace coalesce
