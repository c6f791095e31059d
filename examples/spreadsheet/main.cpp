// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A spreadsheet: `spreadsheet [FILE.csv]`. A cell is a number, a formula or a label. A formula is a node of a DataflowGraph, and
// what it refers to are its inputs: after an edit only cells run that depend on it, and of those only the ones that really read
// another value. A formula that would depend on itself is refused, and the cycle is named. What the cells show is compared with
// a computation of the whole sheet by functions that call one another.

#include <slotwise/graph/dataflow_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace slotwise;

int failures = 0;
void check(bool ok, const char* what) {
    if (!ok) ++failures;
    std::cout << (ok ? "" : "WRONG: ") << what << '\n';
}

//=== formulas ===//

/// sum := product {(+|-) product}, product := value {(*|/) value}, value := number | cell | -value | (sum) | SUM(cell:cell)
/// @param cell cell(name) is the value of a cell
/// @throws std::runtime_error for a division by zero, and for text that is no formula
template <class CellValue>
class Formula {
public:
    Formula(std::string_view text, CellValue& cell) : rest_(text), cell_(cell) {}
    double value() {
        const double result = sum();
        if (!rest_.empty()) throw std::runtime_error("no formula: " + std::string(rest_));
        return result;
    }

private:
    bool takes(char wanted) {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!takes(wanted)) throw std::runtime_error(std::string("no formula: it lacks a ") + wanted);
    }
    double sum() {
        double result = product();
        for (;;)
            if (takes('+'))
                result += product();
            else if (takes('-'))
                result -= product();
            else
                return result;
    }
    double product() {
        double result = single();
        for (;;)
            if (takes('*'))
                result *= single();
            else if (takes('/')) {
                const double by = single();
                if (by == 0) throw std::runtime_error("division by zero");
                result /= by;
            } else
                return result;
    }
    double single() {
        if (takes('-')) return -single();
        if (takes('(')) {
            const double result = sum();
            expect(')');
            return result;
        }
        if (rest_.starts_with("SUM(")) return range();
        if (!rest_.empty() && rest_.front() >= 'A' && rest_.front() <= 'Z') return cell_(name());
        std::size_t length = 0;
        while (length != rest_.size() && (rest_[length] == '.' || (rest_[length] >= '0' && rest_[length] <= '9'))) ++length;
        if (length == 0) throw std::runtime_error("no formula: it lacks a number or a cell");
        const double result = std::stod(std::string(rest_.substr(0, length)));
        rest_.remove_prefix(length);
        return result;
    }
    /// A column from A to Z and a row.
    std::string name() {
        std::size_t length = 1;
        while (length < rest_.size() && rest_[length] >= '0' && rest_[length] <= '9') ++length;
        if (rest_.empty() || length == 1 || length > 5) throw std::runtime_error("no cell: " + std::string(rest_));
        std::string result(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return result;
    }
    double range() {
        rest_.remove_prefix(4);
        const std::string first = name();
        expect(':');
        const std::string last = name();
        expect(')');
        double result = 0;
        for (char column = first[0]; column <= last[0]; ++column)
            for (int row = std::stoi(first.substr(1)); row <= std::stoi(last.substr(1)); ++row)
                result += cell_(column + std::to_string(row));
        return result;
    }

    std::string_view rest_;
    CellValue& cell_;
};
template <class CellValue>
double value_of(const std::string& text, CellValue cell) {
    if (text.starts_with('=')) return Formula(std::string_view(text).substr(1), cell).value();
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return text.empty() || *end != '\0' ? 0 : number; // a label counts as 0
}

//=== the sheet ===//

struct Cell {
    std::string name, text;
};
using Graph = DataflowGraph<Cell, double>;
using CellHandle = Graph::handle_type;

class Sheet {
public:
    /// Gives a cell its text. False, and no change, if it would depend on itself; cycle() then names the cells.
    bool set(const std::string& name, const std::string& text) {
        std::vector<CellHandle> reads; // in the order in which the formula asks for them
        try {
            value_of(text, [&](const std::string& other) {
                reads.push_back(cell(other));
                return 1.0;
            });
        } catch (const std::runtime_error&) {} // the cell will say so
        const CellHandle node = cell(name);
        std::vector<CellHandle> before;
        for (std::size_t i = 0; i != graph_.inputs(node); ++i) before.push_back(graph_.source(node, i).node);
        if (!link(node, reads)) {
            link(node, before);
            return false;
        }
        graph_[node].text = text;
        graph_.mark(node); // its inputs may have the same values
        return true;
    }
    /// Computes what depends on edits; returns how many cells.
    std::size_t update() {
        return graph_
            .evaluate([](Cell& cell, auto& context) {
                slot_t next = 0;
                context.set_output(0, value_of(cell.text, [&](const std::string&) { return context.input(next++); }));
            })
            .ran;
    }
    double value(const std::string& name) { return graph_.output(cell(name), 0); }
    bool errored(const std::string& name) { return has_any(graph_.flags(cell(name)), NodeFlags::errored); }
    const std::string& text(const std::string& name) { return graph_[cell(name)].text; }
    const std::string& cycle() const { return cycle_; }
    std::size_t size() const { return graph_.size(); }
    bool is_sound() const { return graph_.check_invariants(); }
    const std::map<std::string, CellHandle>& cells() const { return cells_; }

private:
    CellHandle cell(const std::string& name) {
        const auto [found, fresh] = cells_.try_emplace(name);
        if (fresh) found->second = graph_.add(Cell{name, {}}, 0, 1);
        return found->second;
    }
    bool link(CellHandle node, const std::vector<CellHandle>& reads) {
        graph_.set_pins(node, 0, 1);
        graph_.set_pins(node, reads.size(), 1);
        for (std::size_t i = 0; i != reads.size(); ++i) {
            const auto linked = graph_.connect(reads[i], 0, node, i);
            if (linked) continue;
            cycle_.clear();
            for (const CellHandle each : linked.path()) cycle_ += graph_[each].name + " -> ";
            cycle_ += graph_[node].name;
            return false;
        }
        return true;
    }

