require 'pg'
require_relative 'checks'

connect = -> { PG.connect(host: '127.0.0.1', port: PORT, user: 'ada', password: 'lovelace', dbname: 'lakehouse') }

check('connects, and reads rows with parameters') do
  equal connect.call.exec_params('SELECT note FROM orders WHERE id = $1', [1]).getvalue(0, 0), 'x'
end
check('copies rows out') do
  c = connect.call
  rows = []
  c.copy_data('COPY (SELECT id, note FROM orders ORDER BY id) TO STDOUT CSV') { while (row = c.get_copy_data) do rows << row end }
  equal rows, %W[1,x\n 2,\n 3,y\n]
end
check('sees the names that PostgreSQL gives to columns') do
  equal connect.call.exec('SELECT count(*) FROM orders').fields, ['count']
end
check('deallocates a prepared statement') do
  c = connect.call
  2.times do
    c.prepare('mine', 'SELECT $1::int')
    equal c.exec_prepared('mine', [7]).getvalue(0, 0), '7'
    c.exec('DEALLOCATE mine')
  end
end
