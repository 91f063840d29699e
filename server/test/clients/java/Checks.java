import java.util.Objects;

/** What the Java clients share: where the service is, and one line for each check. */
class Checks {
  interface Work { void run() throws Exception; }

  static final int PORT = Integer.parseInt(System.getenv("WAYMARK_PORT"));
  static final String ENDLESS = "SELECT sum(a.n * b.n % 7) FROM generate_series(1, 1000000) AS a(n), generate_series(1, 1000000) AS b(n)";

  static void check(String name, Work work) {
    try {
      work.run();
      System.out.println("+ " + name);
    } catch (Throwable e) {
      System.out.println("- " + name + ": " + String.valueOf(e).replaceAll("\\s+", " "));
      if (System.getenv("TRACE") != null) e.printStackTrace();
    }
  }

  static void equal(Object found, Object wanted) {
    if (!Objects.equals(found, wanted)) throw new IllegalStateException(found + " instead of " + wanted);
  }
}
