// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernels_page.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <map>

#include "app/window/data_table.h"
#include "app/window/kernel_parameters_form.h"
#include "app/window/kernel_table.h"
#include "app/window/kernel_table_model.h"
#include "app/window/kernels_form.h"
#include "app/window/main_window.h"
#include "app/window/number_box.h"
#include "kernels/kernel_catalog.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

class KernelsPageTest : public WindowTest {
protected:
    void SetUp() override {
        openSample();
        choose(15, 4);
        window().showPage(2);
        ASSERT_TRUE(waitForComparison());
    }

    bool waitForComparison() {
        return waitUntil([this] { return window().comparison().head() && !window().comparison().stale(); });
    }
    KernelParametersForm& form() { return *window().findChild<KernelParametersForm*>(); }
    /// The field of the chosen kernel with this label; null where it has none.
    template <class Field>
    Field* field(const QString& label) {
        for (Field* candidate : form().findChildren<Field*>())
            if (candidate->accessibleName() == label && !candidate->parentWidget()->isHidden()) return candidate;
        return nullptr;
    }
    /// A field of the page's form.
    template <class Field>
    Field* formField(const QString& label) {
        for (Field* candidate : window().findChild<KernelsForm*>()->findChildren<Field*>())
            if (candidate->accessibleName() == label) return candidate;
        return nullptr;
    }
    bool gatesShown() { return !page().table().view().isColumnHidden(KernelTableModel::Gate); }
    const KernelRow* rowOf(const std::string& kernel) {
        for (int row = 0; row < page().table().rows().rowCount(); ++row)
            if (page().table().rows().row(row).name == kernel) return &page().table().rows().row(row);
        return nullptr;
    }
    double relMseOf(const std::string& kernel) {
        return window().comparison().head()->find(LayerIndex{15}, HeadIndex{4}, kernel)->relMse;
    }
    /// Waits for the result that a change brings.
    void waitForAnother(const std::shared_ptr<const analysis::ComparisonResult>& before) {
        ASSERT_TRUE(
            waitUntil([&] { return window().comparison().head() != before && !window().comparison().stale(); }));
    }
    void chooseKernel(const QString& name) { emit page().table().kernelChosen(name); }
    KernelsPage& page() { return *qobject_cast<KernelsPage*>(window().currentPage()); }
    /// Heads that the result at hand is about.
    bool isAbout(HeadChoice head) {
        const auto& result = window().comparison().head();
        return result && result->find(head.layer, head.head, "performer") != nullptr;
    }
};

TEST_F(KernelsPageTest, showsEveryKernelWithExactAttentionOnTop) {
    ASSERT_TRUE(waitUntil([this] { return page().table().rows().rowCount() > 1; }));
    EXPECT_EQ(page().table().rows().rowCount(), static_cast<int>(comparableKernels().size()) + 1);
    EXPECT_EQ(page().table().rows().row(0).name, "softmax");
    EXPECT_TRUE(isAbout(headOf(15, 4)));
}

TEST_F(KernelsPageTest, followsTheChosenHeadAndNeverShowsAStaleOne) {
    int shownOfAnother = 0;
    QObject::connect(&window().comparison(), &HeadComparison::changed, &window(), [&] {
        if (window().comparison().head() && !isAbout(*window().model().choice())) ++shownOfAnother;
    });
    for (int head = 0; head < 9; ++head) {
        choose(25, head);
        QTest::qWait(2);
    }
    ASSERT_TRUE(waitForComparison());
    EXPECT_TRUE(isAbout(headOf(25, 8)));
    EXPECT_EQ(shownOfAnother, 0);
}

