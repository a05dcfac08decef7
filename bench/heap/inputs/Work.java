// Threads, many objects, buffers outside Java's heap and compression; prints what must come out.
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class Work {
  static long work(int seed) {
    var words = new TreeMap<String, List<Integer>>();
    for (int i = 0; i < 100_000; i++) {
      words.computeIfAbsent("" + (i * seed) % 7919, k -> new ArrayList<>()).add(i);
    }
    byte[] text = words.toString().getBytes();
    ByteBuffer outside = ByteBuffer.allocateDirect(text.length);
    outside.put(text).flip();
    Deflater deflater = new Deflater();
    deflater.setInput(outside);
    deflater.finish();
    ByteBuffer packed = ByteBuffer.allocateDirect(text.length);
    deflater.deflate(packed);
    deflater.end();
    packed.flip();
    CRC32 sum = new CRC32();
    sum.update(packed);
    return sum.getValue();
  }

  public static void main(String[] arguments) throws Exception {
    var team = Executors.newFixedThreadPool(4);
    var results = new ArrayList<Future<Long>>();
    for (int seed = 1; seed <= 8; seed++) {
      final int mine = seed;
      results.add(team.submit(() -> work(mine)));
    }
    for (var result : results) System.out.println(result.get());
    team.shutdown();
  }
}
