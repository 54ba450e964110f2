#include "learn/state.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/codec.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "learn/work.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Raised when an older command could not read what this one writes.
constexpr int FORMAT = 2;

// A file that belongs to a newer command: it is not broken, and must stay.
struct NewerFormat {};

// Commands take turns with it; gone with the descriptor, or with the process. Where a file system has
// no locks, there is none.
Descriptor locked(const fs::path& file) {
    Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    while (lock && flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return lock;
}

}  // namespace

int Record::hints_used() const {
    int used = 0;
    for (auto& [failure, levels] : hints) used += levels;
    return used;
}

const Guess* Record::guess(const std::string& counter) const {
    auto found = std::ranges::find(guesses, counter, &Guess::counter);
    return found == guesses.end() ? nullptr : &*found;
}
Guess* Record::guess(const std::string& counter) {
    return const_cast<Guess*>(static_cast<const Record&>(*this).guess(counter));
}

const char* name_of(Status status) {
    switch (status) {
        case Status::untouched: return "not begun";
        case Status::not_yet: return "not yet";
        case Status::stale: return "stale";
        case Status::done: return "done";
    }
    return "";
}

Status status_of(const Record& record, const std::optional<std::string>& text) {
    if (record.passed_hash.empty()) {
        return record.checks == 0 ? Status::untouched : Status::not_yet;
    }
    return text && identity_of(*text) == record.passed_hash ? Status::done : Status::stale;
}

const Record& State::record(const std::string& name) const {
    static const Record none;
    auto found = records.find(name);
    return found == records.end() ? none : found->second;
}

template <class Codec>
void describe(Codec& codec, Guess& guess) {
    fields(codec, "counter", guess.counter, "said", guess.said, "fact", guess.fact);
    if (codec.has("within")) codec("within", guess.within);
    if (codec.has("label")) codec("label", guess.label);
}

template <class Codec>
void describe(Codec& codec, Record& record) {
    fields(codec, "checks", record.checks, "passed_hash", record.passed_hash, "passed_at",
           record.passed_at, "last_hash", record.last_hash, "last_failure", record.last_failure,
           "hints", record.hints, "guesses", record.guesses, "solution_seen", record.solution_seen,
           "best_counters", record.best_counters, "best_measured", record.best_measured);
    if (codec.has("predicted")) codec("predicted", record.predicted);
}

template <class Codec>
void describe(Codec& codec, State& state) {
    int format = FORMAT;
    codec("format", format);
    if (format > FORMAT) throw NewerFormat();
    fields(codec, "has_begun", state.has_begun, "current", state.current, "exercises",
           state.records);
}

std::string to_json(const State& state) {
    return codec::write(state, true) + "\n";
}

State state_from_json(const std::string& json) {
    return codec::read<State>(json);
}

Progress::Progress(fs::path folder, std::function<void(const std::string&)> warn)
    : folder(folder), file(folder / "state.json"), warn(std::move(warn)) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) complain(folder.string() + " cannot be made (" + error.message() + ")");
}

void Progress::complain(const std::string& message) {
    if (!has_complained) warn(message + "; progress is not kept");
    has_complained = true;
}

void Progress::keep_aside(const std::string& why) {
    fs::path kept;
    for (int number = 1; kept.empty() || fs::exists(kept); ++number) {
        kept = folder / ("state.json.broken-" + std::to_string(number));
    }
    std::error_code error;
    fs::rename(file, kept, error);
    if (error) return complain(file.string() + " is broken and cannot be moved");
    warn(file.string() + " is broken (" + why + "); it is kept as " + kept.filename().string() +
         ", and progress starts again");
}

State Progress::read_locked() {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) return {};
    auto text = read_if_there(file);
    if (!text) {
        if (!fs::is_directory(file, error)) {
            complain(file.string() + " cannot be read");
            return {};
        }
        keep_aside("it is a folder");
        return {};
    }
    try {
        return state_from_json(*text);
    } catch (const NewerFormat&) {
        complain(file.string() + " was written by a newer command (git pull, then ./learn build)");
    } catch (const std::exception& problem) {
        keep_aside(text->empty() ? "empty" : "not what this command writes");
    }
    return {};
}

void Progress::write_locked(const State& state) {
    std::error_code ignored;
    // Whoever wrote these was killed: nobody else writes while we have the lock.
    for (auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().filename().string().starts_with("state.json.unfinished")) {
            fs::remove(entry.path(), ignored);
        }
    }
    const auto error = write_whole(file, to_json(state), {.is_synced = true});
    if (error) complain(file.string() + " cannot be written (" + error.message() + ")");
}

State Progress::read() {
    const Descriptor lock = locked(folder / "lock");
    return read_locked();
}

State Progress::update(const std::function<void(State&)>& change) {
    const Descriptor lock = locked(folder / "lock");
    State state = read_locked();
    change(state);
    // What could not be read must not be overwritten.
    if (!has_complained) write_locked(state);
    return state;
}

std::string time_now() {
    std::time_t now = std::time(nullptr);
    std::tm parts = {};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

}  // namespace coalesce::learn
