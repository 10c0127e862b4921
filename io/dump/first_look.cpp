// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/first_look.h"

#include <vector>

#include "io/dump/layer_arrays.h"
#include "io/dump/stored_tensor.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

constexpr std::size_t kMostRowBytes = std::size_t{1} << 24;

/// One row of the last axis, at the start or the end of all others.
ArrayBox endOf(const ArrayLayout& layout, bool last) {
    ArrayBox box;
    for (const std::uint64_t size : layout.shape) {
        box.offset.push_back(last ? size - 1 : 0);
        box.count.push_back(1);
    }
    if (!layout.shape.empty()) {
        box.offset.back() = 0;
        box.count.back() = layout.shape.back();
    }
    return box;
}

void touch(const StoredArray& array) {
    checkArray(array);
    const ArrayLayout& layout = array.layout();
    const std::size_t bytes = layout.type.bytes * (layout.shape.empty() ? 1 : layout.shape.back());
    if (bytes > kMostRowBytes) return;
    std::vector<std::byte> row(bytes);
    for (const bool last : {false, true}) {
        const ArrayBox box = endOf(layout, last);
        if (array.wasWritten(box)) array.readBytes(box, row);
    }
}

}  // namespace

void touchEnds(const std::filesystem::path& path, const ReadingDecisions& decisions,
               std::chrono::milliseconds longest) {
    OpenPolicy policy;
    policy.outside = decisions.outside;
    const std::unique_ptr<ArrayFile> file = openArrayFile(path, policy);
    if (file->hdf5Root() == nullptr) return;
    const auto start = std::chrono::steady_clock::now();
    for (const LayerArrays& layer : arrangeArrays(*file, decisions).layers)
        for (const auto& [role, arrays] : layer.arrays)
            for (const NamedArray& array : arrays) {
                if (std::chrono::steady_clock::now() - start > longest) return;
                try {
                    touch(*file->open(array.ref, 0));
                } catch (const kernels::Error&) {
                    continue;  // refused where it is used, with its cause
                }
            }
}

}  // namespace dimscope::io
