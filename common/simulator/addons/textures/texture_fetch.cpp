// Executes tex and tld4, which fetch from textures, and txq, suq and istypep, which query objects.
//
// Builds on  texel_access.h; sampling.h, which computes the texels that a fetch reads.
// Watch      Residency (`d|p`) is always true, because the simulator has no sparse arrays. The
//            counter load_waits does not include waits for fetches.
// Missing    Fetches of pairs of halves (.v2.f16x2), depth comparisons, multisample arrays,
//            separate textures and samplers (.texmode_independent).
#include <bit>

#include "simulator/addons/textures/families.h"
#include "simulator/addons/textures/texel_access.h"
#include "simulator/execute/describe.h"

namespace coalesce::simulator {

using ptx::Type;

namespace {

constexpr u32 kChannels = 4;

struct FetchOp : ImageOp {
    enum class LevelSource : u8 { base, explicit_level, gradients };
    LevelSource level = LevelSource::base;
    bool is_integer = false;  ///< true for integer coordinates
    int component = -1;       ///< the component that a gather reads, or -1 for other fetches
    u32 level_operand = 0,
        /// `level_operand` is the index of the level or gradient operand, and `gradient_components`
        /// the number of components per gradient.
        gradient_components = 0;
    /// `offset` is the index of the first offset operand, and `offset_count` the number of offsets.
    u32 offset = 0, offset_count = 0;
};

struct LaneOperands {
    const Warp& w;
    const FetchOp& fetch;
    int lane;

    u32 read_word(u32 index) const { return w.lanes<u32>(fetch.read_slots[index])[lane]; }
    float read_float(u32 index) const { return std::bit_cast<float>(read_word(index)); }

