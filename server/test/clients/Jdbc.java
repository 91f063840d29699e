import java.sql.*;
import java.util.*;

/** JDBC, as DBeaver, Metabase and Tableau use it. */
class Jdbc {
  interface Work { void run() throws Exception; }

  static final String URL = "jdbc:postgresql://127.0.0.1:" + System.getenv().getOrDefault("WAYMARK_PORT", "5432") + "/lakehouse";

  static Connection connect() throws SQLException { return connect(""); }
  static Connection connect(String more) throws SQLException { return DriverManager.getConnection(URL + "?" + more, "ada", "lovelace"); }

  static void check(String name, Work work) {
    try { work.run(); System.out.println("+ " + name); }
    catch (Exception e) { System.out.println("- " + name + ": " + String.valueOf(e).replaceAll("\\s+", " ")); if (System.getenv("TRACE") != null) e.printStackTrace(); }
  }
  static void equal(Object found, Object wanted) { if (!Objects.equals(found, wanted)) throw new IllegalStateException(found + " instead of " + wanted); }
  static List<String> column(ResultSet rows, String name) throws SQLException {
    List<String> all = new ArrayList<>();
    while (rows.next()) all.add(rows.getString(name));
    return all;
  }

  public static void main(String[] args) {
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
