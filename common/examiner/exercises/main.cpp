// exercises -- generates the skeletons of all exercises from their solutions, or checks that the
// skeletons in the repository are up to date.

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "examiner/exercises/tree.h"

namespace {

using coalesce::exercises::Tree;

constexpr char kHelp[] =
    "Usage: exercises generate|check [--root FOLDER]\n"
    "\n"
    "  generate   writes the files in exercises/ from solutions/; overwrites what was\n"
    "             written in them\n"
    "  check      says what in exercises/ and solutions/ is not as it should be\n"
    "\n"
    "FOLDER is the repository; this one when left out. Exit code: 0 all is well, 1 not,\n"
    "2 it could not be found out.\n";

int generate(const Tree& tree) {
    std::vector<std::string> changed = tree.generate();
    for (const std::string& path : changed) std::printf("wrote %s\n", path.c_str());
    std::printf("%zu exercises, %zu files written again\n", tree.names().size(), changed.size());
    return 0;
}

int check(const Tree& tree) {
    std::vector<std::string> faults = tree.faults();
    for (const std::string& fault : tree.find_faults_in_hints()) faults.push_back(fault);
    for (const std::string& fault : faults) std::printf("%s\n", fault.c_str());
    if (!faults.empty()) return 1;
    for (const std::string& path : tree.list_edited_files()) {
        std::printf("%s: somebody is writing in it; its committed text is right\n", path.c_str());
    }
    int blanks = 0;
    for (const std::string& name : tree.names())
        blanks += tree.skeleton(name, tree.files(name).front()).blanks();
    std::printf("%zu exercises with %d blanks: all as it should be\n", tree.names().size(), blanks);
    return 0;
}

int run(int argc, char** argv) {
    std::string command = argc > 1 ? argv[1] : "";
    if (command == "--help" || command == "-h") return std::fputs(kHelp, stdout) < 0;
    std::string root = COALESCE_REPOSITORY;
    bool root_is_given = argc == 4 && std::strcmp(argv[2], "--root") == 0;
    if ((argc != 2 && !root_is_given) || (command != "generate" && command != "check")) {
        std::fputs(kHelp, stderr);
        return 2;
    }
    if (root_is_given) root = argv[3];
    Tree tree(root);
    return command == "generate" ? generate(tree) : check(tree);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
