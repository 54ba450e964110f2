#include "examiner/picture.h"

#include <algorithm>
#include <map>

#include "examiner/load_lines.h"
#include "examiner/messages.h"
#include "harness/text.h"

namespace coalesce {
namespace {

constexpr std::uint64_t kRowBytes = 128;
constexpr unsigned kWordBytes = 4;
constexpr unsigned kBanks = 32;

PictureRow empty_row(const std::string& label) {
    PictureRow row{label, {}};
    row.lanes.fill(-1);
    return row;
}

/// Returns the addresses of all 32-bit words that a lane accesses.
std::vector<std::uint64_t> list_words(const simulated::Access& access, unsigned lane) {
    std::vector<std::uint64_t> words;
    if ((access.active >> lane & 1) == 0) return words;
    for (unsigned byte = 0; byte < access.bytes_per_lane; byte += kWordBytes) {
        words.push_back(access.addresses[lane] + byte);
    }
    return words;
}

/// Returns an offset as text, such as "in + 384". If an incorrect kernel accesses memory before the
/// matrix, the offset is negative.
std::string offset_text(const std::string& name, std::uint64_t address, std::uint64_t begin) {
    if (address < begin) return name + " - " + std::to_string(begin - address);
    return name + " + " + std::to_string(address - begin);
}

struct MatrixAddresses {
    std::uint64_t in = 0, out = 0, bytes = 0;

    /// Reports whether the address is in `out`, or, if it is in neither matrix, closer to `out`
    /// than to `in`.
    bool is_in_output(std::uint64_t address) const {
        const auto distance = [&](std::uint64_t begin) {
            if (address < begin) return begin - address;
            return address >= begin + bytes ? address - begin - bytes : 0;
        };
        return distance(out) < distance(in);
    }
};

/// Reports whether each active lane accesses the same address as lane ^ distance, unless that lane
/// is inactive.
bool have_pairs_same_address(const simulated::Access& access, unsigned distance) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned other_lane = lane ^ distance;
        const bool are_both_active = access.active >> lane & access.active >> other_lane & 1;
        if (are_both_active && access.addresses[lane] != access.addresses[other_lane]) return false;
    }
    return true;
}

/// Returns the number of lanes that shared memory serves in one pass: all 32 if each lane accesses
/// at most 4 bytes, 16 for 8 bytes per lane, and 8 for 16 bytes per lane. The number is doubled for
/// loads in which pairs of lanes access the same address, as in simulator/counters/counters.h.
unsigned lanes_per_pass(const simulated::Access& access) {
    if (access.bytes_per_lane <= 4) return 32;
    const bool has_pairs = !access.is_store && (have_pairs_same_address(access, 1) ||
                                                have_pairs_same_address(access, 2));
    return 128 / access.bytes_per_lane * (has_pairs ? 2 : 1);
}

WarpAccess draw_access(const simulated::Access& access, const MatrixAddresses& matrices,
                       const Source& source) {
    WarpAccess drawn_access{access,
                            {source.name, access.line, 0},
                            extract_line(source.text, access.line),
                            "shared memory"};
    if (access.is_shared) {
        drawn_access.rows = draw_bank_rows(access);
        return drawn_access;
    }
    const bool is_out = matrices.is_in_output(access.active_addresses().front());
    drawn_access.memory = is_out ? "out" : "in";
    drawn_access.rows =
        draw_memory_rows(access, is_out ? matrices.out : matrices.in, drawn_access.memory);
    return drawn_access;
}

bool is_same_access(const WarpAccess& left_access, const WarpAccess& right_access) {
    return left_access.place == right_access.place &&
           left_access.is_shared == right_access.is_shared &&
           left_access.is_store == right_access.is_store &&
           left_access.memory == right_access.memory && left_access.cost == right_access.cost &&
           left_access.bytes_per_lane == right_access.bytes_per_lane &&
           left_access.active == right_access.active;
}

/// Adds an access to the list. If the list already contains the access because it is in a loop,
/// only increases its repetition count.
void add_access(std::vector<WarpAccess>& accesses, WarpAccess access) {
    const auto known_access = std::find_if(
        accesses.begin(), accesses.end(),
        [&](const WarpAccess& other_access) { return is_same_access(other_access, access); });
    if (known_access == accesses.end()) {
        accesses.push_back(std::move(access));
    } else {
        ++known_access->execution_count;
    }
}

Failure explain_missing_picture(const std::string& file, const std::string& reason,
                                const std::string& advice) {
    return {.kind = FailureKind::environment_problem,
            .headline = reason,
            .place = {file, 0, 0},
            .advice = advice};
}

