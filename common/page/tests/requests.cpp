// Prints the request to clang for each kernel file as JSON. Tests of the compiler in the page use
// these requests.
//
//     web_requests [--variables] solutions/NAME/FILE.cu...
//
// With --variables, the requests keep every variable, as for stepping through a kernel. The paths
// are relative to the course's folder, which must be the working folder.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "examiner/clang_ir.h"
#include "examiner/course/course.h"
#include "examiner/source.h"

int main(int argc, char** argv) {
    const auto course = coalesce::course::read_course(".");
    auto requests = nlohmann::json::array();
    const bool keeps_variables = argc > 1 && std::string(argv[1]) == "--variables";
    for (int i = keeps_variables ? 2 : 1; i < argc; ++i) {
        const std::string folder = std::filesystem::path(argv[i]).parent_path().filename();
        const coalesce::course::Step* step = course.lesson(folder);
        if (step == nullptr || !step->exercise) {
            std::cerr << argv[i] << " belongs to no exercise\n";
            return 2;
        }
        const coalesce::ClangRequest request =
            coalesce::clang_ir_request(coalesce::read_source(argv[i], "kernel.cu"),
                                       step->exercise->size_names(), keeps_variables);
        requests.push_back({{"arguments", request.arguments},
                            {"files", {{request.input, request.text}}},
                            {"output", request.output}});
    }
    std::cout << requests.dump() << "\n";
}
