// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

template <class T>
Cell cellOf(const std::optional<T>& value) {
    return value ? Cell(*value) : Cell();
}

Column column(std::string name, std::string title, std::string unit = {}) {
    Column made;
    made.name = std::move(name);
    made.title = std::move(title);
    made.unit = std::move(unit);
    return made;
}

}  // namespace

Table benchTable(const BenchResult& result) {
    Table table;
    table.name = "bench";
    table.caption = "Time and memory beside exact attention, " + result.shape;
    table.columns = {column("job", "job"),
                     column("kernel", "kernel"),
                     column("backend", "backend"),
                     column("shape", "shape"),
                     column("positions", "positions"),
                     column("ms", "median", "ms"),
                     column("ms_min", "least", "ms"),
                     column("gflops", "GFLOP/s"),
                     column("peak_bytes", "peak memory", "bytes"),
                     column("ratio_to_exact", "time / exact"),
                     column("error", "error")};
    for (const BenchRow& row : result.rows) {
        const std::vector<Cell> cells{std::string(benchJobName(result.params.job)),
                                      row.kernel,
                                      row.backend,
                                      result.shape,
                                      std::int64_t{row.positions},
                                      cellOf(row.ms),
                                      cellOf(row.msLeast),
                                      cellOf(row.gflops),
                                      cellOf(row.peakBytes),
                                      cellOf(row.ratioToExact),
                                      cellOf(row.error)};
        appendRow(table, cells);
    }
    table.warnings = result.warnings;
    table.provenance = result.provenance;
    return table;
}

}  // namespace dimscope::analysis
