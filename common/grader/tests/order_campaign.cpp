// order_campaign GRADE REPOSITORY STUDENTS grades a class in three orders, with one job and with
// two, once with kills, and then each student alone. All results, grades and feedback pages must be
// byte-identical, because they depend only on the file, the exercise, the key and the compiler.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"

using coalesce::TemporaryFolder;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

int failures = 0;

// For each student, the results as JSON, the line in grades.csv, and the feedback page. The first
// part of a key is the student. The second part is the exercise, "grades.csv" or "feedback".
using Results = std::map<std::pair<std::string, std::string>, std::string>;

// The format of the number in front of a student's name, as in "00007xstudent-0001". The numbers
// determine the order.
constexpr const char* kNumberFormat = "%05zux";
constexpr std::size_t kNumberLength = 6;

// Removes the numbers in front of the students' names.
std::string without_numbers(std::string text) {
    for (std::size_t at = text.find("xstudent"); at != text.npos; at = text.find("xstudent", at)) {
        const std::size_t begin = at + 1 - kNumberLength;
        text.erase(begin, kNumberLength);
        at = begin;
    }
    return text;
}

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
        // For each student, there are two results, a line and a page.
        if (wanted.size() != 4 * names_.size()) throw std::runtime_error("results are missing");
        compare(graded(order, 1), wanted, "by one job");
        constexpr int kills = 5;
        compare(graded(order, 2, kills), wanted, "killed and resumed");
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
    // Grades the students with the indices in `order`, in this order. The grader judges students in
    // the order of their names, so a number is put in front of each name. Kills and resumes the
    // grader up to `kills` times.
    Results graded(const std::vector<std::size_t>& order, int jobs, int kills = 0) {
        const TemporaryFolder here;
        for (std::size_t place = 0; place < order.size(); ++place) {
            char number[32];
            std::snprintf(number, sizeof number, kNumberFormat, place);
            fs::create_directories(here.path / "class");
            fs::copy(folder_ / "class" / names_[order[place]],
                     here.path / "class" / (number + names_[order[place]]),
                     fs::copy_options::recursive);
        }
        // The copy of the assignment has the same key as the original, but its own store.
        fs::copy(folder_ / "fresh", here / "assignments", fs::copy_options::recursive);
        run_with_kills(here.path, jobs, kills);
        return read_results(fs::path(here / "assignments") / "hw1/teacher");
    }

    void run_with_kills(const fs::path& here, int jobs, int kills) const {
        const std::vector<std::string> common = {grade_,
                                                 "run",
                                                 "hw1",
                                                 "--folder",
                                                 (here / "assignments").string(),
                                                 "--quiet",
                                                 "--jobs",
                                                 std::to_string(jobs)};
        for (bool is_first = true, is_done = false; !is_done; is_first = false) {
            std::vector<std::string> command = common;
            const bool has_run =
                !is_first && Store(here / "assignments/hw1/teacher/store.sqlite").run().has_value();
            if (has_run)
                command.push_back("--resume");
            else
                command.insert(command.end(), {"--submissions", (here / "class").string()});
            const pid_t grader = start(command, here / "output");
            if (kills-- > 0) {
                std::this_thread::sleep_for(std::chrono::seconds(3));
                kill(grader, SIGKILL);
            }
            const int code = wait_for(grader);
            is_done = code == 0;
            if (code != 0 && code != 128 + SIGKILL)
                throw std::runtime_error(coalesce::read_file(here / "output"));
        }
    }

    static Results read_results(const fs::path& teacher) {
        Results results;
        Store store(teacher / "store.sqlite");
        for (const Entry& entry : store.entries(1)) {
            const std::string name = without_numbers(entry.student);
            results[{name, entry.exercise}] = store.result(entry.key).value_or("nothing");
        }
        const fs::path reports = teacher / "results";
        for (const std::string& line :
             coalesce::lines_of(without_numbers(coalesce::read_file(reports / "grades.csv")))) {
            const std::string name = line.substr(0, line.find(','));
            if (name.starts_with("student-")) results[{name, "grades.csv"}] = line;
        }
        for (const fs::directory_entry& page : fs::directory_iterator(reports / "feedback")) {
            // The file's name begins with a hash of the student's name.
            const std::string file = page.path().stem().string();
            const std::string name = file.substr(std::min(file.size(), file.find("student-")));
            results[{name, "feedback"}] = without_numbers(coalesce::read_file(page.path()));
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
