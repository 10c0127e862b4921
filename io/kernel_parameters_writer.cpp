// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/atomic_file.h"
#include "io/hdf5_write.h"
#include "io/kernel_parameters.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::ParameterArray;

constexpr std::array<std::string_view, 3> kIntegralNames{"label", "groups", "perm"};

void writeIntegers(Hdf5Writer& file, const std::string& path, const ParameterArray& array) {
    std::vector<std::int32_t> values;
    for (const double value : array.values) {
        if (!(value == std::floor(value) && std::abs(value) <= INT32_MAX))
            throw kernels::ArgumentError(fmt::format("{}: {} is not a whole number of 32 bits", path, value));
        values.push_back(static_cast<std::int32_t>(value));
    }
    file.writeIntegers(path, array.shape, values);
}

void writeArray(Hdf5Writer& file, const std::string& path, const std::string& name, const ParameterArray& array) {
    for (const std::string_view integral : kIntegralNames)
        if (name == integral) return writeIntegers(file, path, array);
    file.writeNumbers(path, array.shape, array.values);
}

void writeGroup(Hdf5Writer& file, const std::string& path, const kernels::ParameterGroup& group) {
    file.makeGroup(path);
    for (const auto& [name, array] : group.arrays) writeArray(file, path + "/" + name, name, array);
    for (const auto& [name, value] : group.attributes) file.setAttribute(path, name, value);
}

void writeAll(Hdf5Writer& file, const kernels::ParameterSet& parameters) {
    file.setAttribute("/", "format", std::string("attn-kernel-params"));
    file.setAttribute("/", "format_version", std::int64_t{1});
    if (!parameters.bootstrapIndices.values.empty())
        writeIntegers(file, "/bootstrap/indices", parameters.bootstrapIndices);
    if (!parameters.positions.values.empty()) writeIntegers(file, "/positions", parameters.positions);
    for (const auto& [layer, draws] : parameters.subsetDraws)
        writeIntegers(file, fmt::format("/subsets/{:02}/draws", layer.value), draws);
    for (const auto& [layer, groups] : parameters.layers)
        for (const auto& [name, group] : groups)
            writeGroup(file, fmt::format("/layers/{:02}{}{}", layer.value, name.empty() ? "" : "/", name), group);
}

}  // namespace

void writeKernelParameters(const kernels::ParameterSet& parameters, const std::filesystem::path& path) {
    writeFileAtomically(path, [&](const std::filesystem::path& part) {
        Hdf5Writer file(part, path);
        writeAll(file, parameters);
        file.close();
    });
}

}  // namespace dimscope::io
