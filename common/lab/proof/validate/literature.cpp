// The programs of common/lab/proof/literature make the predictions when they run on the simulated
// GPU with --time.
#include "lab/proof/validate/literature.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "base/errors.h"
#include "base/files.h"
#include "harness/text.h"
#include "lab/proof/json_text.h"
#include "lab/proof/page_part.h"
#include "lab/proof/run_program.h"

namespace coalesce::proof {
namespace {

const std::string kBookName = "docs/guide/proof.md", kBook = COALESCE_REPOSITORY "/" + kBookName;
/// The difference, in percentage points, that is tolerated between the table's figures and the
/// current predictions.
constexpr double kTolerance = 2;

std::string percent(double part) {
    return format("%.1f %%", 100 * part);
}

std::string format_heading(const PublishedTimes& record) {
    std::string text = record.gpu + ", " + record.shape.name() + "\n";
    text += wrap(record.author + ", \"" + record.title + "\", " + record.date, "  ");
    for (const std::string& address : record.addresses) text += wrap(address, "  ");
    return text;
}

/// Writes the table into the book, or reports that the book's table is out of date. Returns the
/// exit code.
int make_table(const TimeComparisonOptions& words, const std::string& table) {
    const std::string book = read_file(kBook);
    const std::string wanted = replace_page_part(book, kBookName, "literature",
                                                 "validate --time --literature --tables", table);
    if (words.tables) {
        write_file(kBook, wanted);
        return exit_right;
    }
    if (are_equal_within_tolerance(book, wanted)) return exit_right;
    std::cout << "\n"
              << kBookName
              << " is not current; run build/bin/validate --time --literature --tables\n";
    return exit_wrong;
}

}  // namespace

std::string literature_text(const PublishedTimes& record,
                            const std::vector<timing::TimePair>& pairs) {
    return format_heading(record) + "\n" + timing::format_text(pairs) + "\n" +
           error_table_header() + error_table_row(record.program, timing::summarize(pairs));
}

std::string literature_table(const PublishedTimes& record,
                             const std::vector<timing::TimePair>& pairs) {
    const timing::ErrorSummary s = timing::summarize(pairs);
    const std::string address = record.addresses.front();
    return "| published by | GPU | kernels | median error | 90th percentile | worst | in the right "
           "order |\n|---|---|--:|--:|--:|--:|--:|\n" +
           format("| [%s](%s) | %s | %zu | %s | %s | %s | %s |\n", record.title.c_str(),
                  address.substr(0, address.find(' ')).c_str(), record.gpu.c_str(), s.pairs,
                  percent(s.median).c_str(), percent(s.percentile_90).c_str(),
                  percent(s.worst).c_str(), percent(s.order()).c_str());
}

Json literature_json(const PublishedTimes& record, const std::vector<timing::TimePair>& pairs) {
    const timing::ErrorSummary s = timing::summarize(pairs);
    Json kernels = Json::array();
    for (const timing::TimePair& pair : pairs) {
        kernels.push_back({{"kernel", pair.name},
                           {"published_ms", pair.measured},
                           {"predicted_ms", pair.predicted},
                           {"binds", pair.bottleneck},
                           {"unknown", pair.unknown}});
    }
    const Json one = {
        {"record", record.program},  {"gpu", record.gpu},     {"rows", record.shape.rows},
        {"cols", record.shape.cols}, {"median", s.median},    {"percentile_90", s.percentile_90},
        {"worst", s.worst},          {"in_order", s.order()}, {"kernels", kernels}};
    return {{"records", Json::array({one})}};
}

bool are_equal_within_tolerance(const std::string& table, const std::string& other) {
    std::istringstream words(table), others(other);
    std::string word, another;
    while (words >> word) {
        if (!(others >> another)) return false;
        if (word == another) continue;
        char *end = nullptr, *other_end = nullptr;
        const double figure = std::strtod(word.c_str(), &end);
        const double other_figure = std::strtod(another.c_str(), &other_end);
        if (*end != '\0' || *other_end != '\0') return false;
        if (!(std::abs(figure - other_figure) <= kTolerance)) return false;
    }
    return !(others >> another);
}

int validate_literature(const TimeComparisonOptions& words) {
    for (const std::string& file : {words.json, words.markdown})
        if (!file.empty()) check_writable(file);
    const PublishedTimes record = published_record();
    const auto pairs = pairs_of(record, predicted_json(record.program, record.shape, record.gpu));
    print_progress(record.program);
    std::cout << "Predicted, and published by others\n\n" << literature_text(record, pairs);
    if (!words.json.empty()) write_file(words.json, json_text(literature_json(record, pairs)));
    const std::string table = literature_table(record, pairs);
    if (!words.markdown.empty()) write_file(words.markdown, table);
    return words.tables || words.are_tables_current ? make_table(words, table) : exit_right;
}

}  // namespace coalesce::proof
