// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/style_sheet.h"

#include <initializer_list>
#include <utility>

#include "app/window/appearance.h"

namespace dimscope::app {
namespace {

// $name stands for a colour.
constexpr const char* kSheet = R"(
QToolTip { background: $panel; color: $text; border: 1px solid $field; padding: 3px 6px; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
#topBar { background: $window; border-bottom: 1px solid $border; }
#topBar QMenuBar { background: transparent; font-size: 13px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $panel; border: 1px solid $field; padding: 4px 0; }
QMenu::item { padding: 5px 26px 5px 24px; }
QMenu::item:selected { background: $selectedRow; }
QMenu::item:disabled { color: $field; }
QMenu::separator { height: 1px; background: $hairline; margin: 4px 0; }
#topBar QToolButton { font-size: 13px; }
QToolButton { border: 0; border-radius: 4px; padding: 3px 5px; background: transparent; color: $text; }
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $selectedRow; }
QToolButton:disabled { color: $field; }
QToolButton::menu-indicator { image: none; width: 0; }
#divider { background: $border; }
QLineEdit, QSpinBox, QDoubleSpinBox, QPushButton#choice {
  background: $panel; border: 1px solid $field; border-radius: 3px; color: $text; padding: 0 6px;
  selection-background-color: $accent; selection-color: $panel; }
QComboBox { background: $panel; border: 1px solid $field; border-radius: 3px; color: $text; padding: 0 4px 0 6px; }
QComboBox:hover, QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QPushButton#choice:hover { border-color: $axis; }
QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPushButton#choice:focus { border-color: $accent; }
QComboBox::drop-down { border: 0; width: 18px; }
QComboBox::down-arrow { image: url($arrow); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $field; outline: 0; }
QPushButton#choice { text-align: left; }
QPushButton#choice::menu-indicator { image: url($arrow); width: 10px; height: 10px; right: 5px;
  subcontrol-position: right center; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled { color: $secondary; border-color: $border; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; border: 0; }
QPushButton { background: $panel; border: 1px solid $field; border-radius: 3px; padding: 3px 10px; color: $text; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $selectedRow; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $field; border-color: $border; }
QPushButton#link { background: transparent; border: none; padding: 0; color: $accent; }
QPushButton#link:hover, QPushButton#link:focus { text-decoration: underline; }
QPushButton#fold { background: transparent; border: none; padding: 0; text-align: left; font-weight: 600; }
QPushButton#fold:hover, QPushButton#fold:focus { background: transparent; color: $accent; }
QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid $field; border-radius: 2px; background: $panel; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url($check); }
QCheckBox:focus { color: $accent; }
QCheckBox { spacing: 7px; }
QRadioButton { font-weight: 600; spacing: 7px; outline: 0; }
QRadioButton::indicator { width: 13px; height: 13px; border: 1px solid $axis; border-radius: 7px; background: $panel; }
QRadioButton::indicator:checked { width: 7px; height: 7px; border: 4px solid $accent; }
QRadioButton:focus { color: $accent; }
#readingCards, #readingNotes { background: transparent; }
#readingCard { background: $panel; border: 1px solid $border; border-radius: 4px; }
#readingCard[chosen="true"] { border: 2px solid $accent; }
#failure { color: $warning; }
QPlainTextEdit { background: $panel; border: 1px solid $field; border-radius: 3px; color: $text; }
QPlainTextEdit:focus { border-color: $accent; }
QPushButton:default { border-color: $accent; color: $accent; }
QPushButton:default:disabled { border-color: $border; color: $field; }
QTabBar#pageTabs { background: $window; border-bottom: 1px solid $border; font-size: 13px; }
QTabBar#pageTabs::tab { padding: 0 14px; height: 35px; color: $secondary; border-bottom: 2px solid transparent; }
QTabBar#pageTabs::tab:selected { color: $text; font-weight: 600; border-bottom: 2px solid $accent; background: $panel; }
QTabBar#pageTabs::tab:hover:!selected { color: $text; }
QTabBar#pageTabs::tab:focus { color: $accent; }
#pageArea, #pageContent, #pageBody { background: $panel; }
#pageHeader, #findings { background: $panel; border-bottom: 1px solid $hairline; }
#pageTitle { font-size: 16px; font-weight: 600; }
#secondary, #captionText { color: $secondary; }
#captionTitle { font-weight: 600; color: $text; }
#findingDivider { background: $hairline; }
#brushChip { background: $chip; color: $outlierText; font-weight: 600; border: 0; border-radius: 3px; padding: 3px 8px; }
#banner { background: $bannerGround; border-bottom: 1px solid $warning; }
#notice { color: $secondary; background: $panel; }
#dockTitle { background: $window; border-bottom: 1px solid $hairline; }
#dockTitle QLabel { color: $secondary; font-size: 11px; font-weight: 600; letter-spacing: 0.5px; }
#dockBody { background: $window; }
#formSection { font-weight: 600; }
QDockWidget { border: 0; }
QScrollArea { background: transparent; border: 0; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: 0; }
QProgressBar { border: 0; border-radius: 2px; background: $border; max-height: 5px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QTableView { background: transparent; border: 0; gridline-color: $hairline; selection-background-color: $selectedRow;
  selection-color: $text; outline: 0; }
QTableView::item { border: 0; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: transparent; border: 0; border-bottom: 1px solid $axis; color: $secondary;
  font-size: 11px; padding: 0 4px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; image: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar::handle:vertical { background: $field; border-radius: 3px; min-height: 24px; margin: 2px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle:horizontal { background: $field; border-radius: 3px; min-width: 24px; margin: 2px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QGraphicsView { background: transparent; border: 0; }
)";

}  // namespace

QString styleSheet(const Colours& c) {
    QString sheet = kSheet;
    const QColor chip = c.dark ? QColor(0x3A2A1E) : QColor(0xFBEBDD);
    const QColor banner = c.dark ? QColor(0x332A1B) : QColor(0xFFF6E5);
    // Longer names first: "$hairline" before anything it could begin with.
    const std::initializer_list<std::pair<const char*, QColor>> colours{{"bannerGround", banner},
                                                                        {"selectedRow", c.selectedRow},
                                                                        {"outlierText", c.outlierText},
                                                                        {"secondary", c.secondary},
                                                                        {"hairline", c.hairline},
                                                                        {"warning", c.warning},
                                                                        {"window", c.window},
                                                                        {"border", c.border},
                                                                        {"accent", c.accent},
                                                                        {"panel", c.panel},
                                                                        {"field", c.field},
                                                                        {"hover", c.hover},
                                                                        {"text", c.text},
                                                                        {"chip", chip},
                                                                        {"axis", c.figure.axis}};
    for (const auto& [name, colour] : colours) sheet.replace(QString("$") + name, colour.name());
    sheet.replace("$arrow", c.dark ? ":/icons/arrow-dark.svg" : ":/icons/arrow-light.svg");
    sheet.replace("$check", c.dark ? ":/icons/check-dark.svg" : ":/icons/check-light.svg");
    return sheet;
}

}  // namespace dimscope::app
