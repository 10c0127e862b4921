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
constexpr Index kSlabBytes = Index{32} << 20;            ///< read at once; between slabs a person may cancel
constexpr std::size_t kMostCacheBytes = std::size_t{256} << 20U;

void checkShape(const Hdf5Dataset& dataset, const TensorRules& rules) {
    const DatasetLayout& layout = dataset.layout();
    const std::vector<Index> shape(layout.shape.begin(), layout.shape.end());
    if (layout.null) dataset.place().refuse("is empty (no values)", "write its values");
    if (shape.size() != rules.rank)
        dataset.place().refuse(fmt::format("has rank {} (shape {}), expected rank {}: {}", shape.size(),
                                           shapeText(shape), rules.rank, rules.axes.front()),
                               "write it with the axes in this order");
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        dataset.place().refuse(fmt::format("is empty: shape {} has an axis of size 0", shapeText(shape)),
                               "write its values");
}

void checkDeclaredSize(const Hdf5Dataset& dataset) {
    const DatasetLayout& layout = dataset.layout();
    const double declared = static_cast<double>(dataset.elements()) * static_cast<double>(layout.type.bytes);
    const auto stored = static_cast<double>(layout.storedBytes);
    if (stored == 0.0)
        dataset.place().refuse(
            fmt::format("declares {} but was never written: 0 bytes are stored", bytesText(declared)),
            "let the writing program finish, or write it again");
    if (declared > kBombBytes && declared > kBombRatio * stored)
        dataset.place().refuse(
            fmt::format("declares {} although only {} are stored: implausible", bytesText(declared), bytesText(stored)),
            "write the file again");
}

void checkAxes(const Hdf5Dataset& dataset, const TensorRules& rules, const AttributeScope& scope) {
    const std::optional<std::string> axes = scope.isOwn("axes") ? scope.text("axes") : std::nullopt;
    if (!axes || std::find(rules.axes.begin(), rules.axes.end(), *axes) != rules.axes.end()) return;
    dataset.place().refuse(
        fmt::format("has axes=\"{}\", this version reads only \"{}\"", printable(*axes), rules.axes.front()),
        "transpose the tensor, or correct the attribute");
}

bool isFloat(const Hdf5Type& type, std::size_t bytes, int exponentBits, std::size_t bias) {
    return type.kind == Hdf5Type::Class::Float && type.plainLayout && type.bytes == bytes &&
           type.exponentBits == exponentBits && type.exponentBias == bias;
}

/// Bit patterns of bf16 in a type that is no number of its own kind.
bool canHoldPatterns(const Hdf5Type& type) {
    return type.bytes == 2 && (type.kind == Hdf5Type::Class::Integer || type.kind == Hdf5Type::Class::Opaque);
}

NumberFormat formatOf(const Hdf5Dataset& dataset, const AttributeScope& scope) {
    const Hdf5Type& type = dataset.layout().type;
    const std::string encoding = scope.text("encoding").value_or("ieee");
    if (encoding != "ieee" && encoding != "bf16")
        dataset.place().refuse(
            fmt::format("has encoding=\"{}\", this version reads \"ieee\" and \"bf16\"", printable(encoding)),
            "write float16, float32, float64 or bf16");
    if (canHoldPatterns(type) && encoding == "bf16") return {NumberEncoding::BFloat16, type.bigEndian};
    if (canHoldPatterns(type))
        dataset.place().refuse(fmt::format("has type {}, expected floating-point numbers", type.text()),
                               "if these are bf16 bit patterns, add the attribute encoding=\"bf16\"");
    const bool brain = isFloat(type, 2, 8, 127);
    if (encoding == "bf16" && scope.isOwn("encoding") && !brain)
        dataset.place().refuse(fmt::format("has encoding=\"bf16\" but type {}", type.text()), "correct the attribute");
    if (brain) return {NumberEncoding::BFloat16, type.bigEndian};
    if (isFloat(type, 2, 5, 15)) return {NumberEncoding::Float16, type.bigEndian};
    if (isFloat(type, 4, 8, 127)) return {NumberEncoding::Float32, type.bigEndian};
    if (isFloat(type, 8, 11, 1023)) return {NumberEncoding::Float64, type.bigEndian};
    dataset.place().refuse(fmt::format("has type {}, which is not known here", type.text()),
                           "write float16, float32, float64 or bf16");
}

std::vector<double> scaleFactorsOf(const Hdf5Dataset& dataset, const AttributeScope& scope) {
    std::vector<double> factors = scope.numbers("scale_factor");
    const DatasetLayout& layout = dataset.layout();
    const bool perHead = layout.shape.size() == 4 && factors.size() == layout.shape[1];
    if (factors.size() > 1 && !perHead)
        dataset.place().refuse(fmt::format("has {} scale factors, expected one, or one per head", factors.size()),
                               "correct the attribute scale_factor");
    if (!std::all_of(factors.begin(), factors.end(), [](double f) { return std::isfinite(f); }))
        dataset.place().refuse("has a scale_factor that is not finite", "correct the attribute scale_factor");
    return factors;
}

/// How a matrix of the last two axes is read: whole chunks, about 32 MiB at a time, and a cache that keeps the chunks
/// of one matrix where they hold its neighbours too.
void planReading(const DatasetLayout& layout, StoredTensor& tensor) {
    const std::size_t rank = layout.shape.size();
    if (rank < 2) return;
    const auto rowBytes = static_cast<double>(layout.shape[rank - 1]) * static_cast<double>(layout.type.bytes);
    tensor.slabRows = std::max<Index>(1, static_cast<Index>(static_cast<double>(kSlabBytes) / rowBytes));
    if (layout.chunk.empty()) return;
    const auto chunkRows = static_cast<Index>(layout.chunk[rank - 2]);
    tensor.slabRows = std::max<Index>(1, tensor.slabRows / chunkRows) * chunkRows;
    double bytes = static_cast<double>(layout.type.bytes);
    bool shared = false;
    for (std::size_t a = 0; a < rank; ++a) {
        const auto size = static_cast<double>(layout.shape[a]), chunk = static_cast<double>(layout.chunk[a]);
        shared = shared || (a + 2 < rank && layout.chunk[a] > 1);
        bytes *= a + 2 < rank ? chunk : std::ceil(size / chunk) * chunk;
    }
    if (shared)
        tensor.cacheBytes = static_cast<std::size_t>(std::min(bytes * 1.1, static_cast<double>(kMostCacheBytes)));
}

}  // namespace

double StoredTensor::scaleFactor(Index head) const {
    if (scaleFactors.empty()) return 1.0;
    return scaleFactors.size() == 1 ? scaleFactors.front() : scaleFactors[static_cast<std::size_t>(head)];
}

std::string shapeText(const std::vector<Index>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

StoredTensor describeTensor(const Hdf5Dataset& dataset, const TensorRules& rules, const AttributeScope& outer) {
    const AttributeScope scope(dataset, outer);
    checkShape(dataset, rules);
    checkAxes(dataset, rules, scope);
    StoredTensor tensor;
    tensor.format = formatOf(dataset, scope);
    checkDeclaredSize(dataset);
    tensor.path = dataset.place().object;
    tensor.shape.assign(dataset.layout().shape.begin(), dataset.layout().shape.end());
    tensor.scaleFactors = scaleFactorsOf(dataset, scope);
    planReading(dataset.layout(), tensor);
    return tensor;
}

}  // namespace dimscope::io
