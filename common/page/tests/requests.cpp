// Prints the request to clang for each kernel file as JSON. Tests of the compiler in the page use
// these requests.
//
//     web_requests solutions/NAME/FILE.cu...
//
// The paths are relative to the course's folder, which must be the working folder.

#include <iostream>
#include <nlohmann/json.hpp>

#include "examiner/clang_ir.h"
#include "examiner/course/course.h"
#include "examiner/source.h"

int main(int argc, char** argv) {
    const auto course = coalesce::course::read_course(".");
    auto requests = nlohmann::json::array();
    for (int i = 1; i < argc; ++i) {
        const std::string folder = std::filesystem::path(argv[i]).parent_path().filename();
        const coalesce::course::Step* step = course.lesson(folder);
        if (step == nullptr || !step->exercise) {
            std::cerr << argv[i] << " belongs to no exercise\n";
            return 2;
        }
        const coalesce::ClangRequest request = coalesce::clang_ir_request(
            coalesce::read_source(argv[i], "kernel.cu"), step->exercise->size_names());
        requests.push_back({{"arguments", request.arguments},
                            {"files", {{request.input, request.text}}},
                            {"output", request.output}});
    }
    std::cout << requests.dump() << "\n";
}
