// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/released_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Index;
using kernels::LayerIndex;

constexpr double kExpandedTolerance = 1e-5;  // the release prints single precision
constexpr int kMostGroups = 1024;            // of a head; what a real file has is below 20

/// One head of the release, in the words of format 2.
struct ReleasedHead {
    std::vector<double> label;
    std::vector<double> factor;
    int groups = 1;
    double validationMse = std::numeric_limits<double>::quiet_NaN();
};

/// A head that cannot be used; the reader adds where it is.
class BrokenHead : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

std::size_t packedSize(int groups) { return static_cast<std::size_t>((groups + 1) * (groups + 2) / 2); }

const Json& member(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) throw BrokenHead(fmt::format("'{}' is missing", name));
    return *found;
}

/// Numbers in a list, or in a list of lists one after the other.
void appendNumbers(const Json& value, const char* name, std::vector<double>& numbers) {
    if (value.is_number())
        numbers.push_back(value.get<double>());
    else if (value.is_array())
        for (const Json& entry : value) appendNumbers(entry, name, numbers);
    else
        throw BrokenHead(fmt::format("'{}' holds something that is not a number", name));
}

std::vector<double> labelsFrom(const Json& groups, int headDim) {
    if (!groups.is_array()) throw BrokenHead("'groups' is not a list of lists of dimensions");
    std::vector<double> label(static_cast<std::size_t>(headDim), -1.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<double> dimensions;
        appendNumbers(groups[g], "groups", dimensions);
        if (dimensions.empty()) throw BrokenHead(fmt::format("group {} is empty", g));
        for (const double r : dimensions) {
            if (!(r >= 0.0 && r < headDim && r == std::floor(r)))
                throw BrokenHead(fmt::format("group {} has dimension {}, expected 0..{}", g, r, headDim - 1));
            double& entry = label[static_cast<std::size_t>(r)];
            if (entry >= 0.0) throw BrokenHead(fmt::format("dimension {} is in two groups", r));
            entry = static_cast<double>(g);
        }
    }
    for (std::size_t r = 0; r < label.size(); ++r)
        if (label[r] < 0.0) throw BrokenHead(fmt::format("dimension {} is in no group", r));
    return label;
}

/// L L^T of the active block, row major with `width` entries a row, the rest 0.
std::vector<double> expandedMatrix(const std::vector<double>& factor, int groups, std::size_t width) {
    std::vector<double> matrix(width * width, 0.0);
    const auto entry = [&](std::size_t r, std::size_t c) { return c <= r ? factor[r * (r + 1) / 2 + c] : 0.0; };
    const auto active = static_cast<std::size_t>(groups) + 1;
    for (std::size_t r = 0; r < active; ++r)
        for (std::size_t q = 0; q < active; ++q)
            for (std::size_t b = 0; b <= std::min(r, q); ++b) matrix[r * width + q] += entry(r, b) * entry(q, b);
    return matrix;
}

void checkExpanded(const Json& head, const ReleasedHead& read) {
    std::vector<double> given;
    appendNumbers(member(head, "expanded_quadratic_matrix"), "expanded_quadratic_matrix", given);
    const auto width = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(given.size()))));
    if (width * width != given.size() || width < static_cast<std::size_t>(read.groups) + 1)
        throw BrokenHead(
            fmt::format("'expanded_quadratic_matrix' has {} entries, expected a square of at least {} rows",
                        given.size(), read.groups + 1));
    const std::vector<double> expected = expandedMatrix(read.factor, read.groups, width);
    double largest = 1.0;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    for (std::size_t n = 0; n < given.size(); ++n)
        if (!(std::abs(given[n] - expected[n]) <= kExpandedTolerance * largest))
            throw BrokenHead(fmt::format("'expanded_quadratic_matrix' is {} at ({}, {}), the factor gives {}", given[n],
                                         n / width, n % width, expected[n]));
}

ReleasedHead headFrom(const Json& head, int headDim) {
    if (!head.is_object()) throw BrokenHead("it is not an object");
    ReleasedHead read;
    const Json& count = member(head, "group_count");
    if (!count.is_number_integer() || count < 1 || count > kMostGroups)
        throw BrokenHead("'group_count' is not a whole number of at least 1");
    read.groups = count.get<int>();
    const Json& groups = member(head, "groups");
    read.label = labelsFrom(groups, headDim);
    if (groups.size() != static_cast<std::size_t>(read.groups))
        throw BrokenHead(fmt::format("'group_count' is {}, 'groups' has {}", read.groups, groups.size()));
    appendNumbers(member(head, "packed_lower_triangular"), "packed_lower_triangular", read.factor);
    if (read.factor.size() < packedSize(read.groups))
        throw BrokenHead(fmt::format("'packed_lower_triangular' has {} entries, {} groups need {}", read.factor.size(),
                                     read.groups, packedSize(read.groups)));
    read.factor.resize(packedSize(read.groups));  // what follows is padding and need not be 0
    checkExpanded(head, read);
    if (const auto mse = head.find("validation_output_mse"); mse != head.end() && mse->is_number())
        read.validationMse = mse->get<double>();
    return read;
}

/// One group and 1 + s + s^2/2, as a head without parameters has.
ReleasedHead taylorHead(int headDim, double epsilon) {
    const double l00 = std::sqrt(1.0 - epsilon), l10 = 0.5 / l00;
    ReleasedHead head;
    head.label.assign(static_cast<std::size_t>(headDim), 0.0);
    head.factor = {l00, l10, std::sqrt(0.5 - l10 * l10)};
    return head;
}

