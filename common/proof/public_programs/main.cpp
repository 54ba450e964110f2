// public_programs -- writes the tables of docs/guide/public_programs.md from the results that are kept, or says
// that they are not current.
#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "proof/public_programs/record.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

const std::string kResults = COALESCE_REPOSITORY "/docs/results/public/programs.json";
const std::string kPageName = "docs/guide/public_programs.md";
const std::string kPage = COALESCE_REPOSITORY "/" + kPageName;

/// `page` with `text` between the markers of `name`. Throws UsageError.
std::string with_part(const std::string& page, const std::string& name, const std::string& text) {
    const std::string begin = "<!-- " + name + ": written by build/bin/public_programs -->\n";
    const std::string end = "<!-- end of " + name + " -->";
    const std::size_t from = page.find(begin), to = page.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from)
        throw UsageError(kPageName + " has no place for it; put this there: " + begin + end);
    return page.substr(0, from + begin.size()) + "\n" + text + "\n" + page.substr(to);
}

int run(bool only_checks) {
    const PublicPrograms all = read_public_programs(read_file(kResults));
    const std::string old = read_file(kPage);
    const std::string page =
        with_part(with_part(old, "totals", totals_table(all)), "programs", programs_tables(all));
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