    FetchPoint make_fetch_point(const ImageObject& texture) const {
        FetchPoint point;
        point.is_integer = fetch.is_integer;
        if (fetch.shape.is_layered) point.layer = read_word(1);
        const u32 first_coordinate_index = fetch.first_coordinate_index();
        for (u32 k = 0; k < fetch.coordinate_count(); ++k) {
            point.coordinates[k] = read_float(first_coordinate_index + k);
            point.texel[k] = static_cast<i32>(read_word(first_coordinate_index + k));
        }
        for (u32 k = 0; k < fetch.offset_count && k < std::size(point.offset); ++k)
            point.offset[k] = static_cast<i32>(read_word(fetch.offset + k));
        point.level = find_level(texture);
        return point;
    }
    float find_level(const ImageObject& texture) const {
        if (fetch.level == FetchOp::LevelSource::explicit_level)
            return read_float(fetch.level_operand);
        if (fetch.level == FetchOp::LevelSource::base) return 0;
        float dx[3] = {}, dy[3] = {};
        for (u32 k = 0; k < fetch.coordinate_count(); ++k) {
            dx[k] = read_float(fetch.level_operand + k);
            dy[k] = read_float(fetch.level_operand + fetch.gradient_components + k);
        }
        return compute_level(texture, dx, dy);
    }
};

bool fetch_texels(const ImageObject& texture, const FetchOp& fetch, const FetchPoint& point,
                  int lane, TexelAccess& access, TexelBits& result) {
    const bool is_gather = fetch.component >= 0;
    const Taps taps = is_gather ? find_gather_taps(texture, point) : find_taps(texture, point);
    const u8* texels[kMaxTaps] = {};
    for (u32 k = 0; k < taps.count; ++k) {
        const Tap& tap = taps.tap[k];
        if (tap.is_border) continue;
        const u64 address = tap.address();
        texels[k] = access.resolve_texel(k, lane, address, tap.image->format.bytes(),
                                         texture.find_sector(*tap.image, address, tap.y));
        if (!texels[k]) return false;
        access.check_written(tap, lane);
    }
    result = is_gather
                 ? combine_gathered_taps(texture, taps, texels, static_cast<u32>(fetch.component))
                 : combine_taps(texture, taps, texels);
    return true;
}

/// Returns the number of lanes per request (see texel_access.h). An integer coordinate in one
/// dimension identifies tex1Dfetch, and an explicit level identifies functions such as tex2DLod.
int lanes_per_request(const FetchOp& fetch, const ImageObject* texture) {
    const bool is_tex1d_fetch = fetch.is_integer && fetch.shape.dimensions == 1;
    const bool needs_no_neighbours =
        is_tex1d_fetch || fetch.level == FetchOp::LevelSource::explicit_level;
    return needs_no_neighbours && texture && texture->image().format.bytes() < 16 ? 8 : 4;
}

const Op* run_fetch(Warp& w, const Op* op) {
    const auto& fetch = operand_list<FetchOp>(op);
    TexelAccess access(w, op, Access::load);
    ImageLookup lookup{w, op, fetch};
    TexelBits result[kLanes] = {};
    const ImageObject* texture = nullptr;
    for (const int lane : LaneRange{w.has_recorded_enough ? 0 : w.active}) {
        texture = lookup.find_for_lane(lane);
        if (!texture) return nullptr;
        const FetchPoint point = LaneOperands{w, fetch, lane}.make_fetch_point(*texture);
        if (!fetch_texels(*texture, fetch, point, lane, access, result[lane])) return nullptr;
    }
    if (!w.has_recorded_enough) access.count_and_notify(lanes_per_request(fetch, texture));
    for (u32 c = 0; c < kChannels; ++c)
        w.write<u32>(fetch.written_slots[c], [&](int lane) { return result[lane][c]; });
    if (fetch.written_slots.size() > kChannels)
        w.write_predicate(fetch.written_slots[kChannels], kAllLanes);
    return op + 1;
}

// ---- queries ----

struct QueryOp : ImageOp {
    enum class Dimension : u8 { width, height, depth };
    Dimension dimension = Dimension::width;
    bool takes_level = false;
};

u32 query_size(const ImageObject& object, QueryOp::Dimension dimension, u32 level) {
    using Dimension = QueryOp::Dimension;
    const Image& image = object.levels[std::min<std::size_t>(level, object.levels.size() - 1)];
    switch (dimension) {
        case Dimension::width: return image.width;
        // An H100 returns a height of 1 for a one-dimensional texture, and 0 for a one-dimensional
        // surface.
        case Dimension::height:
            return object.shape.dimensions > 1 ? image.height : object.is_surface ? 0 : 1;
        case Dimension::depth:
            if (object.shape.is_layered) return object.layers();
            return object.shape.dimensions > 2 ? image.depth : 0;
    }
    return 0;
}

const Op* run_query(Warp& w, const Op* op) {
    const auto& query = operand_list<QueryOp>(op);
    u32 result[kLanes] = {};
    for (const int lane : LaneRange{w.active}) {
        const u64 number = w.lanes<u64>(query.read_slots[0])[lane];
        const auto object = find_image_object(number);
        if (!object || object->is_surface != query.is_surface)
            return w.fail_launch(op, Status::illegal_address, "memcheck", "no such texture",
                                 "there is no texture or surface object with this handle", lane,
                                 number);
        const u32 level = query.takes_level ? w.lanes<u32>(query.read_slots[1])[lane] : 0;
        result[lane] = query_size(*object, query.dimension, level);
    }
    w.write<u32>(query.written_slots[0], [&](int lane) { return result[lane]; });
    return op + 1;
}

template <bool IsSurface>
const Op* run_is_type(Warp& w, const Op* op) {
    w.write_predicate(op->d, select_lanes(w.active, [&](int lane) {
                          const auto object = find_image_object(w.lanes<u64>(op->a)[lane]);
                          return object && object->is_surface == IsSurface;
                      }));
    return op + 1;
}

// ---- descriptions ----

bool is_type_among(Type type, std::initializer_list<Type> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// Reads the last two modifiers of `tex`: the types of the elements and of the coordinates.
bool find_types(const ptx::Instruction& i, FetchOp& fetch) {
    if (i.modifiers.size() < 2 || !i.has("v4")) return false;
    const Type element_type = ptx::parse_type(i.modifiers[i.modifiers.size() - 2]);
    const Type coordinate_type = ptx::parse_type(i.modifiers.back());
    fetch.is_integer = coordinate_type == Type::s32;
    return is_type_among(element_type, {Type::u32, Type::s32, Type::f32}) &&
           is_type_among(coordinate_type, {Type::s32, Type::f32});
}

/// Finds the operands for the level, gradients and offsets, and stores their indices. Returns false
/// if the operands are not valid for this fetch.
bool find_operands(const ptx::Instruction& i, FetchOp& fetch) {
    using LevelSource = FetchOp::LevelSource;
    const u32 level_operands = fetch.level == LevelSource::base             ? 0
                               : fetch.level == LevelSource::explicit_level ? 1
                                                                            : 2;
    const std::size_t required_operands = 2 + level_operands;
    if (i.operands.size() < required_operands || i.operands.size() > required_operands + 1)
        return false;
    const ptx::Operand &destination = i.operands[0], &source = i.operands[1];
    const std::size_t coordinates = count_coordinates(source);
    if (destination.elements.size() < kChannels || coordinates == 0) return false;
    if (coordinates + 1 < fetch.first_coordinate_index() + fetch.coordinate_count()) return false;
    u32 operand_index = static_cast<u32>(1 + coordinates);
    fetch.level_operand = operand_index;
    if (fetch.level == LevelSource::gradients) {
        fetch.gradient_components = static_cast<u32>(count_values(i.operands[2]));
        if (fetch.gradient_components < fetch.coordinate_count()) return false;
        operand_index += 2 * fetch.gradient_components;
    }
    operand_index += fetch.level == LevelSource::explicit_level;
    if (i.operands.size() == required_operands) return true;
    fetch.offset = operand_index;
    fetch.offset_count = static_cast<u32>(i.operands[required_operands].elements.size());
    return fetch.offset_count > 0;  // a single register would be the operand of a depth comparison
}

/// Returns the component that a gather reads from each of four texels, or -1 if the instruction
/// names no component.
int parse_component(const ptx::Instruction& i) {
    constexpr const char* kComponents[] = {"r", "g", "b", "a"};
    for (int c = 0; c < 4; ++c)
        if (i.has(kComponents[c])) return c;
    return -1;
}

}  // namespace

// tex{.base | .level | .grad}.GEOMETRY.v4.TYPE.TYPE {d, ...}{|p}, [object, {coordinates}]
//     {, level | , {dx, ...}, {dy, ...}} {, {offsets}}
// tld4.COMPONENT.GEOMETRY.v4.TYPE.f32 {d, ...}{|p}, [object, {coordinates}] {, {offsets}}
Description describe_fetch(const ptx::Instruction& i, const ptx::Function&) {
    const auto shape = parse_image_shape(i);
    if (!shape) return std::nullopt;
    FetchOp fetch;
    fetch.shape = *shape;
    if (i.opcode == "tld4") {
        fetch.component = parse_component(i);
        if (fetch.component < 0 || shape->dimensions != 2) return std::nullopt;
    } else if (i.has("level") || i.has("grad")) {
        fetch.level =
            i.has("level") ? FetchOp::LevelSource::explicit_level : FetchOp::LevelSource::gradients;
    }
    if (!find_types(i, fetch) || !find_operands(i, fetch)) return std::nullopt;
    std::vector<OperandRole> roles(i.operands.size(), {Role::list_read, Width::w32});
    roles[0].role = Role::list_written;
    return describe(i, {.run = run_fetch,
                        .operands = std::move(roles),
                        .memory_uses = {{.space = ptx::StateSpace::global,
                                         .is_load = true,
                                         .bytes_per_lane = 4,
                                         .memory_path = MemoryPath::texture}},
                        .list = std::make_shared<FetchOp>(std::move(fetch))});
}

// {txq{.level} | suq}.QUERY.b32 d, [object]{, level}. An H100 does not support the PTX manual's
// other queries.
Description describe_query(const ptx::Instruction& i, const ptx::Function&) {
    using Dimension = QueryOp::Dimension;
    QueryOp query;
    query.is_surface = i.opcode == "suq";
    query.takes_level = i.has("level");
    if (i.has("height"))
        query.dimension = Dimension::height;
    else if (i.has("depth"))
        query.dimension = Dimension::depth;
    else if (!i.has("width"))
        return std::nullopt;
    std::vector<OperandRole> roles(query.takes_level ? 3 : 2, {Role::list_read, Width::w32});
    roles[0].role = Role::list_written;
    return describe(
        i,
        {.run = run_query, .operands = std::move(roles), .list = std::make_shared<QueryOp>(query)});
}

// istypep.TYPE p, object
Description describe_is_type(const ptx::Instruction& i, const ptx::Function&) {
    const bool is_surface = i.has("surfref");
    if (!is_surface && !i.has("texref") && !i.has("samplerref")) return std::nullopt;
    return describe(i,
                    {.run = is_surface ? run_is_type<true> : run_is_type<false>,
                     .operands = {{Role::destination, Width::predicate}, {Role::a, Width::w64}}});
}

}  // namespace coalesce::simulator
