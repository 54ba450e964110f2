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

// Skips a comment or one white-space character at `position`. Returns false if there is neither.
bool skip_whitespace_or_comment(const std::string& source, std::size_t& position) {
    if (std::isspace(static_cast<unsigned char>(source[position])) != 0 ||
        source[position] == '\0') {
        ++position;
        return true;
    }
    if (source.compare(position, 2, "//") == 0) {
        position = std::min(source.find('\n', position), source.size());
        return true;
    }
    if (source.compare(position, 2, "/*") == 0) {
        std::size_t end = source.find("*/", position + 2);
        position = end == std::string::npos ? source.size() : end + 2;
        return true;
    }
    return false;
}

std::string read_quoted_text(const std::string& source, std::size_t& position) {
    char quote = source[position];
    std::size_t begin = position++;
    while (position < source.size() && source[position] != quote && source[position] != '\n') {
        position += source[position] == '\\' ? 2 : 1;
    }
    position = std::min(position + 1, source.size());
    return source.substr(begin, position - begin);
}

std::uint64_t hash_token(const std::string& text) {
    Digest digest = sha256(text);
    std::uint64_t token_hash;
    std::memcpy(&token_hash, digest.data(), sizeof token_hash);
    return token_hash;
}

// Splits a source into tokens. If `distinguishes_names` is false, all names except those of CUDA
// and C++ become the same token.
std::vector<std::string> tokenize(const std::string& source, bool distinguishes_names) {
    std::vector<std::string> tokens;
    for (std::size_t position = 0; position < source.size();) {
        if (skip_whitespace_or_comment(source, position)) continue;
        if (source[position] == '"' || source[position] == '\'') {
            tokens.push_back(read_quoted_text(source, position));
            continue;
        }
        std::size_t begin = position++;
        if (is_identifier_character(source[begin])) {
            while (position < source.size() && is_identifier_character(source[position]))
                ++position;
        }
        std::string token = source.substr(begin, position - begin);
        bool is_name = is_identifier_character(token[0]) &&
                       std::isdigit(static_cast<unsigned char>(token[0])) == 0;
        if (is_name && !distinguishes_names && !is_cuda_word(token)) token = "name";
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
    std::set<std::uint64_t> fingerprints;
    for (std::size_t i = 0; i + kHashesPerWindow <= grams.size(); ++i) {
        auto begin = grams.begin() + static_cast<std::ptrdiff_t>(i);
        fingerprints.insert(*std::min_element(begin, begin + kHashesPerWindow));
    }
    if (grams.size() < kHashesPerWindow) fingerprints.insert(grams.begin(), grams.end());
    return fingerprints;
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
    const std::size_t common = intersect(a, b).size(), union_size = a.size() + b.size() - common;
    return union_size == 0 ? 0 : static_cast<double>(common) / static_cast<double>(union_size);
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
        std::set<std::uint64_t> common_fingerprints, common_named_fingerprints;
        for (const std::string& text : common) {
            common_fingerprints.merge(compute_fingerprints(tokenize(text, false)));
            common_named_fingerprints.merge(compute_fingerprints(tokenize(text, true)));
        }
        std::map<std::vector<std::string>, std::size_t> group_by_tokens;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            std::vector<std::string> exact_tokens = tokenize(sources[i], true);
            const auto [found, is_new] = group_by_tokens.try_emplace(exact_tokens, groups_.size());
            if (is_new) {
                groups_.push_back({});
                fingerprint_sets_.push_back(
                    {distinctive_fingerprints(tokenize(sources[i], false), common_fingerprints),
                     distinctive_fingerprints(exact_tokens, common_named_fingerprints)});
            }
            groups_[found->second].push_back(i);
            const FingerprintSets& fingerprint_set = fingerprint_sets_[found->second];
            for (std::uint64_t fingerprint : fingerprint_set.normalized)
                ++students_with_fingerprint_[fingerprint];
            for (std::uint64_t fingerprint : fingerprint_set.with_names)
                ++students_with_named_fingerprint_[fingerprint];
        }
    }

    std::vector<SimilarSubmissions> find_similar(double min_common_fraction) const {
        std::vector<SimilarSubmissions> similar_submissions;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (fingerprint_sets_[i].normalized.size() < kMinFingerprints) continue;
            if (groups_[i].size() > 1) add(similar_submissions, describe_identical_group(i));
            for (std::size_t k = i + 1; k < groups_.size(); ++k) {
                if (fingerprint_sets_[k].normalized.size() < kMinFingerprints) continue;
                const double common_fraction = jaccard_similarity(fingerprint_sets_[i].normalized,
                                                                  fingerprint_sets_[k].normalized);
                if (common_fraction >= min_common_fraction)
                    add(similar_submissions, describe_similar_groups(i, k, common_fraction));
            }
        }
        std::ranges::stable_sort(similar_submissions, std::greater{}, &SimilarSubmissions::rarity);
        return similar_submissions;
    }

