#include "grader/tests/generated_class.h"

#include <fstream>
#include <random>

#include "examiner/exercises/mutants.h"
#include "examiner/exercises/skeleton.h"
#include "grader/store/files.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

// The skeleton, the solution and the mutants of one exercise.
struct Material {
    std::string name, blank, solution;
    std::vector<exercises::Mutant> mutants;
};

Material material_of(const fs::path& repository, const std::string& exercise) {
    fs::path folder = repository / "solutions" / exercise;
    exercises::Skeleton skeleton =
        exercises::parse_skeleton(read_file(folder / "kernel.cu"), exercise + "/kernel.cu");
    return {exercise, skeleton.blank_text(), skeleton.solved_text(),
            exercises::read_mutants(folder / "mutants.toml").mutants};
}

class Student {
public:
    Student(int number, std::uint32_t seed)
        : number(number), chance(seed * 7919u + static_cast<std::uint32_t>(number)) {}

    // Returns a random submission, or "" for a student who submits nothing.
    std::string source(const Material& material) {
        int draw = below(100);
        if (draw < 60) return signed_by(material.solution);
        if (draw < 85) return signed_by(mutant(material));
        if (draw < 90) return signed_by(material.blank);
        if (draw < 94) return signed_by(material.solution + "\n} // one brace too many\n");
        if (draw < 97) return signed_by(endless(material.solution));
        if (draw < 99) return signed_by("__device__ int kept;\n" + material.solution);
        return "";
    }

private:
    int below(int count) { return static_cast<int>(chance() % static_cast<std::uint32_t>(count)); }

    std::string mutant(const Material& material) {
        const auto& all = material.mutants;
        return exercises::apply_mutant(
            all[static_cast<std::size_t>(below(static_cast<int>(all.size())))], material.solution);
    }

    static std::string endless(std::string source) {
        std::size_t body = source.find('{', source.find("__global__"));
        return source.insert(body + 1, "\n    for (volatile int i = 0; i >= 0; i = 0) {}\n");
    }

    // Appends a comment, so that students' files differ in content and length.
    std::string signed_by(const std::string& source) {
        return source + "\n// Student " + std::to_string(number) + " thought about this for " +
               std::to_string(below(600)) + " minutes.\n";
    }

    int number;
    std::mt19937 chance;
};

}  // namespace

void generate_class(const fs::path& repository, const fs::path& folder,
                    const std::vector<std::string>& exercises, int students, std::uint32_t seed) {
    std::vector<Material> materials;
    for (const std::string& name : exercises) materials.push_back(material_of(repository, name));
    for (int number = 1; number <= students; ++number) {
        Student student(number, seed);
        char name[32];
        std::snprintf(name, sizeof name, "student-%04d", number);
        fs::create_directories(folder / name);
        for (const Material& material : materials) {
            std::string source = student.source(material);
            if (source.empty()) continue;
            fs::create_directories(folder / name / material.name);
            std::ofstream(folder / name / material.name / "kernel.cu", std::ios::binary) << source;
        }
    }
}

}  // namespace coalesce::grader
