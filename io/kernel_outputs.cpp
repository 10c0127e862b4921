// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/kernel_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

#include "io/atomic_file.h"
#include "io/hdf5_write.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

using kernels::Index;
using Positions = std::vector<std::vector<Index>>;

std::string pathOf(const OutputArray& output) {
    return fmt::format("/layers/{:02}/{}/y", output.layer.value, output.kernel);
}

/// [P, Hq, R, Dv] or [S, P, Hq, R, Dv], with P and R of the positions.
void check(const OutputArray& output, Index prompts, Index rows) {
    const std::string path = pathOf(output);
    const std::size_t rank = output.kernel == "softmax" ? 4 : 5;
    const std::vector<Index>& shape = output.shape;
    if (shape.size() != rank)
        throw kernels::ShapeError(fmt::format("{}: it has {} axes, expected {}", path, shape.size(), rank));
    if (shape[rank - 4] != prompts || shape[rank - 2] != rows)
        throw kernels::ShapeError(fmt::format("{}: its shape is [{}], expected {} prompts and {} rows", path,
                                              fmt::join(shape, ", "), prompts, rows));
}

/// (prompts * rows), row major.
std::vector<std::int32_t> flattened(const Positions& positions) {
    std::vector<std::int32_t> flat;
    for (const std::vector<Index>& row : positions) {
        if (row.size() != positions.front().size())
            throw kernels::ShapeError(
                fmt::format("positions: a prompt has {} rows, the first has {}", row.size(), positions.front().size()));
        for (const Index position : row) {
            if (position < 0 || position > INT32_MAX)
                throw kernels::ArgumentError(fmt::format("positions: {} does not fit into 32 bits", position));
            flat.push_back(static_cast<std::int32_t>(position));
        }
    }
    return flat;
}

}  // namespace

void writeKernelOutputs(const std::filesystem::path& path, const Positions& positions,
                        std::span<const OutputArray> outputs) {
    const std::vector<std::int32_t> flat = flattened(positions);
    const auto prompts = static_cast<Index>(positions.size());
    const Index rows = positions.empty() ? 0 : static_cast<Index>(positions.front().size());
    for (const OutputArray& output : outputs) check(output, prompts, rows);
    writeFileAtomically(path, [&](const std::filesystem::path& part) {
        Hdf5Writer file(part, path);
        file.setAttribute("/", "format", std::string("attn-kernel-outputs"));
        file.setAttribute("/", "format_version", std::int64_t{1});
        file.writeIntegers("/positions", {prompts, rows}, flat);
        for (const OutputArray& output : outputs) file.writeNumbers(pathOf(output), output.shape, output.values);
        file.close();
    });
}

}  // namespace dimscope::io
