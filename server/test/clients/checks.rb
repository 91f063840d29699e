# What the Ruby tools share: where the service is, and one line for each check.
PORT = Integer(ENV.fetch('WAYMARK_PORT', '5432'))

def check(name)
  yield
  puts "+ #{name}"
rescue StandardError => e
  warn e.backtrace if ENV['TRACE']
  puts "- #{name}: #{e.class}: #{e.message.split.join(' ')[0, 300]}"
ensure
  $stdout.flush
end

def equal(found, wanted)
  raise "#{found.inspect} instead of #{wanted.inspect}" unless found == wanted
end
