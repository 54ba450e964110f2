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

// The number of tokens in a hashed run, and the number of hashes in a window.
constexpr std::size_t kGram = 6, kWindow = 4;
// The minimum number of fingerprints, not counting those of the skeleton and the solution, that a
// file must have to be compared at all.
constexpr std::size_t kFewest = 3;
constexpr std::size_t kMostRows = 100;
constexpr std::size_t kMostNames = 12;
// The minimum rarity, in bits, that is reported. A lower one can arise by chance, for example from
// a single line that two students happened to write in the same way.
constexpr double kLeastRarity = 20;
// Students added to the class as a prior, so that in a class of two an answer shared by both does
// not count as common.
constexpr double kUnseen = 8;

bool is_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

// Reports whether CUDA, C++ or the exercise gives the name a fixed meaning, so that it is not the
// student's choice.
bool is_word_of_cuda(const std::string& name) {
    static const std::set<std::string> words = words_of(
        "__global__ __shared__ __device__ __syncthreads threadIdx blockIdx blockDim gridDim x y z "
        "if else for while do return int float float2 float4 const constexpr unsigned long size_t "
        "auto template void struct out in rows cols grid block __shfl_sync __ldg reinterpret_cast "
        "static_cast");
    return words.contains(name);
}

// Skips a comment or one white-space character at `at`. Returns false if there is neither.
bool skip_gap(const std::string& source, std::size_t& at) {
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

std::string take_text(const std::string& source, std::size_t& at) {
    char quote = source[at];
    std::size_t begin = at++;
    while (at < source.size() && source[at] != quote && source[at] != '\n') {
        at += source[at] == '\\' ? 2 : 1;
    }
    at = std::min(at + 1, source.size());
    return source.substr(begin, at - begin);
}

std::uint64_t number_of(const std::string& text) {
    Digest digest = sha256(text);
    std::uint64_t number;
    std::memcpy(&number, digest.data(), sizeof number);
    return number;
}

// Splits a source into tokens. If `names_differ` is false, all names except those of CUDA and C++
// become the same token.
std::vector<std::string> tokens_of(const std::string& source, bool names_differ) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < source.size();) {
        if (skip_gap(source, at)) continue;
        if (source[at] == '"' || source[at] == '\'') {
            tokens.push_back(take_text(source, at));
            continue;
        }
        std::size_t begin = at++;
        if (is_letter(source[begin])) {
            while (at < source.size() && is_letter(source[at])) ++at;
        }
        std::string token = source.substr(begin, at - begin);
        bool is_name =
            is_letter(token[0]) && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
        if (is_name && !names_differ && !is_word_of_cuda(token)) token = "name";
        tokens.push_back(token);
    }
    return tokens;
}

// Returns the fingerprints of a list of tokens: the smallest hash in each window.
std::set<std::uint64_t> fingerprints(const std::vector<std::string>& tokens) {
    std::vector<std::uint64_t> grams;
    for (std::size_t i = 0; i + kGram <= tokens.size(); ++i) {
        std::string gram;
        for (std::size_t k = 0; k < kGram; ++k) gram += tokens[i + k] + "\n";
        grams.push_back(number_of(gram));
    }
    std::set<std::uint64_t> least;
    for (std::size_t i = 0; i + kWindow <= grams.size(); ++i) {
        auto begin = grams.begin() + static_cast<std::ptrdiff_t>(i);
        least.insert(*std::min_element(begin, begin + kWindow));
    }
    if (grams.size() < kWindow) least.insert(grams.begin(), grams.end());
    return least;
}

// The fingerprints of a submission that do not occur in the skeleton or the solution.
struct Print {
    std::set<std::uint64_t> own;    // with all names equal
    std::set<std::uint64_t> named;  // with the original names
};

std::set<std::uint64_t> both(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
    std::set<std::uint64_t> common;
    std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
    return common;
}

double share_of(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
    const std::size_t common = both(a, b).size(), all = a.size() + b.size() - common;
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

std::set<std::uint64_t> own_prints(const std::vector<std::string>& tokens,
                                   const std::set<std::uint64_t>& common) {
    std::set<std::uint64_t> own;
    std::ranges::set_difference(fingerprints(tokens), common, std::inserter(own, own.end()));
    return own;
}

// The distinct answers of a class, each with the students who submitted it.
class Answers {
public:
    Answers(const std::vector<std::string>& sources, const std::vector<std::string>& common)
        : sources_(sources) {
        std::set<std::uint64_t> known, known_named;
        for (const std::string& text : common) {
            known.merge(fingerprints(tokens_of(text, false)));
            known_named.merge(fingerprints(tokens_of(text, true)));
        }
        std::map<std::vector<std::string>, std::size_t> places;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            std::vector<std::string> exact = tokens_of(sources[i], true);
            const auto [found, is_new] = places.try_emplace(exact, groups_.size());
            if (is_new) {
                groups_.push_back({});
                prints_.push_back({own_prints(tokens_of(sources[i], false), known),
                                   own_prints(exact, known_named)});
            }
            groups_[found->second].push_back(i);
            const Print& print = prints_[found->second];
            for (std::uint64_t number : print.own) ++have_[number];
            for (std::uint64_t number : print.named) ++have_named_[number];
        }
    }

    std::vector<Alike> alike(double least_share) const {
        std::vector<Alike> found;
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (prints_[i].own.size() < kFewest) continue;
            if (groups_[i].size() > 1) add(found, same(i));
            for (std::size_t k = i + 1; k < groups_.size(); ++k) {
                if (prints_[k].own.size() < kFewest) continue;
                const double share = share_of(prints_[i].own, prints_[k].own);
                if (share >= least_share) add(found, pair(i, k, share));
            }
        }
        std::ranges::stable_sort(found, std::greater{}, &Alike::rarity);
        return found;
    }

