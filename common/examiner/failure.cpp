#include "examiner/failure.h"

#include "base/enum_names.h"

namespace coalesce {
std::vector<std::string> all_failure_ids() {
    std::vector<std::string> ids;
    for (int i = 1; i <= static_cast<int>(last_of(FailureKind{})); ++i) {
        const auto kind = static_cast<FailureKind>(i);
        if (kind != FailureKind::wrong_result) {
            ids.push_back(dashed_name(kind));
            continue;
        }
        for (int k = 1; k <= static_cast<int>(last_of(Fault{})); ++k) {
            ids.push_back(dashed_name(static_cast<Fault>(k)));
        }
    }
    return ids;
}

std::string Place::text() const {
    if (file.empty()) return "";
    return line > 0 ? file + ":" + std::to_string(line) : file;
}

std::string Failure::id() const {
    return kind == FailureKind::wrong_result ? dashed_name(fault) : dashed_name(kind);
}

}  // namespace coalesce
