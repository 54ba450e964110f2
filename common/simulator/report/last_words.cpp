// See last_words.h.
//
// Idea    Writing a report allocates memory, which a signal handler may not do. Therefore, a thread
//         writes the report, and the handler wakes the thread and waits for it. If the handler did
//         not wait, the crash would be raised again, and after SIGTERM the program might continue.
// Watch   The interrupted thread may hold a lock that is needed to write the report, so the handler
//         waits only for a limited time. Then it ends the process if the signal was a crash.
//         Otherwise, the handler returns, so that the thread can release the lock. The process ends
//         when the report has been written.
#include "simulator/report/last_words.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "simulator/base/options.h"

namespace coalesce::simulator {

namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr int kRequestSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM};

/// The maximum time that the handler waits for the report, in periods of 10 ms. The first limit
/// applies after a crash, and the second after a request to end the process.
constexpr int kMaxPeriodsOfCrash = 1000;
constexpr int kMaxPeriodsOfRequest = 200;

sem_t report_requested, report_written;
volatile sig_atomic_t received_signal = 0;
pid_t watched_process = 0;
void (*write_report_of_process)() = nullptr;

bool is_crash(int signal_number) {
    return std::find(std::begin(kCrashSignals), std::end(kCrashSignals), signal_number) !=
           std::end(kCrashSignals);
}

void handle_signal(int signal_number) {
    const int saved_errno = errno;
    const bool is_first = received_signal == 0 && getpid() == watched_process;
    signal(signal_number, SIG_DFL);
    bool is_written = false;
    if (is_first) {
        received_signal = signal_number;
        sem_post(&report_requested);
        const timespec period{0, 10'000'000};
        const int max_periods = is_crash(signal_number) ? kMaxPeriodsOfCrash : kMaxPeriodsOfRequest;
        for (int k = 0; k < max_periods && !is_written; ++k) {
            nanosleep(&period, nullptr);
            is_written = sem_trywait(&report_written) == 0;
        }
    }
    // The signal is blocked until this handler returns. The raised signal then ends the process.
    if (!is_first || is_written || is_crash(signal_number)) raise(signal_number);
    errno = saved_errno;
}

void* wait_for_signal(void*) {
    while (sem_wait(&report_requested) != 0) {
    }
    write_report_of_process();
    sem_post(&report_written);
    if (!is_crash(received_signal)) kill(getpid(), received_signal);
    return nullptr;
}

bool start_thread() {
    // Block all signals while the thread is created, so that they are never delivered to it.
    sigset_t all_signals, previous_signals;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &previous_signals);
    pthread_t thread;
    const bool has_started = pthread_create(&thread, nullptr, wait_for_signal, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &previous_signals, nullptr);
    if (has_started) pthread_detach(thread);
    return has_started;
}

}  // namespace

bool is_watched(const struct sigaction& action) {
    return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == handle_signal;
}

void watch_for_signals(void (*write_report)()) {
    write_report_of_process = write_report;
    watched_process = getpid();
    sem_init(&report_requested, 0, 0);
    sem_init(&report_written, 0, 0);
    if (!start_thread()) return;
    struct sigaction action {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_ONSTACK;
    const auto watch_signal = [&](int signal_number) {
        struct sigaction previous_action {};
        sigaction(signal_number, nullptr, &previous_action);
        const bool is_default =
            !(previous_action.sa_flags & SA_SIGINFO) && previous_action.sa_handler == SIG_DFL;
        if (is_default) sigaction(signal_number, &action, nullptr);
    };
    for (const int signal_number : kCrashSignals) watch_signal(signal_number);
    for (const int signal_number : kRequestSignals) {
        // Python raises KeyboardInterrupt only if no other handler of SIGINT is installed.
        if (signal_number != SIGINT || !options().is_launcher) watch_signal(signal_number);
    }
}

}  // namespace coalesce::simulator
