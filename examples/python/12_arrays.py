# SPDX-License-Identifier: Apache-2.0
"""12: change a picture through views that share its memory, as with NumPy."""
import sys

import cucore
import cucore.array as xp


def main() -> int:
    rows, columns = xp.meshgrid(xp.arange(120), xp.arange(160), indexing="ij")
    picture = xp.where((rows // 20 + columns // 20) % 2 == 0, 0.9, 0.2)  # a chessboard

    # snippet: views
    frame = picture.copy()
    frame[:4] = frame[-4:] = 1.0  # writes into views of rows,
    frame[:, :4] = frame[:, -4:] = 1.0  # and of columns
    corner = frame[10:50, 10:50]  # shares the memory of the frame
    corner *= 0.5
    frame[60:, :80] = frame[60:, :80][:, ::-1]  # a part of it, mirrored
    frame[frame > 0.95] = 0.95  # a mask
    # end of snippet

    blurred = (frame[:-2] + 2 * frame[1:-1] + frame[2:]) / 4
    edges = xp.abs(blurred[:, 1:] - blurred[:, :-1]) > 0.05
    per_row = xp.sum(edges, axis=1)
    rows_with_most = xp.argsort(per_row, descending=True)[:3]
    print(f"{frame.shape[0]} x {frame.shape[1]} pixels, mean {frame.mean().item():.4f}, darkest {corner.min().item():.2f}")
    print(f"{per_row.sum().item()} pixels of edges; most of them in rows {rows_with_most.tolist()}")
    if picture.max().item() != 0.9 or corner[0, 0].item() != frame[10, 10].item():
        print("a view does not share the memory of its array, or a copy does")
        return 1
    return 0


sys.exit(main() if cucore.Device.count() else print("arrays need a device"))