TEST_F(KernelsPageTest, followsRowsSeedLengthKernelsAndBackend) {
    const auto change = [this](auto set) {
        const auto before = window().comparison().head();
        Parameters parameters = window().model().parameters();
        set(parameters);
        window().model().setParameters(parameters);
        EXPECT_TRUE(
            waitUntil([&] { return window().comparison().head() != before && !window().comparison().stale(); }));
        return window().comparison().head();
    };
    EXPECT_EQ(change([](Parameters& p) { p.rows = 8; })->positions.front().size(), 8U);
    const auto seeded = change([](Parameters& p) { p.seed = 7; });
    const auto shorter = change([](Parameters& p) { p.length = 100; });
    EXPECT_NE(seeded->positions, shorter->positions);
    for (const Index position : shorter->positions.front()) EXPECT_LT(position, 100);
    EXPECT_EQ(change([](Parameters& p) { p.kernels = {"performer"}; })->find(LayerIndex{15}, HeadIndex{4}, "oal"),
              nullptr);
    const auto before = window().comparison().head();
    window().model().setBackend("reference");
    ASSERT_TRUE(waitUntil([&] { return window().comparison().head() != before && !window().comparison().stale(); }));
    EXPECT_EQ(window().comparison().head()->provenance.backend, "reference");
}

TEST_F(KernelsPageTest, aClickOnARowShowsItsWeightsWithoutComputing) {
    ASSERT_TRUE(waitUntil([this] { return page().table().rows().rowCount() > 1; }));
    const auto before = window().comparison().head();
    emit page().table().kernelChosen("taylor");
    EXPECT_EQ(window().model().parameters().weightsOf, "taylor");
    QTest::qWait(50);
    EXPECT_EQ(window().comparison().head(), before);
    emit page().table().kernelChosen("softmax");  // exact attention stands beside every kernel anyway
    EXPECT_EQ(window().model().parameters().weightsOf, "taylor");
}

TEST_F(KernelsPageTest, theLayerFollowsAfterTheHead) {
    ASSERT_TRUE(waitUntil([this] { return window().comparison().layer() != nullptr; }));
    ASSERT_TRUE(waitUntil(
        [this] { return page().table().rows().rowCount() > 1 && page().table().rows().row(1).layer.has_value(); }));
}

TEST_F(KernelsPageTest, exportsFiguresAndTheTable) {
    ASSERT_TRUE(waitUntil([this] { return page().content().figures.size() == 3; }));
    const PageContent content = page().content();
    ASSERT_EQ(content.tables.size(), 1U);
    EXPECT_EQ(content.tables.front()->rows(), comparableKernels().size() + 1);
}

TEST_F(KernelsPageTest, theFormHasTheParametersOfTheChosenKernelAlone) {
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog()) {
        if (kernel.referenceLine || kernel.name == "softmax") continue;
        chooseKernel(QString::fromStdString(kernel.name));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        int fields = 0;
        for (const kernels::KernelParameter& parameter : kernel.parameters) {
            const QString title = QString::fromStdString(parameter.title);
            const bool found = parameter.choices.empty() ? (parameter.integer ? field<QSpinBox>(title) != nullptr
                                                                              : field<NumberBox>(title) != nullptr)
                                                         : field<QComboBox>(title) != nullptr;
            EXPECT_TRUE(found) << kernel.name << " " << parameter.name;
            ++fields;
        }
        EXPECT_EQ(form().findChildren<QAbstractSpinBox*>().size() + form().findChildren<QComboBox*>().size(), fields)
            << kernel.name;
    }
}

TEST_F(KernelsPageTest, everyKindOfParameterComputesAnew) {
    chooseKernel("power");
    auto before = window().comparison().head();
    const double square = relMseOf("power"), performer = relMseOf("performer");
    field<QSpinBox>("Exponent p")->setValue(4);
    waitForAnother(before);
    EXPECT_NE(relMseOf("power"), square);
    EXPECT_EQ(relMseOf("performer"), performer);

    chooseKernel("hedgehog");
    before = window().comparison().head();
    const double lolcats = relMseOf("hedgehog");
    field<QComboBox>("Variant")->setCurrentText("fla");
    waitForAnother(before);
    EXPECT_NE(relMseOf("hedgehog"), lolcats);

    chooseKernel("performer");
    before = window().comparison().head();
    NumberBox* epsilon = field<NumberBox>("Epsilon");
    epsilon->setFocus();
    epsilon->selectAll();
    QTest::keyClicks(epsilon, "1e-4");
    QTest::keyClick(epsilon, Qt::Key_Return);
    EXPECT_EQ(window().model().parameters().settings.value("performer", "epsilon"), 1e-4);
    waitForAnother(before);
    EXPECT_NE(relMseOf("performer"), performer);
}

