# Writes csv files as R does, into the folder that it is given; ofR.py reads them.
setwd(commandArgs(trailingOnly = TRUE)[1])
frame <- data.frame(
  id = 1:3, name = c("Ann", "B\u00f6b, jr.", "say \"hi\""), score = c(1.5, NA, -3), ok = c(TRUE, FALSE, NA),
  day = as.Date(c("2024-01-01", "2024-02-29", NA)), kind = factor(c("a", "b", "a")), lines = c("a\nb", "c", ""),
  at = as.POSIXct(c("2024-01-01 01:02:03", "2024-02-29 23:59:59", NA), tz = "UTC")
)
numbers <- data.frame(
  n = c(1e5, 123456, 1e15, 2^53), small = c(1e-4, 0.1 + 0.2, 1e-300, -0.5), odd = c(Inf, NaN, NA, -Inf),
  code = c("007", "1e5", "TRUE", "NA"), whole = c(100000L, -1L, NA, 2147483647L)
)
plain <- frame[c("id", "score", "ok", "day", "kind")]
write.csv(frame, "R-default.csv", fileEncoding = "UTF-8")
write.csv(frame, "R-without row names.csv", row.names = FALSE, fileEncoding = "UTF-8")
write.csv(frame, "R-nothing for NA.csv", na = "", fileEncoding = "UTF-8")
write.csv(plain, "R-without quotes.csv", quote = FALSE, row.names = FALSE)
write.csv(plain, "R-CRLF.csv", eol = "\r\n")
write.csv(frame, "R-Latin-1.csv", fileEncoding = "latin1")
write.csv(numbers, "R-numbers.csv")
write.csv(numbers, "R-numbers without quotes.csv", quote = FALSE, row.names = FALSE)
write.csv2(frame[c("id", "name", "score")], "R-write.csv2.csv", row.names = FALSE, fileEncoding = "UTF-8")
write.table(plain, "R-tabs.csv", sep = "\t", row.names = FALSE)
write.table(plain, "R-tabs, short header.csv", sep = "\t")
write.table(plain, "R-spaces.csv")
write.csv(head(plain, 0), "R-empty.csv", row.names = FALSE)
write.csv(table(kind = frame$kind), "R-a table.csv")
write.csv(aggregate(score ~ kind, frame, mean), "R-means.csv", row.names = FALSE)
write.csv(mtcars[1:3, 1:4], "R-named rows.csv")
write.csv(as.matrix(data.frame(1:2, c(0.5, 1))), "R-a matrix.csv")
