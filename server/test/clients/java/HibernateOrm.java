import jakarta.persistence.*;
import java.math.BigDecimal;
import java.util.*;
import org.hibernate.*;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.SqlTypes;

/** Hibernate, with tables that it finds and compares with its entities. */
class HibernateOrm extends Checks {
  @Entity(name = "Order") @Table(name = "orders")
  public static class Order {
    @Id Integer id;
    @Column(nullable = false, precision = 10, scale = 2) BigDecimal total;
    @JdbcTypeCode(SqlTypes.ARRAY) String[] tags;
    String note;
  }
  @Entity(name = "Sample") @Table(name = "sample")
  public static class Sample {
    @Id Long big;
    Short small;
    Boolean flag;
    java.time.LocalDate day;
    java.time.Instant moment;
    @JdbcTypeCode(SqlTypes.ARRAY) Integer[] ids;
    Double ratio;
  }
  @Entity(name = "Strange") @Table(name = "orders")
  public static class Strange {
    @Id Integer id;
    Long note;
  }

  static SessionFactory open(Class<?>... entities) {
    Configuration configuration = new Configuration();
    for (Class<?> each : entities) configuration.addAnnotatedClass(each);
    return configuration.setProperty("hibernate.connection.url", "jdbc:postgresql://127.0.0.1:" + PORT + "/lakehouse").setProperty("hibernate.connection.username", "ada")
        .setProperty("hibernate.connection.password", "lovelace").setProperty("hibernate.hbm2ddl.auto", "validate").buildSessionFactory();
  }

  public static void main(String[] args) {
    java.util.logging.LogManager.getLogManager().reset();
    check("finds tables that are as the entities say", () -> open(Order.class, Sample.class).close());
    check("says which column is of another type", () -> {
      try { open(Strange.class).close(); } catch (Exception e) { equal(String.valueOf(e.getMessage()).contains("note"), true); return; }
      throw new IllegalStateException("no error");
    });
    try (SessionFactory factory = open(Order.class, Sample.class)) {
      check("loads by key, with lists and nothing", () -> factory.inSession(session -> {
        Order first = session.find(Order.class, 1), second = session.find(Order.class, 2);
        equal(List.of(first.total, Arrays.asList(first.tags), first.note), List.of(new BigDecimal("9.90"), List.of("a", "b c"), "x"));
        equal(Arrays.asList(second.tags, second.note), Arrays.asList(null, null));
        equal(session.find(Sample.class, 9007199254740993L).moment, java.time.Instant.parse("2024-03-01T12:00:00Z"));
      }));
      check("asks with parameters, and by pages", () -> factory.inSession(session -> {
        List<Order> all = session.createSelectionQuery("from Order where total > :least and (note in :notes or note is null) order by id", Order.class)
            .setParameter("least", new BigDecimal("0.1")).setParameterList("notes", List.of("x", "y")).setFirstResult(1).setMaxResults(1).getResultList();
        equal(List.of(all.size(), all.get(0).id), List.of(1, 2));
        equal(session.createSelectionQuery("select count(*), sum(total), max(note) from Order where upper(note) like :like", Object[].class).setParameter("like", "%X%").getSingleResult()[0], 1L);
        equal(session.createSelectionQuery("select flag, day from Sample where moment < :now and day = :day and flag = true", Object[].class)
            .setParameter("now", java.time.Instant.now()).setParameter("day", java.time.LocalDate.of(2024, 3, 1)).getResultList().size(), 1);
        equal(session.createSelectionQuery("select extract(month from moment), cast(ratio as string), coalesce(event, 'none') from (select s.moment as moment, s.ratio as ratio, 'e' as event from Sample s) t", Object[].class).getSingleResult()[0], 3);
      }));
      check("scrolls through rows", () -> factory.inTransaction(session -> {
        int seen = 0;
        try (ScrollableResults<Integer> rows = session.createNativeQuery("SELECT n FROM generate_series(1, 1000) AS g(n)", Integer.class).setFetchSize(100).scroll(ScrollMode.FORWARD_ONLY)) { while (rows.next()) seen++; }
        equal(seen, 1000);
      }));
      check("an error has a code", () -> factory.inSession(session -> {
        try { session.createNativeQuery("SELECT nothing FROM orders", Object.class).getResultList(); } catch (JDBCException e) { equal(e.getSQLState(), "42703"); return; }
        throw new IllegalStateException("no error");
      }));
    }
  }
}
