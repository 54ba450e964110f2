// The results of a plan's chunks become a run of the store.

#include <ostream>
#include <set>

#include "grader/class/plan.h"
#include "grader/class/plan_files.h"
#include "grader/class/reports.h"
#include "grader/class/worker.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

class Merging {
public:
    Merging(const Assignment& assignment, const Plan& plan)
        : assignment_(assignment),
          plan_(plan),
          lock_(assignment.teacher() / "lock", "the assignment " + assignment.name),
          store_(assignment.store()),
          entries_(entries_in(read_file(plan.folder / "class.json"))) {
        must_be_of_this_assignment();
        begin();
    }

    // How many results came in.
    std::size_t take_results() {
        std::size_t taken = 0;
        for (const Entry& entry : entries_) {
            if (store_.result(entry.key)) continue;
            if (!entry.problem.empty()) {
                Result result = result_of_problem(entry, name_of(plan_.setup.tier));
                store_.add_result(run_, entry, to_json(result));
            } else if (fs::exists(plan_.result(entry.key))) {
                take_result(entry);
                ++taken;
            } else {
                missing_.insert(entry.key);
            }
        }
        return taken;
    }

    void must_be_complete() const {
        if (missing_.empty()) return;
        throw Infrastructure(std::to_string(missing_.size()) +
                             " results are not there yet, and grades.csv was not written.\n" +
                             plan_status(plan_) +
                             "Run those chunks again, then merge again; or: ./learn grade run " +
                             assignment_.name + " --resume");
    }

    ClassResults finish() {
        store_.finish_run(run_);
        ClassResults results = read_results(assignment_, store_, run_);
        write_reports(results, assignment_.results());
        // What a chunk that was killed left behind.
        std::error_code ignored;
        for (const fs::directory_entry& file :
             fs::directory_iterator(plan_.folder / "work", ignored)) {
            fs::remove_all(file.path(), ignored);
        }
        return results;
    }

private:
    // The keys say all: another manifest, another key file or an edited plan gives others.
    void must_be_of_this_assignment() const {
        bool is_same = plan_.identity == identity_of(assignment_);
        for (const Entry& entry : entries_) {
            is_same = is_same && entry.key == key_of_entry(assignment_, plan_.setup, entry);
        }
        if (is_same) return;
        throw UsageError(
            "the plan is not of the assignment as it is now; make another: ./learn grade plan " +
            assignment_.name);
    }

    // A merge that was stopped goes on with its run.
    void begin() {
        if (std::optional<Run> last = store_.run();
            last && store_.entries(last->number) == entries_) {
            run_ = last->number;
            return;
        }
        std::vector<std::string> sources;
        for (const Entry& entry : entries_) {
            if (entry.problem.empty()) {
                sources.push_back(read_file(plan_.folder / "sources" / entry.source));
            }
        }
        run_ = store_.begin_run(assignment_.name, plan_.setup.stamp(), entries_, sources);
    }

    void take_result(const Entry& entry) {
        const std::string json =
            opened_result(assignment_, entry.key, read_file(plan_.result(entry.key)));
        const Result result = result_from_json(json);  // throws for what is no result
        if (result.mark == Mark::fault) {
            store_.give_up(run_, entry, result.verdict.failures.front().headline);
        } else {
            store_.add_result(run_, entry, json);
        }
    }

    const Assignment& assignment_;
    const Plan& plan_;
    FileLock lock_;
    Store store_;
    std::vector<Entry> entries_;
    std::set<std::string> missing_;
    std::int64_t run_ = 0;
};

}  // namespace

void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out) {
    Merging merging(assignment, plan);
    std::size_t taken = merging.take_results();
    merging.must_be_complete();
    const ClassResults results = merging.finish();
    out << summary(results) << count_of(taken, "result")
        << " merged. The plan's folder is not needed any more.\n"
        << faults_text(results);
}

}  // namespace coalesce::grader
