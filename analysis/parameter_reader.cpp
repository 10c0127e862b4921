// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/parameter_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

using kernels::ParameterArray;
using kernels::ShapeError;

std::string shapeText(const std::vector<Index>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace

ParameterReader::ParameterReader(const std::string& file, LayerIndex layer, const std::string& kernel,
                                 const kernels::ParameterGroup& group)
    : place_(fmt::format("{}: /layers/{:02}/{}", file, layer.value, kernel)), group_(group) {}

const ParameterArray* ParameterReader::find(const std::string& name) const {
    const auto found = group_.arrays.find(name);
    return found == group_.arrays.end() ? nullptr : &found->second;
}

const ParameterArray& ParameterReader::require(const std::string& name, const std::vector<Index>& shape) const {
    const ParameterArray* array = find(name);
    if (!array) throw ShapeError(fmt::format("{}: dataset '{}' is missing", place_, name));
    check(name, *array, shape);
    return *array;
}

void ParameterReader::check(const std::string& name, const ParameterArray& array,
                            const std::vector<Index>& shape) const {
    bool same = array.shape.size() == shape.size();
    for (std::size_t n = 0; same && n < shape.size(); ++n) same = shape[n] < 0 || array.shape[n] == shape[n];
    if (!same)
        throw ShapeError(fmt::format("{}/{} has shape {}, expected {} (-1: any)", place_, name, shapeText(array.shape),
                                     shapeText(shape)));
}

double ParameterReader::number(const std::string& name, double otherwise) const {
    const auto found = group_.attributes.find(name);
    if (found == group_.attributes.end()) return otherwise;
    if (const double* value = std::get_if<double>(&found->second)) return *value;
    throw ShapeError(fmt::format("{}: attribute '{}' is text, expected a number", place_, name));
}

int ParameterReader::integer(const std::string& name, int otherwise) const {
    const double value = number(name, otherwise);
    if (!(std::abs(value) <= 1e9) || value != std::floor(value))
        refuse(fmt::format("attribute '{}' is {}, expected a whole number", name, value));
    return static_cast<int>(value);
}

std::string ParameterReader::text(const std::string& name, const std::string& otherwise) const {
    const auto found = group_.attributes.find(name);
    if (found == group_.attributes.end()) return otherwise;
    if (const auto* value = std::get_if<std::string>(&found->second)) return *value;
    throw ShapeError(fmt::format("{}: attribute '{}' is a number, expected text", place_, name));
}

bool ParameterReader::holds(const std::string& name) const {
    return find(name) || group_.attributes.find(name) != group_.attributes.end();
}

void ParameterReader::refuse(const std::string& why) const { throw ShapeError(place_ + ": " + why); }

Index ParameterReader::seedEntry(const ParameterArray& array, int seed) const {
    if (seed < 0 || seed >= array.shape.front())
        refuse(fmt::format("seed {}: the file holds {} draws, choose 0..{}", seed, array.shape.front(),
                           array.shape.front() - 1));
    return seed;
}

std::string chosen(const ParameterReader* file, const KernelRequest& request, const char* parameter) {
    std::string choice = request.settings.choice(request.kernel, parameter);
    if (!file) return choice;
    choice = file->text(parameter, choice);
    const auto& choices = kernels::findParameter(request.kernel, parameter)->choices;
    if (std::find(choices.begin(), choices.end(), choice) == choices.end())
        file->refuse(fmt::format("{} '{}', expected one of {}", parameter, choice, fmt::join(choices, ", ")));
    return choice;
}

std::vector<double> arrayPart(const ParameterArray& array, Index offset, Index count) {
    const auto first = array.values.begin() + offset;
    return {first, first + count};
}

}  // namespace dimscope::analysis
