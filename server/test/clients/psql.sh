#!/usr/bin/env bash
# psql, as a person and a script use it.
export PGHOST=127.0.0.1 PGPORT="$WAYMARK_PORT" PGUSER=ada PGPASSWORD=lovelace PGDATABASE=lakehouse
check() {
  local found
  found=$(psql -XAtq -v ON_ERROR_STOP=1 "${@:3}" 2>&1)
  if [[ $? == 0 && $found == "$2" ]]; then echo "+ $1"; else echo "- $1: ${found//$'\n'/ }"; fi
}
check 'reads rows' $'1|x\n2|\n3|y' -c 'SELECT id, note FROM orders ORDER BY id'
check 'FETCH_COUNT fetches some rows at a time' 1000 -v FETCH_COUNT=100 -c 'SELECT range FROM range(1000)' -o /dev/null -c '\o' -c 'SELECT 1000'
check '\copy copies a query and a table out' $'id,note\n1,x\n2,\n3,y\n1\tx\n2\t\\N\n3\ty' -c '\copy (SELECT id, note FROM orders ORDER BY id) TO STDOUT CSV HEADER' -c '\copy orders (id, note) TO STDOUT'
check '\\gdesc describes' 'count|bigint' -f - <<< 'SELECT count(*) FROM orders \gdesc'
check 'sets styles of dates and intervals' '02.01.2026|P1D' -c "SET datestyle = 'German'" -c 'SET intervalstyle = iso_8601' -c "SELECT DATE '2026-01-02', INTERVAL '1 day'"
check 'search paths lead there and back' 3 -c 'SET search_path TO analytics' -c 'SET search_path TO main' -c 'SELECT count(*) FROM orders'
check 'cursors in a transaction' $'0\n1\n2' -c 'BEGIN; DECLARE c CURSOR FOR SELECT range FROM range(5)' -c 'FETCH 3 FROM c; CLOSE c; COMMIT'
check 'commands with a backslash list and describe' 'main|orders|table|waymark' -o /dev/null $(printf -- '-c\n%s\n' '\d' '\dv' '\dn+' '\l+' '\du' '\df' '\dx' '\dp' '\db' '\dT' '\di') -c '\dt+' -c '\d orders' -c '\d+ analytics.sessions' -c '\o' -c '\dt o*'
