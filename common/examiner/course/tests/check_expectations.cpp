// check_expectations COURSE.TOML STEP RESULTS.JSON -- compares the results of one step with its
// lesson.toml. Prints one line per difference. Exit code: 0 if there are no differences, 1
// otherwise.

#include <fstream>
#include <iostream>

#include "expectations.h"

using namespace coalesce::course;

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "Usage: check_expectations COURSE.TOML STEP RESULTS.JSON\n";
        return 2;
    }
    try {
        Course course = read_course(argv[1]);
        const Step* step = course.find(argv[2]);
        if (step == nullptr) throw CourseError(std::string("no step ") + argv[2]);
        auto run = nlohmann::json::parse(std::ifstream(argv[3]));
        auto found = differences(*step, run.at("results"));
        for (auto& difference : found) std::cout << difference << "\n";
        if (!found.empty()) return 1;
        std::cout << step->name << ": all " << step->variants.size()
                  << " variants are as lesson.toml has them\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}
