import com.fasterxml.jackson.databind.*;
import java.lang.reflect.*;
import java.math.BigDecimal;
import java.nio.file.*;
import java.sql.*;
import java.time.*;
import java.util.*;

/** JDBC, as DBeaver, Metabase and Tableau use it. */
class Jdbc extends Checks {
  static final String URL = "jdbc:postgresql://127.0.0.1:" + PORT + "/lakehouse";

  static Connection connect() throws SQLException { return connect(""); }
  static Connection connect(String more) throws SQLException { return DriverManager.getConnection(URL + "?" + more, "ada", "lovelace"); }

  static List<String> column(ResultSet rows, String name) throws SQLException {
    List<String> all = new ArrayList<>();
    while (rows.next()) all.add(rows.getString(name));
    return all;
  }

  static String stateOf(Work work) {
    try { work.run(); return "no error"; } catch (SQLException e) { return e.getSQLState(); } catch (Exception e) { return e.toString(); }
  }

  /** Asks each method of the metadata, with nothing where it takes something, and reads all rows. */
  static List<String> failingMethods(DatabaseMetaData about) throws Exception {
    List<String> failing = new ArrayList<>();
    for (Method each : DatabaseMetaData.class.getDeclaredMethods()) {
      Object[] arguments = Arrays.stream(each.getParameterTypes()).map(type -> type == int.class ? (Object) 0 : type == boolean.class ? (Object) false : null).toArray();
      try {
        Object answer = each.invoke(about, arguments);
        if (answer instanceof ResultSet rows) while (rows.next()) rows.getString(1);
      } catch (InvocationTargetException e) {
        if (!(e.getCause() instanceof SQLFeatureNotSupportedException)) failing.add(each.getName() + ": " + e.getCause().getMessage());
      }
    }
    return failing;
  }

  /** A number without the zeros at its end, of which DuckDB has others. */
  static String trim(String text) { return text == null || !text.matches("-?\\d+\\.\\d+") ? text : text.replaceAll("\\.?0+$", ""); }

