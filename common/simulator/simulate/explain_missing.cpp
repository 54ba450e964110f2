// See explain_missing.h.
#include "simulator/simulate/explain_missing.h"

#include "simulator/base/subjects.h"

namespace coalesce::simulator {

namespace {

constexpr const char* kSimulatedFeatures[] = {
#define COALESCE_RUNS(what) what,
#include "simulator/simulate/what_runs.inc"
#undef COALESCE_RUNS
};

struct Library {
    const char* file;
    const char* functions;
    const char* name;
};
constexpr Library kLibraries[] = {
#define COALESCE_LIBRARY(file, functions, name) {file, functions, name},
#include "simulator/simulate/libraries.inc"
#undef COALESCE_LIBRARY
};

void add_row(std::string& text, const std::string& row) {
    text += "  " + row + "\n";
}

}  // namespace

std::string explain_missing() {
    std::string text = "What runs on the simulated GPU:\n";
    for (const char* feature : kSimulatedFeatures) add_row(text, feature);
    text += "\nPrograms that do not run, and what to do instead:\n";
    for (const subjects::Subject& subject : subjects::kAllSubjects)
        add_row(text, std::string(subject.unsupported_feature) + ": " + subject.alternative);
    text += "\nNVIDIA's libraries that do not run, or run only as described above:\n";
    for (const Library& library : kLibraries) add_row(text, library.name);
    return text;
}

std::string find_library_problem(const std::string& library, const std::string& symbol) {
    for (const Library& library_entry : kLibraries) {
        if (!library.starts_with(library_entry.file) ||
            !symbol.starts_with(library_entry.functions))
            continue;
        return "calls " + symbol + " of " + library_entry.name + " (" + library +
               "), whose kernels are machine code and do not run here; " +
               subjects::libraries.alternative;
    }
    return {};
}

}  // namespace coalesce::simulator
