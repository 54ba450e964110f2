#include "grader/sandbox/jobs.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "kernel/counters_json.h"

namespace coalesce::grader {
namespace {

using Json = nlohmann::json;

/// The most reports, accesses and lines that anybody looks at.
constexpr std::size_t kMostReports = 200;
constexpr std::size_t kMostAccesses = 256;
constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kMostMessages = 50;
/// A text of a message: longer ones are cut.
constexpr std::size_t kMostText = 4000;

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) throw std::runtime_error("no JSON object");
    return json;
}

/// A jail's answer is read whole or not at all.
template <class Read>
auto read(std::string_view text, Read read_it) {
    try {
        return read_it(parse(text));
    } catch (const Json::exception& error) {
        throw std::runtime_error(error.what());
    }
}

std::string shortened(std::string text) {
    if (text.size() > kMostText) text = text.substr(0, kMostText) + " ...\n";
    return text;
}

/// The first `most` of a list, each read by `read_one`.
template <class One, class ReadOne>
std::vector<One> list_in(const Json& list, std::size_t most, ReadOne read_one) {
    std::vector<One> all;
    for (const Json& one : list) {
        if (all.size() == most) break;
        all.push_back(read_one(one));
    }
    return all;
}

template <class List, class Write>
Json list_of(const List& list, std::size_t most, Write write_one) {
    Json all = Json::array();
    for (const auto& one : list) {
        if (all.size() == most) break;
        all.push_back(write_one(one));
    }
    return all;
}

Json json_of(const Place& place) {
    return {place.file, place.line, place.column};
}

Place place_in(const Json& json) {
    return {shortened(json.at(0)), json.at(1), json.at(2)};
}

FailureKind kind_with(const std::string& id) {
    for (int i = 0; i <= static_cast<int>(FailureKind::environment_problem); ++i) {
        if (id_of(static_cast<FailureKind>(i)) == id) return static_cast<FailureKind>(i);
    }
    throw std::runtime_error("no failure has that name");
}

Json json_of(const Failure& failure) {
    return {{"kind", id_of(failure.kind)},
            {"headline", failure.headline},
            {"place", json_of(failure.place)},
            {"rows", failure.shape.rows},
            {"cols", failure.shape.cols},
            {"details", failure.details},
            {"next", failure.next}};
}

Failure failure_in(const Json& json) {
    return {.kind = kind_with(json.at("kind")),
            .headline = shortened(json.at("headline")),
            .place = place_in(json.at("place")),
            .shape = {json.at("rows"), json.at("cols")},
            .details = shortened(json.at("details")),
            .next = shortened(json.at("next"))};
}

Json json_of(const simulated::Thread& thread) {
    return {thread.block[0],  thread.block[1],  thread.block[2],
            thread.thread[0], thread.thread[1], thread.thread[2]};
}

simulated::Thread thread_in(const Json& json) {
    simulated::Thread thread;
    for (std::size_t i = 0; i < 3; ++i) {
        thread.block[i] = json.at(i);
        thread.thread[i] = json.at(3 + i);
    }
    return thread;
}

Json json_of(const simulated::Report& report) {
    return {{"check", report.check},
            {"kind", report.kind},
            {"message", report.message},
            {"cure", report.cure},
            {"kernel", report.kernel},
            {"place", json_of(report.place)},
            {"other_place", json_of(report.other_place)},
            {"thread", json_of(report.thread)},
            {"other_thread", json_of(report.other_thread)},
            {"address", report.address},
            {"count", report.count}};
}

simulated::Report report_in(const Json& json) {
    simulated::Report report;
    report.check = json.at("check");
    report.kind = json.at("kind");
    report.message = shortened(json.at("message"));
    report.cure = shortened(json.at("cure"));
    report.kernel = shortened(json.at("kernel"));
    report.place = place_in(json.at("place"));
    report.other_place = place_in(json.at("other_place"));
    report.thread = thread_in(json.at("thread"));
    report.other_thread = thread_in(json.at("other_thread"));
    report.address = json.at("address");
    report.count = json.at("count");
    return report;
}

Json json_of(const simulated::Access& access) {
    return {access.line,   access.is_shared, access.is_store, access.bytes_per_lane,
            access.active, access.addresses, access.cost,     access.ideal};
}

simulated::Access access_in(const Json& json) {
    simulated::Access access;
    access.line = json.at(0);
    access.is_shared = json.at(1);
    access.is_store = json.at(2);
    access.bytes_per_lane = json.at(3);
    if (access.bytes_per_lane < 1 || access.bytes_per_lane > 16) {
        throw std::runtime_error("no lane moves that many bytes");
    }
    access.active = json.at(4);
    access.addresses = json.at(5);
    access.cost = json.at(6);
    access.ideal = json.at(7);
    return access;
}

Counters counters_in(const Json& json) {
    auto counters = counters_from_json(json.dump());
    if (!counters) throw std::runtime_error("these are no counters");
    return *counters;
}

