// check_predictions SHOWN.JSON NOW.JSON -- whether the predicted times that the tables show are those of today.
// Exit code 0: they are; 1: they are not, a line for each that is not.

#include <iostream>

#include "learn/renew.h"

using namespace coalesce::learn;

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "Usage: check_predictions SHOWN.JSON NOW.JSON\n";
        return 2;
    }
    try {
        const Json now = read_json(argv[2]).at("results");
        const auto stale = stale_predictions(read_json(argv[1]).at("results"), now);
        for (auto& what : stale) std::cout << what << "\n";
        if (!stale.empty()) {
            std::cout << "The times are predicted otherwise now. Write them anew:\n"
                         "  ./learn results --anew\n";
            return 1;
        }
        std::cout << now.size() << " variants are predicted as " << argv[1] << " has them\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}
