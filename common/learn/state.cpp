#include "learn/state.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include "base/descriptor.h"
#include "base/files.h"

#include "learn/exercise.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Raised when an older command could not read what this one writes.
constexpr int FORMAT = 1;

// A file that belongs to a newer command: it is not broken, and must stay.
struct NewerFormat {};

Json optional_json(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}
std::optional<double> optional_number(const Json& json) {
    if (json.is_null()) return std::nullopt;
    return json.get<double>();
}

Json record_to_json(const Record& record) {
    Json guesses = Json::array();
    for (auto& guess : record.guesses) {
        guesses.push_back({{"counter", guess.counter},
                           {"said", optional_json(guess.said)},
                           {"fact", optional_json(guess.fact)},
                           {"within", guess.within}});
    }
    return {{"checks", record.checks},
            {"passed_hash", record.passed_hash},
            {"passed_at", record.passed_at},
            {"last_hash", record.last_hash},
            {"last_failure", record.last_failure},
            {"hints", record.hints},
            {"guesses", guesses},
            {"solution_seen", record.solution_seen},
            {"best_counters", record.best_counters},
            {"best_measured", record.best_measured}};
}

Record record_from_json(const Json& json) {
    Record record;
    record.checks = json.at("checks").get<int>();
    record.passed_hash = json.at("passed_hash").get<std::string>();
    record.passed_at = json.at("passed_at").get<std::string>();
    record.last_hash = json.at("last_hash").get<std::string>();
    record.last_failure = json.at("last_failure").get<std::string>();
    record.hints = json.at("hints").get<std::map<std::string, int>>();
    for (auto& guess : json.at("guesses")) {
        record.guesses.push_back(
            {guess.at("counter").get<std::string>(), optional_number(guess.at("said")),
             optional_number(guess.at("fact")), guess.value("within", ROUNDING)});
    }
    record.solution_seen = json.at("solution_seen").get<bool>();
    record.best_counters = json.at("best_counters");
    record.best_measured = json.at("best_measured");
    return record;
}

// The lock that commands take turns with; gone with this object, or with the process. Where a file
// system has no locks, there is none.
class Lock {
public:
    explicit Lock(const fs::path& file)
        : descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
        }
    }

private:
    Descriptor descriptor;
};

}  // namespace

bool Guess::is_right() const {
    return said && fact && std::abs(*said - *fact) <= within * *fact;
}

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

Json to_json(const State& state) {
    Json records = Json::object();
    for (auto& [name, record] : state.records) records[name] = record_to_json(record);
    return {{"format", FORMAT},
            {"has_begun", state.has_begun},
            {"current", state.current},
            {"exercises", records}};
}

State state_from_json(const Json& json) {
    State state;
    if (json.at("format").get<int>() > FORMAT) throw NewerFormat();
    state.has_begun = json.at("has_begun").get<bool>();
    state.current = json.at("current").get<std::string>();
    for (auto& [name, record] : json.at("exercises").items()) {
        state.records[name] = record_from_json(record);
    }
    return state;
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
         ", and progress begins anew");
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
        return state_from_json(Json::parse(*text));
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
    const auto error = write_whole(file, to_json(state).dump(1) + "\n", {.is_synced = true});
    if (error) complain(file.string() + " cannot be written (" + error.message() + ")");
}

State Progress::read() {
    Lock lock(folder / "lock");
    return read_locked();
}

State Progress::update(const std::function<void(State&)>& change) {
    Lock lock(folder / "lock");
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