    Graph graph_{};
    std::map<std::string, CellHandle> cells_{};
    std::string cycle_{};
};

/// The whole sheet again, cells calling one another. @throws when a cell fails
class Recomputation {
public:
    explicit Recomputation(Sheet& sheet) : sheet_(sheet) {}
    double value(const std::string& name) {
        if (const auto known = values_.find(name); known != values_.end()) return known->second;
        return values_[name] = value_of(sheet_.text(name), [this](const std::string& other) { return value(other); });
    }

private:
    Sheet& sheet_;
    std::map<std::string, double> values_{};
};
bool is_right(Sheet& sheet) {
    Recomputation all(sheet);
    bool right = true;
    const auto cells = sheet.cells(); // a copy: asking for a cell may make one
    for (const auto& [name, handle] : cells) right = right && sheet.value(name) == all.value(name);
    return right && sheet.is_sound();
}

//=== files and edits ===//

std::size_t load(Sheet& sheet, const std::string& path) {
    std::ifstream file(path);
    std::size_t cells = 0;
    std::string line;
    for (int row = 1; std::getline(file, line); ++row) {
        char column = 'A';
        for (std::size_t from = 0; from <= line.size() && column <= 'Z'; ++column) {
            const std::size_t end = std::min(line.find(',', from), line.size());
            sheet.set(column + std::to_string(row), line.substr(from, end - from));
            from = end + 1;
            ++cells;
        }
    }
    return cells;
}
std::size_t edit(Sheet& sheet, const std::string& name, const std::string& text) {
    const bool accepted = sheet.set(name, text);
    const std::size_t ran = sheet.update();
    std::cout << "  " << name << " := " << text;
    if (accepted)
        std::cout << ": " << ran << " of " << sheet.size() << " cells computed\n";
    else
        std::cout << ": refused, it would depend on itself: " << sheet.cycle() << '\n';
    return ran;
}

/// Dice that fall alike on every machine.
class Dice {
public:
    int below(int end) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(end));
    }

private:
    std::uint64_t state_ = 1;
};

void budget() {
    Sheet sheet;
    load(sheet, SLOTWISE_SOURCE_DIR "/examples/spreadsheet/budget.csv");
    check(sheet.update() == sheet.size(), "each cell of the budget is computed once");
    check(is_right(sheet), "as the whole sheet would be");
    std::cout << "  left: " << sheet.value("E9") << '\n';
    check(edit(sheet, "B6", "950") == 10, "another rent changes its costs, sums and shares, and no income");
    check(edit(sheet, "B6", "950") == 1, "the same again stops at that cell");
    check(edit(sheet, "B6", "=900+50") == 1, "and so does a formula with the same value");
    const std::size_t all = sheet.size();
    edit(sheet, "B2", "=E9/2");
    check(sheet.text("B2") == "1200" && sheet.size() == all, "a cell that depends on itself is refused, and keeps its text");
    check(is_right(sheet), "the sheet is as before");
    const double share = sheet.value("F6");
    edit(sheet, "F6", "=E6/(E8-E8)");
    check(sheet.errored("F6") && sheet.value("F6") == share,
          "a division by zero is an error of that cell, which keeps its value");
    edit(sheet, "F6", "=E6/E8");
    check(!sheet.errored("F6") && is_right(sheet), "and ends with a right formula");
}

/// Formulas that refer to each other at random.
void random_edits() {
    constexpr int columns = 20, rows = 50, edits = 2'000;
    Sheet sheet;
    Dice dice;
    const auto any = [&] { return static_cast<char>('A' + dice.below(columns)) + std::to_string(1 + dice.below(rows)); };
    const auto text = [&] {
        switch (dice.below(4)) {
        case 0:
            return "=" + any() + "-" + any() + "/4";
        case 1:
            return "=(" + any() + "+1)*0.5";
        default:
            return std::to_string(dice.below(10));
        }
    };
    for (int i = 0; i != columns * rows; ++i) sheet.set(any(), text());
    sheet.update();
    std::size_t ran = 0, of = 0, refused = 0;
    bool right = true;
    for (int i = 0; i != edits; ++i) {
        refused += !sheet.set(any(), text());
        ran += sheet.update();
        of += sheet.size();
        if (i % 20 == 0) right = right && is_right(sheet);
    }
    std::cout << edits << " edits of " << sheet.size() << " cells: " << ran << " computed of " << of << ", " << refused
              << " refused\n";
    check(right, "after each the sheet is as if computed as a whole");
    check(refused != 0 && ran * 50 < of, "less than a fiftieth was computed");
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1) {
        Sheet sheet;
        std::cout << load(sheet, argv[1]) << " cells\n";
        sheet.update();
        const auto cells = sheet.cells();
        for (const auto& [name, handle] : cells)
            if (sheet.text(name).starts_with('='))
                std::cout << name << " = " << (sheet.errored(name) ? "error" : std::to_string(sheet.value(name))) << '\n';
        return 0;
    }
    budget();
    random_edits();
    return failures == 0 ? 0 : 1;
}