  /** Statements with parameters, and what PostgreSQL 15 answers: values/parameters.jsonl of the service's tests. */
  static List<String> differing(Connection c) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(System.getenv("WAYMARK_PARAMETERS")))) {
      JsonNode wanted = new ObjectMapper().readTree(line);
      List<String> values = new ArrayList<>();
      String sql = wanted.get("sql").asText().replace("?", "??");
      java.util.regex.Matcher places = java.util.regex.Pattern.compile("\\$(\\d+)").matcher(sql);
      while (places.find()) { JsonNode value = wanted.get("values").get(Integer.parseInt(places.group(1)) - 1); values.add(value.isNull() ? null : value.asText()); }
      // A parameter that stands in two places is two of JDBC's.
      if (values.size() != wanted.get("values").size()) continue;
      try (PreparedStatement s = c.prepareStatement(sql.replaceAll("\\$\\d+", "?"))) {
        for (int at = 0; at < values.size(); at++) s.setObject(at + 1, values.get(at), Types.OTHER);
        ResultSet r = s.executeQuery(); r.next();
        for (int at = 0; at < wanted.path("row").size(); at++) {
          JsonNode text = wanted.get("row").get(at);
          if (!Objects.equals(trim(r.getString(at + 1)), trim(text.isNull() ? null : text.asText()))) wrong.add(sql + ": " + r.getString(at + 1) + " instead of " + text);
        }
        if (wanted.has("error")) wrong.add(sql + ": no error");
      } catch (SQLException e) {
        if (!Objects.equals(wanted.path("error").asText(null), e.getSQLState())) wrong.add(sql + ": " + e.getMessage());
      }
    }
    return wrong;
  }

  public static void main(String[] args) {
    check("answers each question of its metadata", () -> {
      try (Connection c = connect()) { equal(failingMethods(c.getMetaData()), List.of()); }
    });
    check("sends parameters of each type, as text and in binary", () -> {
      try (Connection c = connect("prepareThreshold=2"); PreparedStatement s = c.prepareStatement("SELECT ?::int2, ?::int4, ?::int8, ?::numeric, ?::float4, ?::float8, ?::text, ?::bool, ?::date, ?::time, ?::timestamp, ?::timestamptz, ?::uuid, ?::bytea, ?::int4[], ?::text[], ?::json, ?::jsonb, ?::int4")) {
        OffsetDateTime moment = OffsetDateTime.parse("2026-01-02T03:04:05.678901Z");
        List<Object> values = List.of((short) -7, Integer.MIN_VALUE, 9007199254740993L, new BigDecimal("1.5"), 1.5f, 0.1, "a 'b' \\ ü", true, LocalDate.of(2026, 1, 2), LocalTime.of(3, 4, 5), LocalDateTime.of(1969, 12, 31, 23, 59, 59), moment, new UUID(1, 2));
        for (int n = 0; n < 6; n++) {
          for (int at = 0; at < values.size(); at++) s.setObject(at + 1, values.get(at));
          s.setBytes(14, new byte[] {0, 1, -1}); s.setArray(15, c.createArrayOf("int4", new Object[] {1, null, 3})); s.setArray(16, c.createArrayOf("text", new Object[] {"a,b", ""}));
          s.setObject(17, "{\"a\": 1}", Types.OTHER); s.setObject(18, "[1]", Types.OTHER); s.setNull(19, Types.INTEGER);
          ResultSet r = s.executeQuery(); r.next();
          for (int at = 0; at < values.size(); at++) equal(r.getObject(at + 1, values.get(at).getClass()), values.get(at));
          equal(Arrays.toString(r.getBytes(14)) + Arrays.toString((Object[]) r.getArray(15).getArray()) + Arrays.toString((Object[]) r.getArray(16).getArray()), "[0, 1, -1][1, null, 3][a,b, ]");
          equal(r.getString(17) + r.getString(18) + r.getObject(19), "{\"a\": 1}[1]null");
        }
      }
    });
    check("parameters without a type have PostgreSQL's values", () -> {
      try (Connection c = connect()) { equal(differing(c), List.of()); }
    });
    check("an error has a code, and the connection goes on", () -> {
      try (Connection c = connect(); Statement s = c.createStatement()) {
        Map<String, String> codes = Map.of("SELECT * FROM nothing", "42P01", "SELECT nothing FROM orders", "42703", "SELEC 1", "42601", "SELECT 'x'::int", "22P02", "SELECT 1 / 0", "22012");
        for (Map.Entry<String, String> each : codes.entrySet()) {
          equal(each.getKey() + stateOf(() -> s.executeQuery(each.getKey())), each.getKey() + each.getValue());
          s.executeQuery("SELECT 1");
        }
        s.setQueryTimeout(1); equal(stateOf(() -> s.executeQuery(ENDLESS)), "57014"); s.executeQuery("SELECT 1");
        equal(stateOf(() -> DriverManager.getConnection(URL, "ada", "wrong")), "28P01");
      }
    });
    check("a connection that was ended says so, and the next one works", () -> {
      try (Connection c = connect(); Connection other = connect()) {
        int pid = other.unwrap(org.postgresql.PGConnection.class).getBackendPID();
        equal(c.createStatement().executeQuery("SELECT pg_terminate_backend(" + pid + ")").next(), true);
        equal(other.isValid(5), false);
      }
      try (Connection c = connect()) { equal(c.isValid(5), true); }
    });
    check("connects, and reads rows with parameters", () -> {
      try (Connection c = connect(); PreparedStatement s = c.prepareStatement("SELECT note FROM orders WHERE id = ?")) {
        for (int n = 0; n < 8; n++) { s.setInt(1, 1); ResultSet r = s.executeQuery(); r.next(); equal(r.getString(1), "x"); }
      }
    });
    check("lists schemas, tables, columns, keys and types", () -> {
      try (Connection c = connect()) {
        DatabaseMetaData m = c.getMetaData();
        equal(column(m.getSchemas(), "TABLE_SCHEM").contains("analytics"), true);
        equal(column(m.getTables(null, "main", "%", new String[] {"TABLE"}), "TABLE_NAME").contains("orders"), true);
        equal(column(m.getColumns(null, "main", "orders", "%"), "COLUMN_NAME"), List.of("id", "total", "tags", "note"));
        equal(column(m.getColumns(null, "analytics", "events", "%"), "COLUMN_NAME").contains("properties"), true);
        equal(column(m.getPrimaryKeys(null, "main", "orders"), "COLUMN_NAME"), List.of("id"));
        equal(column(m.getIndexInfo(null, "main", "orders", false, false), "INDEX_NAME").size(), 1);
        m.getImportedKeys(null, "main", "orders"); m.getExportedKeys(null, "main", "orders");
        equal(column(m.getTypeInfo(), "TYPE_NAME").contains("int4"), true);
        column(m.getCatalogs(), "TABLE_CAT"); column(m.getTableTypes(), "TABLE_TYPE"); column(m.getFunctions(null, null, "%"), "FUNCTION_NAME");
        column(m.getProcedures(null, null, "%"), "PROCEDURE_NAME"); column(m.getTablePrivileges(null, "main", "orders"), "PRIVILEGE"); column(m.getColumnPrivileges(null, "main", "orders", "%"), "PRIVILEGE");
        column(m.getBestRowIdentifier(null, "main", "orders", 0, false), "COLUMN_NAME"); column(m.getVersionColumns(null, "main", "orders"), "COLUMN_NAME"); column(m.getUDTs(null, null, "%", null), "TYPE_NAME");
        column(m.getClientInfoProperties(), "NAME"); equal(m.getSQLKeywords() != null, true);
      }
    });
    check("fetches some rows at a time, by setFetchSize and by a cursor", () -> {
      try (Connection c = connect()) {
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
          s.setFetchSize(100);
          ResultSet r = s.executeQuery("SELECT range FROM range(1000)");
          int n = 0; while (r.next()) n++;
          equal(n, 1000);
          s.execute("DECLARE mine CURSOR FOR SELECT range FROM range(10)");
          r = s.executeQuery("FETCH 3 FROM mine"); n = 0; while (r.next()) n++;
          equal(n, 3);
        }
      }
    });
    check("setSchema there and back leaves the connection where it was", () -> {
      try (Connection c = connect(); Statement s = c.createStatement()) {
        c.setSchema("analytics"); c.setSchema("main");
        ResultSet r = s.executeQuery("SELECT count(*) FROM orders"); r.next(); equal(r.getInt(1), 3);
        equal(c.getCatalog(), "lakehouse");
      }
    });
    check("copies rows out", () -> {
      try (Connection c = connect()) {
        java.io.StringWriter out = new java.io.StringWriter();
        c.unwrap(org.postgresql.PGConnection.class).getCopyAPI().copyOut("COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT (FORMAT csv, NULL '-')", out);
        equal(out.toString(), "1,x\n2,-\n3,y\n");
      }
    });
    check("describes parameters, lists and json", () -> {
      try (Connection c = connect(); PreparedStatement s = c.prepareStatement("SELECT tags, properties FROM orders, events WHERE id = ANY(?) AND total > ? LIMIT 1")) {
        ParameterMetaData p = s.getParameterMetaData();
        equal(p.getParameterTypeName(1), "_int4"); equal(p.getParameterTypeName(2), "numeric");
        ResultSetMetaData m = s.getMetaData();
        equal(m.getColumnTypeName(1), "_text"); equal(m.getColumnTypeName(2), "json");
        s.setArray(1, c.createArrayOf("int4", new Object[] {1, 3})); s.setBigDecimal(2, new java.math.BigDecimal("1"));
        ResultSet r = s.executeQuery(); r.next(); equal(((Object[]) r.getArray(1).getArray())[0], "a");
      }
    });
    check("column labels are as PostgreSQL names them", () -> {
      try (Connection c = connect(); Statement s = c.createStatement()) {
        ResultSetMetaData m = s.executeQuery("SELECT count(*), id::text, 1, upper('a') FROM orders GROUP BY id").getMetaData();
        equal(List.of(m.getColumnLabel(1), m.getColumnLabel(2), m.getColumnLabel(3), m.getColumnLabel(4)), List.of("count", "id", "?column?", "upper"));
      }
    });
    check("moments are read in the program's zone", () -> {
      try (Connection c = connect(); Statement s = c.createStatement()) {
        ResultSet r = s.executeQuery("SELECT TIMESTAMPTZ '2026-01-02 03:04:05Z', DATE '2026-01-02', INTERVAL '1 day'"); r.next();
        equal(r.getTimestamp(1).toInstant().toString(), "2026-01-02T03:04:05Z"); equal(r.getDate(2).toString(), "2026-01-02");
        equal(((org.postgresql.util.PGInterval) r.getObject(3)).getDays(), 1);
      }
    });
  }
}
