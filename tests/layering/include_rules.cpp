// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/layering/include_rules.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

namespace dimscope::tests {
namespace {

namespace fs = std::filesystem;

struct FolderRule {
    std::string folder;               ///< "io/figure/": the longest that fits a file counts
    std::vector<std::string> own;     ///< folders ("kernels/") and headers ("kernels/types.h") of ours
    std::vector<std::string> hidden;  ///< folders inside `own` that stay out of reach, but for headers that it names
    std::set<std::string> libraries;  ///< beside the standard library and the system
};

const std::vector<std::string>& headersForIo() {
    static const std::vector<std::string> kHeaders = {
        "io/",
        "kernels/types.h",
        "kernels/matrix.h",
        "kernels/indices.h",
        "kernels/error.h",
        "kernels/run_control.h",
        "kernels/parameter_set.h",
        "analysis/table.h",
        "analysis/figure.h",
        "analysis/provenance.h",
        "analysis/head_source.h",
    };
    return kHeaders;
}

const std::vector<FolderRule>& rules() {
    static const std::vector<FolderRule> kRules = {
        {"kernels/", {"kernels/"}, {}, {"Random123"}},
        {"kernels/cpu/", {"kernels/"}, {"kernels/cuda/"}, {"Random123", "Eigen", "Highway"}},
        {"kernels/cuda/", {"kernels/"}, {"kernels/cpu/"}, {"Random123", "CUDA"}},
        {"kernels/state/", {"kernels/"}, {"kernels/cuda/"}, {"Eigen"}},
        // The threads that loops run on are no backend: calibration fits its heads on them.
        {"analysis/",
         {"analysis/", "kernels/", "kernels/cpu/worker_pool.h"},
         {"kernels/cpu/", "kernels/cuda/", "kernels/state/"},
         {"Eigen", "fmt"}},
        {"io/", headersForIo(), {"io/figure/"}, {"HDF5", "fmt", "JSON", "zlib"}},
        {"io/figure/", headersForIo(), {}, {"Qt", "fmt", "JSON", "zlib"}},
        {"app/core/",
         {"app/core/", "io/", "analysis/", "kernels/"},
         {"io/figure/", "kernels/cpu/", "kernels/cuda/"},
         {"fmt", "JSON", "CLI11"}},
        {"app/report/",
         {"app/report/", "app/core/", "io/", "analysis/", "kernels/"},
         {"io/figure/", "kernels/cpu/", "kernels/cuda/"},
         {"fmt", "JSON"}},
        {"app/cli/",
         {"app/cli/", "app/report/", "app/core/", "io/", "analysis/", "kernels/"},
         {"io/figure/", "kernels/cpu/", "kernels/cuda/"},
         {"fmt", "JSON", "CLI11"}},
        {"app/window/",
         {"app/window/", "app/cli/reading_options.h", "app/cli/lists.h", "app/report/", "app/core/", "io/", "analysis/",
          "kernels/"},
         {"kernels/cpu/", "kernels/cuda/"},
         {"Qt", "fmt", "JSON", "CLI11"}},
    };
    return kRules;
}

bool startsWith(const std::string& text, const std::string& beginning) { return text.rfind(beginning, 0) == 0; }

const FolderRule* ruleOf(const std::string& file) {
    const FolderRule* best = nullptr;
    for (const FolderRule& rule : rules())
        if (startsWith(file, rule.folder) && (!best || rule.folder.size() > best->folder.size())) best = &rule;
    return best;
}

/// Name of the library a header belongs to; "" for the standard library and the system, "?" where it is not known.
std::string libraryOf(const std::string& header) {
    static const std::vector<std::pair<std::regex, std::string>> kKnown = {
        {std::regex("Q[A-Z].*|Qt.*|q[a-z]+\\.h"), "Qt"},
        {std::regex("hdf5.*|H5.*"), "HDF5"},
        {std::regex("(unsupported/)?Eigen/.*"), "Eigen"},
        {std::regex("Random123/.*"), "Random123"},
        {std::regex("hwy/.*"), "Highway"},
        {std::regex("fmt/.*"), "fmt"},
        {std::regex("nlohmann/.*"), "JSON"},
        {std::regex("CLI/.*"), "CLI11"},
        {std::regex("zlib\\.h"), "zlib"},
        {std::regex("cu[a-z]*[_A-Z].*|cub/.*|cuda/.*|thrust/.*|mma\\.h|nv.*"), "CUDA"},
        {std::regex("[a-z_0-9]+"), ""},
        {std::regex("(sys/.*|unistd|fcntl|signal|spawn|pthread|sched|immintrin)(\\.h)?"), ""},
    };
    for (const auto& [pattern, library] : kKnown)
        if (std::regex_match(header, pattern)) return library;
    return "?";
}

bool reaches(const std::vector<std::string>& places, const std::string& header) {
    return std::any_of(places.begin(), places.end(), [&](const std::string& place) {
        return place.back() == '/' ? startsWith(header, place) : header == place;
    });
}

/// Empty: allowed.
std::string wrongOwn(const fs::path& root, const FolderRule& rule, const std::string& header) {
    if (header.size() > 4 && header.compare(header.size() - 4, 4, ".moc") == 0) return {};
    if (!fs::is_regular_file(root / header)) return "\"" + header + "\" is not a path from the project's root";
    // The more exact of two fitting places wins: io/figure/ may include itself although io/ may not include it.
    const bool itself = startsWith(header, rule.folder);
    if (std::find(rule.own.begin(), rule.own.end(), header) != rule.own.end()) return {};
    if (!itself && (!reaches(rule.own, header) || reaches(rule.hidden, header)))
        return rule.folder + " must not include \"" + header + "\"";
    if (itself && ruleOf(header) != &rule && reaches(rule.hidden, header))
        return rule.folder + " must not include \"" + header + "\"";
    return {};
}

std::string wrongLibrary(const FolderRule& rule, const std::string& header) {
    const std::string library = libraryOf(header);
    if (library.empty() || rule.libraries.count(library)) return {};
    if (library == "?") return "<" + header + "> belongs to no library that the rules know";
    return rule.folder + " must not include " + library + " (<" + header + ">)";
}

void checkFile(const fs::path& root, const std::string& file, std::vector<Violation>& found) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
    const FolderRule* rule = ruleOf(file);
    if (!rule) {
        found.push_back({file, 1, "lies in a folder that the rules do not know"});
        return;
    }
    std::ifstream stream(root / file);
    std::string text;
    for (int line = 1; std::getline(stream, text); ++line) {
        std::smatch match;
        if (!std::regex_match(text, match, kInclude)) continue;
        const std::string problem = match[1] == "\"" ? wrongOwn(root, *rule, match[2]) : wrongLibrary(*rule, match[2]);
        if (!problem.empty()) found.push_back({file, line, problem});
    }
}

}  // namespace

std::vector<Violation> wrongIncludes(const fs::path& root) {
    static const std::set<std::string> kSources = {".h", ".cpp", ".cu", ".cuh"};
    std::vector<std::string> files;
    for (const char* part : {"kernels", "analysis", "io", "app"}) {
        if (!fs::is_directory(root / part)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / part))
            if (entry.is_regular_file() && kSources.count(entry.path().extension().string()))
                files.push_back(fs::relative(entry.path(), root).generic_string());
    }
    std::sort(files.begin(), files.end());
    std::vector<Violation> found;
    for (const std::string& file : files) checkFile(root, file, found);
    return found;
}

}  // namespace dimscope::tests
