import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.databind.*;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A client of the HTTP API as Java's are written: the JDK's HTTP client, which offers HTTP/2, and a record for each answer. */
class Api extends Checks {
  record Task(@JsonProperty("task_id") UUID taskId, String status) {}
  record Accepted(boolean ok, @JsonProperty("task_id") UUID taskId, @JsonProperty("error_code") String errorCode, @JsonProperty("error_message") String errorMessage) {}
  record Column(String name, String type) {}
  record Validated(boolean valid, String statement, @JsonProperty("connections_errors") Map<String, String> connectionsErrors, String error) {}
  record QueryLog(UUID uuid, @JsonProperty("start_time") String startTime, @JsonProperty("end_time") String endTime, @JsonProperty("duration_ms") Long durationMs,
      @JsonProperty("client_interface") String clientInterface, @JsonProperty("session_id") String sessionId, String error) {}
  record Cancelled(boolean cancelled, String message) {}

  static class Refusal extends RuntimeException {
    final int status;
    final String code;
    Refusal(int status, JsonNode body) {
      super(status + " " + body);
      this.status = status;
      this.code = body.path("error_code").asText(body.path("error").asText());
    }
  }

  final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
  static final ObjectMapper json = new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
  final String header, value;
  Api(String header, String value) { this.header = header; this.value = value; }
  static Api basic(String password) { return new Api("Authorization", "Basic " + Base64.getEncoder().encodeToString(("ada:" + password).getBytes(StandardCharsets.UTF_8))); }

