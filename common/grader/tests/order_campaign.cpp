// order_campaign GRADE REPOSITORY STUDENTS grades a class in three orders, with one job and with
// two, and then each student alone. All results must be the same to the last byte, because a result
// depends only on the file, the exercise, the key and the compiler.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>

#include "base/files.h"
#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"

using coalesce::TemporaryFolder;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

int failures = 0;

// The result of each student and exercise, as JSON.
using Results = std::map<std::pair<std::string, std::string>, std::string>;

class Campaign {
public:
    Campaign(std::string grade, const fs::path& repository, int students)
        : grade_(std::move(grade)) {
        generate_class(repository, folder_ / "class", {"03_tiled", "06_diagonal"}, students, 3);
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "class"))
            names_.push_back(entry.path().filename().string());
        std::ranges::sort(names_);
        const Ended made = run_to_end({grade_, "assignment", "new", "hw1", "--exercises", "03,06",
                                       "--folder", (folder_ / "fresh").string()});
        if (made.code != 0) throw std::runtime_error(made.output);
    }

    void run() {
        std::vector<std::size_t> order(names_.size());
        std::iota(order.begin(), order.end(), 0);
        const Results wanted = graded(order, 2);
        if (wanted.size() != 2 * names_.size()) throw std::runtime_error("results are missing");
        compare(graded(order, 1), wanted, "by one job");
        std::ranges::reverse(order);
        compare(graded(order, 2), wanted, "in reverse");
        std::shuffle(order.begin(), order.end(), std::mt19937(7));
        compare(graded(order, 1), wanted, "shuffled");
        Results alone;
        for (std::size_t student = 0; student < names_.size(); ++student)
            alone.merge(graded({student}, 1));
        compare(alone, wanted, "one by one");
    }

private:
    // Grades these students in this order. A number in front of each name determines the order,
    // because students are judged in the order of their names.
    Results graded(const std::vector<std::size_t>& order, int jobs) {
        const TemporaryFolder here;
        for (std::size_t place = 0; place < order.size(); ++place) {
            char number[32];
            std::snprintf(number, sizeof number, "%05zu~", place);
            fs::create_directories(here.path / "class");
            fs::copy(folder_ / "class" / names_[order[place]],
                     here.path / "class" / (number + names_[order[place]]),
                     fs::copy_options::recursive);
        }
        // The copy of the assignment has the same key, but its own store.
        fs::copy(folder_ / "fresh", here / "assignments", fs::copy_options::recursive);
        const Ended ended =
            run_to_end({grade_, "run", "hw1", "--folder", here / "assignments", "--submissions",
                        here / "class", "--jobs", std::to_string(jobs), "--quiet"});
        if (ended.code != 0) throw std::runtime_error(ended.output);
        Store store(fs::path(here / "assignments") / "hw1/teacher/store.sqlite");
        Results results;
        for (const Entry& entry : store.entries(1)) {
            const std::string name = entry.student.substr(entry.student.find('~') + 1);
            results[{name, entry.exercise}] = store.result(entry.key).value_or("nothing");
        }
        return results;
    }

    static void compare(const Results& results, const Results& wanted, const char* how) {
        std::printf("%s: %zu results\n", how, results.size());
        for (const auto& [who, json] : wanted) {
            const auto found = results.find(who);
            if (found != results.end() && found->second == json) continue;
            std::printf("FAILED: %s, %s %s has\n%s\nand otherwise\n%s\n", how, who.first.c_str(),
                        who.second.c_str(),
                        found == results.end() ? "nothing" : found->second.c_str(), json.c_str());
            ++failures;
        }
    }

    TemporaryFolder folder_;
    std::string grade_;
    std::vector<std::string> names_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: order_campaign GRADE REPOSITORY STUDENTS\n");
        return 2;
    }
    try {
        Campaign(argv[1], argv[2], std::atoi(argv[3])).run();
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        ++failures;
    }
    std::puts(failures == 0 ? "the same results in every order" : "see FAILED above");
    return failures == 0 ? 0 : 1;
}
