// check_predictions SHOWN.JSON NOW.JSON -- checks that the predicted times in the tables are up to
// date. Prints one line per stale time. Exit code: 0 if no time is stale, 1 otherwise.

#include <algorithm>
#include <iostream>

#include "stale_predictions.h"

using namespace coalesce::lab;
using coalesce::learn::read_json;

namespace {

// Returns the list of results for the lessons' default shapes, followed by one list for each other
// size.
std::vector<Json> lists_of(const Json& file) {
    std::vector<Json> lists = {file.at("results")};
    for (auto& size : file.at("other_sizes")) lists.push_back(size.at("results"));
    return lists;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "Usage: check_predictions SHOWN.JSON NOW.JSON\n";
        return 2;
    }
    try {
        const auto shown = lists_of(read_json(argv[1])), now = lists_of(read_json(argv[2]));
        bool is_stale = shown.size() != now.size();
        for (size_t i = 0; i < std::min(shown.size(), now.size()); ++i) {
            for (auto& what : stale_predictions(shown[i], now[i])) {
                std::cout << what << "\n";
                is_stale = true;
            }
        }
        if (is_stale) {
            std::cout << "The times are predicted otherwise now. Write them again:\n"
                         "  ./learn results --again\n";
            return 1;
        }
        std::cout << now.front().size() << " variants are predicted as " << argv[1]
                  << " has them\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}
