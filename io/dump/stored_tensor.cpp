// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/stored_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/message_text.h"

namespace dimscope::io {
namespace {

using kernels::Index;

constexpr double kBombBytes = 4.0 * 1024 * 1024 * 1024;  ///< declared sizes below this are believed
constexpr double kBombRatio = 1000.0;                    ///< gzip of real numbers stays far below
constexpr double kLargestSize = 4e18;                    ///< of a product of sizes that fits 63 bits
constexpr Index kSlabBytes = Index{32} << 20;            ///< read at once; between slabs a person may cancel
constexpr std::size_t kMostCacheBytes = std::size_t{256} << 20U;

}  // namespace

double StoredTensor::scaleFactor(Index head) const {
    if (scaleFactors.empty()) return 1.0;
    return scaleFactors.size() == 1 ? scaleFactors.front() : scaleFactors[static_cast<std::size_t>(head)];
}

const TensorPart& StoredTensor::part(int prompt, Index head, const FilePlace& place) const {
    for (const TensorPart& candidate : parts)
        if ((candidate.prompt < 0 || candidate.prompt == prompt) && (candidate.head < 0 || candidate.head == head))
            return candidate;
    place.refuse(fmt::format("{} is missing for prompt {}, head {}", path, prompt, head),
                 "choose prompts that the layer has (--prompts)");
}

bool StoredTensor::hasPrompt(int prompt) const {
    return std::any_of(parts.begin(), parts.end(),
                       [prompt](const TensorPart& part) { return part.prompt < 0 || part.prompt == prompt; });
}

std::string shapeText(const Sizes& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Sizes shapeOf(const StoredArray& array) { return {array.layout().shape.begin(), array.layout().shape.end()}; }

void checkArray(const StoredArray& array) {
    const ArrayLayout& layout = array.layout();
    const FilePlace& place = array.place();
    if (layout.null) place.refuse("is empty (no values)", "write its values");
    const Sizes shape = shapeOf(array);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        place.refuse(fmt::format("is empty: shape {} has an axis of size 0", shapeText(shape)), "write its values");
    double declared = static_cast<double>(layout.type.bytes);
    for (const std::uint64_t size : layout.shape) declared *= static_cast<double>(size);
    if (declared > kLargestSize)
        place.refuse("declares a size that overflows: too large to be real", "write the file again");
    const auto stored = static_cast<double>(layout.storedBytes);
    if (stored == 0.0)
        place.refuse(fmt::format("declares {} but was never written: 0 bytes are stored", bytesText(declared)),
                     "let the writing program finish, or write it again");
    if (declared > kBombBytes && declared > kBombRatio * stored)
        place.refuse(
            fmt::format("declares {} although only {} are stored: implausible", bytesText(declared), bytesText(stored)),
            "write the file again");
}

void planReading(const ArrayLayout& layout, Index columns, TensorPart& part) {
    const double rowBytes = static_cast<double>(columns) * static_cast<double>(layout.type.bytes);
    part.slabRows = std::max<Index>(1, static_cast<Index>(static_cast<double>(kSlabBytes) / rowBytes));
    if (layout.chunk.empty()) return;
    double bytes = static_cast<double>(layout.type.bytes);
    bool shared = false;
    for (std::size_t a = 0; a < part.axes.size(); ++a) {
        const auto chunk = static_cast<Index>(layout.chunk[a]);
        const bool matrix = part.axes[a].role == AxisRole::Position || part.axes[a].role == AxisRole::Dim;
        if (part.axes[a].role == AxisRole::Position) part.slabRows = std::max<Index>(1, part.slabRows / chunk) * chunk;
        const Index mine = part.axes[a].role == AxisRole::HeadDim ? columns : 1;
        shared = shared || (!matrix && chunk > mine);
        const auto size = static_cast<double>(layout.shape[a]);
        bytes *= matrix ? std::ceil(size / static_cast<double>(chunk)) * static_cast<double>(chunk)
                        : static_cast<double>(chunk);
    }
    if (shared) part.cacheBytes = static_cast<std::size_t>(std::min(bytes * 1.1, static_cast<double>(kMostCacheBytes)));
}

}  // namespace dimscope::io