  HttpResponse<InputStream> send(String method, String path, Object body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("WAYMARK_URL") + path)).header(header, value).header("User-Agent", "altertable-lakehouse-java/1.0.0");
    if (body instanceof byte[] bytes) request.header("Content-Type", "application/octet-stream").method(method, HttpRequest.BodyPublishers.ofByteArray(bytes));
    else if (body != null) request.header("Content-Type", "application/json").method(method, HttpRequest.BodyPublishers.ofByteArray(json.writeValueAsBytes(body)));
    else request.method(method, HttpRequest.BodyPublishers.noBody());
    HttpResponse<InputStream> response = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() == 200) return response;
    try (InputStream refused = response.body()) { throw new Refusal(response.statusCode(), json.readTree(refused)); }
  }
  <T> T call(Class<T> type, String method, String path, Object body) throws Exception {
    try (InputStream answer = send(method, path, body).body()) { return json.readValue(answer, type); }
  }
  /** Reads the lines of an answer as they come. This client reads the columns as labels. */
  List<String> query(Map<String, ?> body, Consumer<JsonNode> each) throws Exception {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(send("POST", "/query", body).body(), StandardCharsets.UTF_8))) {
      equal(json.readTree(lines.readLine()).path("query_id").asText().length(), 36);
      List<String> columns = List.of(json.readValue(lines.readLine(), String[].class));
      for (String line; (line = lines.readLine()) != null; ) {
        JsonNode row = json.readTree(line);
        if (row.isObject()) throw new IOException(row.path("error").asText());
        each.accept(row);
      }
      return columns;
    }
  }
  String rows(String statement) throws Exception {
    List<JsonNode> rows = new ArrayList<>();
    query(Map.of("statement", statement), rows::add);
    return rows.toString();
  }
  static int[] refused(Work work, String code) throws Exception {
    try { work.run(); } catch (Refusal e) { equal(e.code, code); return new int[] {e.status}; }
    throw new IllegalStateException("not refused");
  }
  static String table(String name) { return "?catalog=lakehouse&schema=main&table=" + name; }
  static byte[] bytes(String text) { return text.getBytes(StandardCharsets.UTF_8); }
  static Map<String, Object> event(String name) { return Map.of("environment", "production", "event", name, "anonymous_id", "java-visitor", "properties", Map.of("n", 1.5)); }

  public static void main(String[] args) {
    Api lake = basic("lovelace"), events = new Api("X-API-Key", "pk_clients");
    check("track, identify and alias, until they are stored", () -> {
      equal(events.call(Accepted.class, "POST", "/track?sync=true", event("Java one")).ok, true);
      Accepted many = events.call(Accepted.class, "POST", "/track", List.of(event("Java two"), event("Java two")));
      equal(events.call(Accepted.class, "POST", "/identify?sync=true", Map.of("environment", "production", "distinct_id", "java-user", "anonymous_id", "java-visitor", "traits", Map.of("plan", "pro"))).ok, true);
      equal(events.call(Accepted.class, "POST", "/alias?sync=true", Map.of("environment", "production", "distinct_id", "java-user", "new_user_id", "java-person")).ok, true);
      equal(events.call(Task.class, "GET", "/tasks/" + many.taskId, null).status, "completed");
      equal(lake.rows("SELECT count(*), count(DISTINCT person_id) FROM events WHERE event LIKE 'Java %'"), "[[3,1]]");
    });
    check("what is refused has a code", () -> {
      equal(refused(() -> events.call(Accepted.class, "POST", "/track", event("e".repeat(401))), "event-name-too-long")[0], 400);
      equal(refused(() -> new Api("X-API-Key", "pk_wrong").call(Accepted.class, "POST", "/track", event("Java")), "unauthorized")[0], 401);
      equal(refused(() -> lake.rows("SELECT nothing"), "invalid-statement")[0], 400);
      equal(refused(() -> basic("wrong").rows("SELECT 1"), "unauthorized")[0], 401);
    });
    check("a query is read as it comes", () -> {
      long[] seen = {0, 0};
      List<String> columns = lake.query(Map.of("statement", "SELECT range AS n, 'x' || range AS text FROM range(300000)"), row -> { seen[0]++; seen[1] = row.get(0).asLong(); });
      equal(columns + " " + seen[0] + " " + seen[1], "[n, text] 300000 299999");
    });
    check("an answer that breaks off ends with its error", () -> {
      long[] seen = {0};
      try { lake.query(Map.of("statement", "SELECT CASE WHEN i = 900000 THEN error('row 900000 is bad') ELSE i::VARCHAR END AS v FROM range(1000000) r(i)"), row -> seen[0]++); }
      catch (IOException e) { equal(e.getMessage().contains("row 900000 is bad") && seen[0] > 0, true); return; }
      throw new IllegalStateException("no error");
    });
    check("appends records, and says which do not fit", () -> {
      Accepted appended = lake.call(Accepted.class, "POST", "/append" + table("java_visits") + "&sync=true", List.of(Map.of("id", 1, "at", "2026-01-02T03:04:05Z", "ok", true), Map.of("id", 2, "share", 0.5)));
      equal(appended.ok + lake.call(Task.class, "GET", "/tasks/" + appended.taskId, null).status, "truecompleted");
      equal(lake.rows("SELECT id, \"at\", ok, share FROM java_visits ORDER BY id"), "[[1,\"2026-01-02 03:04:05\",true,null], [2,null,null,0.5]]");
      equal(lake.call(Accepted.class, "POST", "/append" + table("java_visits"), Map.of("id", "a word")).errorCode, "incompatible-schema");
    });
    check("uploads and upserts files, and gets a task for each", () -> {
      for (String[] each : new String[][] {{"create", "id,name\n1,a\n2,b\n"}, {"append", "id,name\n3,c\n"}, {"upsert", "id,name\n3,d\n4,e\n"}}) {
        Task stored = lake.call(Task.class, "POST", "/upload" + table("java_people") + "&format=csv&mode=" + each[0] + (each[0].equals("upsert") ? "&primary_key=id" : ""), bytes(each[1]));
        equal(stored.status + lake.call(Task.class, "GET", "/tasks/" + stored.taskId, null).status, "completedcompleted");
      }
      equal(lake.call(Task.class, "POST", "/upsert" + table("java_people") + "&primary_key=id", bytes("[{\"id\": 4, \"name\": \"f\"}]")).status, "completed");
      equal(lake.rows("SELECT string_agg(name, '' ORDER BY id) FROM java_people"), "[[\"abdf\"]]");
      equal(refused(() -> lake.call(Task.class, "POST", "/upload" + table("java_people") + "&format=csv&mode=create", bytes("id\n1\n")), "invalid-upload")[0], 400);
      lake.call(Task.class, "POST", "/upload" + table("java_people") + "&format=json&mode=overwrite", bytes("{\"n\": 1}\n{\"n\": 2}\n"));
      equal(lake.rows("SELECT sum(n) FROM java_people"), "[[3]]");
    });
    check("a running query is watched and ended", () -> {
      UUID id = UUID.fromString("6f1c2f5e-0000-4000-8000-000000007a7a");
      CompletableFuture<String> ended = CompletableFuture.supplyAsync(() -> {
        try { lake.query(Map.of("statement", "SELECT sum(a.range * b.range % 7) FROM range(1000000) a, range(1000000) b", "query_id", id, "session_id", "java-session"), row -> {}); return null; }
        catch (Exception e) { return e.getMessage(); }
      });
      QueryLog log = null;
      while (log == null) try { log = lake.call(QueryLog.class, "GET", "/query/" + id, null); } catch (Refusal e) { equal(e.code, "query-not-found"); }
      equal(log.uuid + log.sessionId + log.clientInterface + log.endTime, id + "java-sessionHttpQuery" + null);
      Cancelled cancelled = lake.call(Cancelled.class, "DELETE", "/query/" + id + "?session_id=java-session", null);
      equal(cancelled.cancelled && !cancelled.message.isEmpty() && ended.get() != null, true);
      log = lake.call(QueryLog.class, "GET", "/query/" + id, null);
      equal(log.error != null && log.endTime != null && log.durationMs != null, true);
    });
    check("validates, explains and completes statements", () -> {
      Validated good = lake.call(Validated.class, "POST", "/validate", Map.of("statement", "SELECT id FROM orders")), bad = lake.call(Validated.class, "POST", "/validate", Map.of("statement", "SELECT nothing FROM orders"));
      equal(good.valid + " " + good.error + good.connectionsErrors + bad.valid + (bad.error != null), "true null{}falsetrue");
      equal(lake.call(JsonNode.class, "POST", "/explain", Map.of("statement", "SELECT * FROM orders")).path("tables").size(), 1);
      equal(lake.call(JsonNode.class, "POST", "/autocomplete", Map.of("statement", "SEL", "max_suggestions", 5)).at("/suggestions/0/suggestion").asText().trim(), "SELECT");
    });
  }
}
