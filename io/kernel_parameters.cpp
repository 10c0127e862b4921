// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/kernel_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/dump/attribute_scope.h"
#include "io/dump/number_decoding.h"
#include "io/hdf5_read.h"
#include "io/layer_name.h"
#include "io/message_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::ParameterArray;
using kernels::ParameterGroup;
using kernels::ParameterSet;
using Scopes = std::vector<const Hdf5Object*>;  // nearest first

constexpr const char* kFormat = "attn-kernel-params";
constexpr const char* kWhereToStore = "store parameters below /layers/LL/NAME (resources/docs/formats.md)";
/// Of the file or of a layer, never a parameter of a kernel.
constexpr std::array<std::string_view, 3> kNotInherited{"format", "format_version", "provenance"};

bool holdsNumbers(const Hdf5Dataset& dataset) {
    const ElementType::Class kind = dataset.layout().type.kind;
    return kind == ElementType::Class::Integer || kind == ElementType::Class::Float;
}

/// Numbers of any type; bit patterns of bf16 where the dataset says so.
ParameterArray readArray(const Hdf5Dataset& dataset) {
    const ArrayLayout& layout = dataset.layout();
    ParameterArray array{{layout.shape.begin(), layout.shape.end()}, {}};
    const std::string encoding = AttributeScope({&dataset}).text("encoding").value_or("ieee");
    if (encoding != "ieee" && encoding != "bf16")
        dataset.place().refuse(fmt::format("has encoding=\"{}\", which is not read here", printable(encoding)),
                               "write plain numbers, or bf16");
    if (encoding == "bf16" && layout.type.kind == ElementType::Class::Integer && layout.type.bytes == 2) {
        std::vector<std::byte> raw(dataset.checkedElements(sizeof(double)) * 2);
        array.values.resize(raw.size() / 2);
        if (raw.empty()) return array;
        dataset.readBytes({std::vector<std::uint64_t>(layout.shape.size(), 0), layout.shape}, raw);
        decodeNumbers({NumberEncoding::BFloat16, layout.type.bigEndian, 0, false}, raw, std::span(array.values));
        return array;
    }
    if (encoding == "bf16" && layout.type.kind != ElementType::Class::Float)
        dataset.place().refuse(fmt::format("has encoding=\"bf16\" but type {}", layout.type.text()),
                               "correct the attribute");
    array.values = dataset.readNumbers();
    return array;
}

/// The nearest comes first and stays; lists are no parameters of a kernel.
void addAttribute(ParameterGroup& group, const Hdf5Object& object, const std::string& name) {
    const std::optional<AttributeValue> value = object.attribute(name);
    if (!value) return;
    if (const auto* number = std::get_if<double>(&*value)) group.attributes.emplace(name, *number);
    if (const auto* whole = std::get_if<std::int64_t>(&*value))
        group.attributes.emplace(name, static_cast<double>(*whole));
    if (const auto* text = std::get_if<std::string>(&*value)) group.attributes.emplace(name, *text);
}

void addInherited(ParameterGroup& group, const Hdf5Object& object) {
    for (const std::string& name : object.attributeNames())
        if (std::find(kNotInherited.begin(), kNotInherited.end(), name) == kNotInherited.end())
            addAttribute(group, object, name);
}

/// A dataset of text or of records is a note, not a parameter.
void addDataset(ParameterGroup& group, const Hdf5Dataset& dataset, const std::string& name) {
    if (!holdsNumbers(dataset)) return;
    group.arrays.emplace(name, readArray(dataset));
    for (const std::string& attribute : dataset.attributeNames())
        if (attribute != "encoding" && attribute != "axes") addAttribute(group, dataset, attribute);
}

/// Links out of the file are not followed, and leaving their content out would change the kernel: opening refuses them.
bool isChild(const Hdf5Group& group, const std::string& name, Hdf5Kind wanted) {
    const Hdf5Kind kind = group.kind(name);
    return kind == wanted ||
           (wanted == Hdf5Kind::Dataset && (kind == Hdf5Kind::ExternalLink || kind == Hdf5Kind::BrokenLink));
}

ParameterGroup readGroup(const Hdf5Group& group, const Scopes& wider) {
    ParameterGroup result;
    for (const std::string& name : group.names())
        if (isChild(group, name, Hdf5Kind::Dataset)) addDataset(result, group.dataset(name), name);
    for (const std::string& name : group.attributeNames()) addAttribute(result, group, name);
    for (const Hdf5Object* scope : wider) addInherited(result, *scope);
    return result;
}