/// Compiles and launches the kernel, and records the warp's accesses.
void run(const Source& source, const Exercise& exercise, Runner& runner,
         const PictureRequest& request, Picture& picture) {
    if (!runner.is_simulated()) {
        picture.problem = explain_missing_picture(
            source.name, "the memory that a warp touches can be drawn only on the simulated GPU.",
            "Use the simulated GPU: --device sim");
        return;
    }
    const Compiled compiled = runner.compile(source, exercise.kernel);
    picture.problem = compiled.failure;
    if (!compiled.is_ok()) return;
    Trial trial = runner.run(compiled, exercise.task(),
                             {.shape = request.shape,
                              .watch = Watch::result_alone,
                              .traced = {request.block, request.warp, kMaxTracedAccesses}});
    correct_load_lines(source.text, trial);
    picture.problem = trial.launch_failure;
    const MatrixAddresses matrices{trial.in_address, trial.out_address, 4 * trial.elements()};
    for (const simulated::Access& access : trial.accesses) {
        if (access.active != 0 && access.line > 0)
            add_access(picture.accesses, draw_access(access, matrices, source));
    }
    if (picture.is_ok() && picture.accesses.empty()) {
        picture.problem = {.kind = FailureKind::wrong_result,
                           .fault = Fault::nothing_written,
                           .headline = "this warp accesses no memory, so there is nothing to draw.",
                           .place = {source.name, 0, 0},
                           .advice = "Choose another block or warp, or write the kernel's body."};
    }
}

}  // namespace

std::vector<PictureRow> draw_memory_rows(const simulated::Access& access, std::uint64_t begin,
                                         const std::string& name) {
    std::map<std::uint64_t, PictureRow> rows;
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (const std::uint64_t at : list_words(access, lane)) {
            const std::uint64_t row_begin = at / kRowBytes * kRowBytes;
            auto [row, is_new] = rows.try_emplace(row_begin);
            if (is_new) row->second = empty_row(offset_text(name, row_begin, begin));
            int& lane_number = row->second.lanes[at % kRowBytes / kWordBytes];
            if (lane_number < 0) lane_number = static_cast<int>(lane);
        }
    }
    std::vector<PictureRow> bank_rows;
    for (auto& [address, row] : rows) bank_rows.push_back(std::move(row));
    return bank_rows;
}

std::vector<PictureRow> draw_bank_rows(const simulated::Access& access) {
    const unsigned lanes_together = lanes_per_pass(access);
    std::vector<PictureRow> rows;
    for (unsigned first_lane = 0; first_lane < 32; first_lane += lanes_together) {
        std::array<std::vector<std::uint64_t>, kBanks> words;
        const std::size_t first_new_row = rows.size();
        for (unsigned lane = first_lane; lane < first_lane + lanes_together; ++lane) {
            for (const std::uint64_t at : list_words(access, lane)) {
                const std::uint64_t word = at / kWordBytes;
                std::vector<std::uint64_t>& served_words = words[word % kBanks];
                // Lanes that access the same word are served in the same wavefront.
                if (std::find(served_words.begin(), served_words.end(), word) != served_words.end())
                    continue;
                if (rows.size() < first_new_row + served_words.size() + 1) {
                    rows.push_back(empty_row("wavefront " + std::to_string(rows.size() + 1)));
                }
                rows[first_new_row + served_words.size()].lanes[word % kBanks] =
                    static_cast<int>(lane);
                served_words.push_back(word);
            }
        }
    }
    return rows;
}

std::string WarpAccess::headline() const {
    const std::string unit = is_shared ? "wavefront" : "sector";
    const std::string name = is_shared ? memory : "`" + memory + "`";
    std::string text =
        std::string(is_store ? "store to " : "load from ") + name + ": " + format_count(cost, unit);
    text += cost > ideal
                ? ", where " + std::to_string(ideal) + (ideal == 1 ? " is" : " are") + " enough"
                : ", the minimum";
    if (execution_count > 1)
        text += "; " + std::to_string(execution_count) +
                " executions (the picture shows the first one)";
    return text;
}

Picture draw_warp_picture(const Source& source, const Exercise& exercise, Runner& runner,
                          const PictureRequest& request) {
    Picture picture;
    picture.file = source.name;
    picture.request = request;
    try {
        run(source, exercise, runner, request, picture);
    } catch (const std::exception& caught) {
        picture.problem = explain_missing_picture(
            source.name, std::string("the kernel could not be run: ") + caught.what(),
            "Try again; ./learn doctor shows what is missing.");
    }
    return picture;
}

}  // namespace coalesce
