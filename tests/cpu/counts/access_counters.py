# SPDX-License-Identifier: Apache-2.0
"""Joins the launches of access_table with the counters that Nsight Compute reports for them.

    access_counters.py metrics                        prints the names of the metrics
    access_counters.py join LAUNCHES COUNTERS TABLE   writes the table, one row per launch
"""
import csv
import sys
from collections import defaultdict

METRICS = {
    "shared_ld_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_st_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_atom_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "shared_ld_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_st_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global_ld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_st_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "global_atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "global_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}


def read_counters(path):
    """Returns the metrics of each launch, in the order of the launches."""
    launches = defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if line.startswith('"')):
            if row["Metric Name"] in METRICS.values():
                launches[int(row["ID"])][row["Metric Name"]] = int(float(row["Metric Value"].replace(",", "")))
    return [launches[number] for number in sorted(launches)]


def join(launches_path, counters_path, table_path):
    with open(launches_path, encoding="utf-8", newline="") as file:
        head, *launches = csv.reader(file)
    counters = read_counters(counters_path)
    if len(counters) != len(launches):
        sys.exit(f"{len(launches)} launches, but counters of {len(counters)}")
    with open(table_path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*head[:3], *METRICS, *head[3:]])
        for launch, found in zip(launches, counters):
            table.writerow([*launch[:3], *(found[metric] for metric in METRICS.values()), *launch[3:]])
    print(f"{len(launches)} launches")


if __name__ == "__main__":
    if sys.argv[1:] == ["metrics"]:
        print(",".join(METRICS.values()))
    elif len(sys.argv) == 5 and sys.argv[1] == "join":
        join(*sys.argv[2:])
    else:
        sys.exit(__doc__)
