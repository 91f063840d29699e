import static org.jooq.impl.DSL.*;

import java.io.File;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.*;
import java.util.Comparator;
import javax.tools.ToolProvider;
import org.jooq.*;
import org.jooq.Record;
import org.jooq.codegen.GenerationTool;
import org.jooq.impl.DSL;
import org.jooq.meta.jaxb.*;
import org.jooq.meta.jaxb.Configuration;

/** jOOQ, whose generator writes classes from the tables that it finds. */
class Jooq extends Checks {
  static final String URL = "jdbc:postgresql://127.0.0.1:" + PORT + "/lakehouse";

  public static void main(String[] args) throws Exception {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    java.util.logging.LogManager.getLogManager().reset();
    Path made = Files.createTempDirectory("jooq");
    check("generates classes of tables and views, which compile", () -> {
      for (String schema : List.of("main", "analytics"))
        GenerationTool.generate(new Configuration().withLogging(Logging.FATAL).withOnError(OnError.FAIL)
            .withJdbc(new org.jooq.meta.jaxb.Jdbc().withUrl(URL).withUser("ada").withPassword("lovelace"))
            .withGenerator(new org.jooq.meta.jaxb.Generator().withDatabase(new Database().withName("org.jooq.meta.postgres.PostgresDatabase").withInputSchema(schema))
                .withTarget(new Target().withPackageName("made." + schema + "_").withDirectory(made.resolve(schema).toString()))));
      String orders = Files.readString(made.resolve("main/made/main_/tables/Orders.java"));
      for (String each : List.of("SQLDataType.INTEGER.nullable(false)", "SQLDataType.NUMERIC(10, 2).nullable(false)", "SQLDataType.CLOB.array()", "What was said", "getPrimaryKey"))
        equal(each + orders.contains(each), each + true);
      equal(Files.exists(made.resolve("analytics/made/analytics_/tables/Events.java")), true);
      List<String> files;
      try (var all = Files.walk(made)) { files = all.map(Path::toString).filter(name -> name.endsWith(".java")).toList(); }
      List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-cp", System.getProperty("java.class.path")));
      options.addAll(files);
      equal(ToolProvider.getSystemJavaCompiler().run(null, System.out, System.out, options.toArray(String[]::new)), 0);
    });
    try (Connection connection = DriverManager.getConnection(URL, "ada", "lovelace")) {
      DSLContext ask = DSL.using(connection, SQLDialect.POSTGRES);
      Field<Integer> id = field(name("id"), Integer.class);
      Field<BigDecimal> total = field(name("total"), BigDecimal.class);
      Field<String> note = field(name("note"), String.class);
      Field<String[]> tags = field(name("tags"), String[].class);
      Table<Record> orders = table(name("main", "orders"));
      check("asks with parameters, and by pages", () -> {
        equal(ask.select(id).from(orders).where(total.gt(new BigDecimal("0.1"))).and(note.isNull().or(note.in("x", "y"))).orderBy(id.desc()).limit(1).offset(1).fetch(id), List.of(2));
        equal(ask.select(id).from(orders).where(id.eq(any(1, 3))).and(tags.isNotNull()).orderBy(id).fetch(id), List.of(1, 3));
        Record row = ask.select(tags, inline(true), val(java.time.LocalDate.of(2026, 1, 2)), val(UUID.fromString("00000000-0000-0001-0000-000000000002")), val(java.time.OffsetDateTime.parse("2026-01-02T03:04:05Z"))).from(orders).where(id.eq(1)).fetchOne();
        equal(Arrays.asList(row.get(tags)), List.of("a", "b c"));
        equal(row.get(2), java.time.LocalDate.of(2026, 1, 2));
      });
      check("groups, numbers and joins rows", () -> {
        var ranked = ask.select(id, rowNumber().over(orderBy(total.desc())).as("place"), sum(total).over().as("whole")).from(orders).orderBy(id).fetch();
        equal(ranked.getValues("place", Integer.class), List.of(1, 3, 2));
        equal(ask.select(count(), avg(total), listAgg(note, ",").withinGroupOrderBy(note)).from(orders).where(note.isNotNull()).fetchOne().get(2), "x,y");
        equal(ask.with("big").as(select(id.as("id")).from(orders).where(total.ge(BigDecimal.ONE))).selectCount().from(table(name("big"))).fetchOne(0, int.class), 2);
      });
      check("reads some rows at a time", () -> {
        connection.setAutoCommit(false);
        int seen = 0;
        try (Cursor<Record> rows = ask.resultQuery("SELECT n FROM generate_series(1, 1000) AS g(n)").fetchSize(100).fetchLazy()) { for (Record each : rows) seen++; }
        equal(seen, 1000);
        connection.setAutoCommit(true);
      });
      check("lists what there is", () -> {
        equal(ask.meta().filterSchemas(s -> s.getName().equals("main")).getTables("orders").get(0).fieldsRow().size(), 4);
      });
      check("an error has a code", () -> {
        try { ask.fetch("SELECT nothing FROM orders"); } catch (org.jooq.exception.DataAccessException e) { equal(e.sqlState(), "42703"); return; }
        throw new IllegalStateException("no error");
      });
    } finally {
      try (var all = Files.walk(made)) { all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete); }
    }
  }
}