kernels::ParameterGroup groupFrom(const std::vector<ReleasedHead>& heads, double epsilon) {
    std::size_t width = 0;
    for (const ReleasedHead& head : heads) width = std::max(width, head.factor.size());
    const auto count = static_cast<Index>(heads.size());
    kernels::ParameterArray label{{count, static_cast<Index>(heads.front().label.size())}, {}};
    kernels::ParameterArray factor{{count, static_cast<Index>(width)}, {}};
    kernels::ParameterArray groups{{count}, {}}, mse{{count}, {}};
    for (ReleasedHead head : heads) {
        head.factor.resize(width, 0.0);
        label.values.insert(label.values.end(), head.label.begin(), head.label.end());
        factor.values.insert(factor.values.end(), head.factor.begin(), head.factor.end());
        groups.values.push_back(head.groups);
        mse.values.push_back(head.validationMse);
    }
    kernels::ParameterGroup group;
    group.arrays = {{"label", label}, {"l", factor}, {"groups", groups}, {"validation_output_mse", mse}};
    group.attributes["eps"] = epsilon;
    return group;
}

/// The document as a whole: everything that is wrong here ends the reading.
class ReleaseReader {
public:
    ReleaseReader(const std::filesystem::path& path, bool skipBroken, std::vector<analysis::Warning>& warnings)
        : path_(path), skipBroken_(skipBroken), warnings_(warnings) {}

    kernels::ParameterSet read() {
        const Json document = parsed();
        headDim_ = wholeNumber(document, "head_dim");
        const auto epsilon = document.find("epsilon");
        if (epsilon == document.end() || !epsilon->is_number() || !(*epsilon >= 0.0 && *epsilon <= 0.5))
            refuse("/epsilon", "it is missing or not a number from 0 to 0.5");
        epsilon_ = epsilon->get<double>();
        const Json& layers = objectIn(document, "layers", "/");
        kernels::ParameterSet set;
        set.name = printable(path_.filename().string());
        for (const auto& [name, layer] : layers.items()) {
            const std::string place = "/layers/" + printable(name);
            set.layers[LayerIndex{numberIn(name, place)}]["oal"] = layerFrom(objectIn(layer, "heads", place), place);
        }
        if (set.layers.empty()) refuse("/layers", "it has no layer");
        if (const auto model = document.find("model_name"); model != document.end() && model->is_string())
            for (auto& [layer, groups] : set.layers) groups["oal"].attributes["model"] = model->get<std::string>();
        return set;
    }

private:
    Json parsed() const {
        std::ifstream stream(path_, std::ios::binary);
        if (!stream)
            throw kernels::FileError(
                {path_.string(), "/", "it cannot be opened", "check the name and the permissions"});
        Json document = Json::parse(stream, nullptr, false);
        if (document.is_discarded()) refuse("/", "it is not JSON");
        if (!document.is_object()) refuse("/", "it is not a JSON object");
        return document;
    }
    [[noreturn]] void refuse(const std::string& object, const std::string& cause) const {
        throw kernels::FormatError(
            {path_.string(), object, cause, "expected the layout of the OAL release (resources/docs/formats.md)"});
    }
    int wholeNumber(const Json& document, const char* name) const {
        const auto found = document.find(name);
        if (found == document.end() || !found->is_number_integer() || *found < 1 || *found > 1 << 16)
            refuse(std::string("/") + name, "it is missing or not a whole number of at least 1");
        return found->get<int>();
    }
    const Json& objectIn(const Json& parent, const char* name, const std::string& place) const {
        const auto found = parent.is_object() ? parent.find(name) : parent.end();
        if (!parent.is_object() || found == parent.end() || !found->is_object())
            refuse(place, fmt::format("it has no object '{}'", name));
        return *found;
    }
    int numberIn(const std::string& name, const std::string& place) const {
        if (name.empty() || name.size() > 6 ||
            !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
            refuse(place, "the name is not a number");
        return std::stoi(name);
    }

    kernels::ParameterGroup layerFrom(const Json& heads, const std::string& place) {
        std::map<int, const Json*> byNumber;
        for (const auto& [name, head] : heads.items())
            byNumber[numberIn(name, place + "/heads/" + printable(name))] = &head;
        if (byNumber.empty()) refuse(place, "it has no head");
        std::vector<ReleasedHead> read;
        for (int h = 0; h <= byNumber.rbegin()->first; ++h) {
            try {
                const auto found = byNumber.find(h);
                if (found == byNumber.end()) throw BrokenHead("it is missing");
                read.push_back(headFrom(*found->second, headDim_));
            } catch (const BrokenHead& broken) {
                const std::string where = fmt::format("{}/heads/{}", place, h);
                if (!skipBroken_)
                    throw kernels::FormatError(
                        {path_.string(), where, broken.what(), "use --skip-broken to import the rest"});
                warnings_.push_back(
                    {"broken-head", where, std::string(broken.what()) + "; the head stays at the Taylor start"});
                read.push_back(taylorHead(headDim_, epsilon_));
            }
        }
        return groupFrom(read, epsilon_);
    }

    const std::filesystem::path& path_;
    bool skipBroken_;
    std::vector<analysis::Warning>& warnings_;
    int headDim_ = 0;
    double epsilon_ = 0.0;
};

}  // namespace

kernels::ParameterSet readReleasedFactors(const std::filesystem::path& path, bool skipBroken,
                                          std::vector<analysis::Warning>& warnings) {
    return ReleaseReader(path, skipBroken, warnings).read();
}

}  // namespace dimscope::io
