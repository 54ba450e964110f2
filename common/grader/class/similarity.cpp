#include "grader/class/similarity.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/class/reports.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

// The number of tokens in a hashed sequence, and the number of hashes in a window.
constexpr std::size_t kTokensPerGram = 6, kHashesPerWindow = 4;
// The minimum number of fingerprints that a file needs to be compared. Fingerprints of the skeleton
// and of the solution do not count.
constexpr std::size_t kMinFingerprints = 3;
constexpr std::size_t kMaxRows = 100;
constexpr std::size_t kMaxNames = 12;
// The minimum rarity, in bits, of a reported match. A less rare match can arise by chance, for
// example from a single line that two students happened to write in the same way.
constexpr double kMinRarityBits = 20;
// Students added to the class as a prior, so that in a class of two an answer shared by both does
// not count as common.
constexpr double kPriorStudents = 8;

bool is_identifier_character(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::set<std::string> split_words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

// Reports whether the name is defined by CUDA, C++ or the exercise, and was therefore not chosen by
// the student.
bool is_cuda_word(const std::string& name) {
    static const std::set<std::string> words = split_words(
        "__global__ __shared__ __device__ __syncthreads threadIdx blockIdx blockDim gridDim x y z "
        "if else for while do return int float float2 float4 const constexpr unsigned long size_t "
        "auto template void struct out in rows cols grid block __shfl_sync __ldg reinterpret_cast "
        "static_cast");
    return words.contains(name);
}

// Skips a comment or one white-space character at `at`. Returns false if there is neither.
bool skip_whitespace_or_comment(const std::string& source, std::size_t& at) {
    if (std::isspace(static_cast<unsigned char>(source[at])) != 0 || source[at] == '\0') {
        ++at;
        return true;
    }
    if (source.compare(at, 2, "//") == 0) {
        at = std::min(source.find('\n', at), source.size());
        return true;
    }
    if (source.compare(at, 2, "/*") == 0) {
        std::size_t end = source.find("*/", at + 2);
        at = end == std::string::npos ? source.size() : end + 2;
        return true;
    }
    return false;
}

std::string read_quoted_text(const std::string& source, std::size_t& at) {
    char quote = source[at];
    std::size_t begin = at++;
    while (at < source.size() && source[at] != quote && source[at] != '\n') {
        at += source[at] == '\\' ? 2 : 1;
    }
    at = std::min(at + 1, source.size());
    return source.substr(begin, at - begin);
}

std::uint64_t hash_token(const std::string& text) {
    Digest digest = sha256(text);
    std::uint64_t number;
    std::memcpy(&number, digest.data(), sizeof number);
    return number;
}

// Splits a source into tokens. If `names_differ` is false, all names except those of CUDA and C++
// become the same token.
std::vector<std::string> tokenize(const std::string& source, bool names_differ) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < source.size();) {
        if (skip_whitespace_or_comment(source, at)) continue;
        if (source[at] == '"' || source[at] == '\'') {
            tokens.push_back(read_quoted_text(source, at));
            continue;
        }
        std::size_t begin = at++;
        if (is_identifier_character(source[begin])) {
            while (at < source.size() && is_identifier_character(source[at])) ++at;
        }
        std::string token = source.substr(begin, at - begin);
        bool is_name = is_identifier_character(token[0]) &&
                       std::isdigit(static_cast<unsigned char>(token[0])) == 0;
        if (is_name && !names_differ && !is_cuda_word(token)) token = "name";
        tokens.push_back(token);
    }
    return tokens;
}

// Returns the fingerprints of a list of tokens. A fingerprint is the smallest hash of a window.
std::set<std::uint64_t> compute_fingerprints(const std::vector<std::string>& tokens) {
    std::vector<std::uint64_t> grams;
    for (std::size_t i = 0; i + kTokensPerGram <= tokens.size(); ++i) {
        std::string gram;
        for (std::size_t k = 0; k < kTokensPerGram; ++k) gram += tokens[i + k] + "\n";
        grams.push_back(hash_token(gram));
    }
    std::set<std::uint64_t> least;
    for (std::size_t i = 0; i + kHashesPerWindow <= grams.size(); ++i) {
        auto begin = grams.begin() + static_cast<std::ptrdiff_t>(i);
        least.insert(*std::min_element(begin, begin + kHashesPerWindow));
    }
    if (grams.size() < kHashesPerWindow) least.insert(grams.begin(), grams.end());
    return least;
}

