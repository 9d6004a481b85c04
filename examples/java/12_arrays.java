// SPDX-License-Identifier: Apache-2.0
// 12: change a picture through views that share its memory, as with NumPy.
import io.cucore.CudaDevice;
import io.cucore.array.*;
import java.util.Arrays;

class Arrays12 {
  public static void main(String[] arguments) {
    if (CudaDevice.count() == 0) {
      System.out.println("arrays need a device");
      return;
    }
    try (Scope scope = new Scope()) {
      NdArray rows = Nd.arange(120).reshape(120, 1).floorDivide(20);
      NdArray white = rows.add(Nd.arange(160).floorDivide(20)).remainder(2).equal(0);
      NdArray picture = Nd.where(white, Scalar.of(0.9), Scalar.of(0.2)); // a chessboard
      NdArray frame = picture.copy();
      frame.set(1.0, Slice.to(4)); // writes into views of rows,
      frame.set(1.0, Slice.from(-4));
      frame.set(1.0, Slice.all(), Slice.to(4)); // and of columns
      frame.set(1.0, Slice.all(), Slice.from(-4));
      NdArray corner = frame.get(Slice.of(10, 50), Slice.of(10, 50)); // shares the memory of the frame
      corner.multiplyAssign(0.5);
      NdArray left = frame.get(Slice.from(60), Slice.to(80));
      left.set(left.flip(1)); // a part of it, mirrored
      frame.set(0.95, Slice.of(frame.greater(0.95))); // a mask
      NdArray middle = frame.get(Slice.of(1, -1)).multiply(2);
      NdArray blurred = frame.get(Slice.to(-2)).add(middle).add(frame.get(Slice.from(2))).divide(4);
      NdArray edges = blurred.get(Slice.all(), Slice.from(1)).subtract(blurred.get(Slice.all(), Slice.to(-1))).abs().greater(0.05);
      NdArray perRow = edges.sum(1);
      NdArray most = perRow.argsort(0, true).get(Slice.to(3));
      System.out.printf("%s pixels, mean %.4f, darkest %.2f%n", Arrays.toString(frame.getShape()), frame.mean().item().doubleValue(),
          corner.min().item().doubleValue());
      System.out.println(perRow.sum().item() + " pixels of edges; most of them in rows " + most);
      if (picture.max().item().doubleValue() != 0.9 || !corner.get(0, 0).item().equals(frame.get(10, 10).item())) {
        throw new AssertionError("a view does not share the memory of its array, or a copy does");
      }
    }
  }
}
