#include "lab/proof/literature/record.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/strict_toml.h"

namespace coalesce::proof {
namespace {

namespace fs = std::filesystem;
using Toml = StrictToml<RecordError>;

/// Milliseconds for what is published in `unit`: bytes are read and written once.
double milliseconds(double value, const std::string& unit, Shape shape) {
    if (unit == "ms") return value;
    return 2.0 * sizeof(float) * shape.rows * shape.cols / (value * 1e6);
}

/// A kernel that only one of the two has.
[[noreturn]] void fail_at(const Record& record, const std::string& kernel,
                          const std::string& what) {
    throw RecordError(record.program + ".toml: " + what + " \"" + kernel +
                      "\"; the names under [published] are those of the kernels in " +
                      record.program + ".cu");
}

}  // namespace

Record read_record(std::string_view text, const std::string& file) {
    const std::string where = "a record";
    const Toml reader(fs::path(file).filename().string());
    const toml::table whole = reader.parse(text);
    reader.allow_keys(whole,
                      {"title", "author", "date", "addresses", "card", "gpu", "rows", "cols",
                       "unit", "published"},
                      where);
    Record record;
    record.program = fs::path(file).stem();
    record.title = reader.text(whole, "title", where);
    record.author = reader.text(whole, "author", where);
    record.date = reader.text(whole, "date", where);
    record.addresses = reader.texts(whole, "addresses", where);
    record.card = reader.text(whole, "card", where);
    record.gpu = reader.text(whole, "gpu", where);
    const auto side = [&](const char* key) {
        return static_cast<int>(reader.whole(whole, key, where, 1, 1 << 20));
    };
    record.shape = {side("rows"), side("cols")};
    const std::string unit = reader.one_of(whole, "unit", {"ms", "GB/s"});
    const toml::table& published = reader.section(whole, "published", where);
    for (const auto& [key, value] : published) {
        const std::string kernel(key.str());
        const double figure = reader.number(published, kernel.c_str(), "`published`", 1e-6);
        record.ms[kernel] = milliseconds(figure, unit, record.shape);
    }
    if (record.addresses.empty() || record.ms.empty())
        reader.fail(1, "a record needs an address where its figures stand, and figures; add both");
    return record;
}

std::vector<Record> read_records() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(COALESCE_REPOSITORY "/common/lab/proof/literature"))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Record> records;
    for (const fs::path& file : files) records.push_back(read_record(read_file(file), file));
    return records;
}

std::vector<timing::TimePair> pairs_of(const Record& record, const Json& predicted) {
    std::map<std::string, double> left = record.ms;
    std::vector<timing::TimePair> pairs;
    for (const Json& row : predicted.at("results")) {
        const std::string kernel = row.at("variant");
        const auto published = left.find(kernel);
        if (published == left.end()) fail_at(record, kernel, "it has no figure for");
        if (!row.contains("predicted")) {
            throw RecordError(record.program + " " + kernel + " is not predicted: " +
                              row.value("not_predicted", std::string("it is wrong")));
        }
        const Json& p = row["predicted"];
        pairs.push_back({.name = kernel,
                         .measured = published->second,
                         .predicted = p.at("ms"),
                         .binds = p.at("binds"),
                         .unknown = p.at("unknown")});
        left.erase(published);
    }
    if (!left.empty()) fail_at(record, left.begin()->first, "no kernel is called");
    return pairs;
}

}  // namespace coalesce::proof
