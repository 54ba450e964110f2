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

class PlanMerger : OpenRun {
public:
    PlanMerger(const Assignment& of, const Plan& plan) : OpenRun(of), plan_(plan) {
        entries = plan.entries;
        require_same_assignment();
        begin();
    }

    // Stores the results of the chunks and returns their number.
    std::size_t store_chunk_results() {
        store_problem_results(plan_.setup);
        std::size_t taken = 0;
        for (const Entry& entry : select_entries_to_judge(entries, store, false)) {
            if (fs::exists(plan_.result(entry.key))) {
                store_chunk_result(entry);
                ++taken;
            } else {
                ++missing_;
            }
        }
        return taken;
    }

    void require_complete() const {
        if (missing_ == 0) return;
        throw InfrastructureError(
            std::to_string(missing_) + " results are missing, so grades.csv was not written.\n" +
            plan_status(plan_) +
            "Run those chunks again, then merge again, or run ./learn grade run " +
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
    void require_same_assignment() const {
        bool is_same = plan_.identity == identity_of(assignment);
        for (const Entry& entry : entries) {
            is_same = is_same && entry.key == result_key(assignment, plan_.setup, entry);
        }
        if (is_same) return;
        throw UsageError(
            "the assignment has changed since the plan was made; make another plan: ./learn grade "
            "plan " +
            assignment.name);
    }

    // Begins a run, or continues the run of a merge that was interrupted.
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
        number = store.start_run(assignment.name, plan_.setup.stamp(), entries, sources);
    }

    void store_chunk_result(const Entry& entry) {
        const std::string json =
            open_sealed_result(assignment, entry.key, read_file(plan_.result(entry.key)));
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
    PlanMerger merging(assignment, plan);
    std::size_t taken = merging.store_chunk_results();
    merging.require_complete();
    const ClassResults results = merging.finish();
    out << summary(results) << format_count(taken, "result")
        << " merged. The plan's folder is no longer needed.\n"
        << describe_open_questions(results, 8);
}

}  // namespace coalesce::grader
