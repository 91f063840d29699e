import io.r2dbc.postgresql.*;
import io.r2dbc.postgresql.api.*;
import io.r2dbc.spi.*;
import java.math.BigDecimal;
import java.time.*;
import java.util.*;
import reactor.core.publisher.*;

/** R2DBC, as Spring's reactive programs use it. */
class R2dbc extends Checks {
  static PostgresqlConnectionFactory factory(String password) {
    return new PostgresqlConnectionFactory(PostgresqlConnectionConfiguration.builder().host("127.0.0.1").port(PORT).username("ada").password(password).database("lakehouse").build());
  }
  interface Asking { void with(PostgresqlConnection c) throws Exception; }
  static Work one(Asking work) {
    return () -> {
      PostgresqlConnection c = factory("lovelace").create().block();
      try { work.with(c); } finally { c.close().block(); }
    };
  }
  static List<List<Object>> rows(PostgresqlStatement statement) {
    return statement.execute().flatMap(result -> result.map((row, about) -> {
      List<Object> values = new ArrayList<>();
      for (int n = 0; n < about.getColumnMetadatas().size(); n++) values.add(row.get(n));
      return values;
    })).collectList().block();
  }
  static String stateOf(Runnable work) {
    try { work.run(); return "no error"; } catch (R2dbcException e) { return e.getSqlState(); }
  }

  public static void main(String[] args) {
    check("lists tables", one(c -> {
      List<List<Object>> tables = rows(c.createStatement("SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1").bind("$1", "main"));
      equal(tables.contains(List.of("orders")), true);
    }));
    check("columns have types and names", one(c -> {
      List<String> types = c.createStatement("SELECT * FROM sample").execute().flatMap(result -> result.map((row, about) -> {
        List<String> names = new ArrayList<>();
        for (ColumnMetadata each : about.getColumnMetadatas()) names.add(each.getName() + " " + each.getType().getName().toLowerCase());
        return String.join(", ", names);
      })).collectList().block();
      equal(types, List.of("small int4, big int8, amount numeric, ratio float8, event text, flag bool, day date, moment timestamptz, ids int4_array, details json"));
    }));
    check("parameters of each type come back as they were", one(c -> {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("smallint", (short) -7); values.put("integer", Integer.MIN_VALUE); values.put("bigint", 9007199254740993L);
      values.put("numeric", new BigDecimal("12345678901234.567")); values.put("real", 1.5f); values.put("double precision", 0.1);
      values.put("text", "a 'b' \\ ü"); values.put("boolean", true); values.put("date", LocalDate.of(2026, 1, 2)); values.put("time", LocalTime.of(3, 4, 5));
      values.put("timestamp", LocalDateTime.of(1969, 12, 31, 23, 59, 59)); values.put("uuid", new UUID(1, 2));
      for (Map.Entry<String, Object> each : values.entrySet())
        equal(each.getKey() + rows(c.createStatement("SELECT $1::" + each.getKey()).bind("$1", each.getValue())), each.getKey() + List.of(List.of(each.getValue())));
      OffsetDateTime moment = OffsetDateTime.parse("2026-01-02T03:04:05Z");
      equal(((OffsetDateTime) rows(c.createStatement("SELECT $1::timestamptz").bind("$1", moment)).get(0).get(0)).toInstant(), moment.toInstant());
      equal(Arrays.asList((Object[]) rows(c.createStatement("SELECT $1::integer[]").bind("$1", new Integer[] {1, 3})).get(0).get(0)), List.of(1, 3));
      equal(rows(c.createStatement("SELECT count(*) FROM orders WHERE id = ANY($1) AND total > $2 AND note <> $3").bind("$1", new Integer[] {1, 3}).bind("$2", BigDecimal.ONE).bind("$3", "z")), List.of(List.of(2L)));
      equal(c.createStatement("SELECT details FROM sample WHERE event = $1").bind("$1", "x").execute().flatMap(r -> r.map((row, about) -> row.get(0, String.class))).collectList().block(), List.of("{\"a\": \"b\"}"));
    }));
    check("rows come some at a time", one(c -> {
      c.beginTransaction().block();
      equal(c.createStatement("SELECT n FROM generate_series(1, 10000) AS g(n)").fetchSize(300).execute().flatMap(r -> r.map((row, about) -> row.get(0, Integer.class))).count().block(), 10000L);
      equal(c.createStatement("SELECT n FROM generate_series(1, 100000) AS g(n)").fetchSize(10).execute().flatMap(r -> r.map((row, about) -> row.get(0, Integer.class))).take(25).count().block(), 25L);
      c.commitTransaction().block();
      equal(rows(c.createStatement("SELECT 1")), List.of(List.of(1)));
    }));
    check("an error has a code, and the connection goes on", one(c -> {
      Map<String, String> codes = Map.of("SELECT * FROM nothing", "42P01", "SELECT nothing FROM orders", "42703", "SELEC 1", "42601", "SELECT 'x'::int", "22P02", "SELECT 1 / 0", "22012");
      for (Map.Entry<String, String> each : codes.entrySet()) {
        equal(each.getKey() + stateOf(() -> rows(c.createStatement(each.getKey()))), each.getKey() + each.getValue());
        equal(rows(c.createStatement("SELECT 1")), List.of(List.of(1)));
      }
      equal(stateOf(() -> factory("wrong").create().block()), "28P01");
    }));
    check("a statement is cancelled, and a connection that was ended says so", one(c -> {
      PostgresqlConnection other = factory("lovelace").create().block();
      Mono.delay(Duration.ofMillis(300)).then(other.cancelRequest()).subscribe();
      equal(stateOf(() -> rows(other.createStatement(ENDLESS))), "57014");
      Object pid = rows(other.createStatement("SELECT pg_backend_pid()")).get(0).get(0);
      equal(rows(c.createStatement("SELECT pg_terminate_backend($1)").bind("$1", pid)), List.of(List.of(true)));
      equal(other.validate(ValidationDepth.REMOTE).onErrorReturn(false).block(), false);
      other.close().onErrorComplete().block();
    }));
  }
}