Json json_of(const Counters& counters) {
    return Json::parse(counters_to_json(counters).dump());
}

Json json_of(const simulated::Line& line) {
    return {line.number, json_of(line.counters)};
}

simulated::Line line_in(const Json& json) {
    return {json.at(0), counters_in(json.at(1))};
}

}  // namespace

std::string to_json(const CompileJob& job) {
    return dump({{"name", job.name}, {"source", job.source}, {"kernel", job.kernel}});
}

CompileJob compile_job(std::string_view text) {
    return read(text, [](const Json& json) -> CompileJob {
        return {json.at("name"), json.at("source"), json.at("kernel")};
    });
}

std::string to_json(const Compiled& compiled) {
    const Json messages =
        list_of(compiled.messages, kMostMessages, [](const Message& message) -> Json {
            return {static_cast<int>(message.severity), json_of(message.place),
                    shortened(message.text)};
        });
    return dump({{"ptx", compiled.ptx},
                 {"entry", compiled.entry},
                 {"compiler", compiled.compiler},
                 {"messages", messages},
                 {"failure", json_of(compiled.failure)}});
}

Compiled compile_answer(std::string_view text) {
    return read(text, [](const Json& json) {
        Compiled compiled;
        compiled.ptx = json.at("ptx");
        compiled.entry = json.at("entry");
        compiled.compiler = shortened(json.at("compiler"));
        compiled.messages =
            list_in<Message>(json.at("messages"), kMostMessages, [](const Json& one) -> Message {
                const int severity = one.at(0);
                if (severity < 0 || severity > 2) throw std::runtime_error("no such severity");
                return {static_cast<Severity>(severity), place_in(one.at(1)), shortened(one.at(2))};
            });
        compiled.failure = failure_in(json.at("failure"));
        return compiled;
    });
}

std::string to_json(const LaunchJob& job) {
    return dump({{"file_name", job.file_name},
                 {"kernel", job.kernel},
                 {"ptx", job.ptx},
                 {"entry", job.entry},
                 {"rows", job.shape.rows},
                 {"cols", job.shape.cols},
                 {"has_checks", job.has_checks},
                 {"guard_bytes", job.guard_bytes},
                 {"wants_counters", job.wants_counters},
                 {"traced_block", job.traced_block},
                 {"traced_limit", job.traced_limit}});
}

LaunchJob launch_job(std::string_view text) {
    return read(text, [](const Json& json) -> LaunchJob {
        return {.file_name = json.at("file_name"),
                .kernel = json.at("kernel"),
                .ptx = json.at("ptx"),
                .entry = json.at("entry"),
                .shape = {json.at("rows"), json.at("cols")},
                .has_checks = json.at("has_checks"),
                .guard_bytes = json.at("guard_bytes"),
                .wants_counters = json.at("wants_counters"),
                .traced_block = json.at("traced_block"),
                .traced_limit = json.at("traced_limit")};
    });
}

std::string to_json(const LaunchAnswer& answer) {
    const auto convert = [](const auto& one) { return json_of(one); };
    return dump({{"problem", json_of(answer.problem)},
                 {"is_launched", answer.is_launched},
                 {"grid", answer.launch.grid},
                 {"block", answer.launch.block},
                 {"shared_bytes", answer.launch.shared_bytes},
                 {"error", answer.error},
                 {"reports", list_of(answer.reports, kMostReports, convert)},
                 {"out_address", answer.out_address},
                 {"in_address", answer.in_address},
                 {"accesses", list_of(answer.accesses, kMostAccesses, convert)},
                 {"store_line", answer.store_line},
                 {"counters", json_of(answer.counters)},
                 {"lines", list_of(answer.lines, kMostLines, convert)}});
}

LaunchAnswer launch_answer(std::string_view text) {
    return read(text, [](const Json& json) {
        LaunchAnswer answer;
        answer.problem = failure_in(json.at("problem"));
        answer.is_launched = json.at("is_launched");
        answer.launch = {json.at("grid"), json.at("block"), json.at("shared_bytes")};
        answer.error = json.at("error");
        answer.reports = list_in<simulated::Report>(json.at("reports"), kMostReports, report_in);
        answer.out_address = json.at("out_address");
        answer.in_address = json.at("in_address");
        answer.accesses = list_in<simulated::Access>(json.at("accesses"), kMostAccesses, access_in);
        answer.store_line = json.at("store_line");
        answer.counters = counters_in(json.at("counters"));
        answer.lines = list_in<simulated::Line>(json.at("lines"), kMostLines, line_in);
        return answer;
    });
}

ImageLayout layout_of(const LaunchJob& job) {
    return {.matrix_bytes = sizeof(float) * static_cast<std::size_t>(job.shape.rows) *
                            static_cast<std::size_t>(job.shape.cols),
            .guard_bytes = job.guard_bytes};
}

std::size_t text_offset(const ImageLayout& layout) {
    return (layout.both() + 7) / 8 * 8;
}

}  // namespace coalesce::grader
