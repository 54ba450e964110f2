#include "grader/judge/pictures.h"

#include <algorithm>
#include <bit>

#include "kernel/picture.h"

namespace coalesce::grader {
namespace {

/// A loop's accesses are drawn once; a warp with more than this is no lesson's.
constexpr std::size_t kMostAccesses = 128;

std::string source_line(const std::string& text, int number) {
    std::size_t begin = 0;
    for (int line = 1; line < number; ++line) {
        begin = text.find('\n', begin);
        if (begin == text.npos) return "";
        ++begin;
    }
    return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

WarpAccess drawn(const simulated::Access& access, const Trial& trial, const Source& source) {
    WarpAccess drawn{.place = {source.name, access.line, 0},
                     .source_line = source_line(source.text, access.line),
                     .is_shared = access.is_shared,
                     .is_store = access.is_store,
                     .memory = "shared memory",
                     .bytes_per_lane = access.bytes_per_lane,
                     .active = access.active,
                     .cost = access.cost,
                     .ideal = access.ideal};
    if (access.is_shared) {
        drawn.rows = rows_of_banks(access.addresses, access.active, access.bytes_per_lane);
        return drawn;
    }
    const std::uint64_t first =
        access.addresses[static_cast<std::size_t>(std::countr_zero(access.active))];
    const bool is_out =
        first >= trial.out_address && first < trial.out_address + 4 * trial.elements();
    drawn.memory = is_out ? "out" : "in";
    drawn.rows = rows_of_memory(access.addresses, access.active, access.bytes_per_lane,
                                is_out ? trial.out_address : trial.in_address, drawn.memory);
    return drawn;
}

bool is_alike(const WarpAccess& one, const WarpAccess& other) {
    return one.place == other.place && one.is_shared == other.is_shared &&
           one.is_store == other.is_store && one.memory == other.memory && one.cost == other.cost &&
           one.bytes_per_lane == other.bytes_per_lane && one.active == other.active;
}

}  // namespace

std::string picture_of_warp(const JudgedKernel& kernel, const Source& source, Shape shape,
                            Trials& trials) {
    const Trial trial = trials
                            .run(kernel, shape, Watch::result_alone, false,
                                 {.block = 0, .warp = 0, .limit = kMostAccesses})
                            .trial;
    Picture picture;
    picture.file = source.name;
    picture.shape = shape;
    for (const simulated::Access& access : trial.accesses) {
        if (access.active == 0) continue;
        WarpAccess one = drawn(access, trial, source);
        const auto known =
            std::find_if(picture.accesses.begin(), picture.accesses.end(),
                         [&](const WarpAccess& other) { return is_alike(one, other); });
        if (known == picture.accesses.end()) {
            picture.accesses.push_back(std::move(one));
        } else {
            ++known->times;
        }
    }
    return picture.accesses.empty() ? "" : picture.text();
}

}  // namespace coalesce::grader
