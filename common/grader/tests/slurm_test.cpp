// slurm_test GRADE REPOSITORY recovery|efficiency [STUDENTS] grades a class with a Slurm cluster.
//
// `recovery` uses four nodes and 40 submissions. One node cannot judge at first, and another one
// dies during the run. Every submission must get exactly one grade, and the same grade as without a
// cluster. `efficiency` is a benchmark that prints the speedup of two nodes over one node. Other
// work on the computer affects this result. The exit code is 77 if Slurm is not installed.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/slurm_cluster.h"

using coalesce::read_file;
using coalesce::TemporaryFolder;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

int failures = 0;

void expect(bool is_true, const std::string& what) {
    if (is_true) return;
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
}

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::size_t count_files(const fs::path& where) {
    std::size_t count = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(where)) {
        count += file.path().filename().string().find('.') == std::string::npos ? 1 : 0;
    }
    return count;
}

// A class with its assignment, in a temporary folder.
class Classroom {
public:
    Classroom(std::string grade, const fs::path& repository, int students)
        : grade(std::move(grade)) {
        generate_class(repository, folder / "class", {"03_tiled"}, students, 3);
        must({"assignment", "new", "hw1", "--exercises", "03"});
    }

    Ended call(std::vector<std::string> words) const {
        words.insert(words.begin(), grade);
        words.insert(words.end(), {"--folder", (folder / "assignments").string()});
        return run_to_end(words);
    }
    void must(const std::vector<std::string>& words) const {
        Ended ended = call(words);
        if (ended.code != 0) throw std::runtime_error(words[0] + ": " + ended.output);
    }
    fs::path plan(const std::string& name, int chunks) const {
        must({"plan", "hw1", "--submissions", (folder / "class").string(), "--to",
              (folder / name).string(), "--chunks", std::to_string(chunks)});
        return folder / name;
    }
    fs::path teacher() const { return folder / "assignments" / "hw1/teacher"; }
    std::string submissions() const { return folder / "class"; }

private:
    TemporaryFolder folder;
    std::string grade;
};

std::size_t tasks_in(const fs::path& plan) {
    std::size_t sum = 0;
    for (const fs::directory_entry& chunk : fs::directory_iterator(plan / "chunks")) {
        std::string text = read_file(chunk.path());
        for (std::size_t at = text.find("\"key\""); at != text.npos;
             at = text.find("\"key\"", at + 1)) {
            ++sum;
        }
    }
    return sum;
}

// Makes the first attempt at chunk 1 fail, because the grader's programs are not found. Slurm must
// retry, because this is a problem with the grader.
void break_first_start(const fs::path& plan) {
    std::string script = read_file(plan / "slurm.sbatch");
    std::size_t at = script.find("echo ");
    if (at == script.npos) throw std::runtime_error("slurm.sbatch is another than expected");
    script.insert(at,
                  "if [ \"$SLURM_ARRAY_TASK_ID-${SLURM_RESTART_COUNT:-0}\" = 1-0 ]; then\n"
                  "    export COALESCE_GRADER_PROGRAMS=/nonexistent\n"
                  "fi\n");
    write_atomically(plan / "slurm.sbatch", script, 0700);
}

void submit(const SlurmCluster& cluster, const fs::path& plan, const std::string& partition) {
    Ended ended = cluster.call(
        {"/usr/bin/sbatch", "--partition=" + partition, (plan / "slurm.sbatch").string()});
    if (ended.code != 0) throw std::runtime_error("sbatch: " + ended.output);
}

