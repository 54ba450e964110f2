#include "examiner/verdict_codec.h"

namespace coalesce {

Failure failure_from_id(const std::string& id) {
    for (int i = 0; i <= static_cast<int>(last_of(FailureKind{})); ++i) {
        const Failure failure{.kind = static_cast<FailureKind>(i)};
        if (failure.kind != FailureKind::wrong_result && failure.id() == id) return failure;
    }
    for (int i = 0; i <= static_cast<int>(last_of(Fault{})); ++i) {
        const Failure failure{.kind = FailureKind::wrong_result, .fault = static_cast<Fault>(i)};
        if (failure.id() == id) return failure;
    }
    throw codec::Error("no failure is called \"" + id + "\"");
}

codec::Json codec::TypeCodec<CellMap>::encode(const CellMap& map) {
    return {{"rows", map.out_rows()},
            {"cols", map.out_cols()},
            {"in_place", map.is_in_place()},
            {"signs", map.encode_states()}};
}

void codec::TypeCodec<CellMap>::decode(const Json& json, CellMap& map, const std::string& path) {
    constexpr std::int64_t max_side = std::int64_t{1} << 32;
    Reader reader(json, path);
    std::int64_t rows = 0, cols = 0;
    bool is_in_place = false;
    std::string signs;
    reader("rows", rows);
    reader("cols", cols);
    reader("in_place", is_in_place);
    reader("signs", signs);
    reader.finish();
    const bool is_good = rows > 0 && cols > 0 && rows <= max_side && cols <= max_side;
    if (!is_good || !(map = CellMap(rows, cols, is_in_place)).restore_states(signs)) {
        throw Error(path + ": expected a picture of cells");
    }
}

std::string to_json(const Verdict& verdict) {
    return codec::write(verdict, true) + "\n";
}

Verdict verdict_from_json(const std::string& json) {
    return codec::read<Verdict>(json);
}

}  // namespace coalesce
