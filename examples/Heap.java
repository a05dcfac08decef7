// Eight threads fill arrays of their own, one after the other, then read them again and again, all at
// once: where on the heap they are decides how far each thread's memory is. Prints the sum, then runs
// COMMAND with the JVM's PID added.
//
//     javac -d . Heap.java
//     java Heap [COMMAND...]                      java Heap homenode where

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

public class Heap {
  static final int THREADS = 8;
  static final int LENGTH = 3 << 17; // longs: 3 MiB, more than a core's caches
  static final int LINE = 8; // longs in a line of the cache
  static final int ROUNDS = 20;
  static final long[] sums = new long[THREADS];
  static final CountDownLatch begin = new CountDownLatch(THREADS);

  static void work(int rank, CountDownLatch filled) {
    long[] own = new long[LENGTH];
    Arrays.fill(own, rank);
    filled.countDown();
    begin.countDown();
    try {
      begin.await();
    } catch (InterruptedException stopped) {
      return;
    }
    long sum = 0;
    for (int round = 0; round < ROUNDS; ++round)
      for (int i = 0; i < LENGTH; i += LINE) sum += own[i];
    sums[rank] = sum;
  }

  public static void main(String[] command) throws Exception {
    Thread[] team = new Thread[THREADS];
    for (int i = 0; i < THREADS; ++i) {
      int rank = i;
      CountDownLatch filled = new CountDownLatch(1);
      team[i] = new Thread(() -> work(rank, filled), "worker " + rank);
      team[i].start();
      filled.await();
    }
    for (Thread thread : team) thread.join();
    System.out.println("sum " + Arrays.stream(sums).sum());
    if (command.length == 0) return;
    List<String> words = new ArrayList<>(List.of(command));
    words.add(Long.toString(ProcessHandle.current().pid()));
    new ProcessBuilder(words).inheritIO().start().waitFor();
  }
}
