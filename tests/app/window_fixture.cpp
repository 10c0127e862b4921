// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window_fixture.h"

#include <QApplication>
#include <QTest>

#include "app/window/appearance.h"
#include "app/window/main_window.h"

namespace dimscope::app {

WindowTest::WindowTest()
    : appearance_(std::make_unique<Appearance>(*qApp)), window_(std::make_unique<MainWindow>(*appearance_)) {
    window_->resize(1440, 900);
    window_->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    window_->activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(window_.get()));
}

WindowTest::~WindowTest() = default;

bool WindowTest::waitUntil(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60000); }

void WindowTest::openSample() {
    window().open(sample());
    ASSERT_TRUE(waitUntil([this] {
        return window().model().isOpen() && !window().profiles().running() && window().profiles().grouping() != nullptr;
    }));
}

void WindowTest::choose(int layer, int head) { window().model().choose(headOf(layer, head)); }

}  // namespace dimscope::app
