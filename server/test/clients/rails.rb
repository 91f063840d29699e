require 'active_record'
require_relative 'checks'

ActiveRecord::Base.establish_connection(adapter: 'postgresql', host: '127.0.0.1', port: PORT, username: 'ada', password: 'lovelace', database: 'lakehouse')
class Order < ActiveRecord::Base; end
class Event < ActiveRecord::Base
  self.primary_key = 'event_id'
end

check('connects, and reads rows') { equal Order.where(note: 'x').count, 1 }
check('sees the columns of tables and views') do
  equal Order.column_names, %w[id total tags note]
  equal Order.primary_key, 'id'
  equal Order.find(1).total.to_s, '9.9'
  equal Event.column_names.include?('properties'), true
  equal Event.find_by(event: 'Signed Up').properties['plan'], 'pro'
end
check('groups, orders and takes') do
  equal Event.group(:event).count['Signed Up'], 1
  equal Order.order(:id).limit(2).pluck(:id), [1, 2]
  equal Order.where(id: [1, 3]).order(:id).map(&:note), %w[x y]
  equal Order.find_each(batch_size: 2).map(&:id), [1, 2, 3]
end
check('lists tables, views, indexes and schemas') do
  c = ActiveRecord::Base.connection
  equal c.tables.include?('orders'), true
  equal c.views.include?('events'), true
  equal c.schema_names.include?('analytics'), true
  c.indexes('orders')
  c.foreign_keys('orders')
  equal c.table_exists?('orders'), true
  equal c.table_exists?('nope'), false
end
check('intervals are as ISO 8601 writes them') do
  equal ActiveRecord::Base.connection.select_value("SELECT INTERVAL '1 month 2 days 03:04:05'").to_s.include?('P1M2DT3H4M5S'), true
end
check('prepared statements are used again, and reset') do
  5.times { |n| equal Order.where(id: n).limit(1).to_a.size, n.between?(1, 3) ? 1 : 0 }
  ActiveRecord::Base.connection.reset!
  equal Order.count, 3
end
