// See texel_access.h.
#include "simulator/addons/textures/texel_access.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "simulator/execute/access_listener.h"

namespace coalesce::simulator {
namespace {

std::string place_of(const Tap& tap) {
    const Image& image = *tap.image;
    PositionAndSizeText text(tap.x, image.width);
    if (image.height > 1 || image.depth > 1) text.add(tap.y, image.height);
    if (image.depth > 1) text.add(tap.z, image.depth);
    return "texel (" + text.place + ") of " + text.size;
}

}  // namespace

std::optional<ImageShape> parse_image_shape(const ptx::Instruction& instruction) {
    constexpr struct {
        const char* name;
        ImageShape shape;
    } kShapes[] = {{"1d", {1, false, false}}, {"2d", {2, false, false}}, {"3d", {3, false, false}},
                   {"a1d", {1, true, false}}, {"a2d", {2, true, false}}, {"cube", {2, false, true}},
                   {"acube", {2, true, true}}};
    for (const auto& [name, shape] : kShapes)
        if (instruction.has(name)) return shape;
    return std::nullopt;
}

// ---- objects ----

Failed ImageLookup::refuse(int lane, u64 asked, const std::string& message,
                           const std::string& cure) {
    const char* kind = image.is_surface ? "no such surface" : "no such texture";
    Report report = w.describe(op, "memcheck", kind, lane, message, cure);
    report.address = asked;
    return w.fail(Status::illegal_address, report);
}

/// Reports whether the image has the shape that the instruction expects. A surface instruction
/// treats a cubemap as a layered image with one layer per face. An image with a single row also
/// fits an instruction for a one-dimensional image.
bool ImageLookup::fits(const ImageObject& found) const {
    ImageShape have = found.shape;
    const ImageShape& want = image.shape;
    if (found.is_surface && have.cube) have = {.dimensions = 2, .layered = true};
    if (have == want) return true;
    return !have.layered && !want.layered && have.cube == want.cube &&
           want.dimensions < have.dimensions && found.image().depth == 1 &&
           (want.dimensions == 2 || found.image().height == 1);
}

const ImageObject* ImageLookup::find_for_lane(int lane) {
    const u64 asked = w.lanes<u64>(image.read[0])[lane];
    if (object && asked == number) return object.get();
    const char* what = image.is_surface ? "surface object" : "texture object";
    char name[64];
    std::snprintf(name, sizeof name, "%s 0x%llx", what, static_cast<unsigned long long>(asked));
    auto found = find_image_object(asked);
    if (!found && was_destroyed_image_object(asked))
        return refuse(lane, asked, "The " + std::string(name) + " has been destroyed.",
                      "Destroy the object only after the last kernel that uses it.");
    if (!found || found->is_surface != image.is_surface)
        return refuse(
            lane, asked, "There is no " + std::string(name) + ".",
            image.is_surface
                ? "Pass the object from cudaCreateSurfaceObject, and check that the call succeeded."
                : "Pass the object from cudaCreateTextureObject, and check that the call "
                  "succeeded.");
    if (!fits(*found))
        return refuse(
            lane, asked,
            "The " + std::string(name) + " is " + name_of(found->shape) +
                ", but it is accessed as " + name_of(image.shape) + ".",
            "Call the access function for the kind of array that the object was created from.");
    object = std::move(found);
    number = asked;
    return object.get();
}

// ---- bytes ----

u8* TexelAccess::resolve_texel(u32 row, int lane, u64 address, u32 bytes, u64 sector) {
    u8* host = resolve_one(w_, op_, address, lane, bytes, ptx::StateSpace::global, kind_);
    if (!host) return nullptr;
    rows_[row].address[lane] = address;
    rows_[row].host[lane] = host;
    rows_[row].in_global |= 1u << lane;
    sectors_[row][lane] = sector;
    bytes_ = std::max(bytes_, bytes);
    return host;
}

void TexelAccess::check_written(const Tap& tap, int lane) {
    const Launch& launch = *w_.block->launch;
    if (!w_.checks.init || launch.is_dry_run) return;
    const Allocation* allocation = launch.allocations->find(tap.address());
    if (!allocation || !allocation->has_shadow ||
        launch.memory->unwritten_bytes(tap.address(), tap.image->format.bytes()) == 0)
        return;
    Report report =
        w_.describe(op_, "initcheck", "uninitialised texel read", lane,
                    "Reads " + place_of(tap) + " texels, some bytes of which were never written.",
                    "Fill every part of the array that a fetch can read: linear filtering also "
                    "reads neighbouring texels.");
    report.address = tap.address();
    reports().add(report);
}

void TexelAccess::count(int lanes_of_request) const {
    SiteCounters& counters = w_.counters[op_->site];
    const Mask of_first = (Mask{1} << lanes_of_request) - 1;
    for (int lane = 0; lane < kLanes; lane += lanes_of_request) {
        const Mask lanes = of_first << lane;
        if (!(w_.active & lanes)) continue;
        u64 sectors[kMaxTaps * kLanes];
        std::size_t touched = 0;
        for (u32 row = 0; row < kMaxTaps; ++row)
            for (const int l : LanesIn{rows_[row].in_global & lanes})
                sectors[touched++] = sectors_[row][l];
        counters.useful_bytes += touched * bytes_;
        std::sort(sectors, sectors + touched);
        ++counters.requests;
        counters.sectors += static_cast<u64>(std::unique(sectors, sectors + touched) - sectors);
    }
}

void TexelAccess::finish(int lanes_of_request) {
    count(lanes_of_request);
    for (const Resolved& row : rows_) {
        if (!row.in_global) continue;
        notify_listener(w_, op_, row, {.kind = kind_, .bytes = bytes_});
        if (kind_ != Access::atomic) pass_to_race_check(w_, op_->site, row, bytes_, kind_);
    }
}

}  // namespace coalesce::simulator