TEST_F(KernelsPageTest, theDefaultAgainIsAsIfNothingHadBeenSet) {
    const Parameters untouched = window().model().parameters();
    chooseKernel("power");
    field<QSpinBox>("Exponent p")->setValue(6);
    EXPECT_NE(window().model().parameters().settings, untouched.settings);
    field<QSpinBox>("Exponent p")->setValue(2);
    EXPECT_EQ(window().model().parameters().settings, untouched.settings);
    field<QSpinBox>("Exponent p")->setValue(6);
    window().model().setParameters(untouched);  // as an undo would
    chooseKernel("power");
    EXPECT_EQ(field<QSpinBox>("Exponent p")->value(), 2);
}

TEST_F(KernelsPageTest, theParametersFoldAway) {
    chooseKernel("power");
    QPushButton* title = form().findChild<QPushButton*>("fold");
    EXPECT_TRUE(title->text().contains("Power"));
    QTest::mouseClick(title, Qt::LeftButton);
    EXPECT_FALSE(form().findChild<QSpinBox*>()->isVisible());
    QTest::mouseClick(title, Qt::LeftButton);
    EXPECT_TRUE(form().findChild<QSpinBox*>()->isVisible());
}

TEST_F(KernelsPageTest, theRowSaysWhatIsSet) {
    const auto before = window().comparison().head();
    Parameters parameters = window().model().parameters();
    parameters.settings.set("power", "p", 4);
    parameters.settings.setText("hedgehog", "variant", "fla");
    window().model().setParameters(parameters);
    waitForAnother(before);
    std::map<std::string, std::string> settings;
    for (int row = 0; row < page().table().rows().rowCount(); ++row)
        settings[page().table().rows().row(row).name] = page().table().rows().row(row).setting;
    EXPECT_EQ(settings["power"], "p = 4");
    EXPECT_EQ(settings["hedgehog"], "fla, uncalibrated");
    EXPECT_EQ(settings["performer"], "m = 250");
    EXPECT_EQ(settings.count("elu"), 1U);
    EXPECT_EQ(settings["elu"], "");
}

TEST_F(KernelsPageTest, exactKeysBringTheGatesAndTheTwoRests) {
    EXPECT_FALSE(gatesShown());
    EXPECT_EQ(rowOf("zero"), nullptr);
    auto before = window().comparison().head();
    const double alone = relMseOf("taylor");
    formField<QSpinBox>("First S")->setValue(4);
    formField<QSpinBox>("Latest W")->setValue(16);
    EXPECT_EQ(window().model().parameters().evaluation.exactFirst, 4);
    EXPECT_EQ(window().model().parameters().evaluation.exactWindow, 16);
    waitForAnother(before);
    ASSERT_TRUE(waitUntil([this] { return gatesShown(); }));
    EXPECT_LT(relMseOf("taylor"), alone);
    EXPECT_TRUE(rowOf("taylor")->gate);
    EXPECT_FALSE(rowOf("softmax")->gate);
    ASSERT_NE(rowOf("zero"), nullptr);
    EXPECT_EQ(rowOf("zero")->title, "No rest");
    ASSERT_NE(rowOf("uniform"), nullptr);
    EXPECT_EQ(rowOf("uniform")->title, "Uniform rest");
    EXPECT_EQ(rowOf("first_value"), nullptr);
    EXPECT_EQ(page().content().tables.front()->columns[2].name, "gate");
    EXPECT_NE(page().content().figures.front()->caption.find("first 4 and latest 16 keys exact"), std::string::npos);
    page().table().view().copySelection();
    EXPECT_TRUE(QApplication::clipboard()->text().contains("gate"));

    page().table().view().sortByColumn(KernelTableModel::Gate, Qt::DescendingOrder);
    before = window().comparison().head();
    formField<QSpinBox>("First S")->setValue(0);
    formField<QSpinBox>("Latest W")->setValue(0);
    waitForAnother(before);
    ASSERT_TRUE(waitUntil([this] { return !gatesShown(); }));
    EXPECT_EQ(rowOf("zero"), nullptr);
    EXPECT_EQ(relMseOf("taylor"), alone);
    page().table().view().copySelection();
    EXPECT_FALSE(QApplication::clipboard()->text().contains("gate"));
    EXPECT_EQ(page().table().view().horizontalHeader()->sortIndicatorSection(), KernelTableModel::Head);
}

