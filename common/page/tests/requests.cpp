// Prints the request to clang for each of a learner's files as JSON, for tests of the compiler in the page.
//
//     web_requests KERNEL.cu...

#include <iostream>
#include <nlohmann/json.hpp>

#include "examiner/clang_ir.h"
#include "examiner/source.h"

int main(int argc, char** argv) {
    auto requests = nlohmann::json::array();
    for (int i = 1; i < argc; ++i) {
        const coalesce::ClangRequest request =
            coalesce::clang_ir_request(coalesce::read_source(argv[i], "kernel.cu"));
        requests.push_back({{"arguments", request.arguments},
                            {"files", {{request.input, request.text}}},
                            {"output", request.output}});
    }
    std::cout << requests.dump() << "\n";
}
