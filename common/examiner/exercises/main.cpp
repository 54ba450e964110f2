// exercises -- generates the skeletons of all exercises from their solutions, or checks that the
// skeletons in the repository are up to date.

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "examiner/exercises/tree.h"

namespace {

using coalesce::exercises::ExerciseTree;

constexpr char kHelp[] =
    "Usage: exercises generate|check [--root FOLDER]\n"
    "\n"
    "  generate   writes the files in exercises/ from solutions/, and overwrites any\n"
    "             work in them\n"
    "  check      reports what is wrong in exercises/ and solutions/\n"
    "\n"
    "FOLDER is the repository; the default is this one. The exit code is 0 if\n"
    "nothing is wrong, 1 if something is wrong, and 2 if the check could not run.\n";

int generate(const ExerciseTree& tree) {
    std::vector<std::string> changed = tree.generate();
    for (const std::string& path : changed) std::printf("wrote %s\n", path.c_str());
    std::printf("%zu exercises, %zu files rewritten\n", tree.names().size(), changed.size());
    return 0;
}

int check(const ExerciseTree& tree) {
    std::vector<std::string> faults = tree.faults();
    for (const std::string& fault : tree.find_faults_in_hints()) faults.push_back(fault);
    for (const std::string& fault : faults) std::printf("%s\n", fault.c_str());
    if (!faults.empty()) return 1;
    for (const std::string& path : tree.list_edited_files()) {
        std::printf("%s has uncommitted changes; the committed version is correct\n", path.c_str());
    }
    int blank_count = 0;
    for (const std::string& name : tree.names())
        blank_count += tree.skeleton(name, tree.files(name).front()).blank_count();
    std::printf("%zu exercises with %d blanks: nothing is wrong\n", tree.names().size(),
                blank_count);
    return 0;
}

int run(int argc, char** argv) {
    std::string command = argc > 1 ? argv[1] : "";
    if (command == "--help" || command == "-h") return std::fputs(kHelp, stdout) < 0;
    std::string root = COALESCE_REPOSITORY;
    bool has_root = argc == 4 && std::strcmp(argv[2], "--root") == 0;
    if ((argc != 2 && !has_root) || (command != "generate" && command != "check")) {
        std::fputs(kHelp, stderr);
        return 2;
    }
    if (has_root) root = argv[3];
    ExerciseTree tree(root);
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
