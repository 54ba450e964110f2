// Merges the results of a plan's chunks into a run in the store.

#include <ostream>

#include "grader/class/plan.h"
#include "grader/class/reports.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

class Merging : OpenRun {
public:
    Merging(const Assignment& of, const Plan& plan) : OpenRun(of), plan_(plan) {
        entries = plan.entries;
        must_be_of_this_assignment();
        begin();
    }

    // Stores the results of the chunks and returns their number.
    std::size_t take_results() {
        settle_problems(plan_.setup);
        std::size_t taken = 0;
        for (const Entry& entry : to_be_judged(entries, store, false)) {
            if (fs::exists(plan_.result(entry.key))) {
                take_result(entry);
                ++taken;
            } else {
                ++missing_;
            }
        }
        return taken;
    }

    void must_be_complete() const {
        if (missing_ == 0) return;
        throw Infrastructure(std::to_string(missing_) +
                             " results are missing, so grades.csv was not written.\n" +
                             plan_status(plan_) +
                             "Run those chunks again, then merge again; or: ./learn grade run " +
                             assignment.name + " --resume");
    }

    ClassResults finish() {
        ClassResults results = OpenRun::finish();
        // Remove the files left behind by chunks that were killed.
        std::error_code ignored;
        for (const fs::directory_entry& file :
             fs::directory_iterator(plan_.folder / "work", ignored)) {
            fs::remove_all(file.path(), ignored);
        }
        return results;
    }

private:
    // Checks that the plan belongs to this assignment. The keys differ if the manifest, the key
    // file or the plan was changed after the plan was made.
    void must_be_of_this_assignment() const {
        bool is_same = plan_.identity == identity_of(assignment);
        for (const Entry& entry : entries) {
            is_same = is_same && entry.key == key_of_entry(assignment, plan_.setup, entry);
        }
        if (is_same) return;
        throw UsageError(
            "the assignment has changed since the plan was made; make another plan: ./learn grade "
            "plan " +
            assignment.name);
    }

    // Begins the run, or continues the run of an interrupted merge.
    void begin() {
        if (std::optional<Run> last = store.run(); last && store.entries(last->number) == entries) {
            number = last->number;
            return;
        }
        std::vector<std::string> sources;
        for (const Entry& entry : entries) {
            if (entry.problem.empty()) {
                sources.push_back(read_file(plan_.folder / "sources" / entry.source));
            }
        }
        number = store.begin_run(assignment.name, plan_.setup.stamp(), entries, sources);
    }

    void take_result(const Entry& entry) {
        const std::string json =
            opened_result(assignment, entry.key, read_file(plan_.result(entry.key)));
        const Result result = result_from_json(json);  // throws if `json` is not a result
        if (result.mark == Mark::fault) {
            store.give_up(number, entry, result.verdict.failures.front().headline);
        } else {
            store.add_result(number, entry, json);
        }
    }

    const Plan& plan_;
    std::size_t missing_ = 0;
};

}  // namespace

void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out) {
    Merging merging(assignment, plan);
    std::size_t taken = merging.take_results();
    merging.must_be_complete();
    const ClassResults results = merging.finish();
    out << summary(results) << count_of(taken, "result")
        << " merged. The plan's folder is no longer needed.\n"
        << faults_text(results);
}

}  // namespace coalesce::grader