// The fingerprints of a submission that do not occur in the skeleton or the solution.
struct FingerprintSets {
    std::set<std::uint64_t> normalized;  // computed with all names replaced by the same token
    std::set<std::uint64_t> with_names;  // computed with the original names
};

std::set<std::uint64_t> intersect(const std::set<std::uint64_t>& a,
                                  const std::set<std::uint64_t>& b) {
    std::set<std::uint64_t> common;
    std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
    return common;
}

double jaccard_similarity(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
    const std::size_t common = intersect(a, b).size(), all = a.size() + b.size() - common;
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

std::set<std::uint64_t> distinctive_fingerprints(const std::vector<std::string>& tokens,
                                                 const std::set<std::uint64_t>& common) {
    std::set<std::uint64_t> normalized;
    std::ranges::set_difference(compute_fingerprints(tokens), common,
                                std::inserter(normalized, normalized.end()));
    return normalized;
}

// The distinct answers of a class, each with the students who submitted it.
class AnswerComparison {
public:
    AnswerComparison(const std::vector<std::string>& sources,
                     const std::vector<std::string>& common)
        : sources_(sources) {
        std::set<std::uint64_t> known, known_named;
        for (const std::string& text : common) {
            known.merge(compute_fingerprints(tokenize(text, false)));
            known_named.merge(compute_fingerprints(tokenize(text, true)));
        }
        std::map<std::vector<std::string>, std::size_t> places;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            std::vector<std::string> exact = tokenize(sources[i], true);
            const auto [found, is_new] = places.try_emplace(exact, groups_.size());
            if (is_new) {
                groups_.push_back({});
                prints_.push_back({distinctive_fingerprints(tokenize(sources[i], false), known),
                                   distinctive_fingerprints(exact, known_named)});
            }
            groups_[found->second].push_back(i);
            const FingerprintSets& print = prints_[found->second];
            for (std::uint64_t number : print.normalized) ++students_with_fingerprint_[number];
            for (std::uint64_t number : print.with_names)
                ++students_with_named_fingerprint_[number];
        }
    }

    std::vector<SimilarSubmissions> find_similar(double least_share) const {
        std::vector<SimilarSubmissions> found;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (prints_[i].normalized.size() < kMinFingerprints) continue;
            if (groups_[i].size() > 1) add(found, describe_identical_group(i));
            for (std::size_t k = i + 1; k < groups_.size(); ++k) {
                if (prints_[k].normalized.size() < kMinFingerprints) continue;
                const double share =
                    jaccard_similarity(prints_[i].normalized, prints_[k].normalized);
                if (share >= least_share) add(found, describe_similar_groups(i, k, share));
            }
        }
        std::ranges::stable_sort(found, std::greater{}, &SimilarSubmissions::rarity);
        return found;
    }

private:
    static void add(std::vector<SimilarSubmissions>& found, SimilarSubmissions one) {
        if (one.rarity >= kMinRarityBits) found.push_back(std::move(one));
    }

    double information_bits(std::size_t count) const {
        return std::log2((static_cast<double>(sources_.size()) + kPriorStudents) /
                         static_cast<double>(count));
    }

    double rarity(const FingerprintSets& a, const FingerprintSets& b) const {
        double sum = 0;
        for (std::uint64_t number : intersect(a.normalized, b.normalized))
            sum += information_bits(students_with_fingerprint_.at(number));
        // Also compute the rarity with the original names, so that unusual names shared by two
        // students are detected.
        double named_sum = 0;
        for (std::uint64_t number : intersect(a.with_names, b.with_names))
            named_sum += information_bits(students_with_named_fingerprint_.at(number));
        return std::max(sum, named_sum);
    }

    SimilarSubmissions describe_identical_group(std::size_t group) const {
        const std::vector<std::size_t>& members = groups_[group];
        const bool is_same_file = std::ranges::all_of(
            members, [&](std::size_t i) { return sources_[i] == sources_[members.front()]; });
        return {members, 1, rarity(prints_[group], prints_[group]), true, is_same_file};
    }

    SimilarSubmissions describe_similar_groups(std::size_t i, std::size_t k, double share) const {
        std::vector<std::size_t> members = groups_[i];
        members.insert(members.end(), groups_[k].begin(), groups_[k].end());
        return {members, share, rarity(prints_[i], prints_[k]), false, false};
    }

    const std::vector<std::string>& sources_;
    std::vector<std::vector<std::size_t>> groups_;
    std::vector<FingerprintSets> prints_;
    // the number of students who have each fingerprint
    std::map<std::uint64_t, std::size_t> students_with_fingerprint_,
        students_with_named_fingerprint_;
};

