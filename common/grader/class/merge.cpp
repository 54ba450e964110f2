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
    PlanMerger(const Assignment& assignment_to_merge, const Plan& plan)
        : OpenRun(assignment_to_merge), plan_(plan) {
        entries = plan.entries;
        require_same_assignment();
        begin_run();
    }

    // Stores the results of the chunks and returns their number.
    std::size_t store_chunk_results() {
        store_problem_results(plan_.setup);
        std::size_t merged_count = 0;
        for (const Entry& entry : select_entries_to_judge(entries, store, false)) {
            if (fs::exists(plan_.result_file(entry.key))) {
                store_chunk_result(entry);
                ++merged_count;
            } else {
                ++missing_results_;
            }
        }
        return merged_count;
    }

    void require_complete() const {
        if (missing_results_ == 0) return;
        throw InfrastructureError(
            std::to_string(missing_results_) +
            " results are missing, so grades.csv was not written.\n" + plan_status(plan_) +
            "Run those chunks again, then merge again, or run ./learn grade run " +
            assignment.name + " --resume");
    }

    ClassResults finish() {
        ClassResults results = OpenRun::finish();
        // Remove the files left behind by chunks that were killed.
        std::error_code ignored_error;
        for (const fs::directory_entry& file :
             fs::directory_iterator(plan_.folder / "work", ignored_error)) {
            fs::remove_all(file.path(), ignored_error);
        }
        return results;
    }

private:
    // Checks that the plan belongs to this assignment. The keys differ if the manifest, the key
    // file or the plan was changed after the plan was made.
    void require_same_assignment() const {
        bool has_same_keys = plan_.identity == assignment_identity(assignment);
        for (const Entry& entry : entries) {
            has_same_keys =
                has_same_keys && entry.key == result_key(assignment, plan_.setup, entry);
        }
        if (has_same_keys) return;
        throw UsageError(
            "the assignment has changed since the plan was made; make another plan: ./learn grade "
            "plan " +
            assignment.name);
    }

    // Begins a run, or continues the run of a merge that was interrupted.
    void begin_run() {
        if (std::optional<Run> last_run = store.run();
            last_run && store.entries(last_run->run_number) == entries) {
            run_number = last_run->run_number;
            return;
        }
        std::vector<std::string> sources;
        for (const Entry& entry : entries) {
            if (entry.problem.empty()) {
                sources.push_back(read_file(plan_.folder / "sources" / entry.source));
            }
        }
        run_number = store.start_run(assignment.name, plan_.setup.sandbox_note(), entries, sources);
    }

    void store_chunk_result(const Entry& entry) {
        const std::string json =
            open_sealed_result(assignment, entry.key, read_file(plan_.result_file(entry.key)));
        const Result result = result_from_json(json);  // throws if `json` is not a result
        if (result.mark == Mark::fault) {
            store.give_up(run_number, entry, result.verdict.failures.front().headline);
        } else {
            store.add_result(run_number, entry, json);
        }
    }

    const Plan& plan_;
    std::size_t missing_results_ = 0;
};

}  // namespace

void merge_plan(const Assignment& assignment, const Plan& plan, std::ostream& out) {
    PlanMerger plan_merger(assignment, plan);
    std::size_t merged_count = plan_merger.store_chunk_results();
    plan_merger.require_complete();
    const ClassResults results = plan_merger.finish();
    out << summarize_results(results) << format_count(merged_count, "result")
        << " merged. The plan's folder is no longer needed.\n"
        << describe_open_questions(results, 8);
}

}  // namespace coalesce::grader
