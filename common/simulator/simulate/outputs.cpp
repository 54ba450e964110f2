// See outputs.h.
#include "simulator/simulate/outputs.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "simulator/simulate/budget.h"
#include "simulator/simulate/formats.h"
#include "simulator/simulate/program_file.h"
#include "simulator/simulate/suppression_file.h"

namespace coalesce::simulator {

namespace {

struct OutputFile {
    const char* option;
    const std::string& file;
};

std::vector<OutputFile> list_outputs(const CommandLine& line) {
    return {{"--json", line.json_file},
            {"--trace", line.trace_file},
            {"--sarif", line.sarif_file},
            {"--junit", line.junit_file},
            {"--markdown", line.markdown_file},
            {"--write-budget", line.budget_to_write},
            {"--write-suppressions", line.suppressions_to_write}};
}

void write_text(const std::string& file, const std::function<std::string()>& text) {
    if (file.empty()) return;
    std::ofstream out(file);
    if (!(out << text()).flush())
        std::fprintf(stderr, "simulate: cannot write %s; the disk may be full\n", file.c_str());
}

}  // namespace

void prepare_outputs(const CommandLine& line) {
    for (const auto& [option, file] : list_outputs(line)) {
        if (file.empty() || std::ofstream(file)) continue;
        throw CanNotRun("cannot write " + file + ": " + std::strerror(errno) +
                        "; name another file with " + option);
    }
}

void write_outputs(const CommandLine& line, const std::vector<Finding>& findings, const Json& run,
                   const Comparison* comparison) {
    write_text(line.json_file,
               [&] { return run.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; });
    write_text(line.sarif_file, [&] { return to_sarif(findings, COALESCE_VERSION); });
    write_text(line.junit_file, [&] { return to_junit(findings, run, line.program[0]); });
    write_text(line.markdown_file, [&] { return to_markdown(findings, run, comparison); });
    write_text(line.budget_to_write, [&] { return make_budget_text(run); });
    write_text(line.suppressions_to_write, [&] { return make_suppressions_text(run); });
    if (line.annotations == "github")
        std::fputs(to_github_annotations(findings).c_str(), stdout);
    else if (line.annotations == "compiler")
        std::fputs(to_compiler_messages(findings).c_str(), stdout);
}

}  // namespace coalesce::simulator