std::string format_student_names(const ClassResults& results,
                                 const std::vector<std::size_t>& students,
                                 const SimilarSubmissions& one) {
    std::vector<std::string> names;
    for (std::size_t member : one.members)
        names.push_back(escape_markdown(results.students[students[member]].name));
    return join_up_to(names, kMaxNames);
}

// Lists the students who submitted the published solution.
std::string format_copies(const ClassResults& results, const std::vector<std::size_t>& students,
                          const std::vector<std::string>& sources, const std::string& solution) {
    const std::vector<std::size_t> verbatim = find_copies(sources, solution);
    std::vector<std::size_t> renamed = find_copies(sources, solution, false);
    std::erase_if(renamed, [&](std::size_t i) { return std::ranges::count(verbatim, i) > 0; });
    const auto names = [&](const std::vector<std::size_t>& copies) {
        return joined(copies, ", ", [&](std::size_t i) {
            return escape_markdown(results.students[students[i]].name);
        });
    };
    std::string text;
    if (!verbatim.empty())
        text += "The published solution, token for token (" + std::to_string(verbatim.size()) +
                "): " + names(verbatim) + "\n\n";
    if (!renamed.empty())
        text += "The published solution with other names (" + std::to_string(renamed.size()) +
                "): " + names(renamed) + "\n\n";
    return text;
}

std::string format_similarity_table(const ClassResults& results,
                                    const std::vector<std::size_t>& students,
                                    const std::vector<SimilarSubmissions>& all) {
    std::string text =
        "| rarity | in common | same names | same file | students |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < std::min(all.size(), kMaxRows); ++i) {
        const SimilarSubmissions& one = all[i];
        text += "| " + std::to_string(std::lround(one.rarity)) + " | " +
                (one.share == 1 ? "the same answer"
                                : std::to_string(std::lround(one.share * 100)) + " %") +
                " | " + (one.has_same_names ? "yes" : "no") + " | " +
                (one.is_same_file ? "yes" : "no") + " | " +
                format_student_names(results, students, one) + " |\n";
    }
    if (all.size() <= kMaxRows) return text;
    return text + "\n" + std::to_string(all.size() - kMaxRows) + " more are not listed.\n";
}

}  // namespace

std::vector<SimilarSubmissions> find_similar(const std::vector<std::string>& sources,
                                             const std::vector<std::string>& common, double share) {
    return AnswerComparison(sources, common).find_similar(share);
}

std::vector<std::size_t> find_copies(const std::vector<std::string>& sources,
                                     const std::string& published, bool names_differ) {
    const std::vector<std::string> wanted = tokenize(published, names_differ);
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (tokenize(sources[i], names_differ) == wanted) copies.push_back(i);
    }
    return copies;
}

std::string similarity_markdown(const ClassResults& results) {
    std::string text =
        "# Similar submissions\n\nA person must judge this list; the list itself proves nothing. "
        "If a kernel can be written\nin only one way, many students write the published solution. "
        "The tables ignore comments and any code\nthat also occurs in the skeleton or the "
        "solution. Identical submissions share a\nrow. The rows are sorted by `rarity`, in "
        "bits: code that few students share counts most,\nand code that many students share counts "
        "little.\n\n";
    for (std::size_t exercise = 0; exercise < results.exercises.size(); ++exercise) {
        std::vector<std::string> sources;
        std::vector<std::size_t> students;
        for (std::size_t i = 0; i < results.students.size(); ++i) {
            const Graded& graded = results.students[i].graded.at(exercise);
            if (graded.source.empty()) continue;
            sources.push_back(graded.source);
            students.push_back(i);
        }
        const std::vector<SimilarSubmissions> found =
            find_similar(sources, results.common.at(exercise));
        const std::vector<std::string>& common = results.common.at(exercise);
        text += "## " + escape_markdown(results.exercises[exercise]) + "\n\n" +
                (common.empty() ? "" : format_copies(results, students, sources, common.front())) +
                (found.empty() ? "None.\n" : format_similarity_table(results, students, found)) +
                "\n";
    }
    return text;
}

}  // namespace coalesce::grader
