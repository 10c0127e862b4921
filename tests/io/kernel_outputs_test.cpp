// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/kernel_outputs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "io/hdf5_read.h"
#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using Positions = std::vector<std::vector<kernels::Index>>;
using Sizes = std::vector<std::uint64_t>;

const Positions kRows{{0, 3, 5}, {1, 2, 4}};  // 2 prompts, 3 rows

std::vector<double> numbered(std::size_t count) {
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), 0.1);
    return values;
}

TEST(KernelOutputs, AreReadBackEqual) {
    const TemporaryFolder folder;
    const std::vector<double> exact = numbered(2 * 1 * 3 * 2), kernel = numbered(2 * 2 * 1 * 3 * 2);
    const std::vector<io::OutputArray> outputs{{kernels::LayerIndex{7}, "softmax", {2, 1, 3, 2}, exact},
                                               {kernels::LayerIndex{7}, "performer", {2, 2, 1, 3, 2}, kernel}};
    io::writeKernelOutputs(folder / "y.h5", kRows, outputs);

    const io::Hdf5Group root = io::Hdf5Group::openFile(folder / "y.h5");
    EXPECT_EQ(std::get<std::string>(*root.attribute("format")), "attn-kernel-outputs");
    EXPECT_EQ(std::get<std::int64_t>(*root.attribute("format_version")), 1);
    const io::Hdf5Dataset positions = root.dataset("positions");
    EXPECT_EQ(positions.layout().shape, (Sizes{2, 3}));
    EXPECT_EQ(positions.layout().type.text(), "int32");
    EXPECT_EQ(positions.readIntegers(), (std::vector<std::int64_t>{0, 3, 5, 1, 2, 4}));
    const io::Hdf5Dataset softmax = root.dataset("layers/07/softmax/y"),
                          performer = root.dataset("layers/07/performer/y");
    EXPECT_EQ(softmax.layout().shape, (Sizes{2, 1, 3, 2}));
    EXPECT_EQ(softmax.layout().type.text(), "float64");
    EXPECT_EQ(softmax.readNumbers(), exact);
    EXPECT_EQ(performer.layout().shape, (Sizes{2, 2, 1, 3, 2}));
    EXPECT_EQ(performer.readNumbers(), kernel);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"y.h5"});
}

TEST(KernelOutputs, RefuseWhatDoesNotFit) {
    const TemporaryFolder folder;
    const std::vector<double> values = numbered(12);
    const auto write = [&](const std::string& kernel, const std::vector<kernels::Index>& shape,
                           const Positions& positions) {
        const std::vector<io::OutputArray> outputs{{kernels::LayerIndex{7}, kernel, shape, values}};
        io::writeKernelOutputs(folder / "y.h5", positions, outputs);
    };
    EXPECT_THROW(write("softmax", {1, 2, 1, 3, 2}, kRows), kernels::ShapeError);             // rank
    EXPECT_THROW(write("performer", {2, 1, 3, 2}, kRows), kernels::ShapeError);              // rank
    EXPECT_THROW(write("softmax", {2, 3, 1, 2}, kRows), kernels::ShapeError);                // rows
    EXPECT_THROW(write("softmax", {2, 1, 3, 3}, kRows), kernels::ShapeError);                // number of values
    EXPECT_THROW(write("softmax", {2, 1, 3, 2}, {{0, 3, 5}, {1, 2}}), kernels::ShapeError);  // ragged
    EXPECT_THROW(write("softmax", {2, 1, 3, 2}, {{0, 3, -1}, {1, 2, 4}}), kernels::ArgumentError);
    EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace dimscope::tests
