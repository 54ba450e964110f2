#include "grader/tests/slurm_cluster.h"

#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* DAEMONS[] = {"/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd"};

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> all;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
        std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") == name.npos) all.push_back(std::stoi(name));
    }
    return all;
}

fs::path of_process(pid_t process, const char* what) {
    return "/proc/" + std::to_string(process) + "/" + what;
}

bool has_variable(pid_t process, const std::string& variable) {
    std::string all = '\0' + text_of(of_process(process, "environ"));
    return all.find('\0' + variable + '\0') != all.npos;
}

pid_t parent_of(pid_t process) {
    std::string text = text_of(of_process(process, "stat"));
    std::size_t name_end = text.rfind(')');
    std::istringstream rest(name_end == text.npos ? "" : text.substr(name_end + 1));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    return parent;
}

bool is_supervisor(pid_t process) {
    std::error_code error;
    // Debian names this program slurmstepd-wlm.
    std::string program = fs::read_symlink(of_process(process, "exe"), error).filename();
    return program.starts_with("slurmstepd");
}

std::string this_user() {
    const passwd* user = getpwuid(getuid());
    return user == nullptr ? "root" : user->pw_name;
}

std::string this_host() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

// Ends a process with SIGTERM, and with SIGKILL if it has not ended after three seconds.
void end(pid_t process) {
    kill(process, SIGTERM);
    for (int i = 0; i < 30; ++i) {
        if (waitpid(process, nullptr, WNOHANG) != 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    kill(process, SIGKILL);
    wait_for(process);
}

void pause(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

bool SlurmCluster::is_installed() {
    for (const char* daemon : DAEMONS) {
        if (!fs::exists(daemon)) return false;
    }
    return true;
}

SlurmCluster::SlurmCluster(int nodes) {
    // Use random ports, because other tests may run clusters at the same time.
    first_port = 17000 + static_cast<int>(std::random_device()() % 2000) * 10;
    write_configuration(nodes);
    setenv("SLURM_CONF", (folder / "slurm.conf").c_str(), 1);
    std::string here = folder.path;
    start_daemon("munged", {DAEMONS[0], "--foreground", "--force", "--key-file=" + here + "/key",
                            "--socket=" + here + "/munge.socket", "--pid-file=" + here + "/pid",
                            "--log-file=" + here + "/munged.log", "--seed-file=" + here + "/seed"});
    for (int i = 0; i < 100 && !fs::exists(folder / "munge.socket"); ++i) pause(50);
    start_daemon("slurmctld", {DAEMONS[1], "-D"});
    for (int node = 1; node <= nodes; ++node) {
        std::string name = "n" + std::to_string(node);
        start_daemon(name, {DAEMONS[2], "-D", "-N", name});
    }
    try {
        wait_until_idle(nodes);
    } catch (...) {
        stop();
        throw;
    }
}

SlurmCluster::~SlurmCluster() {
    stop();
}

// Writes the configuration. SlurmdTimeout and cred_expire determine how long Slurm waits before it
// restarts the job of a dead node. With Slurm's defaults, it would wait two to three minutes.
void SlurmCluster::write_configuration(int nodes) const {
    std::string here = folder.path, port = std::to_string(first_port);
    std::ofstream key(folder / "key", std::ios::binary);
    std::random_device random;
    for (int i = 0; i < 256; ++i) key << random();
    key.close();
    fs::permissions(folder / "key", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_directories(folder / "state");
    std::ofstream conf(folder / "slurm.conf");
    conf << "ClusterName=coalesce\nSlurmctldHost=" << this_host() << "(127.0.0.1)\n"
         << "SlurmUser=" << this_user() << "\nSlurmdUser=" << this_user() << "\n"
         << "AuthType=auth/munge\nCredType=cred/munge\n"
         << "AuthInfo=socket=" << here << "/munge.socket,cred_expire=5\n"
         << "SlurmctldPort=" << port << "\n"
         << "SlurmctldPidFile=" << here << "/slurmctld.pid\n"
         << "SlurmdPidFile=" << here << "/slurmd.%n.pid\n"
         << "SlurmdSpoolDir=" << here << "/spool.%n\nStateSaveLocation=" << here << "/state\n"
         << "SlurmctldLogFile=" << here << "/slurmctld.log\n"
         << "SlurmdLogFile=" << here << "/slurmd.%n.log\n"
         << "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
         << "MpiDefault=none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
         << "AccountingStorageType=accounting_storage/none\n"
         << "JobAcctGatherType=jobacct_gather/none\nJobCompType=jobcomp/none\n"
         << "SlurmdTimeout=5\nReturnToService=2\nSlurmdParameters=config_overrides\n"
         << "SchedulerParameters=sched_min_interval=0,sched_interval=1\n"
         << "JobRequeue=1\nMaxArraySize=10001\nKillWait=2\nMinJobAge=2\n";
    for (int node = 1; node <= nodes; ++node) {
        conf << "NodeName=n" << node << " NodeHostname=" << this_host()
             << " NodeAddr=127.0.0.1 Port=" << first_port + node
             << " CPUs=1 RealMemory=4000 State=UNKNOWN\n";
    }
    for (int count = 1; count <= nodes; ++count) {
        conf << "PartitionName=first" << count << " Nodes=n[1-" << count
             << "] MaxTime=INFINITE State=UP" << (count == nodes ? " Default=YES" : "") << "\n";
    }
}

void SlurmCluster::start_daemon(const std::string& name, const std::vector<std::string>& command) {
    daemons[name] = start(command, folder / (name + ".out"));
}

void SlurmCluster::wait_until_idle(int nodes) const {
    for (int i = 0; i < 200; ++i) {
        Ended ended = call({"/usr/bin/sinfo", "-h", "-p", "first" + std::to_string(nodes), "-t",
                            "idle", "-o", "%D"});
        if (ended.code == 0 && std::atoi(ended.output.c_str()) == nodes) return;
        pause(100);
    }
    throw std::runtime_error("the cluster does not come up:\n" + logs());
}

Ended SlurmCluster::call(const std::vector<std::string>& command) const {
    return run_to_end(command);
}

std::string SlurmCluster::busy_node() const {
    Ended ended = call({"/usr/bin/squeue", "-h", "-t", "running", "-o", "%N"});
    std::istringstream lines(ended.output);
    std::string node;
    // The last line names the most recently started job.
    for (std::string line; lines >> line;) node = line;
    return ended.code == 0 ? node : "";
}

void SlurmCluster::kill_node(const std::string& node) {
    kill(daemons.at(node), SIGKILL);
    wait_for(daemons.at(node));
    daemons.erase(node);
    std::vector<pid_t> tasks;
    std::set<pid_t> supervisors;
    for (pid_t process : all_processes()) {
        if (!has_variable(process, "SLURMD_NODENAME=" + node) ||
            !has_variable(process, "SLURM_CONF=" + (folder / "slurm.conf").string())) {
            continue;
        }
        tasks.push_back(process);
        pid_t parent = parent_of(process);
        if (is_supervisor(parent)) supervisors.insert(parent);
    }
    // Kill the supervisors first, because they would otherwise report that their tasks have ended.
    for (pid_t process : supervisors) kill(process, SIGKILL);
    for (pid_t process : tasks) kill(process, SIGKILL);
}

int SlurmCluster::jobs() const {
    Ended ended = call({"/usr/bin/squeue", "-h", "-r", "-o", "%i"});
    // If squeue fails, the number of jobs is unknown. Return 1, so that the caller waits longer.
    if (ended.code != 0) return 1;
    return static_cast<int>(std::count(ended.output.begin(), ended.output.end(), '\n'));
}

std::string SlurmCluster::logs() const {
    std::string text;
    for (const fs::directory_entry& file : fs::directory_iterator(folder.path)) {
        std::string extension = file.path().extension();
        if (extension != ".log" && extension != ".out") continue;
        std::string log = text_of(file.path());
        text += "--- " + file.path().filename().string() + "\n" +
                log.substr(log.size() - std::min<std::size_t>(log.size(), 3000));
    }
    return text;
}

std::vector<pid_t> SlurmCluster::processes() const {
    std::vector<pid_t> found;
    for (pid_t process : all_processes()) {
        if (process == getpid()) continue;
        if (has_variable(process, "SLURM_CONF=" + (folder / "slurm.conf").string())) {
            found.push_back(process);
        }
    }
    return found;
}

void SlurmCluster::stop() {
    call({"/usr/bin/scancel", "--user", this_user()});
    for (int i = 0; i < 50 && jobs() > 0; ++i) pause(100);
    // Stop munged last, because the other daemons need it.
    for (const char* name : {"n", "slurmctld", "munged"}) {
        for (auto& [daemon, process] : daemons) {
            if (!daemon.starts_with(name)) continue;
            end(process);
        }
    }
    for (pid_t process : processes()) kill(process, SIGKILL);
    unsetenv("SLURM_CONF");
}

}  // namespace coalesce::grader
