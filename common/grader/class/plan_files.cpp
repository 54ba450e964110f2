#include "grader/class/plan_files.h"

#include <nlohmann/json.hpp>

#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

using Json = nlohmann::ordered_json;

// JSON has texts in UTF-8 alone; what is none goes in as a list of its bytes.
Json json_of_bytes(const std::string& bytes) {
    try {
        (void)Json(bytes).dump();
        return bytes;
    } catch (const Json::type_error&) {
        Json list = Json::array();
        for (char byte : bytes) list.push_back(static_cast<unsigned char>(byte));
        return list;
    }
}

std::string bytes_in(const Json& json) {
    if (json.is_string()) return json;
    std::string bytes;
    for (const Json& byte : json) bytes += static_cast<char>(byte.get<unsigned char>());
    return bytes;
}

// Of the key too: a result is good for no other submission.
std::string seal_of(const Assignment& assignment, const std::string& key,
                    const std::string& result) {
    return hex(hmac_sha256(assignment.key, "result of " + key + "\n" + result));
}

}  // namespace

std::string json_of(const std::vector<PlannedTask>& tasks) {
    Json list = Json::array();
    for (const PlannedTask& task : tasks) {
        list.push_back({{"key", task.key}, {"exercise", task.exercise}, {"source", task.source}});
    }
    return list.dump(1) + "\n";
}

std::vector<PlannedTask> tasks_in(const std::string& json) {
    std::vector<PlannedTask> tasks;
    for (const Json& task : Json::parse(json)) {
        tasks.push_back({task.at("key"), task.at("exercise"), task.at("source")});
    }
    return tasks;
}

std::string json_of(const std::vector<Entry>& entries) {
    Json list = Json::array();
    for (const Entry& entry : entries) {
        list.push_back({{"student", json_of_bytes(entry.student)},
                        {"exercise", entry.exercise},
                        {"key", entry.key},
                        {"source", entry.source},
                        {"problem", entry.problem},
                        {"details", json_of_bytes(entry.details)}});
    }
    return list.dump(1) + "\n";
}

std::vector<Entry> entries_in(const std::string& json) {
    std::vector<Entry> entries;
    for (const Json& entry : Json::parse(json)) {
        entries.push_back({.student = bytes_in(entry.at("student")),
                           .exercise = entry.at("exercise"),
                           .key = entry.at("key"),
                           .source = entry.at("source"),
                           .problem = entry.at("problem"),
                           .details = bytes_in(entry.at("details"))});
    }
    return entries;
}

std::string sealed_result(const Assignment& assignment, const std::string& key,
                          const std::string& result) {
    return seal_of(assignment, key, result) + "\n" + result;
}

std::string opened_result(const Assignment& assignment, const std::string& key,
                          const std::string& sealed) {
    std::size_t end = sealed.find('\n');
    std::string result = end == sealed.npos ? "" : sealed.substr(end + 1);
    if (end != sealed.npos && sealed.substr(0, end) == seal_of(assignment, key, result)) {
        return result;
    }
    throw Infrastructure("results/" + key +
                         " is not as a chunk wrote it: remove it, and run its chunk again");
}

}  // namespace coalesce::grader
