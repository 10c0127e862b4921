// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_writer.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "io/figure/figure_theme.h"
#include "kernels/error.h"
#include "sample_figures.h"

namespace dimscope::io {
namespace {

class FigureWriter : public testing::Test {
protected:
    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(folder_.path().toStdString()) / name;
    }
    std::string written(const analysis::Figure& figure, const std::string& name, const FigureSize& size) const {
        writeFigure(figure, file(name), size);
        return content(name);
    }
    std::string content(const std::string& name) const {
        std::ifstream stream(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    std::size_t fileCount() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(file("").parent_path()),
                                                      std::filesystem::directory_iterator()));
    }

private:
    QTemporaryDir folder_;
};

TEST_F(FigureWriter, SvgHasItsSizeInMillimetresAndSaysWhatItShows) {
    const std::string svg = written(magnitudeSample(), "a.svg", {160.0, 61.5, 300});
    EXPECT_NE(svg.find("width=\"160mm\""), std::string::npos);
    EXPECT_NE(svg.find("height=\"61.5mm\""), std::string::npos);
    std::smatch box;
    ASSERT_TRUE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
    EXPECT_NEAR(std::stod(box[1]), 160.0 / 25.4 * 72.0, 0.01);
    EXPECT_NEAR(std::stod(box[2]), 61.5 / 25.4 * 72.0, 0.01);
    EXPECT_NE(svg.find("<title>Magnitude per dimension</title>"), std::string::npos);
    EXPECT_NE(svg.find("mean |q| upwards"), std::string::npos);
    EXPECT_NE(svg.find("dimscope"), std::string::npos);
    EXPECT_NE(svg.find("font-size=\"8\""), std::string::npos);
}

TEST_F(FigureWriter, PdfHasItsSizeAndEmbedsItsFonts) {
    const std::string pdf = written(linesSample(), "a.pdf", {100.0, 62.0, 300});
    std::smatch box;
    ASSERT_TRUE(std::regex_search(pdf, box, std::regex("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]")));
    EXPECT_NEAR(std::stod(box[1]), 100.0 / 25.4 * 72.0, 0.5);  // Qt keeps pages in whole points
    EXPECT_NEAR(std::stod(box[2]), 62.0 / 25.4 * 72.0, 0.5);
    EXPECT_NE(pdf.find("/FontFile"), std::string::npos);
    EXPECT_EQ(pdf.find("/DCTDecode"), std::string::npos);
}

TEST_F(FigureWriter, PngHasItsPixelsItsResolutionAndItsTexts) {
    for (int dpi : {150, 300}) {
        writeFigure(contributionSample(), file("a.png"), {160.0, 68.0, dpi});
        const QImage image(QString::fromStdString(file("a.png").string()));
        EXPECT_EQ(image.width(), std::lround(160.0 / 25.4 * dpi));
        EXPECT_EQ(image.height(), std::lround(68.0 / 25.4 * dpi));
        EXPECT_NEAR(image.dotsPerMeterX() * 0.0254, dpi, 0.05);
        EXPECT_EQ(image.text("Title"), QString("Contribution share"));
        EXPECT_TRUE(image.text("Software").contains("dimscope"));
        EXPECT_EQ(image.pixelColor(0, 0), QColor(Qt::white));
    }
}

TEST_F(FigureWriter, EverySampleGoesIntoEveryKindOfFileAtItsOwnSize) {
    for (const analysis::Figure& figure : {magnitudeSample(), sortedSample(), dotRowsSample(), weightsSample()})
        for (const char* extension : {".svg", ".pdf", ".PNG"}) {
            writeFigure(figure, file(figure.name + extension));
            EXPECT_GT(std::filesystem::file_size(file(figure.name + extension)), 2000u);
        }
    EXPECT_EQ(fileCount(), 12u) << "something was left beside the figures";
}

TEST_F(FigureWriter, RefusesWhatItCannotWriteAndLeavesNothing) {
    EXPECT_THROW(writeFigure(linesSample(), file("a.jpg")), kernels::ArgumentError);
    EXPECT_THROW(writeFigure(linesSample(), file("a.svg"), {1.0, 60.0, 300}), kernels::ArgumentError);
    EXPECT_THROW(writeFigure(linesSample(), file("a.png"), {100.0, std::nan(""), 300}), kernels::ArgumentError);
    EXPECT_THROW(writeFigure(linesSample(), file("a.png"), {100.0, 60.0, 0}), kernels::ArgumentError);
    EXPECT_EQ(fileCount(), 0u);
    for (const char* name : {"missing/a.svg", "missing/a.pdf", "missing/a.png"})
        EXPECT_THROW(writeFigure(linesSample(), file(name)), kernels::FileError) << name;
}

}  // namespace
}  // namespace dimscope::io
