// public_programs -- writes the tables of docs/guide/public_programs.md from the results that are kept, or says
// that they are not current.
#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "lab/proof/page_part.h"
#include "lab/proof/public_programs/record.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kResults = COALESCE_REPOSITORY "/docs/results/public/programs.json";
const std::string kPageName = "docs/guide/public_programs.md";
const std::string kPage = COALESCE_REPOSITORY "/" + kPageName;

int run(bool only_checks) {
    const PublicPrograms all = read_public_programs(read_file(kResults));
    const std::string old = read_file(kPage);
    const auto with = [](const std::string& page, const char* name, const std::string& text) {
        return with_part(page, kPageName, name, "build/bin/public_programs", text);
    };
    const std::string page =
        with(with(old, "totals", totals_table(all)), "programs", programs_tables(all));
    if (!only_checks) {
        write_file(kPage, page);
        return 0;
    }
    if (page == old) return 0;
    std::cerr << kPageName << " is not what the results say: build/bin/public_programs\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const bool checks = argc == 2 && std::string(argv[1]) == "--check";
        if (argc > 1 && !checks) throw UsageError("Usage: public_programs [--check]");
        return run(checks);
    } catch (const UsageError& error) {
        std::cerr << "public_programs: " << error.what() << "\n";
        return 2;
    }
}