private:
    static void add(std::vector<SimilarSubmissions>& similar_submissions,
                    SimilarSubmissions similar) {
        if (similar.rarity >= kMinRarityBits) similar_submissions.push_back(std::move(similar));
    }

    double information_bits(std::size_t count) const {
        return std::log2((static_cast<double>(sources_.size()) + kPriorStudents) /
                         static_cast<double>(count));
    }

    double rarity(const FingerprintSets& a, const FingerprintSets& b) const {
        double rarity_bits = 0;
        for (std::uint64_t fingerprint : intersect(a.normalized, b.normalized))
            rarity_bits += information_bits(students_with_fingerprint_.at(fingerprint));
        // Also compute the rarity with the original names, so that unusual names shared by two
        // students are detected.
        double named_rarity_bits = 0;
        for (std::uint64_t fingerprint : intersect(a.with_names, b.with_names))
            named_rarity_bits += information_bits(students_with_named_fingerprint_.at(fingerprint));
        return std::max(rarity_bits, named_rarity_bits);
    }

    SimilarSubmissions describe_identical_group(std::size_t group) const {
        const std::vector<std::size_t>& members = groups_[group];
        const bool is_same_file = std::ranges::all_of(
            members, [&](std::size_t i) { return sources_[i] == sources_[members.front()]; });
        return {members, 1, rarity(fingerprint_sets_[group], fingerprint_sets_[group]), true,
                is_same_file};
    }

    SimilarSubmissions describe_similar_groups(std::size_t i, std::size_t k,
                                               double common_fraction) const {
        std::vector<std::size_t> members = groups_[i];
        members.insert(members.end(), groups_[k].begin(), groups_[k].end());
        return {members, common_fraction, rarity(fingerprint_sets_[i], fingerprint_sets_[k]), false,
                false};
    }

    const std::vector<std::string>& sources_;
    std::vector<std::vector<std::size_t>> groups_;
    std::vector<FingerprintSets> fingerprint_sets_;
    // the number of students who have each fingerprint
    std::map<std::uint64_t, std::size_t> students_with_fingerprint_,
        students_with_named_fingerprint_;
};

std::string format_student_names(const ClassResults& results,
                                 const std::vector<std::size_t>& students,
                                 const SimilarSubmissions& similar) {
    std::vector<std::string> names;
    for (std::size_t member : similar.members)
        names.push_back(escape_markdown(results.students[students[member]].name));
    return join_up_to(names, kMaxNames);
}

// Lists the students who submitted the published solution.
std::string format_copies(const ClassResults& results, const std::vector<std::size_t>& students,
                          const std::vector<std::string>& sources, const std::string& solution) {
    const std::vector<std::size_t> verbatim_copies = find_copies(sources, solution);
    std::vector<std::size_t> renamed_copies = find_copies(sources, solution, false);
    std::erase_if(renamed_copies,
                  [&](std::size_t i) { return std::ranges::count(verbatim_copies, i) > 0; });
    const auto names = [&](const std::vector<std::size_t>& copies) {
        return joined(copies, ", ", [&](std::size_t i) {
            return escape_markdown(results.students[students[i]].name);
        });
    };
    std::string text;
    if (!verbatim_copies.empty())
        text += "The published solution, token for token (" +
                std::to_string(verbatim_copies.size()) + "): " + names(verbatim_copies) + "\n\n";
    if (!renamed_copies.empty())
        text += "The published solution with other names (" +
                std::to_string(renamed_copies.size()) + "): " + names(renamed_copies) + "\n\n";
    return text;
}

std::string format_similarity_table(const ClassResults& results,
                                    const std::vector<std::size_t>& students,
                                    const std::vector<SimilarSubmissions>& similar_submissions) {
    std::string text =
        "| rarity | in common | same names | same file | students |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < std::min(similar_submissions.size(), kMaxRows); ++i) {
        const SimilarSubmissions& similar = similar_submissions[i];
        text += "| " + std::to_string(std::lround(similar.rarity)) + " | " +
                (similar.common_fraction == 1
                     ? "the same answer"
                     : std::to_string(std::lround(similar.common_fraction * 100)) + " %") +
                " | " + (similar.has_same_names ? "yes" : "no") + " | " +
                (similar.is_same_file ? "yes" : "no") + " | " +
                format_student_names(results, students, similar) + " |\n";
    }
    if (similar_submissions.size() <= kMaxRows) return text;
    return text + "\n" + std::to_string(similar_submissions.size() - kMaxRows) +
           " more are not listed.\n";
}

}  // namespace

std::vector<SimilarSubmissions> find_similar(const std::vector<std::string>& sources,
                                             const std::vector<std::string>& common,
                                             double min_common_fraction) {
    return AnswerComparison(sources, common).find_similar(min_common_fraction);
}

std::vector<std::size_t> find_copies(const std::vector<std::string>& sources,
                                     const std::string& published, bool distinguishes_names) {
    const std::vector<std::string> published_tokens = tokenize(published, distinguishes_names);
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (tokenize(sources[i], distinguishes_names) == published_tokens) copies.push_back(i);
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
            const GradedExercise& graded = results.students[i].graded.at(exercise);
            if (graded.source.empty()) continue;
            sources.push_back(graded.source);
            students.push_back(i);
        }
        const std::vector<SimilarSubmissions> similar_submissions =
            find_similar(sources, results.common_sources.at(exercise));
        const std::vector<std::string>& common_sources = results.common_sources.at(exercise);
        text += "## " + escape_markdown(results.exercises[exercise]) + "\n\n" +
                (common_sources.empty()
                     ? ""
                     : format_copies(results, students, sources, common_sources.front())) +
                (similar_submissions.empty()
                     ? "None.\n"
                     : format_similarity_table(results, students, similar_submissions)) +
                "\n";
    }
    return text;
}

}  // namespace coalesce::grader