private:
    static void add(std::vector<Alike>& found, Alike one) {
        if (one.rarity >= kLeastRarity) found.push_back(std::move(one));
    }

    double bits(std::size_t count) const {
        return std::log2((static_cast<double>(sources_.size()) + kUnseen) /
                         static_cast<double>(count));
    }

    double rarity(const Print& a, const Print& b) const {
        double sum = 0;
        for (std::uint64_t number : both(a.own, b.own)) sum += bits(have_.at(number));
        // Also weigh the fingerprints that use the original names, so that shared unusual names
        // count.
        double named = 0;
        for (std::uint64_t number : both(a.named, b.named)) named += bits(have_named_.at(number));
        return std::max(sum, named);
    }

    Alike same(std::size_t group) const {
        const std::vector<std::size_t>& who = groups_[group];
        const bool is_same_file = std::ranges::all_of(
            who, [&](std::size_t i) { return sources_[i] == sources_[who.front()]; });
        return {who, 1, rarity(prints_[group], prints_[group]), true, is_same_file};
    }

    Alike pair(std::size_t i, std::size_t k, double share) const {
        std::vector<std::size_t> who = groups_[i];
        who.insert(who.end(), groups_[k].begin(), groups_[k].end());
        return {who, share, rarity(prints_[i], prints_[k]), false, false};
    }

    const std::vector<std::string>& sources_;
    std::vector<std::vector<std::size_t>> groups_;
    std::vector<Print> prints_;
    // number of students who have each fingerprint
    std::map<std::uint64_t, std::size_t> have_, have_named_;
};

std::string names_of(const ClassResults& results, const std::vector<std::size_t>& students,
                     const Alike& one) {
    std::vector<std::string> names;
    for (std::size_t who : one.who) names.push_back(markdown(results.students[students[who]].name));
    return listed(names, kMostNames);
}

std::string table_of(const ClassResults& results, const std::vector<std::size_t>& students,
                     const std::vector<Alike>& all) {
    std::string text =
        "| rarity | in common | same names | same file | who |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < std::min(all.size(), kMostRows); ++i) {
        const Alike& one = all[i];
        text += "| " + std::to_string(std::lround(one.rarity)) + " | " +
                (one.share == 1 ? "the same answer"
                                : std::to_string(std::lround(one.share * 100)) + " %") +
                " | " + (one.has_same_names ? "yes" : "no") + " | " +
                (one.is_same_file ? "yes" : "no") + " | " + names_of(results, students, one) +
                " |\n";
    }
    if (all.size() <= kMostRows) return text;
    return text + "\n" + std::to_string(all.size() - kMostRows) + " more are not listed.\n";
}

}  // namespace

std::vector<Alike> alike(const std::vector<std::string>& sources,
                         const std::vector<std::string>& common, double share) {
    return Answers(sources, common).alike(share);
}

std::string similarity_markdown(const ClassResults& results) {
    std::string text =
        "# Submissions that are alike\n\n"
        "For a person to judge, and no proof of anything. What the skeleton and the solution have "
        "is left\n"
        "out, comments count for nothing, and the same answer from several is one row. The first "
        "rows\n"
        "have most in common that is rare in this class (`rarity`, in bits): what many have found "
        "says\n"
        "nothing.\n\n";
    for (std::size_t exercise = 0; exercise < results.exercises.size(); ++exercise) {
        std::vector<std::string> sources;
        std::vector<std::size_t> students;
        for (std::size_t i = 0; i < results.students.size(); ++i) {
            const Graded& graded = results.students[i].graded.at(exercise);
            if (graded.source.empty()) continue;
            sources.push_back(graded.source);
            students.push_back(i);
        }
        const std::vector<Alike> found = alike(sources, results.common.at(exercise));
        text += "## " + markdown(results.exercises[exercise]) + "\n\n" +
                (found.empty() ? "None.\n" : table_of(results, students, found)) + "\n";
    }
    return text;
}

}  // namespace coalesce::grader