TEST_F(KernelsPageTest, centredKeysChangeTheKernelsAndAreSaid) {
    const auto before = window().comparison().head();
    const double asStored = relMseOf("taylor");
    for (QCheckBox* box : window().findChild<KernelsForm*>()->findChildren<QCheckBox*>())
        if (box->text() == "Centre keys") box->click();
    EXPECT_TRUE(window().model().parameters().evaluation.centreKeys);
    waitForAnother(before);
    EXPECT_NE(relMseOf("taylor"), asStored);
    EXPECT_FALSE(gatesShown());
    EXPECT_NE(page().content().figures.front()->caption.find("centred keys"), std::string::npos);
    window().findChild<KernelsForm*>()->findChild<QPushButton*>("link")->click();  // all defaults again
    EXPECT_EQ(window().model().parameters().evaluation, analysis::EvaluationParams{});
    ASSERT_TRUE(waitUntil([&] { return relMseOf("taylor") == asStored; }));
}

TEST(NumberBox, stepsByTheLeadingDigit) {
    const auto up = [](double value) { return nextByLeadingDigit(value, true, 1e-6); };
    const auto down = [](double value) { return nextByLeadingDigit(value, false, 1e-6); };
    EXPECT_DOUBLE_EQ(up(0.0), 1e-6);
    EXPECT_DOUBLE_EQ(up(1e-6), 2e-6);
    EXPECT_DOUBLE_EQ(up(9e-6), 1e-5);
    EXPECT_DOUBLE_EQ(up(0.1), 0.2);
    EXPECT_DOUBLE_EQ(down(1e-5), 9e-6);
    EXPECT_DOUBLE_EQ(down(2e-6), 1e-6);
    EXPECT_EQ(down(1e-6), 0.0);
    EXPECT_DOUBLE_EQ(down(0.0), -1e-6);
    EXPECT_DOUBLE_EQ(up(-1.0), -0.9);
    EXPECT_DOUBLE_EQ(down(-9.0), -10.0);
}

TEST(NumberBox, takesScientificNotationAndRefusesWhatIsOutside) {
    NumberBox box(0.0, 0.5);
    box.setValue(1e-6);
    EXPECT_EQ(box.text(), "1e-6");
    EXPECT_EQ(box.value(), 1e-6);
    int place = 0;
    for (const auto& [text, state] : {std::pair<QString, QValidator::State>{"2.5e-4", QValidator::Acceptable},
                                      {"1e-", QValidator::Intermediate},
                                      {"0.7", QValidator::Intermediate},
                                      {"", QValidator::Intermediate},
                                      {"nan", QValidator::Invalid},
                                      {"1,5", QValidator::Invalid}}) {
        QString typed = text;
        EXPECT_EQ(box.validate(typed, place), state) << text.toStdString();
    }
}

TEST_F(KernelsPageTest, nothingIsComputedWhileThePageIsNotSeen) {
    window().showPage(0);
    const auto before = window().comparison().head();
    choose(5, 0);
    QTest::qWait(100);
    EXPECT_EQ(window().comparison().head(), before);
    window().showPage(2);
    ASSERT_TRUE(waitUntil([this] { return isAbout(headOf(5, 0)); }));
}

}  // namespace
}  // namespace dimscope::app
