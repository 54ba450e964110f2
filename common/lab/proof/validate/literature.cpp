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

const std::string kBookNameInRepository = "docs/guide/proof.md",
                  kBookPath = COALESCE_REPOSITORY "/" + kBookNameInRepository;
/// The difference, in percentage points, that is tolerated between the table's figures and the
/// current predictions.
constexpr double kTolerance = 2;

std::string percent(double fraction) {
    return format("%.1f %%", 100 * fraction);
}

std::string format_heading(const PublishedTimes& record) {
    std::string text = record.gpu + ", " + record.shape.name() + "\n";
    text += wrap(record.author + ", \"" + record.title + "\", " + record.date, "  ");
    for (const std::string& address : record.web_addresses) text += wrap(address, "  ");
    return text;
}

/// Writes the table into the book, or reports that the book's table is out of date. Returns the
/// exit code.
int write_or_check_table(const TimeComparisonOptions& options, const std::string& table) {
    const std::string book_text = read_file(kBookPath);
    const std::string expected_book_text =
        replace_page_part(book_text, kBookNameInRepository, "literature",
                          "validate --time --literature --tables", table);
    if (options.updates_tables) {
        write_file(kBookPath, expected_book_text);
        return exit_right;
    }
    if (are_equal_within_tolerance(book_text, expected_book_text)) return exit_right;
    std::cout << "\n"
              << kBookNameInRepository
              << " is not current; run build/bin/validate --time --literature --tables\n";
    return exit_wrong;
}

}  // namespace

std::string format_literature_text(const PublishedTimes& record,
                                   const std::vector<timing::TimePair>& pairs) {
    return format_heading(record) + "\n" + timing::format_text(pairs) + "\n" +
           format_error_table_header() +
           format_error_table_row(record.program, timing::summarize_errors(pairs));
}

std::string format_literature_table(const PublishedTimes& record,
                                    const std::vector<timing::TimePair>& pairs) {
    const timing::ErrorSummary s = timing::summarize_errors(pairs);
    const std::string address = record.web_addresses.front();
    return "| published by | GPU | kernels | median error | 90th percentile | worst | in the right "
           "order |\n|---|---|--:|--:|--:|--:|--:|\n" +
           format("| [%s](%s) | %s | %zu | %s | %s | %s | %s |\n", record.title.c_str(),
                  address.substr(0, address.find(' ')).c_str(), record.gpu.c_str(), s.pairs,
                  percent(s.median).c_str(), percent(s.percentile_90_error).c_str(),
                  percent(s.worst_error).c_str(), percent(s.correct_order_fraction()).c_str());
}

Json format_literature_json(const PublishedTimes& record,
                            const std::vector<timing::TimePair>& pairs) {
    const timing::ErrorSummary s = timing::summarize_errors(pairs);
    Json kernels = Json::array();
    for (const timing::TimePair& pair : pairs) {
        kernels.push_back({{"kernel", pair.name},
                           {"published_ms", pair.measured},
                           {"predicted_ms", pair.predicted},
                           {"binds", pair.bottleneck},
                           {"unknown", pair.unknown}});
    }
    const Json record_json = {{"record", record.program},  {"gpu", record.gpu},
                              {"rows", record.shape.rows}, {"cols", record.shape.cols},
                              {"median", s.median},        {"percentile_90", s.percentile_90_error},
                              {"worst", s.worst_error},    {"in_order", s.correct_order_fraction()},
                              {"kernels", kernels}};
    return {{"records", Json::array({record_json})}};
}

bool are_equal_within_tolerance(const std::string& table, const std::string& other_table) {
    std::istringstream words(table), other_words(other_table);
    std::string word, other_word;
    while (words >> word) {
        if (!(other_words >> other_word)) return false;
        if (word == other_word) continue;
        char *end = nullptr, *other_end = nullptr;
        const double number = std::strtod(word.c_str(), &end);
        const double other_number = std::strtod(other_word.c_str(), &other_end);
        if (*end != '\0' || *other_end != '\0') return false;
        if (!(std::abs(number - other_number) <= kTolerance)) return false;
    }
    return !(other_words >> other_word);
}

int validate_literature(const TimeComparisonOptions& options) {
    for (const std::string& file : {options.json, options.markdown_file})
        if (!file.empty()) check_writable(file);
    const PublishedTimes record = read_published_record();
    const auto pairs =
        pairs_of(record, predict_with_program(record.program, record.shape, record.gpu));
    print_progress(record.program);
    std::cout << "Predicted, and published by others\n\n" << format_literature_text(record, pairs);
    if (!options.json.empty())
        write_file(options.json, json_text(format_literature_json(record, pairs)));
    const std::string table = format_literature_table(record, pairs);
    if (!options.markdown_file.empty()) write_file(options.markdown_file, table);
    return options.updates_tables || options.checks_tables ? write_or_check_table(options, table)
                                                           : exit_right;
}

}  // namespace coalesce::proof