/// Datasets of the layer itself and its attributes go under the empty name.
std::map<std::string, ParameterGroup> readLayer(const Hdf5Group& layer, const Scopes& wider) {
    std::map<std::string, ParameterGroup> groups;
    ParameterGroup own;
    Scopes scopes{&layer};
    scopes.insert(scopes.end(), wider.begin(), wider.end());
    for (const std::string& name : layer.attributeNames()) addAttribute(own, layer, name);
    for (const std::string& name : layer.names()) {
        if (isChild(layer, name, Hdf5Kind::Group)) groups.emplace(name, readGroup(layer.group(name), scopes));
        if (isChild(layer, name, Hdf5Kind::Dataset)) addDataset(own, layer.dataset(name), name);
    }
    if (!own.arrays.empty() || !own.attributes.empty()) groups.emplace("", std::move(own));
    return groups;
}

void readLayers(const Hdf5Group& layers, const Hdf5Group& root, ParameterSet& set) {
    for (const std::string& name : layers.names()) {
        const std::optional<kernels::LayerIndex> number = layerNumber(name);
        if (!number || (layers.kind(name) != Hdf5Kind::Group && layers.kind(name) != Hdf5Kind::ExternalLink)) continue;
        const Hdf5Group layer = layers.group(name);
        const auto [entry, isNew] = set.layers.emplace(*number, readLayer(layer, {&layers, &root}));
        if (!isNew)
            layer.place().refuse(fmt::format("is a second layer {}", number->value), "keep one group per layer");
        if (entry->second.empty()) set.layers.erase(entry);
    }
}

/// [B, P] or [P, R] zero-based indices, where the file has them.
ParameterArray readIndices(const Hdf5Group& group, const std::string& name) {
    if (group.kind(name) == Hdf5Kind::Missing) return {};
    const Hdf5Dataset dataset = group.dataset(name);
    if (dataset.layout().shape.size() != 2)
        dataset.place().refuse(
            fmt::format("has shape [{}], expected two axes", fmt::join(dataset.layout().shape, ", ")),
            "see resources/docs/formats.md, section 2");
    ParameterArray array = readArray(dataset);
    const bool whole = std::all_of(array.values.begin(), array.values.end(),
                                   [](double v) { return v >= 0.0 && v == std::floor(v) && v <= INT32_MAX; });
    if (!whole) dataset.place().refuse("holds values that are not indices", "store zero-based int32 indices");
    return array;
}

/// /subsets/{LL}/draws: [B, Hq, n] dimensions, -1 as padding.
void readSubsetDraws(const Hdf5Group& subsets, ParameterSet& set) {
    for (const std::string& name : subsets.names()) {
        const std::optional<kernels::LayerIndex> number = layerNumber(name);
        if (!number || subsets.kind(name) != Hdf5Kind::Group) continue;
        const Hdf5Dataset dataset = subsets.group(name).dataset("draws");
        if (dataset.layout().shape.size() != 3)
            dataset.place().refuse(
                fmt::format("has shape [{}], expected three axes", fmt::join(dataset.layout().shape, ", ")),
                "see resources/docs/formats.md, section 2");
        ParameterArray array = readArray(dataset);
        const bool whole = std::all_of(array.values.begin(), array.values.end(),
                                       [](double v) { return v >= -1.0 && v == std::floor(v) && v <= INT32_MAX; });
        if (!whole) dataset.place().refuse("holds values that are not dimensions", "store int32, -1 as padding");
        set.subsetDraws.emplace(*number, std::move(array));
    }
}

void checkFormat(const Hdf5Group& root, std::vector<analysis::Warning>& warnings) {
    const AttributeScope scope({&root});
    const std::optional<std::string> format = scope.text("format");
    if (!format)
        warnings.push_back({"format_missing", "/", "the parameter file does not say format=\"attn-kernel-params\""});
    else if (*format != kFormat)
        root.place().refuse(fmt::format("has format \"{}\", expected \"{}\"", printable(*format), kFormat),
                            kWhereToStore);
    const double version = scope.number("format_version").value_or(1.0);
    if (!(version <= 1.0))
        root.place().refuse(
            fmt::format("has format_version {}: written by a newer program, this one reads version 1", version),
            "update this program");
}

}  // namespace

std::shared_ptr<const ParameterSet> readKernelParameters(const std::filesystem::path& path,
                                                         std::vector<analysis::Warning>& warnings) {
    const Hdf5Group root = Hdf5Group::openFile(path);
    checkFormat(root, warnings);
    auto set = std::make_shared<ParameterSet>();
    set->name = printable(path.filename().string());
    if (root.kind("bootstrap") == Hdf5Kind::Group)
        set->bootstrapIndices = readIndices(root.group("bootstrap"), "indices");
    set->positions = readIndices(root, "positions");
    if (root.kind("subsets") == Hdf5Kind::Group) readSubsetDraws(root.group("subsets"), *set);
    if (root.kind("layers") != Hdf5Kind::Missing) readLayers(root.group("layers"), root, *set);
    if (set->layers.empty() && set->subsetDraws.empty() && set->bootstrapIndices.values.empty() &&
        set->positions.values.empty())
        root.place().refuse("holds no kernel parameters", kWhereToStore);
    return set;
}

}  // namespace dimscope::io
