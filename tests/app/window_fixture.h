// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <QString>
#include <functional>
#include <memory>

#include "app/core/selection_history.h"

namespace dimscope::app {

class Appearance;
class MainWindow;

/// A window on screen (offscreen), closed again after each test.
class WindowTest : public testing::Test {
protected:
    WindowTest();
    ~WindowTest() override;

    MainWindow& window() { return *window_; }
    Appearance& appearance() { return *appearance_; }
    static QString sample() { return QString(SAMPLE_DIR) + "/smollm2-sample.h5"; }
    /// Opens the sample and waits until every layer is profiled and grouped.
    void openSample();
    void choose(int layer, int head);
    /// Runs the event loop until the condition holds; false after a generous time.
    static bool waitUntil(const std::function<bool()>& condition);

private:
    std::unique_ptr<Appearance> appearance_;
    std::unique_ptr<MainWindow> window_;
};

inline HeadChoice headOf(int layer, int head) { return {kernels::LayerIndex{layer}, kernels::HeadIndex{head}}; }

}  // namespace dimscope::app
