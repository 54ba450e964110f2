// The features that are not simulated, with the texts by which errors and `simulate
// --explain-missing` describe them.
#pragma once

#include <string>

namespace coalesce::simulator::subjects {

struct Subject {
    const char* unsupported_feature;
    /// The advice, as a phrase without a full stop: for example "build without -dlto".
    const char* alternative;
};

#define COALESCE_SUBJECT(name, what, instead) inline constexpr Subject name{what, instead};
#include "simulator/base/subjects.inc"
#undef COALESCE_SUBJECT

inline constexpr Subject kAllSubjects[] = {
#define COALESCE_SUBJECT(name, what, instead) name,
#include "simulator/base/subjects.inc"
#undef COALESCE_SUBJECT
};

inline std::string not_simulated(const Subject& subject) {
    return std::string("not simulated: ") + subject.unsupported_feature + "; " +
           subject.alternative;
}

}  // namespace coalesce::simulator::subjects
