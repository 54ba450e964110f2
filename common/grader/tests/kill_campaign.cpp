// kill_campaign GRADE REPOSITORY KILLS STUDENTS grades a class, and kills the grader, its workers
// and their child processes at random moments. It resumes the run after each kill, until the run is
// complete. Each grade must then exist exactly once, and must be equal to the grade from a run
// without kills. No process may remain.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "base/files.h"
#include "grader/store/files.h"
#include "grader/store/store.h"
#include "grader/tests/generated_class.h"
#include "grader/tests/programs.h"

using coalesce::read_file;
using coalesce::TemporaryFolder;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

int failures = 0;

void expect(bool is_true, const std::string& what) {
    if (is_true) return;
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
}

class Campaign {
public:
    Campaign(std::string grade, fs::path repository, int kills, int students)
        : grade(std::move(grade)), kills(kills) {
        generate_class(repository, folder / "class", {"03_tiled"}, students, 1);
        Ended made = run_to_end({this->grade, "assignment", "new", "hw1", "--exercises", "03",
                                 "--folder", (folder / "fresh").string()});
        if (made.code != 0) throw std::runtime_error(made.output);
        undisturbed = graded_folder("undisturbed");
        Ended ended = run_to_end(run_command(undisturbed, {"--submissions", classes()}));
        if (ended.code != 0) throw std::runtime_error("without any kill: " + ended.output);
    }

    void run() {
        for (int campaign = 0; done < kills; ++campaign) {
            fs::path here = graded_folder("campaign-" + std::to_string(campaign));
            kill_through(here);
            compare(here);
            fs::remove_all(here);
        }
        wait_for_the_last();
        std::printf("%d kills: %d of the grader, %d of what it started; %d resumes\n", done,
                    done - kills_below, kills_below, resumes);
    }

private:
    std::string classes() const { return (folder / "class").string(); }

    // Returns a copy of the assignment, with the same key but its own store.
    fs::path graded_folder(const std::string& name) {
        fs::copy(folder / "fresh", folder / name, fs::copy_options::recursive);
        return folder / name;
    }

    std::vector<std::string> run_command(const fs::path& where,
                                         std::vector<std::string> more) const {
        std::vector<std::string> command = {grade,          "run",    "hw1", "--folder",
                                            where.string(), "--jobs", "2",   "--quiet"};
        command.insert(command.end(), more.begin(), more.end());
        return command;
    }

    // Grades a class until every submission has a result. Meanwhile, kills random processes.
    void kill_through(const fs::path& where) {
        for (bool is_done = false; !is_done;) {
            bool has_run = Store(where / "hw1/teacher/store.sqlite").run().has_value();
            pid_t grader = start(has_run ? run_command(where, {"--resume"})
                                         : run_command(where, {"--submissions", classes()}),
                                 folder / "output");
            resumes += has_run ? 1 : 0;
            while (done < kills && kill_something(grader)) {
            }
            int code = wait_for(grader);
            // Exit code 3: the grader gave up because its workers were killed too often.
            is_done = code == 0;
            expect(code == 0 || code == 3 || code == 137,
                   "exit code " + std::to_string(code) + ": " + read_file(folder / "output"));
            if (failures > 5) throw std::runtime_error("too many failures");
        }
    }

    // Kills the grader or one of its descendants. Returns false if the grader has ended.
    bool kill_something(pid_t grader) {
        std::this_thread::sleep_for(std::chrono::milliseconds(chance() % 400));
        std::vector<Process> below = descendants(grader);
        seen.insert(below.begin(), below.end());
        if (!is_running(grader)) return false;
        bool takes_grader = chance() % 3 == 0;
        if (!takes_grader && below.empty()) return true;  // no worker has started yet
        Process victim = takes_grader ? Process{grader, ""} : below[chance() % below.size()];
        if (!takes_grader && !is_alive(victim)) return true;
        kill(victim.first, SIGKILL);
        ++done;
        kills_below += takes_grader ? 0 : 1;
        return !takes_grader;
    }

    static bool is_running(pid_t grader) {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(grader), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid == 0;
    }

    void compare(const fs::path& where) {
        fs::path mine = where / "hw1/teacher", theirs = undisturbed / "hw1/teacher";
        for (const char* file :
             {"results/grades.csv", "results/grades.json", "results/junit.xml"}) {
            expect(read_file(mine / file) == read_file(theirs / file),
                   std::string(file) + " is another than without kills");
        }
        Store store(mine / "store.sqlite"), other(theirs / "store.sqlite");
        std::set<std::string> judged;
        for (const Attempt& attempt : store.attempts()) {
            if (attempt.outcome == "infrastructure") continue;
            expect(judged.insert(attempt.key).second, "judged twice: " + attempt.student);
        }
        for (const Entry& entry : other.entries(1)) {
            std::string with = store.result(entry.key).value_or("nothing");
            std::string without = other.result(entry.key).value_or("nothing");
            expect(with == without,
                   entry.student + " has " + with + "\nand without kills " + without);
        }
        expect(!fs::exists(mine / "work"), "the workers' folder was left behind");
    }

    // Waits until all processes have ended. Child processes end with their parents, or soon after.
    void wait_for_the_last() {
        std::size_t left = 0;
        // A busy computer may take a long time to schedule a killed process.
        for (int i = 0; i < 600; ++i) {
            left = 0;
            for (const Process& process : seen) left += is_alive(process) ? 1 : 0;
            if (left == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        std::string all;
        for (const Process& process : seen) {
            if (is_alive(process)) all += "\n  " + told(process);
        }
        expect(false, std::to_string(left) + " processes were left behind" + all);
    }

    TemporaryFolder folder;
    std::string grade;
    int kills, done = 0, kills_below = 0, resumes = 0;
    fs::path undisturbed;
    std::set<Process> seen;
    std::mt19937 chance{42};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: kill_campaign GRADE REPOSITORY KILLS STUDENTS\n");
        return 2;
    }
    try {
        const int kills = std::atoi(argv[3]);
        if (kills < 1) throw std::runtime_error("KILLS is no number");
        Campaign(argv[1], argv[2], kills, std::atoi(argv[4])).run();
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        ++failures;
    }
    std::puts(failures == 0 ? "nothing lost, nothing twice, the same grades" : "see FAILED above");
    return failures == 0 ? 0 : 1;
}
