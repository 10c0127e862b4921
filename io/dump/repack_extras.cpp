// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/repack_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/dump/attribute_scope.h"
#include "io/dump/matrix_reading.h"
#include "io/dump/number_format.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;

/// Of 32 bits, as the format has them. Throws FormatError.
std::vector<std::int32_t> readIds(const Hdf5Dataset& dataset) {
    std::vector<std::int32_t> ids;
    for (const std::int64_t id : dataset.readIntegers()) {
        if (id < std::numeric_limits<std::int32_t>::min() || id > std::numeric_limits<std::int32_t>::max())
            dataset.place().refuse(fmt::format("holds {}, which is no 32-bit number", id), "");
        ids.push_back(static_cast<std::int32_t>(id));
    }
    return ids;
}

}  // namespace

BlockInput::BlockInput(const ArrayFile& file, const ArrayRef& array, const analysis::LayerInfo& layer)
    : array_(file.open(array, 0)) {
    checkArray(*array_);
    const AttributeScope scope(file.attributes(array));
    tensor_.path = array_->place().object;
    tensor_.shape = shapeOf(*array_);
    if (tensor_.shape.size() != 3 || tensor_.shape[0] != layer.prompts || tensor_.shape[1] != layer.positions)
        array_->place().refuse(fmt::format("has shape {}, expected [{}, {}, model_dim]", shapeText(tensor_.shape),
                                           layer.prompts, layer.positions),
                               "");
    std::vector<analysis::Warning> ofFormat;
    tensor_.format = numberFormatOf(*array_, scope, ofFormat);
    tensor_.scaleFactors = scope.numbers("scale_factor");
    TensorPart part;
    part.array = array;
    using enum AxisRole;
    part.axes = {{Prompt}, {Position}, {Dim}};
    part.positions = tensor_.shape[1];
    planReading(array_->layout(), tensor_.shape[2], part);
    tensor_.parts.push_back(std::move(part));
}

std::shared_ptr<const analysis::LoadedTensor> BlockInput::load(kernels::PromptIndex prompt,
                                                               const kernels::RunControl& control) const {
    auto loaded = std::make_shared<analysis::LoadedTensor>();
    if (tensor_.format.needsDouble())
        loaded->values = readMatrix<double>(*array_, tensor_, tensor_.parts.front(), prompt.value, 0, control);
    else
        loaded->values = readMatrix<float>(*array_, tensor_, tensor_.parts.front(), prompt.value, 0, control);
    return loaded;
}

std::optional<ArrayRef> blockInputOf(const ArrayFile& file, kernels::LayerIndex layer) {
    const Hdf5Group* root = file.hdf5Root();
    if (root == nullptr || root->kind("layers") != Hdf5Kind::Group) return std::nullopt;
    const Hdf5Group layers = root->group("layers");
    for (const std::string& name : {fmt::format("{:02}", layer.value), fmt::format("{}", layer.value)})
        if (layers.kind(name) == Hdf5Kind::Group && layers.group(name).kind("x") == Hdf5Kind::Dataset)
            return ArrayRef{"/layers/" + name + "/x", ""};
    return std::nullopt;
}

kernels::TensorView rowsOfView(const kernels::TensorView& view, Index first, Index count) {
    return std::visit(
        [&](const auto& v) -> kernels::TensorView {
            return std::decay_t<decltype(v)>(v.row(first), count, v.cols(), v.stride());
        },
        view);
}

void copyTokens(const ArrayFile& file, Index prompts, Index positions, Hdf5Writer& to,
                std::vector<analysis::Warning>& warnings) {
    const Hdf5Group* root = file.hdf5Root();
    if (root == nullptr || root->kind("prompts") != Hdf5Kind::Group) return;
    const Hdf5Group group = root->group("prompts");
    for (const char* name : {"ids", "tokens"}) {
        if (group.kind(name) == Hdf5Kind::Missing) continue;
        try {
            const Hdf5Dataset dataset = group.dataset(name);
            const Sizes shape = shapeOf(dataset), expected{prompts, positions};
            if (shape != expected)
                dataset.place().refuse(fmt::format("has shape {}, expected {}", shapeText(shape), shapeText(expected)),
                                       "");
            const std::string object = std::string("/prompts/") + name;
            if (std::string_view(name) == "ids")
                to.writeIntegers(object, shape, readIds(dataset));
            else
                to.writeTexts(object, dataset.readStrings(), shape);
        } catch (const kernels::FormatError& error) {
            warnings.push_back({"repack_left_out", error.parts().object,
                                fmt::format("{} {}; it is left out", error.parts().object, error.parts().cause)});
        }
    }
}

}  // namespace dimscope::io