// Waits for `wanted` results. Throws an exception if they take too long.
void wait_for_results(const SlurmCluster& cluster, const fs::path& plan, std::size_t wanted,
                      double most_seconds) {
    auto begin = Clock::now();
    while (count_files(plan / "results") < wanted) {
        if (seconds_since(begin) > most_seconds) {
            std::string text = "only " + std::to_string(count_files(plan / "results")) + " of " +
                               std::to_string(wanted) + " results after " +
                               std::to_string(most_seconds) + " s\n";
            for (const fs::directory_entry& log : fs::directory_iterator(plan / "logs")) {
                text += read_file(log.path());
            }
            throw std::runtime_error(text + cluster.logs());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void kill_a_busy_node(SlurmCluster& cluster) {
    for (int i = 0; i < 200; ++i) {
        std::string node = cluster.busy_node();
        if (node.empty()) continue;
        cluster.kill_node(node);
        std::printf("killed: node %s with its job\n", node.c_str());
        return;
    }
    throw std::runtime_error("no node was busy");
}

// Checks that every submission has exactly one result, which is equal to the result on a single
// computer.
void check_grades(const Classroom& room, std::size_t tasks) {
    std::string csv = read_file(room.teacher() / "results/grades.csv");
    std::string json = read_file(room.teacher() / "results/grades.json");
    std::set<std::string> judged;
    Store store(room.teacher() / "store.sqlite");
    for (const Attempt& attempt : store.attempts()) {
        expect(attempt.outcome == "judged", attempt.student + ": " + attempt.outcome);
        expect(judged.insert(attempt.key).second, "twice: " + attempt.student);
    }
    expect(judged.size() >= tasks, std::to_string(judged.size()) + " judged");
    for (const Entry& entry : store.entries(1)) {
        expect(store.result(entry.key).has_value(), "lost: " + entry.student);
    }
    // Judge all submissions again on this computer. The reports must be byte-identical.
    Ended again =
        room.call({"run", "hw1", "--submissions", room.submissions(), "--again", "--quiet"});
    expect(again.code == 0, again.output);
    expect(read_file(room.teacher() / "results/grades.csv") == csv, "another grades.csv");
    expect(read_file(room.teacher() / "results/grades.json").size() == json.size(),
           "another grades.json");
}

void recovery(const std::string& grade, const fs::path& repository, int students) {
    Classroom room(grade, repository, students);
    fs::path plan = room.plan("plan", 10);
    std::size_t tasks = tasks_in(plan);
    break_first_start(plan);
    {
        SlurmCluster cluster(4);
        submit(cluster, plan, "first4");
        wait_for_results(cluster, plan, tasks / 4, 120);
        kill_a_busy_node(cluster);
        std::size_t before = count_files(plan / "results");
        auto killed = Clock::now();
        wait_for_results(cluster, plan, tasks, 120);
        double seconds = seconds_since(killed);
        std::printf("4 nodes, %d students, %zu to judge; %zu were at the kill, all %.1f s later\n",
                    students, tasks, before, seconds);
        expect(before < tasks, "the node was killed too late to matter");
        expect(seconds < 45, "recovery took 45 s or more");
        std::string log = read_file(plan / "logs/1.log");
        expect(log.find(", start 1\n") != log.npos, "chunk 1 had no second start:\n" + log);
        room.must({"merge", plan.string()});
        check_grades(room, tasks);
        for (int i = 0; i < 300 && cluster.jobs() > 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        expect(cluster.jobs() == 0, "jobs are left:\n" + cluster.call({"/usr/bin/squeue"}).output);
    }
    expect(count_files(plan / "results") == tasks, "there are other results than were planned");
}

double seconds_on(const SlurmCluster& cluster, const Classroom& room, int nodes) {
    fs::path plan = room.plan("plan-" + std::to_string(nodes), 2);
    std::size_t tasks = tasks_in(plan);
    auto begin = Clock::now();
    submit(cluster, plan, "first" + std::to_string(nodes));
    wait_for_results(cluster, plan, tasks, 900);
    double seconds = seconds_since(begin);
    std::printf("%d %s: %zu judged in 2 chunks, %.1f s\n", nodes, nodes == 1 ? "node" : "nodes",
                tasks, seconds);
    return seconds;
}

void efficiency(const std::string& grade, const fs::path& repository, int students) {
    Classroom room(grade, repository, students);
    SlurmCluster cluster(2);
    double one = seconds_on(cluster, room, 1), two = seconds_on(cluster, room, 2);
    std::printf("efficiency from one node to two: %.2f (1 is all that can be had), load %.20s\n",
                one / two / 2, read_file("/proc/loadavg").c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: slurm_test GRADE REPOSITORY recovery|efficiency [STUDENTS]\n");
        return 2;
    }
    if (!SlurmCluster::is_installed()) {
        std::puts("skipped: Slurm is not installed (Debian's slurm-wlm and munge)");
        return 77;
    }
    try {
        bool is_recovery = std::strcmp(argv[3], "recovery") == 0;
        int students = argc > 4 ? std::atoi(argv[4]) : is_recovery ? 40 : 600;
        (is_recovery ? recovery : efficiency)(argv[1], argv[2], students);
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        ++failures;
    }
    std::puts(failures == 0 ? "all as it should be" : "see FAILED above");
    return failures == 0 ? 0 : 1;
}
